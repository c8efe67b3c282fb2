"""Asks rules, each guarded, and says what they told or why they did not."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar, cast

from attrs import evolve, field, frozen

from insight_core.isolation import Call, Calls, Limits, Overdue, in_one_line, reraise
from insight_core.plugin import InsightError, PluginContext, Reason, ReasonKind, Unavailable
from insight_core.plugin.findings import Examined, Finding, NotChecked
from insight_core.registry import Module, Refusal, Registry
from insight_core.web.findings.rounds import AskedRule, Result, Round

log = logging.getLogger(__name__)
_HOOK = "insight_rules"
_MOST = 10_000  # findings of one call that are kept
_FRESH = 2.0  # seconds; several runs are compared with annotations and other things that change, too
_RUNNING = ReasonKind("rule_is_running", "it is being checked")
_NEVER = -math.inf


@frozen
class Told:
    """What a rule said in one call, or why it said nothing: see ``Unchecked``.

    It holds as long as the series stay, but not longer than ``until`` (monotonic seconds).
    """

    findings: tuple[Finding, ...] = ()
    more: int = 0
    unchecked: Reason | None = None
    failed: bool = False
    pending: bool = False
    missing: bool = False
    until: float = field(default=math.inf, eq=False)


_NOTHING = Told()  # most calls say so: one object for all
LATER = Told(unchecked=_RUNNING(), pending=True, until=_NEVER)
Value = TypeVar("Value")


@frozen(eq=False)
class _Making:
    """A call of another function than a rule, and what it is about."""

    subject: Hashable
    call: Call[Any]


@frozen(eq=False)
class RuleCalls:
    """The calls of rules, and of what gives them evidence. For any thread.

    A rule that raises, returns anything but findings or does not return is listed as failed; it is not called
    again before it has returned. A call that outlasts an answer goes on, and the next answer has its result.
    """

    limits: Limits
    context_of: Callable[[Module], PluginContext]
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _calls: dict[Module, Calls] = field(factory=dict, init=False)
    _left: dict[tuple[str, str], Round] = field(factory=dict, init=False)  # that outlasted an answer
    _made: dict[tuple[str, str], _Making] = field(factory=dict, init=False)  # that did, too

    def told(
        self,
        asked: Sequence[AskedRule],
        subject: Hashable,
        examined: Callable[[PluginContext], Examined],
        until: float | None,
    ) -> list[Told]:
        """What each rule says of what is examined, ``subject`` by name; waits until then (monotonic)."""
        found: list[Told] = []
        for module, rules in groupby(asked, lambda one: one.module):
            of_module = tuple(rules)
            told = self._of_module(module, of_module, subject, examined, until)
            found += [told[one] for one in of_module]
        return found

    def _of_module(
        self,
        module: Module,
        asked: Sequence[AskedRule],
        subject: Hashable,
        examined: Callable[[PluginContext], Examined],
        until: float | None,
    ) -> dict[AskedRule, Told]:
        found: dict[AskedRule, Told] = {}
        waiting: dict[Round, list[AskedRule]] = {}
        fresh = []
        for one in asked:
            with self._lock:
                left = self._left.get(one.key)
            if left is None:
                fresh.append(one)
            elif left.subject == subject:
                waiting.setdefault(left, []).append(one)
            elif left.stands(one.key) in ("ended", "dropped"):
                fresh.append(one)  # what was left is about another subject
            else:
                found[one] = self._settled(one, left) or LATER
        while waiting or fresh:
            if fresh:
                try:
                    waiting[self._begun(module, fresh, subject, examined)] = fresh
                except Exception as error:  # no context, or no thread
                    return found | {one: _told(one, error) for one in fresh}
                fresh = []
            current = next(iter(waiting))
            current.wait(until)
            for one in waiting.pop(current):
                if (told := self._settled(one, current)) is None:
                    fresh.append(one)
                else:
                    found[one] = told
        return found

    def _settled(self, one: AskedRule, current: Round) -> Told | None:
        """What a rule told in a round, or that it goes on; None if the round does not come to it any more."""
        stands = current.stands(one.key)
        with self._lock:
            if stands in ("waits", "overdue"):
                self._left[one.key] = current
            elif self._left.get(one.key) is current:
                del self._left[one.key]
        if stands == "dropped":
            return None
        if stands == "waits":
            return LATER
        return _told(one, current.results[one.key] if stands == "ended" else Overdue(current.overdue()))

    def made(
        self,
        module: Module,
        what: str,
        subject: Hashable,
        function: Callable[[], Value],
        until: float | None,
    ) -> Value | Told:
        """What a function of a module returns, or why it does not; waits until then (monotonic).

        As with rules: ``what`` is not called again, for any ``subject``, before it has returned.
        """
        key = module.name, what
        with self._lock:
            making = self._made.get(key)
        if making is None or (making.subject != subject and making.call.done.is_set()):
            try:
                call = self._calls_of(module).start(what, lambda _: function(), self.limits.rule)
            except Exception as error:  # no thread
                return _failed(module, what, error)
            making = _Making(subject, call)
        call = making.call
        if making.subject == subject:
            has_ended = call.wait() if until is None else call.done.wait(max(0.0, until - time.monotonic()))
            with self._lock:
                if not has_ended:
                    self._made[key] = making
                elif self._made.get(key) is making:
                    del self._made[key]
            if has_ended and call.error is not None:
                return _failed(module, what, call.error)
            if has_ended:
                module.calls.forget(f"{_HOOK} {what}")
                return cast("Value", call.value)
        if not call.is_overdue:
            return LATER
        return _failed(module, what, Overdue(call.overdue()))

    def _calls_of(self, module: Module) -> Calls:
        with self._lock:
            return self._calls.setdefault(module, Calls(f"plugin {module.name}", self.limits))

    def _begun(
        self,
        module: Module,
        rules: Sequence[AskedRule],
        subject: Hashable,
        examined: Callable[[PluginContext], Examined],
    ) -> Round:
        begun = Round(subject, rules, examined(self.context_of(module)), self.limits.rule)
        begun.begin(self._calls_of(module))
        return begun


def in_a_tab(told: Told, plugin: str, **state: str) -> Told:
    """With findings that name no tab placed in that of a plugin, with a state that theirs adds to."""
    if all(one.place.plugin for one in told.findings):
        return told
    found = []
    for one in told.findings:
        place = evolve(one.place, plugin=plugin, state={**state, **one.place.state})
        found.append(one if one.place.plugin else evolve(one, place=place))
    return evolve(told, findings=tuple(found))


def _told(asked: AskedRule, result: Result) -> Told:
    """What a result of a rule means."""
    module, rule = asked.module, asked.rule
    if isinstance(result, BaseException):
        return _failed(module, f"rule {rule.id}", result)
    module.calls.forget(f"{_HOOK} rule {rule.id}")
    until = time.monotonic() + _FRESH if rule.may_change or rule.scope == "runs" else math.inf
    if not result and until == math.inf:
        return _NOTHING
    return Told(result[:_MOST], max(0, len(result) - _MOST), until=until)


def _failed(module: Module, what: str, error: BaseException) -> Told:
    """What an exception of a rule, or of what gives it evidence, means; failures are noted at the module."""
    try:
        reraise(error)
    except NotChecked as refused:
        pending = refused.may_change
        return Told(unchecked=Reason.of(refused), pending=pending, until=_NEVER if pending else math.inf)
    except Unavailable as refused:
        return Told(unchecked=Reason.of(refused), until=_NEVER)
    except InsightError as refused:
        return Told(unchecked=Reason.of(refused), failed=True, until=_NEVER)
    except Exception as fault:
        text = str(fault) if isinstance(fault, Overdue) else in_one_line(fault)
        if module.calls.note(f"{_HOOK} {what}", f"{what}: {text}"):
            log.error("%s of plugin %s failed: %s", what, module.name, text, exc_info=fault)
        return Told(unchecked=Reason(text), failed=True, until=_NEVER)


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
