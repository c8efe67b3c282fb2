"""``insight-host plugins``: what is installed, and why the rest did not load."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from attrs import asdict, evolve, field, frozen

from insight_core.cli.options import Options
from insight_core.cli.policies import cache_policies, describe, open_registry
from insight_core.cli.shutdown import end_soon
from insight_core.cli.stock import open_stock
from insight_core.cli.table import printable, table
from insight_core.cli.terminal import open_terminal
from insight_core.plugin import Plugin
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.tensorboard.mount import Stock

if TYPE_CHECKING:
    from insight_core.tensorboard.adapter import StockPlugin
    from insight_core.tensorboard.discovery import Candidate
    from insight_core.tensorboard.hosting import Absence

_PATIENCE = 600.0  # seconds: each of those made for TensorBoard is given up by itself
_FEW = 3  # claims and routes of a plugin in the table


@frozen
class PluginRow:
    """One plugin as it is listed; ``state`` is ok, failed, disabled, or absent, if its loader gives none."""

    name: str
    title: str = ""
    made_for: str = "insight-host"  # or TensorBoard
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
    registry = open_registry(options)
    provider = LocalProvider([], registry.plugins.values())
    stock = open_stock(options, provider, [], registry)
    with redirect_stdout(sys.stderr):  # plugins may print what they like
        stock.start()
        stock.wait_until_loaded(_PATIENCE)
    rows = plugin_rows(registry, options) + stock_rows(stock, options.disable_plugin)
    _print(rows, as_json=options.json)
    if stock.is_there:
        stock.close()
        end_soon(0)
    provider.close()
    return 0


def _print(rows: Sequence[PluginRow], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"plugins": [asdict(row) for row in rows]}, indent=2))
        return
    header = ("NAME", "MADE FOR", "VERSION", "DISTRIBUTION", "CLAIMS", "CACHE", "ROUTES", "STATE")
    print(
        table(
            header,
            [
                (
                    row.name,
                    row.made_for,
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


def stock_rows(stock: Stock, disabled: Collection[str]) -> list[PluginRow]:
    """Those made for TensorBoard in the order of their loading, then what was disabled."""
    from insight_core.tensorboard.discovery import candidates

    rows = [_stock_row(candidate, found) for candidate, found in stock.found().items()]
    left_out = [_entry_point(each) for each in candidates() if each.name in disabled]
    return rows + [evolve(row, state="disabled") for row in left_out]


def _stock_row(candidate: Candidate, found: StockPlugin | Absence) -> PluginRow:
    from insight_core.tensorboard.adapter import StockPlugin  # what it imports is there, since it was found

    row = _entry_point(candidate)
    if not isinstance(found, StockPlugin):
        return evolve(row, state=found.state, reason=found.reason)
    return evolve(
        row,
        name=found.plugin_name,
        title=found.frontend_metadata().tab_name,
        claims=[f"plugin:{name}" for name in sorted(found.data_plugin_names())],
        routes=found.routes(),
    )


def _entry_point(point: Candidate) -> PluginRow:
    return PluginRow(point.name, "", "TensorBoard", point.version, point.distribution)


def _routes(plugin: Plugin, provider: LocalProvider) -> tuple[list[str], str]:
    try:
        return [f"{'/'.join(route.methods)} {route.path}" for route in plugin.routes(provider)], ""
    except Exception as error:
        return [], f"its routes failed: {type(error).__name__}: {error}"
