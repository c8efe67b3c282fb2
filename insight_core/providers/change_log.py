"""What changed when, for providers whose data lies elsewhere."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping

from insight_core.api import Changes, SeriesKey

_MOST_CHANGES = 2000  # more than these are told as "anything may have changed"


class ChangeLog:
    """Counts generations of its own, so that they grow whatever happens at the other end."""

    def __init__(self) -> None:
        self._grown = threading.Condition()
        self._generation = 0
        self._runs = 0  # generation at which the run table last changed
        self._everything = 0  # and at which anything may have
        self._series: OrderedDict[tuple[str, SeriesKey], int] = OrderedDict()
        self._ended = False

    def note(self, series: Mapping[str, Collection[SeriesKey]] | None, *, runs: bool = False) -> None:
        """A new generation: these series changed, by plugin; None: any may have, and runs too."""
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
        return self._generation

    def changes(self, since: int, timeout: float) -> Changes:
        """What changed after generation ``since``; waits up to ``timeout`` seconds for something to."""
        with self._grown:
            if timeout > 0 and self._generation <= since and not self._ended:
                self._grown.wait(timeout)
            runs = self._runs > since
            if since < self._everything or since > self._generation:
                return Changes(self._generation, None, True)
            found: dict[str, list[SeriesKey]] = {}
            for count, ((plugin, key), generation) in enumerate(reversed(self._series.items())):
                if generation <= since:
                    break
                if count == _MOST_CHANGES:
                    return Changes(self._generation, None, runs)
                found.setdefault(plugin, []).append(key)
            return Changes(self._generation, found, runs)

    def end(self) -> None:
        """Ends every wait, now and later."""
        with self._grown:
            self._ended = True
            self._grown.notify_all()
