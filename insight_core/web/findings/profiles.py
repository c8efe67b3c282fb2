"""What rules say of the profiles of runs: the evidence of each is opened once for all rules."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen
from cachetools import LRUCache

from insight_core.plugin import Plugin, PluginContext, ReasonKind, RunProfile
from insight_core.plugin.data import DataProvider
from insight_core.plugin.findings import Examined, Rule
from insight_core.registry import Module, Registry
from insight_core.web.findings.calls import LATER, RuleCalls, Told, in_a_tab
from insight_core.web.findings.examination import Examination, RunState, states
from insight_core.web.findings.merging import Answered
from insight_core.web.findings.rounds import AskedRule

_KEPT = 65536  # profiles whose answers are kept, and runs whose profiles are known
_OPENED = 2  # profiles whose evidence is kept while calls of rules about them go on
_AT_ONCE = 64  # runs whose series are listed at a time
_NO_PROFILE = ReasonKind("no_profile", "none of the profiles is one that the rule reads")

_Key = tuple[str, str, str]  # run, plugin, name of the profile


@frozen
class OfProfile:
    """What a rule said of a profile of a run; ``name`` is empty if it said nothing of any."""

    name: str
    told: Told


_NOTHING = (OfProfile("", Told(unchecked=_NO_PROFILE(), missing=True)),)  # most runs: one object for all
_Said = tuple[tuple[OfProfile, ...], ...]  # of each rule
_ByRule = Mapping[tuple[str, str], tuple[Hashable, Told]]  # by rule: when it was asked, and what it said


@frozen(eq=False)
class _Question:
    """What is asked of profiles, and which series say that the answer may differ."""

    rules: tuple[AskedRule, ...]
    roles: Mapping[str, str]
    name: str | None  # of the profiles
    until: float | None
    listing: Sequence[tuple[Module, Plugin]]  # the plugins that have profiles
    scalars: str
    key: Hashable = field(init=False)
    plugins: frozenset[str] = field(init=False)

    @key.default
    def _new_key(self) -> Hashable:
        return tuple(one.key for one in self.rules), self.given

    @plugins.default
    def _new_plugins(self) -> frozenset[str]:
        needed = [plugin for one in self.rules for plugin in self.needed(one.rule)]
        return frozenset(needed).union(str(plugin.name) for _, plugin in self.listing)

    @property
    def given(self) -> Hashable:
        """The roles, as a value."""
        return tuple(sorted(self.roles.items()))

    def needed(self, rule: Rule) -> Sequence[str]:
        """The plugins whose series a rule reads besides the profile."""
        needs = rule.needs
        return [*needs.plugins, *needs.any_of, *([self.scalars] if needs.roles else [])]


@frozen(eq=False)
class _Listed:
    module: Module
    plugin: Plugin
    version: Hashable  # another one after each change of the evidence
    profile: RunProfile | Told  # why the plugin does not say which profiles it has

    @property
    def name(self) -> str:
        return "" if isinstance(self.profile, Told) else self.profile.name

    def is_for(self, rule: Rule) -> bool:
        kinds = rule.needs.profiles
        kind = "" if isinstance(self.profile, Told) else self.profile.kind
        return not kinds or kind in kinds or self.plugin.name in kinds


@frozen(eq=False)
class ProfileChecks:
    """Checks of rules of scope ``profile``. For any thread."""

    registry: Registry
    provider: DataProvider
    calls: RuleCalls
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _runs: LRUCache[Hashable, tuple[Hashable, _Said]] = field(factory=lambda: LRUCache(_KEPT), init=False)
    _kept: LRUCache[_Key, _ByRule] = field(factory=lambda: LRUCache(_KEPT), init=False)
    _opened: LRUCache[_Key, tuple[Hashable, Any]] = field(factory=lambda: LRUCache(_OPENED), init=False)

    def answers(
        self,
        runs: Sequence[str],
        rules: tuple[AskedRule, ...],
        roles: Mapping[str, str],
        name: str | None,
        until: float | None,
    ) -> Iterator[Answered]:
        """What each rule says of the profiles of runs, or of those of this name; waits until then.

        What is said of a profile stays while the series of its plugin do, and those of the plugins and roles
        that the rule needs. At least one run more is checked.
        """
        if not rules:
            return
        scalars = self.registry.plugin_of_scalars
        question = _Question(rules, roles, name, until, [*self._plugins()], scalars)
        said: dict[str, _Said] = {}
        is_late = False
        for begin in range(0, len(runs), _AT_ONCE):
            part = runs[begin : begin + _AT_ONCE]
            stamp = self.provider.generation(), question.key
            with self._lock:
                kept = {run: self._runs.get((run, name)) for run in part}
            known = {run: one[1] for run, one in kept.items() if one is not None and one[0] == stamp}
            changed = [run for run in part if run not in known]
            state_of = states(self.provider, question.plugins, changed) if changed else {}
            for run in part:
                if run in known:
                    said[run] = known[run]
                elif is_late:
                    said[run] = ((OfProfile("", LATER),),) * len(rules)
                else:
                    is_late = until is not None and time.monotonic() > until
                    said[run] = self._of_run(run, state_of[run], question)
                    if all(one.told.until == math.inf for each in said[run] for one in each):
                        with self._lock:
                            self._runs[run, name] = stamp, said[run]
        for place, asked in enumerate(rules):
            pairs = [(run, one) for run, each in said.items() for one in each[place]]
            told, names = [one.told for _, one in pairs], [one.name for _, one in pairs]
            yield Answered(asked, [(run,) for run, _ in pairs], told, names)

    def _plugins(self) -> Iterator[tuple[Module, Plugin]]:
        """The plugins that have profiles."""
        for module in self.registry.modules:
            for plugin in module.plugins:
                if plugin.profiles is not None and self.registry.plugins.get(str(plugin.name)) is plugin:
                    yield module, plugin

    def _of_run(self, run: str, state: RunState, question: _Question) -> _Said:
        def state_of() -> RunState:
            plugins = {*question.plugins, question.scalars}
            return state if plugins == question.plugins else states(self.provider, plugins, [run])[run]

        seen = Examination(self.provider, run, question.scalars, question.roles, state_of)
        found: list[list[OfProfile]] = [[] for _ in question.rules]
        for place, asked in enumerate(question.rules):
            missing = seen.missing(asked.rule.needs) if question.needed(asked.rule) else None
            if missing is not None:
                found[place].append(OfProfile("", missing))
        places = [place for place, said in enumerate(found) if not said]
        for module, plugin in question.listing if places else ():
            table = state.tables.get(str(plugin.name))
            if plugin.decoder is not None and (table is None or not table.tags):
                continue
            for listed in self._listed(module, plugin, run, state, question):
                mine = [place for place in places if listed.is_for(question.rules[place].rule)]
                told = self._of(listed, seen, state, question, [question.rules[place] for place in mine])
                for place, one in zip(mine, told, strict=True):
                    found[place].append(OfProfile(listed.name, one))
        return tuple(tuple(one) or _NOTHING for one in found)

    def _listed(
        self, module: Module, plugin: Plugin, run: str, state: RunState, question: _Question
    ) -> Iterator[_Listed]:
        """The profiles that a plugin has of a run; one without a name if it cannot tell."""
        listing, version, name = plugin.profiles, state.fingerprint(str(plugin.name)), question.name
        assert listing is not None

        def listed() -> list[RunProfile]:
            given = [*listing(self.calls.context_of(module), run, name)]
            for one in given:
                if not isinstance(one, RunProfile):
                    raise TypeError(f"it gave a {type(one).__name__}, not a RunProfile")
            if len({one.name for one in given}) < len(given):
                raise ValueError(f"it gave several profiles of one name: {[one.name for one in given]}")
            return [one for one in given if name in (None, one.name)]

        what = f"listing profiles of {plugin.name}"
        made = self.calls.made(module, what, (run, version, name), listed, question.until)
        if isinstance(made, Told):
            yield _Listed(module, plugin, version, made)
        else:
            for one in made:
                yield _Listed(module, plugin, (version, one.version), one)

    def _of(
        self,
        listed: _Listed,
        seen: Examination,
        state: RunState,
        question: _Question,
        rules: Sequence[AskedRule],
    ) -> Sequence[Told]:
        """What rules say of a profile; those whose word is final are asked only after a change."""
        if isinstance(listed.profile, Told):
            return [listed.profile] * len(rules)
        key, version = (seen.run, str(listed.plugin.name), listed.name), listed.version
        stamps = [
            (version, tuple(map(state.fingerprint, needed)), question.given if one.rule.needs.roles else ())
            for one in rules
            for needed in [question.needed(one.rule)]
        ]
        with self._lock:
            kept, opened = self._kept.get(key, {}), self._opened.get(key)
        told, places, now = [LATER] * len(rules), [], time.monotonic()
        for place, (asked, stamp) in enumerate(zip(rules, stamps, strict=True)):
            known = kept.get(asked.key)
            if known is not None and known[0] == stamp:
                told[place] = known[1]
            if now >= told[place].until:
                places.append(place)
        if not places:
            return told
        evidence = self._evidence(listed, key, opened, question.until)
        if isinstance(evidence, Told):
            said = [evidence] * len(places)
        else:

            def examined(ctx: PluginContext) -> Examined:
                return evolve(seen.examined(ctx), profile=evidence)

            subject = key, version, question.given, state.fingerprint()
            said = self.calls.told([rules[place] for place in places], subject, examined, question.until)
        for place, one in zip(places, said, strict=True):
            told[place] = in_a_tab(one, key[1], run=seen.run, profile=listed.name)
        news = {rules[place].key: (stamps[place], told[place]) for place in places}
        with self._lock:
            self._kept[key] = {**self._kept.get(key, {}), **news}
            self._opened.pop(key, None)
            if LATER in told and not isinstance(evidence, Told):
                self._opened[key] = version, evidence
        return told

    def _evidence(
        self, listed: _Listed, key: _Key, opened: tuple[Hashable, Any] | None, until: float | None
    ) -> Any:  # noqa: ANN401
        """The evidence of a profile, or a ``Told`` that says why it is missing."""
        assert isinstance(listed.profile, RunProfile)
        if opened is not None and opened[0] == listed.version:
            return opened[1]
        what = f"opening a profile of {listed.plugin.name}"
        return self.calls.made(listed.module, what, (key, listed.version), listed.profile.open, until)
