"""The plugins of a host, each with its context, its calls, its URLs and whether its tab is active."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve
from werkzeug.exceptions import NotFound as Unknown
from werkzeug.routing import Map

from insight_core.activity import Question
from insight_core.isolation import Call, Calls, Limits, in_one_line, in_turn
from insight_core.plugin import NotFound, Plugin, PluginContext, Unavailable
from insight_core.references import Reference
from insight_core.registry import Module
from insight_core.web.mounting import Endpoint, given_rules, matched, new_map, own_rules
from insight_core.web.plugin_services import Services
from insight_record.formats.reason import ReasonKind

log = logging.getLogger(__name__)

PATH = "/data/plugin/"
_CLOSING = 0.8  # seconds that plugins have at the end
_PLUGIN_NOT_READY = ReasonKind("plugin_not_ready", "plugin {plugin}: {cause}")
_UNKNOWN_PLUGIN = ReasonKind("unknown_plugin", "unknown plugin {plugin!r}")


class MountedPlugin:
    """One plugin in a host. ``changed`` is called when its row in the listing has changed."""

    def __init__(
        self, plugin: Plugin, services: Services, limits: Limits, changed: Callable[[], None]
    ) -> None:
        self.plugin = plugin
        self.calls = Calls(f"plugin {plugin.name}", limits, changed)
        self.activity = Question(self.calls, self._is_active, changed, keeps=(Unavailable,))
        self._closing: list[Callable[[], None]] = []
        self.context = services.context_of(plugin, self._closing.append)
        self._changed = changed
        self._map = new_map(given_rules(plugin, self.context, self.calls))
        self._asking = threading.Lock()
        self._call: Call[Map] | None = None  # of routes()
        self._failure: str | None = None  # why its routes are missing
        self._is_late = False
        self._settled = threading.Event()  # its routes are known, or were given up

    def close(self) -> Call[None] | None:
        """Begins to call the functions that the plugin registered with ``on_close``, if any."""

        def close(_: Call[None]) -> None:
            for each in self._closing:
                each()

        return self.calls.start("on_close", close, _CLOSING) if self._closing else None

    def ask_routes(self) -> Call[Map]:
        """The one call of ``routes()``; begins it if no other thread did."""
        with self._asking:
            if self._call is None:
                self._call = self.calls.start(
                    "the import of its routes", self._routes, self.calls.limits.imports, self._answered
                )
            return self._call

    def give_up(self, call: Call[Any]) -> None:
        """Reports that its routes are overdue; they are used when they arrive."""
        if not self._settled.is_set():
            self._is_late = True
            self._fail(call.overdue())
            log.error("plugin %s: %s", self.plugin.name, self._failure)

    def urls(self) -> Map:
        """Its URLs; only those that every plugin has if ``routes()`` failed or is overdue."""
        call = self.ask_routes()  # waits for no other plugin
        if not self._settled.is_set() and not call.wait():
            self.give_up(call)
        return self._map

    def match(self, path: str, method: str) -> tuple[Endpoint, Mapping[str, Any]]:
        """The endpoint of a request. Raises HTTPException, and Unavailable while the routes are unknown."""
        is_static = path.startswith(f"{PATH}{self.plugin.name}/static/")  # answered by the host
        if not is_static:
            self.urls()
        try:
            return matched(self._map, path, method)
        except Unknown:
            if self._is_late or not self._settled.is_set():
                reason = self._failure or "its routes are not known yet"
                raise Unavailable(_PLUGIN_NOT_READY(plugin=str(self.plugin.name), cause=reason)) from None
            raise

    @property
    def error(self) -> str | None:
        """Why the plugin cannot be shown; None if no reason is known."""
        # without is_active the question is about the data, and a failure is not the plugin's
        asked = self.activity.error if self.plugin.is_active is not None else None
        return self._failure or self.calls.busy or asked

    def _is_active(self) -> bool:
        plugin = self.plugin
        if plugin.is_active is None:
            if not plugin.tab and plugin.decoder is None:
                return True  # it has no data that it could wait for
            return plugin.name in self.context.data.plugins()
        return bool(plugin.is_active(self.context))

    def _routes(self, call: Call[Map]) -> Map:
        if isinstance(self.plugin.routes, Reference):
            self.plugin.routes.resolve()
        call.proceed("routes()", self.calls.limits.routes)
        own = own_rules(self.plugin, self.context, self.calls)
        return new_map([*own, *given_rules(self.plugin, self.context, self.calls, own)])

    def _answered(self, call: Call[Map]) -> None:
        was_late, self._is_late = self._is_late, False
        if call.value is not None:
            self._map, self._failure = call.value, None
            self._settled.set()
            if was_late:
                self._changed()
        elif call.error is not None:
            log.error("the routes of plugin %s could not be made", self.plugin.name, exc_info=call.error)
            self._fail(in_one_line(call.error))

    def _fail(self, reason: str) -> None:
        self._failure = reason
        self._settled.set()
        self._changed()


class MountedPlugins:
    """The plugins of a host in tab order. Plugins may be added at any time.

    ``give_way`` is called before the routes of a plugin are imported: a page that opens then needs others.
    """

    def __init__(
        self,
        services: Services,
        limits: Limits,
        changed: Callable[[], None],
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self._services = services
        self._limits = limits
        self._changed = changed
        self._give_way = give_way
        self._lock = threading.Lock()
        self._by_name: Mapping[str, MountedPlugin] = {}
        self._by_address: Mapping[str, MountedPlugin] = {}
        self._unasked: list[MountedPlugin] = []
        self._begun = False

    def __iter__(self) -> Iterator[MountedPlugin]:
        return iter(self._by_name.values())

    def names(self) -> Sequence[str]:
        """Names of the mounted plugins."""
        return list(self._by_name)

    def named(self, name: str) -> MountedPlugin:
        """The plugin of this name. Raises NotFound."""
        if name not in self._by_name:
            raise NotFound(_UNKNOWN_PLUGIN(plugin=name))
        return self._by_name[name]

    def of_path(self, path: str) -> MountedPlugin | None:
        """The plugin that owns a URL path; None if no plugin does."""
        if not path.startswith(PATH):
            return self._by_address.get("/" + path[1:].partition("/")[0])
        return self._by_name.get(path[len(PATH) :].partition("/")[0])

    def context_of(self, module: Module) -> PluginContext:
        """The context of the module's first plugin; of a module without plugins, one by its name."""
        for plugin in module.plugins:
            mounted = self._by_name.get(str(plugin.name))
            if mounted is not None:
                return mounted.context
        name = module.name
        made = self._services.context_of(Plugin("module", name))
        return evolve(made, name=name, own=evolve(made.own, plugin=name), options=module.values)

    def add(self, plugins: Iterable[Plugin]) -> None:
        """Adds plugins whose names are new."""
        with self._lock:
            new = [
                MountedPlugin(plugin, self._services, self._limits, self._changed)
                for plugin in plugins
                if plugin.name not in self._by_name
            ]
            every = [*self._by_name.values(), *new]
            every.sort(key=lambda mounted: (mounted.plugin.order, mounted.plugin.name))
            self._by_name = {str(mounted.plugin.name): mounted for mounted in every}
            self._by_address = {one.plugin.address: one for one in every if one.plugin.address}
            self._unasked += new
            begun = self._begun
        if begun:
            self._ask_routes()

    def begin(self) -> None:
        """Asks the plugins for their routes, from now on, in the order of their tabs.

        They may take as long as they like. Routes given by name are imported by it: that is why a host
        listens first.
        """
        if not self._begun:
            self._begun = True
            self._ask_routes()

    def close(self) -> None:
        """Calls the ``on_close`` functions of all plugins, for 0.8 seconds in all."""
        ends = time.monotonic() + _CLOSING
        for call in [each.close() for each in self]:
            if call is not None:
                call.done.wait(max(0.0, ends - time.monotonic()))
                if call.error is not None:
                    log.error("%s could not be closed", call.what, exc_info=call.error)

    def _ask_routes(self) -> None:
        with self._lock:
            order = list(self._by_name.values())
            unasked = sorted(self._unasked, key=order.index)
            self._unasked = []
        if unasked:
            threading.Thread(target=self._in_turn, args=(unasked,), name="routes", daemon=True).start()

    def _in_turn(self, unasked: Sequence[MountedPlugin]) -> None:
        def ask_routes(mounted: MountedPlugin) -> Call[Map]:
            self._give_way()
            return mounted.ask_routes()

        in_turn(unasked, ask_routes, self._limits.turn, MountedPlugin.give_up)
