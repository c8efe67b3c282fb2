"""The rules of all plugins: what they say of runs, kept until the logs change."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from operator import is_
from types import MappingProxyType

from attrs import evolve, field, frozen
from cachetools import LRUCache

from insight_core.isolation import Limits
from insight_core.old_findings import HighlightSource
from insight_core.plugin import Messages, PluginContext, Reason, ReasonKind
from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesKey
from insight_core.plugin.findings import Examined, Findings, Rule
from insight_core.registry import Module, Registry
from insight_core.web.findings.calls import RuleCalls, RuleOwners, Told, in_a_tab
from insight_core.web.findings.examination import Examination, RunState, no_requests, states
from insight_core.web.findings.merging import Answered, NamedColumn, merged
from insight_core.web.findings.profiles import ProfileChecks
from insight_core.web.findings.rounds import AskedRule

_HOOK, _OLD_HOOK = "insight_rules", "insight_highlights"
_KEPT = 65536  # runs whose answers are kept
_KEPT_TOGETHER = 64  # answers about several runs that are kept
_AT_ONCE = 64  # runs whose series are listed at a time
_MOST = 50  # findings of a rule about one run, where not only some rules are asked for
_LEAST = 0.1  # seconds for rules about several runs

_GivenRoles = tuple[tuple[str, str], ...]  # tags and their roles


def _no_columns(runs: Sequence[str]) -> Sequence[NamedColumn]:
    return ()


@frozen(eq=False)
class _Kept:
    """What the rules said of a run when its series were as the fingerprint says; None: not asked yet."""

    generation: int
    fingerprint: int
    rules: tuple[AskedRule, ...]
    told: tuple[Told | None, ...]
    until: float = field(init=False)  # as long as what all rules said holds

    @until.default
    def _new_until(self) -> float:
        return min((_until(one) for one in self.told), default=math.inf)

    def lacks(self, places: Sequence[int], now: float) -> Sequence[int]:
        """Which of these rules are to be asked again although the series did not change."""
        return [] if now < self.until else [place for place in places if now >= _until(self.told[place])]


def _until(told: Told | None) -> float:
    return -math.inf if told is None else told.until


@frozen(eq=False)
class FindingsTable:
    """The rules of all plugins. For any thread. ``hyperparameters`` gives the columns that runs may share.

    ``give_way`` is called before points of a run are read: rules over many runs go on for minutes.
    """

    registry: Registry
    provider: DataProvider
    limits: Limits
    context_of: Callable[[Module], PluginContext]
    hyperparameters: Callable[[Sequence[str]], Sequence[NamedColumn]] = _no_columns
    give_way: Callable[[], None] = no_requests
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _calls: RuleCalls = field(init=False)
    _profiles: ProfileChecks = field(init=False)
    _owners: RuleOwners = field(init=False)
    _kept: LRUCache[tuple[str, _GivenRoles], _Kept] = field(factory=lambda: LRUCache(_KEPT), init=False)
    _together: LRUCache[Hashable, tuple[int, Told]] = field(
        factory=lambda: LRUCache(_KEPT_TOGETHER), init=False
    )
    _rules: list[tuple[list[object], tuple[AskedRule, ...]]] = field(factory=list, init=False)  # of last time

    @_calls.default
    def _new_calls(self) -> RuleCalls:
        return RuleCalls(self.limits, self.context_of)

    @_profiles.default
    def _new_profiles(self) -> ProfileChecks:
        return ProfileChecks(self.registry, self.provider, self._calls)

    @_owners.default
    def _new_owners(self) -> RuleOwners:
        return RuleOwners(self.registry, _HOOK)

    def find(
        self,
        runs: Sequence[str] | None = None,
        roles: Mapping[str, str] = MappingProxyType({}),
        *,
        rules: Collection[str] | None = None,
        seconds: float | None = None,
        profile: str | None = None,
    ) -> Findings:
        """See insight_core.plugin.findings.answer.FindFaults."""
        until = None if seconds is None else time.monotonic() + seconds
        there = dict.fromkeys(run.name for run in self.provider.runs())
        known = tuple(there) if runs is None else tuple(dict.fromkeys(run for run in runs if run in there))
        every = self._now()
        wanted = [
            place
            for place, one in enumerate(every)
            if (rules is None or one.rule.id in rules) and (profile is None or one.rule.scope == "profile")
        ]
        alone = [place for place in wanted if every[place].rule.scope == "run"]
        told = self._of_runs(known, tuple(sorted(roles.items())), every, alone, until)
        names, columns = [(run,) for run in told], list(zip(*told.values(), strict=True))
        profiled = tuple(every[place] for place in wanted if every[place].rule.scope == "profile")
        of_profiles = self._profiles.answers(list(told), profiled, dict(roles), profile, until)
        if until is not None:
            until = max(until, time.monotonic() + _LEAST)
        answers = []
        for place in wanted:
            one = every[place]
            if one.rule.scope == "run":
                answers.append(Answered(one, names, columns[place] if columns else ()))
            elif one.rule.scope == "profile":
                answers.append(next(of_profiles))
            else:
                answers.append(Answered(one, [known], [self._of_all(one, known, until)] if known else []))
        return merged(
            answers,
            [*self._broken()] if known and rules is None and profile is None else [],
            known,
            len(known) - len(told),
            self.hyperparameters,
            [one.value for one in self.registry.collected("insight_messages", Messages)],
            _MOST if rules is None else None,
        )

    def _now(self) -> tuple[AskedRule, ...]:
        """The rules of all modules, the same tuple until others come; a second one of an id is left out."""
        found = [
            *self.registry.collected(_HOOK, Rule),
            *self.registry.collected(_OLD_HOOK, HighlightSource),
        ]
        given = [one.value for one in found]
        with self._lock:
            for before, known in self._rules:
                if len(before) == len(given) and all(map(is_, before, given)):
                    return known
        asked = [
            AskedRule(one.module, one.value.rule() if isinstance(one.value, HighlightSource) else one.value)
            for one in found
        ]
        rules = tuple(self._owners.owned(asked))
        with self._lock:
            self._rules[:] = [(given, rules)]
        return rules

    def _broken(self) -> Iterator[tuple[str, Rule, Reason]]:
        """Modules whose hook failed, each as a rule that failed."""
        for failure in self.registry.failures.values():
            if failure.hook in (_HOOK, _OLD_HOOK):
                name = failure.entry_point
                rule = Rule(failure.hook, ReasonKind("", f"The rules of {name}"), lambda _: ())
                yield name, rule, Reason(failure.reason)

    def _of_runs(
        self,
        known: Sequence[str],
        given: _GivenRoles,
        rules: tuple[AskedRule, ...],
        places: Sequence[int],
        until: float | None,
    ) -> dict[str, tuple[Told | None, ...]]:
        """What the rules at these places say, by run; without runs that there was no time for."""
        scalars = self.registry.plugin_of_scalars
        needed = (name for one in rules for name in (*one.rule.needs.plugins, *one.rule.needs.any_of))
        plugins = sorted({scalars, *needed})
        found: dict[str, tuple[Told | None, ...]] = {}
        is_late = False  # at least one run is checked
        for begin in range(0, len(known), _AT_ONCE):
            part = known[begin : begin + _AT_ONCE]
            generation, now = self.provider.generation(), time.monotonic()
            with self._lock:
                kept = {run: self._kept.get((run, given)) for run in part}
            changed = [
                run
                for run, one in kept.items()
                if (not is_late if one is None else one.generation != generation)
            ]
            state_of = states(self.provider, plugins, changed) if changed else {}
            for run in part:
                state, before = state_of.get(run), kept[run]
                if state is not None:
                    before = _as_it_was(before, generation, state.fingerprint(), rules)
                elif before is not None and before.rules is not rules:  # a plugin came late
                    before = _as_it_was(before, generation, before.fingerprint, rules)
                if before is None:  # nothing is known, and there is no time
                    continue
                asked = before.lacks(places, now)
                if asked:
                    if is_late:
                        continue
                    is_late = until is not None and time.monotonic() > until
                    before = self._checked(run, given, state, before, asked, plugins, until)
                if before is not kept[run]:
                    with self._lock:
                        self._kept[run, given] = before
                found[run] = before.told
        return found

    def _checked(
        self,
        run: str,
        given: _GivenRoles,
        state: RunState | None,
        before: _Kept,
        asked: Sequence[int],
        plugins: Sequence[str],
        until: float | None,
    ) -> _Kept:
        """With what the rules at the places ``asked`` say of a run now."""

        def state_of() -> RunState:
            return states(self.provider, plugins, [run])[run] if state is None else state

        scalars = self.registry.plugin_of_scalars
        seen = Examination(self.provider, run, scalars, dict(given), state_of, self.give_way)
        told, calls = list(before.told), []
        for place in asked:
            told[place] = seen.missing(before.rules[place].rule.needs)
            if told[place] is None:
                calls.append(place)
        subject = (run, before.fingerprint, given)
        said = self._calls.told([before.rules[place] for place in calls], subject, seen.examined, until)
        for place, one in zip(calls, said, strict=True):
            told[place] = in_a_tab(one, scalars)
        return evolve(before, told=tuple(told))

    def _of_all(self, asked: AskedRule, runs: tuple[str, ...], until: float | None) -> Told:
        """What a rule says of several runs; kept for a moment, and no longer than the data stay."""
        key = (asked.key, runs)
        generation = self.provider.generation()
        with self._lock:
            kept = self._together.get(key)
        if kept is not None and kept[0] == generation and time.monotonic() < kept[1].until:
            return kept[1]

        def examined(ctx: PluginContext) -> Examined:
            return Examined(ctx, runs, {}, self._read)

        [told] = self._calls.told([asked], runs, examined, until)
        with self._lock:
            self._together[key] = (generation, told := in_a_tab(told, self.registry.plugin_of_scalars))
        return told

    def _read(self, key: SeriesKey) -> ScalarColumns | None:
        return self.provider.scalars(self.registry.plugin_of_scalars, [key]).get(key)


def _as_it_was(kept: _Kept | None, generation: int, fingerprint: int, rules: tuple[AskedRule, ...]) -> _Kept:
    """What is kept, if the series are as they were; else nothing is known."""
    if kept is None or kept.rules is not rules or kept.fingerprint != fingerprint:
        return _Kept(generation, fingerprint, rules, (None,) * len(rules))
    return evolve(kept, generation=generation)
