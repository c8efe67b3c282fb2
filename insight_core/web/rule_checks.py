"""Checks the rules that plugins contribute, each guarded, and keeps the answers until the logs change."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from attrs import evolve, field, frozen
from cachetools import LRUCache

from insight_core.isolation import Call, Calls, Limits, Overdue, in_one_line
from insight_core.plugin import (
    CheckedRule,
    DataProvider,
    Examined,
    Finding,
    Highlight,
    InsightError,
    Messages,
    NotChecked,
    PluginContext,
    Reason,
    ReasonKind,
    Rule,
    RuleChecks,
    ScalarColumns,
    SeriesField,
    SeriesKey,
    TagRole,
    Unavailable,
)
from insight_core.registry import Module, Registry
from insight_core.tag_roles import roles_of

log = logging.getLogger(__name__)

_HOOK = "insight_rules"
_KEPT = 4096  # runs whose answers are kept
_MOST = 50  # findings of one rule for a run
_FIELDS: tuple[SeriesField, ...] = ("points", "last_step", "last_wall_time", "attempts")

_Placed = TypeVar("_Placed", Finding, Highlight)
_GivenRoles = tuple[tuple[str, str], ...]  # tags and their roles
_NO_DATA_OF_PLUGIN = ReasonKind("no_data_of_plugin", "there is no data of the plugin {plugin}")
_NO_TAG_OF_ROLE = ReasonKind("no_tag_of_role", "no tag has the role {role}")


@frozen(eq=False)
class _Kept:
    """What the rules said of a run when its series were as the fingerprint says."""

    generation: int
    fingerprint: Hashable
    modules: tuple[Module, ...]
    checked: tuple[CheckedRule, ...]


@frozen(eq=False)
class RuleTable:
    """The rules of all plugins. For any thread.

    Each rule is called in a thread of its module with ``limits.rule`` seconds. One that raises, returns
    anything but findings or does not return is listed as failed; it is not called again before it has
    returned.
    """

    registry: Registry
    provider: DataProvider
    limits: Limits
    context_of: Callable[[Module], PluginContext]
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _calls: dict[Module, Calls] = field(factory=dict, init=False)
    _hanging: dict[tuple[Module, str], Call[tuple[Finding, ...]]] = field(factory=dict, init=False)
    _kept: LRUCache[tuple[str, _GivenRoles], _Kept] = field(factory=lambda: LRUCache(_KEPT), init=False)

    def check(self, runs: Sequence[str], roles: Mapping[str, str]) -> RuleChecks:
        """See insight_core.plugin.CheckRules."""
        there = {run.name for run in self.provider.runs()}
        known = tuple(dict.fromkeys(run for run in runs if run in there))
        given = tuple(sorted(roles.items()))
        rules = list(self._rules())
        found = [*self._broken()] if known else []
        for run in known:
            found += self._of_run(run, given, rules)
        messages = [one.value for one in self.registry.collected("insight_messages", Messages)]
        return RuleChecks(found, messages)

    def _rules(self) -> Iterator[tuple[Module, Rule]]:
        """The rules of each module; a second one with the same id is left out."""
        seen = set()
        for one in self.registry.collected(_HOOK, Rule):
            if (one.module, one.value.id) not in seen:
                seen.add((one.module, one.value.id))
                yield one.module, one.value

    def _broken(self) -> Iterator[CheckedRule]:
        """Modules whose hook failed, each as a rule that failed."""
        for failure in self.registry.failures.values():
            if failure.hook == _HOOK:
                name, reason = failure.entry_point, Reason(failure.reason)
                rule = Rule("insight_rules", Reason(f"The rules of {name}"), lambda _: ())
                yield CheckedRule(name, rule, "", unchecked=reason, failed=True)

    def _of_run(
        self, run: str, given: _GivenRoles, rules: Sequence[tuple[Module, Rule]]
    ) -> tuple[CheckedRule, ...]:
        generation = self.provider.generation()
        modules = tuple(dict.fromkeys(module for module, _ in rules))
        with self._lock:
            kept = self._kept.get((run, given))
        if kept is not None and kept.modules != modules:
            kept = None  # a plugin came late
        if kept is not None and kept.generation == generation:
            return kept.checked
        scalars = self.registry.plugin_of_scalars
        plugins = sorted({scalars, *(name for _, rule in rules for name in rule.plugins)})
        tags, fingerprint = self._state(run, plugins)
        if kept is not None and kept.fingerprint == fingerprint:
            kept = evolve(kept, generation=generation)
        else:
            roles = roles_of(run, tags.get(scalars, ()), dict(given))
            examination = _Examination(self.provider, run, scalars, tags, roles)
            results = [self._checked(module, rule, examination) for module, rule in rules]
            checked = tuple(one for one, _ in results)
            kept = _Kept(generation, fingerprint, modules, checked)
            if not all(is_final for _, is_final in results):
                return checked
        with self._lock:
            self._kept[run, given] = kept
        return kept.checked

    def _state(self, run: str, plugins: Sequence[str]) -> tuple[Mapping[str, tuple[str, ...]], Hashable]:
        """The tags by plugin, and a value that differs after every change of these series."""
        tags: dict[str, tuple[str, ...]] = {}
        parts: list[Hashable] = []
        for plugin in plugins:
            for table in self.provider.series_tables(plugin, _FIELDS, runs=[run]):
                tags[plugin] = table.tags
                parts.append((plugin, table.tags, *(tuple(table.column(name)) for name in _FIELDS)))
        return tags, tuple(parts)

    def _checked(self, module: Module, rule: Rule, examination: _Examination) -> tuple[CheckedRule, bool]:
        """What a rule says, and whether that stays so as long as the series do."""
        said = CheckedRule(module.name, rule, examination.run)
        missing = examination.missing(rule)
        if missing is not None:
            return evolve(said, unchecked=missing), True
        try:
            found = self._call(module, rule, examination.examined(self.context_of(module)))
        except NotChecked as error:
            pending = error.may_change
            return evolve(said, unchecked=Reason.of(error), pending=pending), not pending
        except Unavailable as error:
            return evolve(said, unchecked=Reason.of(error)), False
        except InsightError as error:
            return evolve(said, unchecked=Reason.of(error), failed=True), False
        except Exception as error:
            text = str(error) if isinstance(error, Overdue) else in_one_line(error)
            if module.calls.note(f"{_HOOK} {rule.id}", f"rule {rule.id}: {text}"):
                log.error("rule %s of plugin %s failed: %s", rule.id, said.plugin, text, exc_info=error)
            return evolve(said, unchecked=Reason(text), failed=True), False
        module.calls.forget(f"{_HOOK} {rule.id}")
        found = placed(found, examination.scalars)
        return evolve(said, findings=found[:_MOST], more=max(0, len(found) - _MOST)), True

    def _call(self, module: Module, rule: Rule, examined: Examined) -> tuple[Finding, ...]:
        """Raises what the rule raises, Crashed or Overdue, and TypeError for anything but findings."""
        key = (module, rule.id)
        with self._lock:
            hanging = self._hanging.get(key)
            if hanging is not None and not hanging.done.is_set():
                raise Overdue(hanging.overdue())
            self._hanging.pop(key, None)
            calls = self._calls.setdefault(module, Calls(f"plugin {module.name}", self.limits))
        what = f"rule {rule.id} of {module.name}"
        call = calls.start(what, lambda _: _findings(rule, examined), self.limits.rule)
        try:
            return call.result()
        except Overdue:
            call.given_up = True
            with self._lock:
                self._hanging[key] = call
            raise


@frozen(eq=False)
class _Examination:
    """One examination of a run by all rules, and the points that were read for it."""

    provider: DataProvider
    run: str
    scalars: str  # the plugin of scalars
    tags: Mapping[str, tuple[str, ...]]  # by plugin
    roles: Mapping[TagRole, Sequence[str]]  # tags by role
    _read: dict[SeriesKey, ScalarColumns | None] = field(factory=dict, init=False)

    def examined(self, ctx: PluginContext) -> Examined:
        """What a rule gets, with the context of its module."""
        return Examined(ctx, self.run, self.roles, self.read)

    def read(self, key: SeriesKey) -> ScalarColumns | None:
        """All points of a series, read once for all rules."""
        if key not in self._read:
            self._read[key] = self.provider.scalars(self.scalars, [key]).get(key)
        return self._read[key]

    def missing(self, rule: Rule) -> Reason | None:
        """What the run does not have that the rule needs."""
        for plugin in rule.plugins:
            if not self.tags.get(plugin):
                return _NO_DATA_OF_PLUGIN(plugin=plugin)
        for role in rule.roles:
            if not self.roles[role]:
                return _NO_TAG_OF_ROLE(role=role)
        return None


def placed(found: Iterable[_Placed], scalars: str) -> tuple[_Placed, ...]:
    """Findings or highlights, those without a tab in the tab of the scalars."""
    return tuple(
        one if one.place is None or one.place.plugin else evolve(one, place=evolve(one.place, plugin=scalars))
        for one in found
    )


def _findings(rule: Rule, examined: Examined) -> tuple[Finding, ...]:
    found = tuple(rule.check(examined))
    for one in found:
        if not isinstance(one, Finding):
            raise TypeError(f"it returned a {type(one).__name__}, not a Finding")
        if one.run != examined.run:
            raise ValueError(f"a finding is about the run {one.run!r}, which it was not asked about")
    return found
