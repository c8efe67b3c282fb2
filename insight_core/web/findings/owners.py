"""Which of several rules of one id is asked: that of the module that was installed first."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from attrs import field, frozen

from insight_core.registry import Module, Refusal, Registry
from insight_core.web.findings.rounds import AskedRule


@frozen(eq=False)
class RuleOwners:
    """The module of each id of a rule. What runs in a host stays, whatever is loaded later."""

    registry: Registry
    hook: str  # that failed if another module has a rule of this id
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _owners: dict[str, Module] = field(factory=dict, init=False)
    _refused: dict[Module, dict[str, str]] = field(factory=dict, init=False)

    def owned(self, given: Iterable[AskedRule]) -> list[AskedRule]:
        """Those of the rules that are asked, in their order; others are failures of their modules."""
        rules: dict[tuple[str, str], AskedRule] = {}
        for one in given:
            rules.setdefault(one.key, one)  # a module may name a rule and a highlight alike
        with self._lock:
            failures = self._refuse(rules.values())
        for module, text in failures.items():
            self.registry.hook_failed(module, self.hook, Refusal(text))
        return [one for one in rules.values() if self._owners[one.rule.id] is one.module]

    def _refuse(self, rules: Iterable[AskedRule]) -> dict[Module, str]:
        """Gives each id an owner. Returns what is said of modules that lose another rule by that."""
        news = set()
        for one in sorted(rules, key=lambda one: _rank(one.module)):
            owner = self._owners.setdefault(one.rule.id, one.module)
            refused = self._refused.setdefault(one.module, {})
            if owner is not one.module and one.rule.id not in refused:
                names = f"{_of(owner)}, which was installed first, and of {_of(one.module)}"
                refused[one.rule.id] = f"the rule {one.rule.id!r} is that of {names}"
                news.add(one.module)
        return {module: "; ".join(self._refused[module].values()) for module in news}


def _rank(module: Module) -> tuple[bool, float]:
    return not module.is_of_host, module.candidate.origin.since


def _of(module: Module) -> str:
    return f"{module.name!r} of {module.candidate.origin.distribution or 'an unknown distribution'}"
