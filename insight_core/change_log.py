"""Tracks what changed by generation, for the store and for providers whose data is elsewhere."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

MOST_CHANGES = 2000  # more series than these are reported as "anything may have changed"


class ChangesSince(NamedTuple):
    """What changed after a generation: the fields of ``insight_core.plugin.Changes``."""

    generation: int
    series: Mapping[str, Collection[Any]] | None
    runs: bool = False
    gone: bool = False


class ChangeLog:
    """Counts local generations, which grow even if the other end restarts."""

    def __init__(
        self, named: Callable[[Any], Iterable[tuple[str, Hashable]]] = lambda place: (place,)
    ) -> None:
        """``named`` returns the plugins and keys of a change; it is called only when changes are read."""
        self._named = named
        self._grown = threading.Condition()
        self._generation = 0
        self._runs = 0  # generation at which the run table last changed
        self._everything = 0  # generation at which anything may have changed
        self._gone = 0  # generation at which series last disappeared
        self._changes: OrderedDict[Hashable, int] = OrderedDict()  # the last generation of each, ascending
        self._left_out = 0  # generation of the latest change that was forgotten
        self._ended = False

    def note(
        self,
        series: Mapping[str, Collection[Hashable]] | None,
        *,
        runs: bool = False,
        gone: bool = False,
        at_least: int = 0,
    ) -> None:
        """Starts a new generation: these series changed, by plugin, or, if ``gone``, disappeared; None:
        anything may have changed, runs included. Its number is ``at_least`` this.
        """
        places = [(plugin, key) for plugin, keys in (series or {}).items() for key in keys]
        self.add(None if series is None else places, runs=runs, gone=gone, at_least=at_least)

    def add(
        self,
        changes: Iterable[Hashable] | None,
        *,
        runs: bool = False,
        gone: bool = False,
        at_least: int = 0,
    ) -> None:
        """Like ``note``, for changes in the form that ``named`` accepts."""
        with self._grown:
            self._generation = max(self._generation + 1, at_least)
            if changes is None:
                self._everything = self._runs = self._gone = self._generation
                self._changes.clear()
            else:
                for change in changes:
                    self._changes[change] = self._generation
                    self._changes.move_to_end(change)
                while len(self._changes) > MOST_CHANGES:  # nobody would be given their list
                    self._left_out = self._changes.popitem(last=False)[1]
            if runs:
                self._runs = self._generation
            if gone:
                self._gone = self._generation
            self._grown.notify_all()

    def add_untold(self) -> None:
        """Like ``add``, for more changes than are ever listed, and of runs too."""
        with self._grown:
            self._generation += 1
            self._left_out = self._runs = self._generation
            self._changes.clear()
            self._grown.notify_all()

    @property
    def generation(self) -> int:
        """The current generation."""
        return self._generation

    def forget(self, which: Callable[[Any], bool]) -> list[Any]:
        """Takes these changes out of the log and returns them."""
        with self._grown:
            found = list(filter(which, self._changes))
            for change in found:
                del self._changes[change]
            return found

    @property
    def gone(self) -> int:
        """The generation at which series last disappeared."""
        return self._gone

    def changes(self, since: int, timeout: float) -> ChangesSince:
        """Changes after generation ``since``; waits up to ``timeout`` seconds for one."""
        with self._grown:
            if timeout > 0 and self._generation <= since and not self._ended:
                self._grown.wait(timeout)
            if since < self._everything or since > self._generation:
                return ChangesSince(self._generation, None, True, True)
            if since < self._left_out:
                return ChangesSince(self._generation, None, self._runs > since, self._gone > since)
            found: dict[str, dict[Hashable, None]] = {}
            count = 0
            for change, generation in reversed(self._changes.items()):
                if generation <= since:
                    break
                for plugin, key in self._named(change):
                    count += 1
                    if count > MOST_CHANGES:
                        return ChangesSince(self._generation, None, self._runs > since, self._gone > since)
                    found.setdefault(plugin, {})[key] = None
            series = {plugin: list(keys) for plugin, keys in found.items()}
            return ChangesSince(self._generation, series, self._runs > since, self._gone > since)

    def end(self) -> None:
        """Ends all current and future waits."""
        with self._grown:
            self._ended = True
            self._grown.notify_all()
