"""Entry points to plugins by name, and why others did not load."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType

import pluggy
from attrs import define, field, frozen

from insight_core.plugin import CachePolicy, Claim, FileName, Plugin, PluginNameEnum, RecordDecoder
from insight_core.plugin import hooks as hookspecs

log = logging.getLogger(__name__)

GROUP = "insight.plugins"
DISTRIBUTION = "insight-host"


@frozen
class PluginFailure:
    """Why one entry point gave no plugin."""

    entry_point: str
    distribution: str
    reason: str  # one line, fit for the user
    traceback: str  # for the log


@frozen
class Origin:
    """The installed distribution a plugin comes from."""

    distribution: str
    version: str


@frozen
class Registry:
    """The plugins that loaded, in tab order, and the failures of the others by entry point."""

    plugins: Mapping[str, Plugin]
    failures: Mapping[str, PluginFailure]
    origins: Mapping[str, Origin]
    disabled: frozenset[str] = frozenset()  # names that were found and left out as asked

    @classmethod
    def discover(cls, disabled: Collection[str] = ()) -> Registry:
        """Loads every installed entry point of the group, except the disabled ones."""
        candidates = []
        for point in entry_points(group=GROUP):
            distribution = point.dist.name if point.dist is not None else ""
            version = point.dist.version if point.dist is not None else ""
            candidates.append(_Candidate(point.name, Origin(distribution, version), point.load))
        # this distribution first: a foreign plugin can take neither its names nor its claims
        candidates.sort(key=lambda c: (c.origin.distribution != DISTRIBUTION, c.origin.distribution, c.name))
        return _loaded(candidates, disabled)

    @classmethod
    def of(
        cls,
        modules: Iterable[tuple[str, Callable[[], object]]],
        *,
        distribution: str = DISTRIBUTION,
        disabled: Collection[str] = (),
    ) -> Registry:
        """Loads the given (entry-point name, loader) pairs as if ``distribution`` had brought them."""
        origin = Origin(distribution, "")
        return _loaded([_Candidate(name, origin, load) for name, load in modules], disabled)


@frozen
class _Candidate:
    name: str
    origin: Origin
    load: Callable[[], object]


class _Refusal(Exception):
    """The plugin breaks a rule; the text says which."""


@define
class _Registration:
    """What has loaded so far, against which the next plugin is checked."""

    plugins: dict[str, Plugin] = field(factory=dict)
    origins: dict[str, Origin] = field(factory=dict)
    claims: dict[Claim, str] = field(factory=dict)

    def add(self, plugin: Plugin, origin: Origin) -> None:
        name = str(plugin.name)
        if name in self.plugins:
            owner = self.origins[name].distribution
            raise _Refusal(
                f"a plugin named {name!r} is already there, from {owner or 'an unknown distribution'}"
            )
        if name in set(PluginNameEnum) and origin.distribution != DISTRIBUTION:
            raise _Refusal(f"the name {name!r} is reserved for {DISTRIBUTION}")
        claimed = plugin.decoder.claims if plugin.decoder is not None else frozenset()
        # what an event holds goes to one plugin; a file may be taken by several
        claims = {claim for claim in claimed if not isinstance(claim, FileName)}
        for claim in sorted(claims, key=str):
            if claim in self.claims:
                raise _Refusal(f"both {self.claims[claim]!r} and {name!r} claim {claim}")
        self.claims.update(dict.fromkeys(claims, name))
        self.plugins[name] = plugin
        self.origins[name] = origin


def _loaded(candidates: Iterable[_Candidate], disabled: Collection[str]) -> Registry:
    registration = _Registration()
    failures: list[PluginFailure] = []
    left_out: set[str] = set()
    for candidate in candidates:
        if candidate.name in disabled:
            left_out.add(candidate.name)
            continue
        try:
            plugin = _plugin_of(candidate)
            if plugin.name in disabled:
                left_out.add(str(plugin.name))
                continue
            registration.add(plugin, candidate.origin)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin that exits while it is imported must not end the host
            failure = _failure(candidate, error)
            log.warning(
                "plugin %s of %s did not load: %s\n%s",
                failure.entry_point,
                failure.distribution or "an unknown distribution",
                failure.reason,
                failure.traceback,
            )
            failures.append(failure)
    ordered = sorted(registration.plugins.values(), key=lambda plugin: (plugin.order, plugin.name))
    return Registry(
        plugins=MappingProxyType({str(plugin.name): plugin for plugin in ordered}),
        failures=MappingProxyType(_by_free_name(failures, registration.plugins)),
        origins=MappingProxyType(registration.origins),
        disabled=frozenset(left_out),
    )


def _plugin_of(candidate: _Candidate) -> Plugin:
    module = candidate.load()
    # a manager for each module: what one of them does to its hooks cannot reach another
    manager = pluggy.PluginManager("insight")
    manager.add_hookspecs(hookspecs)
    manager.register(module, candidate.name)
    manager.check_pending()
    if not manager.hook.insight_plugin.get_hookimpls():
        raise _Refusal("it has no function insight_plugin() marked with @hookimpl")
    [plugin] = manager.hook.insight_plugin() or [None]
    if not isinstance(plugin, Plugin):
        raise _Refusal(f"insight_plugin() returned {_kind(plugin)}, not a Plugin")
    _check_fields(plugin)
    return plugin


def _check_fields(plugin: Plugin) -> None:
    """A field of a wrong type would break the host later, far from its cause."""
    rules: list[tuple[str, bool, str]] = [
        ("name", isinstance(plugin.name, str), "a string"),
        ("title", isinstance(plugin.title, str), "a string"),
        (
            "titles",
            isinstance(plugin.titles, Mapping)
            and all(isinstance(text, str) for pair in plugin.titles.items() for text in pair),
            "a mapping of strings",
        ),
        ("decoder", plugin.decoder is None or isinstance(plugin.decoder, RecordDecoder), "a RecordDecoder"),
        ("cache", isinstance(plugin.cache, CachePolicy), "a CachePolicy"),
        ("routes", callable(plugin.routes), "a function"),
        ("frontend", plugin.frontend is None or isinstance(plugin.frontend, Path), "a pathlib.Path"),
        ("is_active", plugin.is_active is None or callable(plugin.is_active), "a function"),
        ("order", isinstance(plugin.order, int), "an integer"),
    ]
    for name, holds, wanted in rules:
        if not holds:
            raise _Refusal(f"its {name} is {_kind(getattr(plugin, name))}, not {wanted}")


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _failure(candidate: _Candidate, error: BaseException) -> PluginFailure:
    text = " ".join(str(error).split())
    if not isinstance(error, _Refusal):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return PluginFailure(
        entry_point=candidate.name,
        distribution=candidate.origin.distribution,
        reason=text,
        traceback="".join(traceback.format_exception(error)),
    )


def _by_free_name(failures: Iterable[PluginFailure], taken: Collection[str]) -> dict[str, PluginFailure]:
    """Failures by entry point; one whose name is in use also carries its distribution or a number."""
    named: dict[str, PluginFailure] = {}
    for failure in failures:
        name = failure.entry_point
        if name in taken or name in named:
            name = f"{name} ({failure.distribution})"
        base, count = name, 1
        while name in taken or name in named:
            count += 1
            name = f"{base} #{count}"
        named[name] = failure
    return named
