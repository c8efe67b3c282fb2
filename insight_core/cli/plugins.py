"""``insight-host plugins``: what is installed, and why the rest did not load."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from textwrap import fill
from typing import Any

from attrs import asdict, field, frozen

from insight_core.cli.command_host import TerminalHost
from insight_core.cli.flags import Options
from insight_core.cli.other_program import open_guests
from insight_core.cli.policies import cache_policies, describe, open_registry
from insight_core.cli.terminal import open_terminal
from insight_core.cli.text_table import printable, table
from insight_core.isolation import DEFAULT_LIMITS, Call, Calls, Limits, in_turn
from insight_core.old_findings import HighlightSource
from insight_core.plugin import Command, LogFormat, Messages, Plugin, RunColumn, RunColumns, StoreFormat
from insight_core.plugin.findings import Rule
from insight_core.plugin.sql import QueryTable
from insight_core.providers.local import LocalProvider
from insight_core.references import Reference
from insight_core.registry import Registry
from insight_core.registry.failures import with_place

_PATIENCE = 33.0  # seconds for plugins made for another program, all together
_FEW = 3  # claims and routes of a plugin in the table
_WIDTH = 100  # columns of a terminal
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


@frozen
class PluginRow:
    """One plugin as it is listed; ``state`` is ok, failed, disabled, or absent, if its loader gives none."""

    name: str
    title: str = ""
    made_for: str = "insight-host"  # or the other program
    version: str = ""
    distribution: str = ""
    hooks: list[str] = field(factory=list)
    claims: list[str] = field(factory=list)
    cache: str = ""
    presets: dict[str, str] = field(factory=dict)  # policies by word of --cache-preset
    decoded_bytes: int = 0  # of decoded values in memory at most
    routes: list[str] = field(factory=list)
    state: str = "ok"
    reason: str = ""


def plugins(options: Options, limits: Limits = DEFAULT_LIMITS) -> int:
    """Prints plugins, native and made for another program, with failures; returns the exit code."""
    open_terminal(
        "error" if options.verbosity == "warning" else options.verbosity
    )  # failures are in the table
    began = time.monotonic()
    with redirect_stdout(sys.stderr):  # plugins may print what they like
        registry = open_registry(options, limits)
        provider = LocalProvider([], registry.plugins.values())
        guests = open_guests(options, provider, [], registry)
        if guests is not None:
            guests.start()
        ask_hooks(registry)  # while others are imported
        registry.wait_until_loaded()
        ask_hooks(registry)
        rows = plugin_rows(registry, options, limits)
        if guests is not None:
            guests.wait_until_loaded(max(0.0, began + _PATIENCE - time.monotonic()))
            rows += [PluginRow(**row) for row in guests.rows()]
    _print(rows, options)
    if guests is not None:
        guests.close()
    provider.close()
    return 0


def ask_hooks(registry: Registry) -> None:
    """Calls the hooks that need nothing, each once, so that failures show in the rows."""
    registry.collected("insight_commands", Command, host=TerminalHost())
    registry.collected("insight_run_columns", (RunColumn, RunColumns))
    registry.collected("insight_messages", Messages)
    registry.collected("insight_rules", Rule)
    registry.collected("insight_highlights", HighlightSource)
    registry.collected("insight_tables", QueryTable)
    registry.collected("insight_log_formats", (LogFormat, StoreFormat))


def _print(rows: Sequence[PluginRow], options: Options) -> None:
    if options.json:
        print(json.dumps({"plugins": [asdict(row) for row in rows]}, indent=2))
        return
    print(_long(rows) if options.long else _short(rows))
    for row in rows:
        if row.reason:
            text = f"{printable(row.name)}: {printable(row.reason)}"
            # a path or an address stays whole, so that it can be copied
            print("\n" + fill(text, _WIDTH, subsequent_indent="  ", **_WHOLE_WORDS))


def _short(rows: Sequence[PluginRow]) -> str:
    header = ("NAME", "VERSION", "DISTRIBUTION", "STATE")
    return table(header, [(row.name, row.version or "-", row.distribution or "-", row.state) for row in rows])


def _long(rows: Sequence[PluginRow]) -> str:
    header = (
        "NAME",
        "VERSION",
        "DISTRIBUTION",
        "STATE",
        "MADE FOR",
        "HOOKS",
        "CLAIMS",
        "CACHE",
        "PRESETS",
        "ROUTES",
    )
    return table(
        header,
        [
            (
                row.name,
                row.version or "-",
                row.distribution or "-",
                row.state,
                row.made_for,
                _in_short([hook.removeprefix("insight_") for hook in row.hooks]),
                _in_short(row.claims),
                row.cache or "-",
                "; ".join(f"{name}: {policy}" for name, policy in row.presets.items()) or "-",
                _in_short(row.routes),
            )
            for row in rows
        ],
    )


def _in_short(texts: Sequence[str]) -> str:
    """The first few, and how many more there are; ``--json`` has them all."""
    more = len(texts) - _FEW
    shown = ", ".join(texts[: _FEW if more > 1 else None]) or "-"
    return f"{shown} and {more} more" if more > 1 else shown


def plugin_rows(registry: Registry, options: Options, limits: Limits = DEFAULT_LIMITS) -> list[PluginRow]:
    """Loaded plugins in tab order, then modules without a plugin, failures, and what was disabled."""
    hooks = {
        name: sorted(module.hooks)
        for module in registry.modules
        for name in (module.candidate.name, *(str(plugin.name) for plugin in module.plugins))
    }
    policies = cache_policies(options, registry.plugins)
    asked = _routes(registry.plugins, limits)
    rows = []
    for name, plugin in registry.plugins.items():
        origin = registry.origins[name]
        routes, reason = asked[name]
        reason = reason or front_end_error(plugin)
        rows.append(
            PluginRow(
                name=name,
                title=plugin.title,
                version=origin.version,
                distribution=origin.distribution,
                hooks=hooks[name],
                claims=sorted(map(str, plugin.decoder.claims)) if plugin.decoder else [],
                cache=describe(policies.get(name, plugin.cache)),
                presets={preset: describe(policy) for preset, policy in plugin.presets.items()},
                decoded_bytes=plugin.cache.payload_bytes,
                routes=routes,
                state="failed" if reason else "ok",
                reason=reason,
            )
        )
    for module in registry.modules:
        if not module.plugins:
            name, origin = module.candidate.name, module.candidate.origin
            rows.append(PluginRow(name, "", "insight-host", origin.version, origin.distribution, hooks[name]))
    for name, failure in registry.failures.items():
        rows.append(
            PluginRow(name=name, distribution=failure.distribution, state="failed", reason=failure.reason)
        )
    rows.extend(PluginRow(name=name, state="disabled") for name in sorted(registry.disabled))
    return rows


def front_end_error(plugin: Plugin) -> str:
    """Why the page cannot run its front end, if it has one."""
    from insight_core.web.front_ends import front_end, shared_modules
    from insight_core.web.settings import HostSettings

    if plugin.frontend is None:
        return ""
    return front_end(plugin.frontend, shared_modules(HostSettings().page), tab=plugin.tab).error or ""


def _routes(plugins: Mapping[str, Plugin], limits: Limits) -> dict[str, tuple[list[str], str]]:
    """The routes of each plugin, or why it says none."""
    from insight_core.web.mounting import own_routes  # the web half is slow to load
    from insight_core.web.plugin_services import Services

    provider = LocalProvider([], plugins.values())
    services = Services(provider)
    found: dict[str, tuple[list[str], str]] = {}

    def begin(name: str) -> Call[list[str]]:
        def routes(_: object) -> list[str]:
            plugin = plugins[name]
            own = own_routes(plugin, services.context_of(plugin))
            for route in own:
                if isinstance(route.view, Reference):
                    route.view.resolve()
            return [f"{'/'.join(route.methods)} {route.path}" for route in own]

        return Calls(f"plugin {name}", limits).start(
            "routes()", routes, limits.routes, partial(answered, name)
        )

    def answered(name: str, call: Call[list[str]]) -> None:
        reason = "" if call.error is None else f"its routes failed: {with_place(call.error)}"
        found[name] = (call.value or [], reason)

    def give_up(name: str, call: Call[list[str]]) -> None:
        found.setdefault(name, ([], call.overdue()))

    try:
        in_turn(plugins, begin, limits.turn, give_up)
    finally:
        provider.close()
    return dict(found)
