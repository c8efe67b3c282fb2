"""The plugins of a host, each with its calls, its URLs and whether it has something to show."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from werkzeug.exceptions import NotFound as Unknown
from werkzeug.routing import Map

from insight_core.activity import Question
from insight_core.isolation import Call, Calls, Limits, in_one_line, in_turn
from insight_core.plugin import DataProvider, Plugin, Unavailable
from insight_core.web.mounting import Endpoint, given_rules, new_map, own_rules

log = logging.getLogger(__name__)

_PATH = "/data/plugin/"


class Part:
    """One plugin in a host. ``changed`` is called when what the listing shows of it has changed."""

    def __init__(
        self, plugin: Plugin, provider: DataProvider, limits: Limits, changed: Callable[[], None]
    ) -> None:
        self.plugin = plugin
        self.calls = Calls(f"plugin {plugin.name}", limits, changed)
        self.activity = Question(self.calls, self._is_active, changed, keeps=(Unavailable,))
        self._provider = provider
        self._changed = changed
        self._map = new_map(given_rules(plugin, provider))
        self._failure: str | None = None  # why it has no routes of its own
        self._is_late = False
        self._settled = threading.Event()  # its routes are known, or were given up

    def ask_routes(self) -> Call[Map]:
        return self.calls.start("routes()", self._routes, self.calls.limits.routes, self._answered)

    def give_up(self, call: Call[Any]) -> None:
        """Its routes are overdue; they count when they come."""
        if not self._settled.is_set():
            self._is_late = True
            self._fail(call.overdue())
            log.error("plugin %s: %s", self.plugin.name, self._failure)

    def match(self, path: str, method: str) -> tuple[Endpoint, Mapping[str, Any]]:
        """Raises HTTPException, and Unavailable while the plugin has not said its routes."""
        if not path.startswith(f"{_PATH}{self.plugin.name}/static/"):  # which is the host's
            self._settled.wait(self.calls.limits.routes)
        try:
            return self._map.bind("host").match(path, method=method)
        except Unknown:
            if self._is_late or not self._settled.is_set():
                reason = self._failure or "its routes are not known yet"
                raise Unavailable(f"plugin {self.plugin.name}: {reason}") from None
            raise

    @property
    def error(self) -> str | None:
        """Why it cannot be shown, as far as that is known."""
        asked = (
            self.activity.error if self.plugin.is_active is not None else None
        )  # else it is the data's fault
        return self._failure or self.calls.busy or asked

    def _is_active(self) -> bool:
        plugin = self.plugin
        if plugin.is_active is None:
            return bool(self._provider.series(plugin.name))
        return bool(plugin.is_active(self._provider))

    def _routes(self, _: Call[Map]) -> Map:
        own = own_rules(self.plugin, self._provider, self.calls)
        return new_map([*own, *given_rules(self.plugin, self._provider, own)])

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


class Parts:
    """All of them in tab order. Plugins may be added at any time."""

    def __init__(self, provider: DataProvider, limits: Limits, changed: Callable[[], None]) -> None:
        self._provider = provider
        self._limits = limits
        self._changed = changed
        self._lock = threading.Lock()
        self._by_name: Mapping[str, Part] = {}
        self._unasked: list[Part] = []
        self._begun = False

    def __iter__(self) -> Iterator[Part]:
        return iter(self._by_name.values())

    def names(self) -> Sequence[str]:
        return list(self._by_name)

    def of_path(self, path: str) -> Part | None:
        """The plugin whose URLs begin as ``path`` does."""
        if not path.startswith(_PATH):
            return None
        return self._by_name.get(path[len(_PATH) :].partition("/")[0])

    def add(self, plugins: Iterable[Plugin]) -> None:
        """Has these too, if they are new."""
        with self._lock:
            new = [
                Part(plugin, self._provider, self._limits, self._changed)
                for plugin in plugins
                if plugin.name not in self._by_name
            ]
            every = [*self._by_name.values(), *new]
            every.sort(key=lambda part: (part.plugin.order, part.plugin.name))
            self._by_name = {str(part.plugin.name): part for part in every}
            self._unasked += new
            begun = self._begun
        if begun:
            self._ask_routes()

    def begin(self) -> None:
        """Asks the plugins for their routes, from now on. They may take as long as they like."""
        if not self._begun:
            self._begun = True
            self._ask_routes()

    def _ask_routes(self) -> None:
        with self._lock:
            parts, self._unasked = self._unasked, []
        if parts:
            threading.Thread(target=self._in_turn, args=(parts,), name="routes", daemon=True).start()

    def _in_turn(self, parts: Sequence[Part]) -> None:
        in_turn(parts, Part.ask_routes, self._limits.turn, Part.give_up)
