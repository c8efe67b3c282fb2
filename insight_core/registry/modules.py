"""Imports plugin modules, registers them with pluggy one by one, and calls their hooks."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import Distribution, entry_points
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import pluggy
from attrs import field, frozen

from insight_core import own_hooks
from insight_core.isolation import Call, Calls, Limits
from insight_core.plugin import API_VERSION, Option, Plugin
from insight_core.plugin import hooks as hookspecs
from insight_core.registry.origins import defined_at

GROUP = "insight.plugins"
MIDDLEWARE = "insight.middleware"  # the group of modules with insight_wrap_app: no host runs without them
_WRAP = "insight_wrap_app"
DISTRIBUTION = "insight-host"


@frozen
class Origin:
    """The installed distribution of a plugin."""

    distribution: str
    version: str = ""
    since: float = field(default=0.0, eq=False)  # when it was installed, in seconds since 1970


@frozen(eq=False)
class Candidate:
    """A module that may implement hooks: an entry point, or a part of the host."""

    name: str
    origin: Origin
    load: Callable[[], object]
    built_in: bool = False  # a part of the host: cannot be disabled
    is_middleware: bool = False  # no host runs without it
    is_file: bool = False  # that the user named: no host runs without it either


@frozen(eq=False)
class Module:
    """A registered module: its hooks, and the answers of those that are asked when it loads."""

    candidate: Candidate
    calls: Calls
    hooks: Mapping[str, pluggy.HookImpl]
    plugins: tuple[Plugin, ...] = ()
    options: tuple[Option, ...] = ()
    values: dict[str, Any] = field(factory=dict)  # of the options, by key

    @property
    def name(self) -> str:
        """Owns all that the module contributes: its first plugin; without plugins, its entry point."""
        return _owner(self.candidate, self.plugins)

    @property
    def is_of_host(self) -> bool:
        """Whether it comes with insight-host."""
        return self.candidate.built_in or self.candidate.origin.distribution == DISTRIBUTION

    def call(self, hook: str, limit: float, **arguments: object) -> Any:  # noqa: ANN401
        """What the hook returns. Raises what it raises, Crashed, Overdue or Busy."""
        implementation = self.hooks[hook]
        return self.calls.run(f"{hook}() of {self.name}", lambda: called(implementation, **arguments), limit)


@frozen
class Contribution:
    """One value that a hook of a module returned."""

    module: Module
    value: Any

    @property
    def owner(self) -> str:
        """The name of the plugin that it belongs to: see ``Module.name``."""
        return self.module.name

    @property
    def distribution(self) -> str:
        """The distribution of the module."""
        return self.module.candidate.origin.distribution


def _owner(candidate: Candidate, plugins: Sequence[Plugin]) -> str:
    return str(plugins[0].name) if plugins else candidate.name


class Refusal(Exception):
    """The module or plugin breaks a rule; the text says which."""


def installed() -> list[Candidate]:
    """The entry points of both groups, those of this distribution first; one in both groups counts once."""
    points = entry_points()
    every = [*points.select(group=MIDDLEWARE), *points.select(group=GROUP)]
    distributions = {id(point.dist): point.dist for point in every}
    origins = {key: _origin_of(each) for key, each in distributions.items()}  # each read once: it is slow
    known, found = set(), []
    for point in every:
        origin, is_middleware = origins[id(point.dist)], point.group == MIDDLEWARE
        if is_middleware:
            known.add((origin, point.name, point.value))
        elif (origin, point.name, point.value) in known:
            continue
        found.append(Candidate(point.name, origin, point.load, is_middleware=is_middleware))
    found.sort(key=lambda c: (c.origin.distribution != DISTRIBUTION, c.origin.distribution, c.name))
    return found


def _origin_of(distribution: Distribution | None) -> Origin:
    if distribution is None:
        return Origin("")
    metadata = getattr(distribution, "_path", None)  # public only by way of RECORD, which is slow to parse
    try:
        since = 0.0 if metadata is None else metadata.stat().st_mtime
    except (AttributeError, OSError):  # in a zip file
        since = 0.0
    return Origin(distribution.name, distribution.version, since)


def called(implementation: pluggy.HookImpl, **arguments: object) -> Any:  # noqa: ANN401
    """Calls a hook with those of the arguments that it takes. Iterators are read to their end."""
    answer: Any = implementation.function(*(arguments[name] for name in implementation.argnames))
    return list(answer) if hasattr(answer, "__next__") else answer


class ModuleLoader:
    """Holds the one manager of pluggy."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._manager = pluggy.PluginManager(_PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._manager.add_hookspecs(own_hooks)
        self._count = 0

    def load(self, candidate: Candidate, call: Call[Module]) -> Module:
        """Imports and registers a module and asks it for plugins and options, in the thread of the call."""
        module = candidate.load()
        name, hooks = self._register(candidate, module)
        try:
            _check_group(candidate, hooks)
            plugins: tuple[Plugin, ...] = ()
            options: tuple[Option, ...] = ()
            if "insight_plugin" in hooks:
                call.proceed(f"insight_plugin() of {candidate.name}", self._limits.hook)
                plugins = _plugins(called(hooks["insight_plugin"]))
            if "insight_options" in hooks:
                call.proceed(f"insight_options() of {candidate.name}", self._limits.hook)
                options = all_of(Option, called(hooks["insight_options"]), "insight_options()")
            calls = Calls(f"plugin {_owner(candidate, plugins)}", self._limits)
            return Module(candidate, calls, hooks, plugins, options)
        except BaseException:
            with self._lock:
                self._manager.unregister(name=name)
            raise

    def _register(self, candidate: Candidate, module: object) -> tuple[str, Mapping[str, pluggy.HookImpl]]:
        # only what is marked, taken out of the module before the lock: nothing of the module runs below it
        marked = SimpleNamespace(
            **{
                name: getattr(module, name)
                for name in _names_of_marked(module)
                if self._manager.parse_hookimpl_opts(module, name) is not None
            }
        )
        if not vars(marked):
            raise Refusal("it implements no hook: mark insight_plugin() or another hook with @hookimpl")
        for name, function in vars(marked).items():
            options = self._manager.parse_hookimpl_opts(marked, name)
            assert options is not None
            if not options.get("optionalhook"):
                _check_hook(options.get("specname") or name, function)
        with self._lock:
            self._count += 1
            taken = self._manager.has_plugin(candidate.name)
            name = f"{candidate.name} #{self._count}" if taken else candidate.name
            try:
                self._manager.register(marked, name)
                self._manager.check_pending()
                return name, self._implementations(marked)
            except BaseException:
                if self._manager.has_plugin(name):
                    self._manager.unregister(name=name)
                raise

    def _implementations(self, marked: object) -> Mapping[str, pluggy.HookImpl]:
        hooks = {}
        for caller in self._manager.get_hookcallers(marked) or []:
            [*_, hooks[caller.name]] = [one for one in caller.get_hookimpls() if one.plugin is marked]
            if hooks[caller.name].hookwrapper or hooks[caller.name].wrapper:
                raise Refusal(f"{caller.name}() is a hook wrapper: modules cannot wrap hooks of others")
        return hooks


def _names_of_marked(module: object) -> list[str]:
    """The names that may be hooks: pluggy looks long at each, and few names of a module are hooks."""
    if not isinstance(module, ModuleType):
        return dir(module)
    functions = ((name, value) for name, value in vars(module).items() if isinstance(value, _FUNCTIONS))
    return [name for name, value in functions if hasattr(value, f"{_PROJECT}_impl")]


_PROJECT = "insight"
_FUNCTIONS = (FunctionType, MethodType, classmethod, staticmethod)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PUBLIC = {hook: each for hook, each in vars(hookspecs).items() if hook.startswith("insight_")}
_KNOWN = _PUBLIC | {hook: each for hook, each in vars(own_hooks).items() if hook.startswith("insight_")}


@cache
def _given(hook: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(_KNOWN[hook]).parameters


def _check_hook(name: str, function: Callable[..., object]) -> None:
    """Raises Refusal for a hook that is unknown, or takes arguments that it is not given."""
    if name not in _KNOWN:
        close = get_close_matches(name, _PUBLIC, 1)
        hint = f"did you mean {close[0]}?" if close else f"hooks are {', '.join(sorted(_PUBLIC))}"
        raise Refusal(f"unknown hook {name}: {hint} ({defined_at(function)})")
    given, taken = _given(name), inspect.signature(function).parameters
    for argument, parameter in taken.items():
        is_needed = parameter.default is parameter.empty and parameter.kind not in _VARIADIC
        if argument not in given and is_needed:
            takes = f"it may take {', '.join(given)}" if given else "it takes nothing"
            raise Refusal(f"{name}() has no argument {argument!r}: {takes} ({defined_at(function)})")


def _check_group(candidate: Candidate, hooks: Mapping[str, pluggy.HookImpl]) -> None:
    """The group says whether a module wraps the application: a host knows that before the import."""
    if _WRAP in hooks and not (candidate.is_middleware or candidate.is_file):
        raise Refusal(
            f"it has {_WRAP}(): name it in the entry-point group {MIDDLEWARE!r}, "
            "so that no host runs without it"
        )
    if candidate.is_middleware and _WRAP not in hooks:
        raise Refusal(f"its entry point is in the group {MIDDLEWARE!r}, and it has no {_WRAP}()")


def all_of(kind: Any, answer: object, hook: str) -> tuple[Any, ...]:  # noqa: ANN401
    """The values that a hook gave, each of the kind. Raises Refusal for anything else."""
    values = tuple(answer) if isinstance(answer, Iterable) and not isinstance(answer, str) else (answer,)
    for value in values:
        if not isinstance(value, kind):
            given = "None" if value is None else f"a {type(value).__name__}"
            kinds = kind if isinstance(kind, tuple) else (kind,)
            raise Refusal(f"{hook} returned {given}, not a {' or '.join(one.__name__ for one in kinds)}")
    return values


def _plugins(answer: object) -> tuple[Plugin, ...]:
    plugins: tuple[Plugin, ...] = all_of(Plugin, answer, "insight_plugin()")
    for plugin in plugins:
        if plugin.requires_api > API_VERSION:
            raise Refusal(
                f"plugin {plugin.name!r} needs version {plugin.requires_api} of the plugin API, and this "
                f"{DISTRIBUTION} has {API_VERSION}: upgrade {DISTRIBUTION}"
            )
    return plugins
