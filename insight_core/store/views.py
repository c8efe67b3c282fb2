"""Views of a series: the shown points, smoothed if requested, with cached summaries for fast queries."""

from __future__ import annotations

import itertools
import math
import threading
import weakref
from collections.abc import Hashable
from typing import Any

import numpy as np
from attrs import evolve, frozen
from cachetools import LRUCache
from numpy.typing import NDArray

from insight_core.formats.wall_times import origin_of
from insight_core.plugin.data import ScalarQuery, XAxis
from insight_core.store.blocks import BLOCK_TYPE, NO_BLOCKS, POINTS, Blocks
from insight_core.store.reduction import Indices, Places, Values, reduction
from insight_core.store.snapshot import Snapshot

_CACHE_BYTES = 256 << 20
_LONG = 1 << 16  # minimum number of points to summarise in blocks; fewer are read as quickly
_ENTRY = 1024  # bytes that the cache counts for what is the same for every view
_SPARE = 1.5  # smoothed values have room to grow; memory that is not touched is not taken


@frozen(eq=False)
class Reach:
    """Range of the wall times of a view."""

    points: int  # of how many
    ascends: bool  # within each attempt
    low: float  # smallest and largest finite value, +Inf and -Inf if none
    high: float


@frozen(eq=False)
class Axis:
    """x of every point: its place minus ``offset``."""

    places: Places
    offset: float
    ascends: bool  # within each attempt
    extent: tuple[float, float]  # smallest and largest finite x; zeros if none


@frozen(eq=False)
class View:
    """The points of a series that an attempts policy shows, smoothed; in step order within each attempt."""

    steps: NDArray[np.int64]  # columns are contiguous
    wall_times: NDArray[np.float64]
    values: Values
    edges: Indices  # index of the first point of each attempt that is a line of its own, and the length
    hidden: int
    blocks: Blocks = NO_BLOCKS
    prepared: Prepared | None = None

    @property
    def origin(self) -> float:
        """Wall time from which relative time counts."""
        return origin_of(self.wall_times)

    def axis(self, x: XAxis) -> Axis:
        """The x axis of the kind ``x``."""
        if not len(self.steps):
            return Axis(self.steps, 0.0, True, (0.0, 0.0))
        if x == "step":
            if len(self.edges) == 2:
                extent = float(self.steps[0]), float(self.steps[-1])
            else:
                lows, highs = self.steps[self.edges[:-1]], self.steps[self.edges[1:] - 1]
                extent = float(lows.min()), float(highs.max())
            return Axis(self.steps, 0.0, True, extent)
        offset = self.origin if x == "relative" else 0.0
        reach = self.prepared.reach(self) if self.prepared else reach_of(self.wall_times, self.edges)
        low, high = reach.low - offset, reach.high - offset
        if math.isfinite(low) and math.isfinite(high):
            return Axis(self.wall_times, offset, reach.ascends, (low, high))
        finite = x_of(self.wall_times, offset)
        finite = finite[np.isfinite(finite)]
        extent = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
        return Axis(self.wall_times, offset, False, extent)


def x_of(places: Places, offset: float) -> NDArray[np.float64]:
    """float64 x of places."""
    with np.errstate(invalid="ignore", over="ignore"):
        x: NDArray[np.float64] = places.astype(np.float64) - offset
    return x


def reach_of(wall_times: NDArray[np.float64], edges: Indices) -> Reach:
    """Range of the wall times in the segments between ``edges``."""
    return Reach(len(wall_times), *reduction.reach(wall_times, edges))


class Prepared:
    """Cached data of one view, in addition to the columns of the snapshot; extended when the series grows.

    It holds weak references to the columns. Because snapshots are immutable, a longer snapshot whose
    columns start at the same address of the same buffers starts with the same points.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._snapshot: weakref.ref[Snapshot] | None = None
        self._buffers: list[tuple[weakref.ref[NDArray[Any]], int]] = []
        self._shown: View | None = None  # copies of the points that attempts do not hide
        self._smoothed = np.empty(0)
        self._averaged = 0  # points
        self._state = np.zeros(4)
        self._blocks = NO_BLOCKS
        self._summarised = 0  # blocks
        self._reach: Reach | None = None

    @property
    def size(self) -> int:
        """Memory in addition to the snapshot, in bytes."""
        copies = 0
        if self._shown is not None:
            copies = self._shown.steps.nbytes + self._shown.wall_times.nbytes + self._shown.values.nbytes
        return _ENTRY + copies + 8 * self._averaged + self._summarised * BLOCK_TYPE.itemsize

    def view(self, snapshot: Snapshot, query: ScalarQuery) -> View:
        """The view of ``snapshot`` for ``query``."""
        with self._lock:
            if not self._continues(snapshot, query):
                self._begin()
                self._buffers = [(weakref.ref(buffer), at) for buffer, at in _places_of(snapshot)]
            self._snapshot = weakref.ref(snapshot)
            shown = self._shown or _shown(snapshot, query)
            if _hides(snapshot, query):
                self._shown = shown
            values = shown.values
            if query.smoothing > 0:
                values = self._smooth(values, shown.edges, query.smoothing)
            blocks = NO_BLOCKS if len(values) < _LONG else self._summarise(values)
            return evolve(shown, values=values, blocks=blocks, prepared=self)

    def _continues(self, snapshot: Snapshot, query: ScalarQuery) -> bool:
        if self._snapshot is not None and self._snapshot() is snapshot:
            return True
        if self._shown is not None or _hides(snapshot, query):
            return False
        return bool(self._buffers) and all(
            known() is buffer and place == at
            for (known, place), (buffer, at) in zip(self._buffers, _places_of(snapshot), strict=True)
        )

    def _smooth(self, values: Values, edges: Indices, weight: float) -> NDArray[np.float64]:
        count, done = len(values), self._averaged
        if count <= done:
            return self._smoothed[:count]
        if count > len(self._smoothed):
            grown = np.empty(int(count * _SPARE))
            grown[:done] = self._smoothed[:done]
            self._smoothed = grown
        for start, stop in itertools.pairwise(edges.tolist()):
            begin = max(start, done)
            if begin >= stop:
                continue
            if begin == start:
                self._state = np.zeros(4)
            reduction.average(values[begin:stop], self._smoothed[begin:stop], weight, self._state)
        self._averaged = count
        return self._smoothed[:count]

    def _summarise(self, values: Values) -> Blocks:
        count, done = len(values) // POINTS, self._summarised
        if count > len(self._blocks):
            grown = np.empty(int(count * _SPARE), BLOCK_TYPE)
            grown[:done] = self._blocks[:done]
            self._blocks = grown
        if count > done:
            reduction.summarise(values[done * POINTS :], self._blocks[done:count])
            self._summarised = count
        return self._blocks[:count]

    def reach(self, view: View) -> Reach:
        """The range of the wall times of ``view``, which must be the last view returned."""
        with self._lock:
            known, count = self._reach, len(view.wall_times)
            if known is not None and known.points == count:
                return known
            if known is None or known.points > count:
                found = reach_of(view.wall_times, view.edges)
            else:  # from the last known point on, which the first new one must not be before
                edges = np.maximum(view.edges, known.points - 1)
                ascends, low, high = reduction.reach(view.wall_times, edges)
                found = Reach(count, known.ascends and ascends, min(known.low, low), max(known.high, high))
            self._reach = found
            return found


def _hides(snapshot: Snapshot, query: ScalarQuery) -> bool:
    return query.attempts == "last" and snapshot.attempts.visible is not None


def _places_of(snapshot: Snapshot) -> list[tuple[NDArray[Any], int]]:
    """For each numeric column, the array that owns its memory and its start address."""
    columns = snapshot.columns
    return [
        (
            column.base if isinstance(column.base, np.ndarray) else column,
            column.__array_interface__["data"][0],
        )
        for column in (columns.steps, columns.wall_times, columns.values)
        if column is not None
    ]


def _shown(snapshot: Snapshot, query: ScalarQuery) -> View:
    """The points that an attempts policy shows, as written."""
    columns, count = snapshot.columns, len(snapshot)
    visible = snapshot.attempts.visible if query.attempts == "last" else None
    if visible is not None:
        columns = columns[visible]
    if query.attempts == "all" and len(snapshot.attempts.starts) > 1:
        edges = np.append(snapshot.attempts.starts, count)
    else:
        edges = np.array((0, len(columns)), np.int64)
    assert columns.values is not None
    return View(columns.steps, columns.wall_times, columns.values, edges, count - len(columns))


class ViewCache:
    """LRU cache of views, bounded in bytes; the view of a series that has grown is extended."""

    def __init__(self, limit: int = _CACHE_BYTES) -> None:
        self._views: LRUCache[Hashable, Prepared] = LRUCache(limit, lambda prepared: prepared.size)
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes in use."""
        return int(self._views.currsize)

    def view(self, key: Hashable, snapshot: Snapshot, query: ScalarQuery) -> View:
        """The view of ``snapshot`` for ``query``; ``key`` names the series and the kind of view."""
        if len(snapshot) < _LONG and not query.smoothing and not _hides(snapshot, query):
            return _shown(snapshot, query)  # computing it is as fast as a lookup
        with self._lock:
            prepared = self._views.get(key)
            if prepared is None:
                prepared = Prepared()
                self._keep(key, prepared)  # first, so that concurrent requests wait for it
        view = prepared.view(snapshot, query)
        with self._lock:
            self._keep(key, prepared)
        return view

    def _keep(self, key: Hashable, prepared: Prepared) -> None:
        """Counts the bytes of a view that was made or extended, and evicts others."""
        if prepared.size <= self._views.maxsize:
            self._views[key] = prepared
        else:
            self._views.pop(key, None)
