"""Answers a scalar query from a snapshot of a series, by whole columns."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Hashable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.api import InvalidArgument, ScalarColumns, ScalarQuery
from insight_core.store.decimation import envelope, pixel_columns
from insight_core.store.series import Snapshot
from insight_core.store.smoothing import smooth

_CACHE_BYTES = 256 << 20


@frozen(eq=False)
class View:
    """The points of a series that an attempts policy shows, smoothed; in step order within an attempt."""

    snapshot: Snapshot  # what it is a view of
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    raw: NDArray[np.float32] | NDArray[np.float64]
    values: NDArray[np.float32] | NDArray[np.float64]
    breaks: NDArray[np.int64]
    hidden: int

    @property
    def nbytes(self) -> int:
        """Memory beside that of the snapshot."""
        shared = {id(column) for column in self.snapshot.columns.values()}
        own = {id(a): a.nbytes for a in (self.steps, self.wall_times, self.raw, self.values)}
        return sum(size for which, size in own.items() if which not in shared)


class ViewCache:
    """Views of series used of late, bounded in bytes; a series that has grown replaces its views."""

    def __init__(self, limit: int = _CACHE_BYTES) -> None:
        self._limit = limit
        self._held = 0
        self._views: OrderedDict[Hashable, View] = OrderedDict()
        self._lock = threading.Lock()

    def view(self, key: Hashable, snapshot: Snapshot, query: ScalarQuery) -> View:
        """The view of ``snapshot`` that ``query`` asks for; ``key`` names the series and the kind of view."""
        with self._lock:
            view = self._views.get(key)
            if view is not None and view.snapshot is snapshot:
                self._views.move_to_end(key)
                return view
        view = view_of(snapshot, query)
        if view.nbytes:  # else it is made as quickly as it is found
            self._put(key, view)
        return view

    def _put(self, key: Hashable, view: View) -> None:
        with self._lock:
            old = self._views.pop(key, None)
            if old is not None:
                self._held -= old.nbytes
            if view.nbytes > self._limit:
                return
            self._views[key] = view
            self._held += view.nbytes
            while self._held > self._limit:
                _, oldest = self._views.popitem(last=False)
                self._held -= oldest.nbytes


def view_of(snapshot: Snapshot, query: ScalarQuery) -> View:
    steps, walls, values = (snapshot.columns[name] for name in ("steps", "wall_times", "values"))
    attempts = snapshot.attempts
    if query.attempts == "all":
        starts = attempts.starts
        smoothed = values
        if query.smoothing > 0:
            edges = np.append(starts, len(steps))
            pieces = (smooth(values[a:b], query.smoothing) for a, b in itertools.pairwise(edges))  # type: ignore[arg-type]
            smoothed = np.concatenate(list(pieces))
        return View(snapshot, steps, walls, values, smoothed, starts[1:].astype(np.int64), 0)  # type: ignore[arg-type]
    shown = attempts.visible
    if shown is not None:
        steps, walls, values = steps[shown], walls[shown], values[shown]
    smoothed = smooth(values, query.smoothing) if query.smoothing > 0 else values  # type: ignore[arg-type]
    hidden = 0 if shown is None else len(snapshot.columns["steps"]) - len(shown)
    return View(snapshot, steps, walls, values, smoothed, np.zeros(0, np.int64), hidden)  # type: ignore[arg-type]


def answer(snapshot: Snapshot, view: View, query: ScalarQuery) -> ScalarColumns:
    """The points of ``view`` that ``query`` asks for."""
    origin = float(view.wall_times[0]) if len(view.wall_times) else 0.0
    x = _x_of(view, query, origin)
    sorted_steps = query.x == "step" and not len(view.breaks)
    extent = (float(x[0]), float(x[-1])) if sorted_steps and len(x) else _extent(x)
    chosen = _window(x, query, monotonic=sorted_steps)
    points = chosen.stop - chosen.start if isinstance(chosen, slice) else len(chosen)
    nonfinite = _nonfinite(view.raw[chosen])
    indices = np.arange(chosen.start, chosen.stop) if isinstance(chosen, slice) else chosen
    if query.nearest is not None:
        indices = _nearest(x, indices, query.nearest)
    elif query.width is not None and points > 4 * query.width:
        indices = indices[_envelope(x[chosen], view, chosen, query, extent)]
    return ScalarColumns(
        steps=view.steps[indices],
        wall_times=view.wall_times[indices],
        values=view.values[indices],
        points=points,
        total=snapshot.total,
        hidden=view.hidden,
        kept=len(snapshot.columns["steps"]),
        origin=origin,
        extent=extent,
        restarts=snapshot.attempts.restarts,
        breaks=np.searchsorted(indices, view.breaks).astype(np.int64),
        nonfinite=nonfinite,
    )


def _x_of(view: View, query: ScalarQuery, origin: float) -> NDArray[np.float64]:
    if query.x == "step":
        return view.steps.astype(np.float64)
    return view.wall_times - origin if query.x == "relative" else view.wall_times


def _nonfinite(values: NDArray[np.float32] | NDArray[np.float64]) -> tuple[int, int, int]:
    odd = values[~np.isfinite(values)]
    return int(np.isnan(odd).sum()), int((odd == np.inf).sum()), int((odd == -np.inf).sum())


def _extent(x: NDArray[np.float64]) -> tuple[float, float]:
    finite = x[np.isfinite(x)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


def _window(x: NDArray[np.float64], query: ScalarQuery, *, monotonic: bool) -> slice | NDArray[np.intp]:
    low, high = query.window
    if low is not None and high is not None and low > high:
        raise InvalidArgument("the window ends before it begins")
    if low is None and high is None:
        return slice(0, len(x))
    if monotonic:
        first = 0 if low is None else int(np.searchsorted(x, low, side="left"))
        last = len(x) if high is None else int(np.searchsorted(x, high, side="right"))
        return slice(first, max(first, last))
    inside = np.ones(len(x), bool)
    if low is not None:
        inside &= x >= low
    if high is not None:
        inside &= x <= high
    return np.flatnonzero(inside)


def _nearest(x: NDArray[np.float64], indices: NDArray[np.intp], at: float) -> NDArray[np.intp]:
    distance = np.abs(x[indices] - at)
    usable = np.isfinite(distance)
    if not usable.any():
        return indices[:0]
    return indices[[int(np.argmin(np.where(usable, distance, np.inf)))]]


def _envelope(
    x: NDArray[np.float64],
    view: View,
    chosen: slice | NDArray[np.intp],
    query: ScalarQuery,
    extent: tuple[float, float],
) -> NDArray[np.intp]:
    low, high = (
        given if given is not None else edge for given, edge in zip(query.window, extent, strict=True)
    )
    columns = pixel_columns(x, low, high, query.width or 1, log=query.log_x)
    if len(view.breaks):  # each attempt is a line of its own
        attempt = np.searchsorted(view.breaks, np.arange(len(view.steps))[chosen], side="right")
        columns = columns + attempt * (query.width or 1)
    return envelope(columns, view.values[chosen])
