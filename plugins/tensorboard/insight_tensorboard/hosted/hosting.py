"""Loads the installed plugins made for TensorBoard, lists them and dispatches their requests."""

from __future__ import annotations

import copy
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tensorboard import assets, errors
from tensorboard.plugins.base_plugin import TBContext
from werkzeug import Request, Response

from insight_core.plugin.data import DataProvider
from insight_core.plugin.own import Call, Calls, in_turn
from insight_tensorboard.hosted.adapter import (
    Refused,
    TensorBoardPlugin,
    in_one_line,
    is_experimental,
    loader_of,
)
from insight_tensorboard.hosted.application import TensorBoardApplication, entry_page
from insight_tensorboard.hosted.context import (
    LogdirForPlugins,
    SamplingHints,
    host_flags,
    plugin_flags,
)
from insight_tensorboard.hosted.data import TensorBoardDataProvider
from insight_tensorboard.hosted.discovery import RESERVED, TensorBoardModule, known_names
from insight_tensorboard.hosted.listing import Absence, error_card, listing_row
from insight_tensorboard.hosted.requests import as_tensorboard_asks, path_in_experiment
from insight_tensorboard.hosted.settings import TensorBoardSettings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger(__name__)

_SETTLING = 5.0  # seconds that TensorBoard's page waits for its tabs
_PLUGIN, _ENTRY = "/data/plugin/", "/data/plugin_entry.html"
_GROUP = "more"  # of the tabs that TensorBoard brings


class Hosting:
    """Hosts plugins and TensorBoard's page; ``changed`` is called when the listing changes."""

    def __init__(
        self, provider: DataProvider, settings: TensorBoardSettings, changed: Callable[[], None]
    ) -> None:
        self._settings = settings
        self._changed = changed
        self._lock = threading.Lock()
        self._found: dict[TensorBoardModule, TensorBoardPlugin | Absence] = {}
        self._plugins: dict[str, TensorBoardPlugin] = {}
        self._with_data: frozenset[str] = frozenset()
        self._unused_names = set(settings.disabled) - set(settings.known) - known_names()
        self._unknown_flags = {word for word in settings.flags if word.startswith("-")}
        self._logdir = LogdirForPlugins(settings.logdirs)
        self._flags = host_flags(settings, self._logdir.path)
        self._data = TensorBoardDataProvider(provider, changed)
        self._context = TBContext(
            data_provider=self._data,
            flags=plugin_flags(None, self._flags)[0],
            logdir=self._logdir.path,
            plugin_name_to_instance={},
            sampling_hints=SamplingHints(settings.samples),
            window_title=settings.window_title,
        )
        self._settled = threading.Event()  # all have loaded or timed out
        self._application: TensorBoardApplication | None = None
        self._context.assets_zip_provider = assets.get_default_assets_zip_provider()
        # a checkout that was not built has no files for the page
        if self._context.assets_zip_provider is not None and "tensorboard" not in settings.disabled:
            self._application = TensorBoardApplication(
                self._context, self.plugins, lambda: self._settled.wait(_SETTLING)
            )

    def close(self) -> None:
        """Deletes temporary files."""
        self._logdir.close()

    def plugins(self) -> Sequence[TensorBoardPlugin]:
        """The plugins that have loaded so far."""
        with self._lock:
            return list(self._plugins.values())

    def found(self) -> Mapping[TensorBoardModule, TensorBoardPlugin | Absence]:
        """For each entry point tried so far, its plugin, or the reason why it has none."""
        with self._lock:
            return dict(self._found)

    # --- loading ---

    def load(self, candidates: Sequence[TensorBoardModule]) -> None:
        """Loads all, one after the other; the next one does not wait for a slow one."""
        limits = self._settings.limits

        def begin(candidate: TensorBoardModule) -> Call[TensorBoardPlugin | None]:
            return Calls(f"plugin {candidate.name}", limits).start(
                f"its loading ({candidate.name})",
                lambda _: self._made(candidate),
                limits.imports,
                lambda call: self._loaded(candidate, call),
            )

        def give_up(candidate: TensorBoardModule, call: Call[TensorBoardPlugin | None]) -> None:
            self._put(candidate, Absence(call.overdue()), call)

        in_turn(candidates, begin, limits.turn, give_up)
        if self._unknown_flags:
            log.warning("no plugin has the flag %s", ", ".join(sorted(self._unknown_flags)))
        if self._unused_names:
            log.warning("no plugin is named %s", ", ".join(sorted(self._unused_names)))
        self._settled.set()

    def _made(self, candidate: TensorBoardModule) -> TensorBoardPlugin | None:
        loader = loader_of(candidate.load())
        flags, unknown = plugin_flags(loader, self._flags, self._settings.flags)
        self._unknown_flags.intersection_update(unknown)
        context = copy.copy(self._context)
        context.flags = flags
        instance = loader.load(context)
        if instance is None:
            return None
        experimental = is_experimental(loader) or is_experimental(instance)
        return TensorBoardPlugin(instance, self._changed, self._settings.limits, is_experimental=experimental)

    def _loaded(self, candidate: TensorBoardModule, call: Call[TensorBoardPlugin | None]) -> None:
        if call.error is None:
            self._put(candidate, self._wanted(call.value))
            return
        reason = in_one_line(call.error)
        log.warning(
            "plugin %s of %s did not load: %s",
            candidate.name,
            candidate.distribution or "an unknown distribution",
            reason,
            exc_info=None if isinstance(call.error, Refused) else call.error,
        )
        self._put(candidate, Absence(reason))

    def _wanted(self, plugin: TensorBoardPlugin | None) -> TensorBoardPlugin | Absence:
        if plugin is None:
            return Absence("its loader gives none: something that it needs is not here", "absent")
        if plugin.plugin_name in self._settings.disabled:
            self._unused_names.discard(plugin.plugin_name)
            return Absence("", "disabled")
        return plugin

    def _put(
        self,
        candidate: TensorBoardModule,
        found: TensorBoardPlugin | Absence,
        unless: Call[TensorBoardPlugin | None] | None = None,
    ) -> None:
        """Adds a row, unless the call ``unless`` has ended with a result of its own meanwhile."""
        with self._lock:
            if unless is not None and (unless.done.is_set() or candidate in self._found):
                return
            if isinstance(found, TensorBoardPlugin):
                found = self._admitted(found)
            if isinstance(found, TensorBoardPlugin):
                self._plugins[found.plugin_name] = found
                self._context.plugin_name_to_instance[found.plugin_name] = found.instance
            self._found[candidate] = found
        self._changed()

    def _admitted(self, plugin: TensorBoardPlugin) -> TensorBoardPlugin | Absence:
        name = plugin.plugin_name
        if name in self._settings.taken or name in self._plugins:
            return Absence(f"a plugin named {name!r} is already there")
        if name in RESERVED:
            return Absence(f"the name {name!r} is one of TensorBoard's own")
        return plugin

    # --- answering ---

    def app_for(self, path: str) -> WSGIApplication | None:
        """The application for a path (without the host's prefix); None if the path is not TensorBoard's."""
        inner = path_in_experiment(path)
        if inner.startswith(_PLUGIN):
            name, slash, rest = inner.removeprefix(_PLUGIN).partition("/")
            plugin = self._plugins.get(name)
            if plugin is not None:
                return plugin.app_for(slash + rest)
            return self._application if name in RESERVED else None
        if inner == _ENTRY:
            return as_tensorboard_asks(self._entry)
        if self._application is not None and self._application.takes(path):
            return self._application
        return None

    @property
    def _entry(self) -> WSGIApplication:
        @Request.application
        def answer(request: Request) -> Response:
            name = request.args.get("name", "")
            plugin = self._plugins.get(name)
            if plugin is None:
                raise errors.NotFoundError(name)
            return entry_page(request, name, plugin.frontend_metadata())

        return answer

    def listing(self, experimental: Collection[str] = ()) -> Mapping[str, Mapping[str, object]]:
        """Rows by name, without the plugins that TensorBoard's own page shows.

        Experimental plugins are listed if their name is in ``experimental``.
        """
        until = time.monotonic() + self._settings.limits.listing
        found = self.found()
        with_data = self._plugins_with_data()
        plugins = [plugin for plugin in found.values() if isinstance(plugin, TensorBoardPlugin)]
        idle = [plugin for plugin in plugins if not plugin.data_plugin_names() & with_data]
        for plugin in idle:
            plugin.ask()
        rows: dict[str, Mapping[str, object]] = {}
        sampled = self._data.sampled()
        if self._application is not None:
            page = listing_row(
                "TensorBoard", {"type": "PAGE", "module_path": "tensorboard/"}, sampled=sampled
            )
            rows["tensorboard"] = {**page, "tab_group": _GROUP}
        for candidate, each in found.items():
            if isinstance(each, Absence):
                if each.state != "failed":
                    continue
                taken = {*rows, *self._plugins, *self._settings.taken}
                name, row = error_card(candidate, each.reason, taken)
            elif each.is_experimental and each.plugin_name not in experimental:
                continue
            else:
                enabled = each not in idle or each.active_by(until)
                shown = self._listed(each, enabled, sampled)
                if shown is None:
                    continue
                name, row = each.plugin_name, shown
                if candidate.distribution == "tensorboard":
                    shown["tab_group"] = _GROUP
            rows[name] = row
        return rows

    def _listed(
        self, plugin: TensorBoardPlugin, enabled: bool, sampled: Mapping[str, Mapping[str, int]]
    ) -> dict[str, object] | None:
        frontend = plugin.frontend_metadata()
        mechanism: dict[str, object] = {"type": "NONE"}
        error = plugin.error
        if frontend.es_module_path is not None:
            path = f"{self._settings.path_prefix}{_PLUGIN}{plugin.plugin_name}{frontend.es_module_path}"
            mechanism = {"type": "IFRAME", "module_path": path}
        elif self._application is not None or not frontend.element_name:
            if error is None:
                return None
        else:
            error = error or "its page is part of TensorBoard's own, which is disabled"
        of_its_data = {name: sampled[name] for name in plugin.data_plugin_names() & sampled.keys()}
        row = listing_row(
            frontend.tab_name,
            mechanism,
            enabled=enabled,
            error=error,
            warnings=plugin.warnings,
            sampled=of_its_data,
        )
        return row | {"disable_reload": frontend.disable_reload, "remove_dom": frontend.remove_dom}

    def _plugins_with_data(self) -> frozenset[str]:
        try:
            self._with_data = frozenset(self._data.list_plugins(experiment_id=""))
        except errors.PublicError:  # a tab stays although the data are unavailable for a while
            log.debug("the data cannot be reached", exc_info=True)
        return self._with_data
