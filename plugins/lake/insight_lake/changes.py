"""Compares versions of a lake, for clients that wait for changes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Mapping

from attrs import frozen

from insight_core.plugin.data import Changes, SeriesKey

_KEPT = 100  # changes
_VERSION = 1000  # generations of a version: hosts of the same version agree on all but the admitted plugins


@frozen
class _Change:
    generation: int
    series: Mapping[str, Collection[SeriesKey]] | None
    runs: bool
    gone: bool


class LakeChanges:
    """Numbers the changes: a later version of the lake has a larger generation on every host."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._log: deque[_Change] = deque(maxlen=_KEPT)
        self._oldest = self._ended = 0
        self.generation = 0

    def begin(self, version: int) -> None:
        """The first version of the lake was read."""
        with self._changed:
            self.generation = max(self.generation + 1, version * _VERSION)
            self._oldest = self.generation

    def note(
        self,
        series: Mapping[str, Collection[SeriesKey]] | None,
        *,
        runs: bool,
        gone: bool,
        version: int = 0,
    ) -> None:
        """Notes a change, of a version or of this host, and wakes those that wait."""
        with self._changed:
            self.generation = max(self.generation + 1, version * _VERSION)
            if len(self._log) == _KEPT:
                self._oldest = self._log[0].generation
            self._log.append(_Change(self.generation, series, runs, gone))
            self._changed.notify_all()

    def changes(self, since: int, timeout: float) -> Changes:
        """See ``DataProvider.changes``."""
        with self._changed:
            self._changed.wait_for(lambda: self.generation != since or self._ended, timeout)
            if self.generation == since:
                return Changes(since, {})
            if not self._oldest <= since < self.generation:
                return Changes(self.generation, None, runs=True, gone=True)
            later = [one for one in self._log if one.generation > since]
            runs, gone = any(one.runs for one in later), any(one.gone for one in later)
            series: dict[str, list[SeriesKey]] = {}
            for one in later:
                if one.series is None:
                    return Changes(self.generation, None, runs=runs, gone=gone)
                for plugin, keys in one.series.items():
                    series.setdefault(plugin, []).extend(keys)
            united = {plugin: list(dict.fromkeys(keys)) for plugin, keys in series.items()}
            return Changes(self.generation, united, runs=runs, gone=gone)

    def end(self) -> None:
        """Wakes all that wait."""
        with self._changed:
            self._ended = 1
            self._changed.notify_all()
