"""Follows the versions of a lake in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from insight_core.plugin import InsightError, Reason, ReasonKind
from insight_core.plugin.data import ProviderBase
from insight_lake.delta import LakeVersion, existing, newer, newest
from insight_lake.lake import Lake
from insight_lake.row_reader import RowReader
from insight_lake.store import LakeStore

_LIST_AGAIN = 600.0  # seconds after which the versions are listed again
_LEAST_INTERVAL = 30.0  # seconds between two requests to a bucket
_VERSION = 1000  # generations of a version: hosts of the same version agree on all but what is their own
_AWAY = ReasonKind("lake_away", "The lake cannot be reached, and its last known version is shown: {cause}")


class FollowedLake:
    """The newest version of a lake that was read, and what changed between versions."""

    def __init__(
        self,
        provider: ProviderBase,
        store: LakeStore,
        reader: RowReader,
        interval: float,
        owner: Callable[[str], str],
    ) -> None:
        """``provider`` notes changes; ``interval`` is in seconds (0: the lake is opened once); ``owner``
        returns the plugin of values."""
        self._provider, self._store, self._reader, self._owner = provider, store, reader, owner
        self._interval = max(interval, _LEAST_INTERVAL) if "://" in store.location and interval else interval
        self._lock = threading.Lock()
        self._lake: Lake | None = None
        self._away: InsightError | None = None
        self._listed = 0.0  # monotonic seconds
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_open(self) -> bool:
        """Whether a version has been read."""
        return self._lake is not None

    def start(self) -> None:
        """Opens the lake, and follows its versions in the background."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="insight-lake", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stops the thread."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=1)

    def lake(self) -> Lake:
        """The version that is shown. Raises Unavailable while none could be read."""
        found = self._lake
        if found is None:
            with self._lock:
                if self._lake is None:
                    self._adopt(Lake(self._reader, existing(self._store), None))
                    self._listed = time.monotonic()
                found = self._lake
        assert found is not None
        return found

    def look(self) -> None:
        """Shows the newest version. Raises Unavailable."""
        current = self.lake()
        with self._lock:
            if self._lake is not current:
                return
            if time.monotonic() - self._listed > _LIST_AGAIN:  # versions between may have been deleted
                version = newest(self._store, current.version)
                self._listed = time.monotonic()
            else:
                version = newer(self._store, current.version)
            if version.version > current.version.version:
                self._adopt(Lake(self._reader, version, current))

    def show(self, version: LakeVersion) -> None:
        """Shows this version from now on."""
        with self._lock:
            self._adopt(Lake(self._reader, version, self._lake))

    def notices(self) -> Sequence[Reason]:
        """Whether the store is away: then the last version that was read is shown."""
        away = self._away
        if away is None or self._lake is None:
            return []
        return [_AWAY(cause=Reason.of(away))]

    def _adopt(self, lake: Lake) -> None:
        before, self._lake = self._lake, lake
        number = lake.version.version * _VERSION
        if before is None:
            self._provider.changed(None, at_least=number)
            return
        changed, runs, gone = lake.difference(before, self._owner)
        self._provider.changed(changed, runs=runs, gone=gone, at_least=number)

    def _set_away(self, away: InsightError | None) -> None:
        is_news = (away is None) != (self._away is None)
        self._away = away
        if is_news and self._lake is not None:
            self._provider.changed({}, runs=True)  # notices come with the runs

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                self.look()
                self._set_away(None)
            except InsightError as error:
                self._set_away(error)
            if self._interval <= 0 and self._lake is not None:
                return
            self._ended.wait(self._interval or 1.0)
