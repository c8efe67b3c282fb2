"""The rules of all plugins: what they say of runs, kept until the logs change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType

from attrs import evolve, field, frozen
from cachetools import LRUCache

from insight_core.isolation import Limits
from insight_core.old_findings import HighlightSource
from insight_core.plugin import Messages, PluginContext, Reason, ReasonKind
from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesKey
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Findings, Rule
from insight_core.registry import Module, Registry
from insight_core.tag_roles import roles_of
from insight_core.web.findings.calls import AskedRule, RuleCalls, Told
from insight_core.web.findings.examination import Examination, RunState, states
from insight_core.web.findings.merging import Answered, Said, merged
from insight_core.web.findings.owners import RuleOwners
from insight_core.web.findings.profiles import OfProfile, ProfileChecks
from insight_core.web.findings.shared import NamedColumn

_HOOK, _OLD_HOOK = "insight_rules", "insight_highlights"
_KEPT = 65536  # runs whose answers are kept
_KEPT_TOGETHER = 64  # answers about several runs that are kept
_FRESH = 2.0  # seconds; what is said of several runs depends on alerts and annotations, too
_AT_ONCE = 64  # runs whose series are listed at a time
_LEAST = 0.1  # seconds for rules about several runs

_GivenRoles = tuple[tuple[str, str], ...]  # tags and their roles


@frozen(eq=False)
class _Asked:
    """What is asked of each run: by rules about it, and by rules about its profiles, or about one of them."""

    roles: _GivenRoles
    rules: tuple[AskedRule, ...]
    profile_rules: tuple[AskedRule, ...]
    profile: str | None
    until: float | None  # monotonic


def _no_columns(runs: Sequence[str]) -> Sequence[NamedColumn]:
    return ()


@frozen(eq=False)
class _Kept:
    """What the rules said of a run when its series were as the fingerprint says."""

    generation: int
    fingerprint: int
    rules: tuple[AskedRule, ...]
    told: tuple[Told, ...]
    profile_rules: tuple[AskedRule, ...]
    of_profiles: tuple[tuple[OfProfile, ...], ...]  # of each of these rules

    @property
    def is_final(self) -> bool:
        of_profiles = all(one.told.is_final for said in self.of_profiles for one in said)
        return of_profiles and all(one.is_final for one in self.told)

    def is_of(self, asked: _Asked) -> bool:
        return _equal(self.rules, asked.rules) and _equal(self.profile_rules, asked.profile_rules)


@frozen(eq=False)
class FindingsTable:
    """The rules of all plugins. For any thread. ``hyperparameters`` gives the columns that runs may share."""

    registry: Registry
    provider: DataProvider
    limits: Limits
    context_of: Callable[[Module], PluginContext]
    hyperparameters: Callable[[Sequence[str]], Sequence[NamedColumn]] = _no_columns
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _calls: RuleCalls = field(init=False)
    _profiles: ProfileChecks = field(init=False)
    _owners: RuleOwners = field(init=False)
    _kept: LRUCache[tuple[str, _GivenRoles, str | None], _Kept] = field(
        factory=lambda: LRUCache(_KEPT), init=False
    )
    _together: LRUCache[Hashable, tuple[int, float, Told]] = field(
        factory=lambda: LRUCache(_KEPT_TOGETHER), init=False
    )

    @_calls.default
    def _new_calls(self) -> RuleCalls:
        return RuleCalls(self.limits, self.context_of)

    @_profiles.default
    def _new_profiles(self) -> ProfileChecks:
        return ProfileChecks(self.registry, self._calls)

    @_owners.default
    def _new_owners(self) -> RuleOwners:
        return RuleOwners(self.registry, _HOOK)

    def find(
        self,
        runs: Sequence[str] | None = None,
        roles: Mapping[str, str] = MappingProxyType({}),
        *,
        seconds: float | None = None,
        profile: str | None = None,
    ) -> Findings:
        """See insight_core.plugin.findings.answer.FindFaults."""
        until = None if seconds is None else time.monotonic() + seconds
        there = dict.fromkeys(run.name for run in self.provider.runs())
        known = tuple(there) if runs is None else tuple(dict.fromkeys(run for run in runs if run in there))
        rules = [one for one in self._rules() if profile is None or one.rule.scope == "profile"]
        alone, profiled, together = (
            tuple(one for one in rules if one.rule.scope == scope) for scope in ("run", "profile", "runs")
        )
        asked = _Asked(tuple(sorted(roles.items())), alone, profiled, profile, until)
        kept = self._of_runs(known, asked)
        by_rule = {
            one.key: Answered(one, [Said((run,), of.told[place]) for run, of in kept.items()])
            for place, one in enumerate(alone)
        }
        for place, one in enumerate(profiled):
            said = [(run, each) for run, of in kept.items() for each in of.of_profiles[place]]
            by_rule[one.key] = Answered(one, [Said((run,), each.told, each.name) for run, each in said])
        if until is not None:
            until = max(until, time.monotonic() + _LEAST)
        for one in together:
            answers = [Said(known, self._of_all(one, known, until))] if known else []
            by_rule[one.key] = Answered(one, answers)
        return merged(
            [by_rule[one.key] for one in rules],
            [*self._broken()] if known else [],
            known,
            len(known) - len(kept),
            self.hyperparameters,
            [one.value for one in self.registry.collected("insight_messages", Messages)],
        )

    def _rules(self) -> list[AskedRule]:
        """The rules of each module; of several with the same id one alone."""
        old = [(one, one.value.rule()) for one in self.registry.collected(_OLD_HOOK, HighlightSource)]
        given = [*((one, one.value) for one in self.registry.collected(_HOOK, Rule)), *old]
        return self._owners.owned(AskedRule(one.module, rule) for one, rule in given)

    def _broken(self) -> Iterator[tuple[str, Rule, Reason]]:
        """Modules whose hook failed, each as a rule that failed."""
        for failure in self.registry.failures.values():
            if failure.hook in (_HOOK, _OLD_HOOK):
                name = failure.entry_point
                rule = Rule(failure.hook, ReasonKind("", f"The rules of {name}"), lambda _: ())
                yield name, rule, Reason(failure.reason)

    def _of_runs(self, known: Sequence[str], asked: _Asked) -> dict[str, _Kept]:
        """What the rules about one run and its profiles say; without runs that there was no time for."""
        scalars = self.registry.plugin_of_scalars
        rules = [one.rule.needs for one in (*asked.rules, *asked.profile_rules)]
        needed = {name for needs in rules for name in (*needs.plugins, *needs.any_of)}
        if asked.profile_rules:
            needed |= {
                str(plugin.name) for _, plugin in self._profiles.plugins() if plugin.decoder is not None
            }
        plugins = sorted({scalars, *needed})
        found: dict[str, _Kept] = {}
        is_late = False  # at least one run is checked
        for begin in range(0, len(known), _AT_ONCE):
            part = known[begin : begin + _AT_ONCE]
            generation = self.provider.generation()
            with self._lock:
                kept = {run: self._kept.get((run, asked.roles, asked.profile)) for run in part}
            old = [run for run, one in kept.items() if not _is_as_it_was(one, generation, asked)]
            now = states(self.provider, plugins, old) if old else {}
            for run in part:
                before = kept[run]
                if run in now:
                    if is_late:
                        continue
                    is_late = asked.until is not None and time.monotonic() > asked.until
                    before = self._checked(run, asked, now[run], before, generation)
                    with self._lock:
                        self._kept[run, asked.roles, asked.profile] = before
                assert before is not None
                found[run] = before
        return found

    def _checked(
        self, run: str, asked: _Asked, state: RunState, kept: _Kept | None, generation: int
    ) -> _Kept:
        """What the rules say of a run now; those whose word is final are asked only after a change."""
        fingerprint = state.fingerprint()
        before: Sequence[Told | None] = [None] * len(asked.rules)
        if kept is not None and kept.is_of(asked) and kept.fingerprint == fingerprint:
            if kept.is_final:
                return evolve(kept, generation=generation)
            before = [one if one.is_final else None for one in kept.told]
        scalars = self.registry.plugin_of_scalars
        roles = roles_of(run, state.tags.get(scalars, ()), dict(asked.roles))
        seen = Examination(self.provider, run, scalars, state.tags, roles)
        subject = (run, fingerprint, asked.roles)
        told = []
        for one, known in zip(asked.rules, before, strict=True):
            if known is None:
                missing = seen.missing(one.rule.needs)
                if missing is not None:
                    known = Told(unchecked=missing, missing=True)
                else:
                    known = self._placed(self._calls.told(one, subject, seen.examined, asked.until))
            told.append(known)
        of_profiles = self._profiles.told(seen, state, asked.profile_rules, asked.profile, asked.until)
        return _Kept(generation, fingerprint, asked.rules, tuple(told), asked.profile_rules, of_profiles)

    def _of_all(self, asked: AskedRule, runs: tuple[str, ...], until: float | None) -> Told:
        """What a rule says of several runs; kept for a moment, and no longer than the data stay."""
        key = (asked.key, runs)
        generation, now = self.provider.generation(), time.monotonic()
        with self._lock:
            kept = self._together.get(key)
        if kept is not None and kept[0] == generation and now < kept[1] + _FRESH:
            return kept[2]

        def examined(ctx: PluginContext) -> Examined:
            return Examined(ctx, runs, {}, self._read)

        told = self._placed(self._calls.told(asked, runs, examined, until))
        if told.is_final:
            with self._lock:
                self._together[key] = (generation, time.monotonic(), told)
        return told

    def _read(self, key: SeriesKey) -> ScalarColumns | None:
        return self.provider.scalars(self.registry.plugin_of_scalars, [key]).get(key)

    def _placed(self, told: Told) -> Told:
        """Findings, those without a tab in the tab of the scalars."""
        if not told.findings:
            return told
        return evolve(told, findings=tuple(map(self._in_a_tab, told.findings)))

    def _in_a_tab(self, one: Finding) -> Finding:
        if one.place.plugin:
            return one
        place: FindingPlace = evolve(one.place, plugin=self.registry.plugin_of_scalars)
        return evolve(one, place=place)


def _is_as_it_was(kept: _Kept | None, generation: int, asked: _Asked) -> bool:
    return kept is not None and kept.generation == generation and kept.is_final and kept.is_of(asked)


def _equal(some: tuple[AskedRule, ...], others: tuple[AskedRule, ...]) -> bool:
    return some is others or some == others  # others if a plugin came late
