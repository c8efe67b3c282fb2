"""``insight-host plugins``: what is installed, and why the rest did not load."""

from __future__ import annotations

import json
from collections.abc import Sequence

from attrs import asdict, field, frozen

from insight_core.api import Plugin
from insight_core.cli.options import Options
from insight_core.cli.policies import cache_policies, describe, open_registry
from insight_core.cli.table import printable, table
from insight_core.cli.terminal import open_terminal
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry

_FEW = 3  # claims and routes of a plugin in the table


@frozen
class PluginRow:
    """One plugin as it is listed; ``state`` is ok, failed or disabled."""

    name: str
    title: str = ""
    version: str = ""
    distribution: str = ""
    claims: list[str] = field(factory=list)
    cache: str = ""
    routes: list[str] = field(factory=list)
    state: str = "ok"
    reason: str = ""


def plugins(options: Options) -> int:
    open_terminal(
        "error" if options.verbosity == "warning" else options.verbosity
    )  # failures are in the table
    rows = plugin_rows(open_registry(options), options)
    if options.json:
        print(json.dumps({"plugins": [asdict(row) for row in rows]}, indent=2))
        return 0
    header = ("NAME", "VERSION", "DISTRIBUTION", "CLAIMS", "CACHE", "ROUTES", "STATE")
    print(
        table(
            header,
            [
                (
                    row.name,
                    row.version or "-",
                    row.distribution or "-",
                    _in_short(row.claims),
                    row.cache or "-",
                    _in_short(row.routes),
                    row.state,
                )
                for row in rows
            ],
        )
    )
    for row in rows:
        if row.reason:
            print(f"\n{printable(row.name)}: {printable(row.reason)}")
    return 0


def _in_short(texts: Sequence[str]) -> str:
    """The first few, and how many more there are; ``--json`` has them all."""
    more = len(texts) - _FEW
    shown = ", ".join(texts[: _FEW if more > 1 else None]) or "-"
    return f"{shown} and {more} more" if more > 1 else shown


def plugin_rows(registry: Registry, options: Options) -> list[PluginRow]:
    """Loaded plugins in tab order, then failures, then what was disabled."""
    policies = cache_policies(options, registry.plugins)
    provider = LocalProvider([], registry.plugins.values())
    try:
        rows = []
        for name, plugin in registry.plugins.items():
            origin = registry.origins[name]
            routes, reason = _routes(plugin, provider)
            rows.append(
                PluginRow(
                    name=name,
                    title=plugin.title,
                    version=origin.version,
                    distribution=origin.distribution,
                    claims=sorted(map(str, plugin.decoder.claims)) if plugin.decoder else [],
                    cache=describe(policies.get(name, plugin.cache)),
                    routes=routes,
                    state="failed" if reason else "ok",
                    reason=reason,
                )
            )
    finally:
        provider.close()
    for name, failure in registry.failures.items():
        rows.append(
            PluginRow(name=name, distribution=failure.distribution, state="failed", reason=failure.reason)
        )
    rows.extend(PluginRow(name=name, state="disabled") for name in sorted(registry.disabled))
    return rows


def _routes(plugin: Plugin, provider: LocalProvider) -> tuple[list[str], str]:
    try:
        return [f"{'/'.join(route.methods)} {route.path}" for route in plugin.routes(provider)], ""
    except Exception as error:
        return [], f"its routes failed: {type(error).__name__}: {error}"
