"""Opens the registry of plugins and computes cache policies, as the flags say."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from insight_core.cli.flags import SERVE_FLAGS, Options
from insight_core.cli.other_program import other_program
from insight_core.cli.plugin_commands import discovered
from insight_core.isolation import DEFAULT_LIMITS, Limits
from insight_core.plugin import CachePolicy, InvalidArgument, Keep, Plugin
from insight_core.registry import Registry, same_distribution


def open_registry(options: Options, limits: Limits = DEFAULT_LIMITS) -> Registry:
    """The installed plugins without disabled ones. Raises InvalidArgument for an unknown name.

    Plugins made for another program are not in the registry, but their names are accepted.
    """
    registry = options.registry
    if registry is None:
        flags = [flag.key for flag in SERVE_FLAGS]
        registry = discovered(options.disable_plugin, options.plugin, limits, flags, options.plugin_file)
    _check_choices(registry, options)
    if registry.pending:  # any of these may have the name
        return registry
    known = set(registry.plugins) | set(registry.failures) | registry.disabled
    known |= {failure.entry_point for failure in registry.failures.values()}
    modules = {each.name for each in registry.modules if not each.candidate.built_in}
    _check_names(registry, options.disable_plugin, known | modules, options.origin("disable_plugin"))
    _check_names(registry, options.samples_per_plugin, known, options.origin("samples_per_plugin"))
    return registry


def open_whole_registry(options: Options) -> Registry:
    """``open_registry`` for commands that run once: waits until every plugin has loaded or failed."""
    limits = DEFAULT_LIMITS
    return open_registry(options, evolve(limits, start=limits.imports + limits.hook))


def _check_choices(registry: Registry, options: Options) -> None:
    """Raises InvalidArgument if a plugin chosen with ``--plugin`` did not load."""
    loaded = [(name, origin.distribution) for name, origin in registry.origins.items()]
    loaded += [(each.candidate.name, each.candidate.origin.distribution) for each in registry.modules]
    for name, distribution in options.plugin.items():
        if any(name == one and same_distribution(distribution, of) for one, of in loaded):
            continue
        failures = [
            each.reason
            for each in registry.failures.values()
            if each.entry_point == name and same_distribution(distribution, each.distribution)
        ]
        reason = failures[0] if failures else f"no plugin {name!r} of {distribution!r} is installed"
        raise InvalidArgument(f"{options.origin('plugin')} {name}={distribution}: {reason}")


def _check_names(
    registry: Registry, names: Mapping[str, int] | tuple[str, ...], known: set[str], origin: str
) -> None:
    for name in names:
        if name in known:
            continue
        other = other_program(registry)
        of_guests, may_have_others = ((), False) if other is None else other.names()
        known = known.union(of_guests)
        if name in known or may_have_others:  # known only after all have loaded
            continue
        import difflib  # slow to load

        near = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        listed = ", ".join(sorted(known)) or "none"
        raise InvalidArgument(f"{origin}: unknown plugin {name!r}{hint}; known plugins: {listed}")


def cache_policies(options: Options, plugins: Mapping[str, Plugin]) -> dict[str, CachePolicy]:
    """The cache policies that differ from the plugins' own, by plugin."""
    policies = {}
    for name, plugin in plugins.items():
        if options.cache_preset == "all":
            policies[name] = _retaining(plugin.cache, CachePolicy())
        elif (preset := plugin.presets.get(options.cache_preset or "")) is not None:
            policies[name] = _retaining(plugin.cache, preset)
    for name, points in options.samples_per_plugin.items():
        if name in plugins:
            keep = Keep.UNIFORM if points else Keep.ALL
            policies[name] = evolve(policies.get(name, plugins[name].cache), keep=keep, points=points)
    return policies


def _retaining(cache: CachePolicy, preset: CachePolicy) -> CachePolicy:
    """A preset without its memory limit: that of the plugin stays."""
    return evolve(preset, payload_bytes=cache.payload_bytes)


def describe(policy: CachePolicy) -> str:
    """A policy in words: ``all``, ``uniform 1000 points``, ``latest 10 points, 300 tags a run``."""
    if policy.keep is Keep.ALL or not policy.points:
        text = "all"
    else:
        text = f"{policy.keep} {policy.points} point{'s' if policy.points > 1 else ''}"
    return f"{text}, {policy.series} tags a run" if policy.series else text
