"""What rules say of the profiles of a run: the evidence of each is opened once for all rules."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from attrs import evolve, field, frozen
from cachetools import LRUCache

from insight_core.plugin import Plugin, PluginContext, ReasonKind, RunProfile
from insight_core.plugin.findings import Examined, Finding, Rule
from insight_core.registry import Module, Registry
from insight_core.web.findings.calls import LATER, RuleCalls, Told
from insight_core.web.findings.examination import Examination, RunState
from insight_core.web.findings.rounds import AskedRule

_KEPT = 65536  # profiles whose answers are kept
_OPENED = 2  # profiles whose evidence is kept while calls of rules about them go on
_NO_PROFILE = ReasonKind("no_profile", "there is no profile that the rule reads")

_Key = tuple[str, str, str]  # run, plugin, name of the profile


@frozen
class OfProfile:
    """What a rule said of a profile of a run; ``name`` is empty if it said nothing of any."""

    name: str
    told: Told


_NOTHING = (OfProfile("", Told(unchecked=_NO_PROFILE(), missing=True)),)  # most runs: one object for all


@frozen(eq=False)
class _Kept:
    stamp: Hashable  # another one after each change of the evidence or of the rules
    told: tuple[Told, ...]


@frozen(eq=False)
class _Listed:
    module: Module
    plugin: Plugin
    version: Hashable
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
    calls: RuleCalls
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _kept: LRUCache[_Key, _Kept] = field(factory=lambda: LRUCache(_KEPT), init=False)
    _opened: LRUCache[_Key, tuple[Hashable, Any]] = field(factory=lambda: LRUCache(_OPENED), init=False)

    def plugins(self) -> Iterator[tuple[Module, Plugin]]:
        """The plugins that have profiles."""
        for module in self.registry.modules:
            for plugin in module.plugins:
                if plugin.profiles is not None and self.registry.plugins.get(str(plugin.name)) is plugin:
                    yield module, plugin

    def told(
        self,
        seen: Examination,
        rules: Sequence[AskedRule],
        name: str | None,
        until: float | None,
    ) -> tuple[tuple[OfProfile, ...], ...]:
        """What each rule says of the profiles of a run, or of the one of this name; waits until then.

        What is said of a profile stays while the series of its plugin do.
        """
        found: list[list[OfProfile]] = [[] for _ in rules]
        for place, asked in enumerate(rules):
            if (missing := seen.missing(asked.rule.needs)) is not None:
                found[place].append(OfProfile("", missing))
        places = [place for place, said in enumerate(found) if not said]
        for module, plugin in self.plugins() if places else ():
            if plugin.decoder is not None and not seen.state.tables.get(str(plugin.name)):
                continue
            for listed in self._listed(module, plugin, seen.run, seen.state, name, until):
                mine = [place for place in places if listed.is_for(rules[place].rule)]
                told = self._of(listed, seen, tuple(rules[place] for place in mine), until)
                for place, one in zip(mine, told, strict=True):
                    found[place].append(OfProfile(listed.name, one))
        return tuple(tuple(one) or _NOTHING for one in found)

    def _listed(
        self, module: Module, plugin: Plugin, run: str, state: RunState, name: str | None, until: float | None
    ) -> Iterator[_Listed]:
        """The profiles that a plugin has of a run; one without a name if it cannot tell."""

        def begin() -> Callable[[], list[RunProfile]]:
            ctx, listing = self.calls.context_of(module), plugin.profiles
            return lambda: [] if listing is None else [*listing(ctx, run, name)]

        version = state.fingerprint(str(plugin.name))
        made = self.calls.made(module, f"profiles of {plugin.name}", (run, version, name), begin, until)
        if isinstance(made, Told):
            yield _Listed(module, plugin, version, made)
        else:
            for one in made:
                yield _Listed(module, plugin, (version, one.version), one)

    def _of(
        self, listed: _Listed, seen: Examination, rules: tuple[AskedRule, ...], until: float | None
    ) -> Sequence[Told]:
        """What rules say of a profile; those whose word is final are asked only after a change."""
        if isinstance(listed.profile, Told):
            return [listed.profile] * len(rules)
        key = seen.run, str(listed.plugin.name), listed.name
        stamp = listed.version, rules
        with self._lock:
            kept = self._kept.get(key)
        told: list[Told | None] = [None] * len(rules)
        if kept is not None and kept.stamp == stamp:
            now = time.monotonic()
            told = [one if now < one.until else None for one in kept.told]
        if None in told:
            evidence = self._evidence(listed, key, stamp, until)

            def examined(ctx: PluginContext) -> Examined:
                return evolve(seen.examined(ctx), profile=evidence)

            places = [place for place, one in enumerate(told) if one is None]
            if isinstance(evidence, Told):
                said = [evidence] * len(places)
            else:
                said = self.calls.told([rules[place] for place in places], (key, stamp), examined, until)
            for place, one in zip(places, said, strict=True):
                found = tuple(_in_its_tab(each, key) for each in one.findings)
                told[place] = evolve(one, findings=found) if found else one
            goes_on = LATER in told and not isinstance(evidence, Told)
            with self._lock:
                self._kept[key] = _Kept(stamp, tuple(one for one in told if one is not None))
                self._opened.pop(key, None)
                if goes_on:
                    self._opened[key] = stamp, evidence
        return [one for one in told if one is not None]

    def _evidence(self, listed: _Listed, key: _Key, stamp: Hashable, until: float | None) -> Any:  # noqa: ANN401
        """The evidence of a profile, or a ``Told`` that says why it cannot be opened."""
        with self._lock:
            opened = self._opened.get(key)
        if opened is not None and opened[0] == stamp:
            return opened[1]
        name, profile = f"a profile of {listed.plugin.name}", listed.profile
        assert isinstance(profile, RunProfile)
        return self.calls.made(listed.module, name, (key, stamp), lambda: profile.open, until)


def _in_its_tab(one: Finding, key: _Key) -> Finding:
    """A finding without a tab in that of the plugin of the profile, which opens it."""
    run, plugin, name = key
    if one.place.plugin:
        return one
    place = evolve(one.place, plugin=plugin, state={"run": run, "profile": name, **one.place.state})
    return evolve(one, place=place)
