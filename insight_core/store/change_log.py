"""Tracks changes by generation, for providers whose data is elsewhere."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping

from insight_core.plugin import Changes, SeriesKey
from insight_core.store.changes import changes_after


class ChangeLog:
    """Counts local generations, which grow even if the other end restarts."""

    def __init__(self) -> None:
        self._grown = threading.Condition()
        self._generation = 0
        self._runs = 0  # generation at which the run table last changed
        self._everything = 0  # generation at which anything may have changed
        self._series: OrderedDict[tuple[str, SeriesKey], int] = OrderedDict()
        self._ended = False

    def note(self, series: Mapping[str, Collection[SeriesKey]] | None, *, runs: bool = False) -> None:
        """Starts a new generation: these series changed, by plugin; None: anything may have changed, runs
        included.
        """
        with self._grown:
            self._generation += 1
            if series is None:
                self._everything = self._runs = self._generation
                self._series.clear()
            else:
                for plugin, keys in series.items():
                    for key in keys:
                        self._series[plugin, key] = self._generation
                        self._series.move_to_end((plugin, key))
            if runs:
                self._runs = self._generation
            self._grown.notify_all()

    @property
    def generation(self) -> int:
        """The current generation."""
        return self._generation

    def changes(self, since: int, timeout: float) -> Changes:
        """Changes after generation ``since``; waits up to ``timeout`` seconds for one."""
        with self._grown:
            if timeout > 0 and self._generation <= since and not self._ended:
                self._grown.wait(timeout)
            newest_first = reversed(self._series.items())
            return changes_after(
                since,
                self._generation,
                runs=self._runs,
                everything=self._everything,
                series=(
                    place for place, _ in itertools.takewhile(lambda item: item[1] > since, newest_first)
                ),
            )

    def end(self) -> None:
        """Ends all current and future waits."""
        with self._grown:
            self._ended = True
            self._grown.notify_all()
