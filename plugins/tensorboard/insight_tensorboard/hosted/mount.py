"""The host's entrance to TensorBoard's plugins and page; imports the rest of the room on demand."""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from insight_core.plugin.data import DataProvider
from insight_core.plugin.own import GuestSettings, in_one_line
from insight_tensorboard.hosted.settings import TensorBoardSettings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from insight_tensorboard.hosted.adapter import TensorBoardPlugin
    from insight_tensorboard.hosted.discovery import TensorBoardModule
    from insight_tensorboard.hosted.hosting import Hosting
    from insight_tensorboard.hosted.listing import Absence

log = logging.getLogger(__name__)

_NOT_INSTALLED = "is not installed; install it and restart: pip install 'tensorboard>=2.20'"
_PATIENCE = 20.0  # seconds that a request waits for modules to be imported
# routes of TensorBoard itself that read by POST
_READING = re.compile(r".*/plugin/(?:timeseries/timeSeries|scalars/scalars_multirun|hparams/\w+)")
_PATHS = ("/data/plugin/", "/data/plugin_entry.html", "/tensorboard", "/experiment/", "/font-roboto/")


def open_guests(data: DataProvider, settings: GuestSettings) -> TensorBoardMount:
    """The hosted plugins and page of TensorBoard, not started yet."""
    return TensorBoardMount(data, TensorBoardSettings.of(settings))


class TensorBoardMount:
    """Plugins made for TensorBoard, and its own page if it is installed.

    ``start`` searches for them in a thread.
    """

    owner = "TensorBoard's application"

    def __init__(self, provider: DataProvider, settings: TensorBoardSettings | None = None) -> None:
        self._provider = provider
        self._settings = settings if settings is not None else TensorBoardSettings()
        self._hosting: Hosting | None = None
        # all entry points, if TensorBoard itself is missing
        self._failed: Mapping[TensorBoardModule, Absence] = {}
        self._known = threading.Event()  # the search for plugins has ended
        self._followers: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._look, name="tensorboard-plugins", daemon=True)

    def start(self) -> None:
        """Starts to search for plugins and to load them."""
        self._thread.start()

    def close(self) -> None:
        """Ends the processes that plugins started, and deletes temporary files."""
        if self._hosting is None:
            return
        processes = sys.modules.get("multiprocessing")
        for child in processes.active_children() if processes is not None else ():
            child.kill()  # the interpreter would wait for it, perhaps forever
        self._hosting.close()

    def wait_until_loaded(self, timeout: float) -> bool:
        """Waits up to ``timeout`` seconds; returns whether every plugin has loaded or failed."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def follow(self, changed: Callable[[], None]) -> None:
        """Calls ``changed``, from any thread, when the listing changes."""
        self._followers.append(changed)

    def app_for(self, path: str) -> WSGIApplication | None:
        """The application for a path (without the host's prefix); None if the path is not TensorBoard's."""
        if not path.startswith(_PATHS):
            return None
        self._known.wait(_PATIENCE)
        return None if self._hosting is None else self._hosting.app_for(path)

    def is_reading(self, path: str) -> bool:
        """Whether TensorBoard itself reads by a POST to this path."""
        return _READING.fullmatch(path) is not None

    def listing(self, experimental: Collection[str] = ()) -> Mapping[str, Mapping[str, object]]:
        """Rows of ``/data/plugins_listing`` by name, with the named ``experimental`` plugins."""
        if self._hosting is not None:
            return self._hosting.listing(experimental)
        return self._failed_rows() if self._failed else {}

    def found(self) -> Mapping[TensorBoardModule, TensorBoardPlugin | Absence]:
        """For each entry point tried so far, its plugin, or the reason why it has none."""
        return self._failed if self._hosting is None else self._hosting.found()

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Rows of ``insight-host plugins``, in the order of loading, then what was disabled."""
        from insight_tensorboard.hosted.discovery import candidates
        from insight_tensorboard.hosted.listing import plugin_row

        found = self.found()
        tried = {(each.name, each.distribution) for each in found}
        rows = [plugin_row(candidate, each) for candidate, each in found.items()]
        for each in candidates():
            if each.name in self._settings.disabled:
                rows.append({**plugin_row(each), "state": "disabled"})
            elif (each.name, each.distribution) not in tried:
                rows.append({**plugin_row(each), "state": "failed", "reason": "it has not loaded yet"})
        return rows

    def _look(self) -> None:
        from insight_tensorboard.hosted.discovery import candidates, has_tensorboard

        found = []
        try:
            found = candidates(self._settings.disabled)
            if found and not has_tensorboard():
                self._cannot_host(found, _NOT_INSTALLED)
            elif found or (has_tensorboard() and "tensorboard" not in self._settings.disabled):
                from insight_tensorboard.hosted.hosting import Hosting

                self._hosting = Hosting(self._provider, self._settings, self._changed)
                self._changed()
        except Exception as error:
            log.exception("plugins made for TensorBoard cannot be hosted")
            self._cannot_host(found, f"cannot be imported: {in_one_line(error)}")
        finally:
            self._known.set()
        if self._hosting is not None:
            self._hosting.load(found)

    def _cannot_host(self, candidates: Sequence[TensorBoardModule], cause: str) -> None:
        from insight_tensorboard.hosted.listing import Absence

        self._failed = {
            each: Absence(f"{each.distribution or each.name} needs TensorBoard, which {cause}")
            for each in candidates
        }
        self._changed()

    def _failed_rows(self) -> Mapping[str, Mapping[str, object]]:
        from insight_tensorboard.hosted.listing import error_card

        rows: dict[str, Mapping[str, object]] = {}
        for candidate, absence in self._failed.items():
            name, row = error_card(candidate, absence.reason, {*rows, *self._settings.taken})
            rows[name] = row
        return rows

    def _changed(self) -> None:
        for follower in self._followers:
            follower()
