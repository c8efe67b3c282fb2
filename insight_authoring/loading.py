"""Loads a plugin as a host does, and looks for faults: run by ``plugin check`` in a process of its own."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import redirect_stdout
from typing import Any, get_type_hints

from attrs import asdict, evolve, field, fields, frozen, has
from werkzeug import Response

from insight_core.cli.plugin_commands import discovered
from insight_core.cli.plugins import ask_hooks, front_end_error
from insight_core.isolation import DEFAULT_LIMITS, Calls
from insight_core.plugin import Plugin
from insight_core.providers.local import LocalProvider
from insight_core.references import Reference
from insight_core.registry import Module, Registry, same_distribution
from insight_core.registry.failures import with_place
from insight_core.registry.origins import defined_at
from insight_core.web.mounting import new_map, own_routes, own_rules
from insight_core.web.plugin_services import Services

_GIVEN = (  # hooks whose values may name functions
    "insight_commands",
    "insight_run_columns",
    "insight_rules",
    "insight_highlights",
    "insight_tables",
    "insight_log_formats",
)
_ARGUMENTS = {  # how many a function is called with, by class and field
    "Plugin.routes": 1,
    "Plugin.is_active": 1,
    "RecordDecoder.decode": 1,
    "RecordDecoder.encode": 1,
    "RecordDecoder.size_of": 1,
    "RecordDecoder.check": 2,
    "FileName.makes_run": 1,
    "FileName.begins": 1,
    "Option.type": 1,
    "Option.split": 1,
    "Command.run": 1,
    "RunColumn.values": 2,
    "RunColumns.columns": 1,
    "RunColumns.values": 3,
    "Rule.check": 1,
    "HighlightSource.find": 2,
    "QueryTable.columns": 1,
    "QueryTable.read": 2,
    "LogFormat.read": 2,
    "StoreFormat.translate": 2,
}


@frozen
class Loaded:
    """What was found: faults in words, and where the plugin is."""

    faults: list[str] = field(factory=list)
    packages: list[str] = field(factory=list)  # the files of the modules of entry points
    front_ends: list[str] = field(factory=list)  # directories


def loaded(distribution: str) -> Loaded:
    """Loads every installed plugin, and looks for faults in those of a distribution."""
    registry = discovered((), {}, evolve(DEFAULT_LIMITS, start=DEFAULT_LIMITS.imports + DEFAULT_LIMITS.hook))
    registry.wait_until_loaded()
    ask_hooks(registry)
    modules = [
        one for one in registry.modules if same_distribution(one.candidate.origin.distribution, distribution)
    ]
    found = Loaded()
    for failure in registry.failures.values():
        if same_distribution(failure.distribution, distribution):
            found.faults.append(f"{failure.entry_point}: {failure.reason}")
    for module in modules:
        found.faults.extend(_of_module(module, registry))
        if (file := getattr(sys.modules.get(_module_name(module)), "__file__", None)) is not None:
            found.packages.append(file)
    provider = LocalProvider([], registry.plugins.values())
    try:
        services = Services(provider, options=lambda: registry.options)
        for plugin in (one for module in modules for one in module.plugins):
            if registry.plugins.get(str(plugin.name)) is plugin:
                found.faults.extend(_of_plugin(plugin, services))
            if plugin.frontend is not None:
                found.front_ends.append(str(plugin.frontend))
    finally:
        provider.close()
    return found


def _module_name(module: Module) -> str:
    hook = next(iter(module.hooks.values()))
    return str(getattr(hook.function, "__module__", ""))


def _of_module(module: Module, registry: Registry) -> Iterator[str]:
    names = [str(plugin.name) for plugin in module.plugins]
    entry = module.candidate.name
    if names and entry not in names:
        yield f"the entry point {entry!r} has the plugin {names[0]!r}: give both one name"
    given: list[Any] = [*module.plugins, *module.options]
    for hook in _GIVEN:
        given += [one.value for one in registry.given(hook) if one.module is module]
    for value in given:
        name = next((getattr(value, key) for key in ("name", "id") if hasattr(value, key)), "")
        yield from _of_functions(value, f"{type(value).__name__} {str(name)!r}" if name else "RunColumns")


def _of_functions(value: Any, label: str) -> Iterator[str]:  # noqa: ANN401
    """Names of functions that do not exist, and functions that cannot be called as the host does."""
    if has(type(value)) and not isinstance(value, Reference):
        for attribute in fields(type(value)):
            inner, where = getattr(value, attribute.name), f"{label}, {attribute.name}"
            count = _ARGUMENTS.get(f"{type(value).__name__}.{attribute.name}")
            if callable(inner):
                yield from _of_function(inner, where, count)
            else:
                yield from _of_functions(inner, where)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _of_functions(inner, f"{label} {key!r}")
    elif isinstance(value, Reference):
        yield from _of_function(value, label, None)
    elif isinstance(value, Collection) and not isinstance(value, (str, bytes)):
        for inner in value:
            name = f" {inner}" if has(type(inner)) else ""
            yield from _of_functions(inner, f"{label}{name}")


def _of_function(function: Callable[..., Any], label: str, count: int | None) -> Iterator[str]:
    if isinstance(function, Reference):
        try:
            resolved = function.resolve()
        except Exception as error:
            yield f"{label} names {function.text}: {with_place(error)}"
            return
        yield from _of_function(resolved, label, count)
    elif count is not None:
        yield from _misfit(function, label, [None] * count)


def _misfit(function: Callable[..., Any], label: str, given: list[None], **named: None) -> Iterator[str]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled, without a signature
        return
    try:
        signature.bind(*given, **named)
    except TypeError as error:
        also = f" and {', '.join(named)}" if named else ""
        count = f"{len(given)} argument{'s' if len(given) > 1 else ''}{also}"
        yield f"{label}: the host gives it {count}, {error} ({defined_at(function)})"


def _of_plugin(plugin: Plugin, services: Services) -> Iterator[str]:
    """Faults of routes, of what decides whether the tab is shown, and of the front end as it is built."""
    ctx = services.context_of(plugin)
    calls = Calls(f"plugin {plugin.name}", DEFAULT_LIMITS)
    try:
        routes = own_routes(plugin, ctx)
        rules = own_rules(evolve(plugin, routes=lambda _: routes), ctx, calls)
        new_map(rules)
    except Exception as error:
        yield f"its routes failed: {with_place(error)}"
    else:
        for route, rule in zip(routes, rules[:: 2 if plugin.address else 1], strict=True):
            label = f"the view of {route.path}"
            yield from _of_function(route.view, label, None)
            try:
                view = route.view.resolve() if isinstance(route.view, Reference) else route.view
            except Exception:  # it is among the faults
                continue
            names = sorted({*rule.arguments, *(reader.keyword for reader in route.reads)})
            yield from _misfit(view, label, [None], **dict.fromkeys(names))
            if (returned := _returned(view)) is not None:
                yield f"{label} returns {returned}, not a werkzeug Response ({defined_at(view)})"
    if plugin.is_active is not None:
        try:
            plugin.is_active(ctx)
        except Exception as error:
            yield f"is_active failed without logs: {with_place(error)}"
    if reason := front_end_error(plugin):
        yield reason


def _returned(view: Callable[..., Any]) -> str | None:
    """What a view returns by its annotation, if that is something else than a response."""
    try:
        kind = get_type_hints(view).get("return", Response)
    except Exception:  # names that exist for type checkers only
        return None
    is_answer = not isinstance(kind, type) or issubclass(kind, Response)
    return None if is_answer else kind.__name__


def main() -> None:
    """Prints what was found in the distribution of the first argument, a ``Loaded`` as JSON.

    Ends the process without waiting for threads of plugins.
    """
    with redirect_stdout(sys.stderr):  # plugins may print what they like
        found = loaded(sys.argv[1])
    print(json.dumps(asdict(found)), flush=True)
    os._exit(0)
