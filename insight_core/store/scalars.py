"""Answers scalar queries from a view of a series."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import ScalarColumns, ScalarQuery
from insight_core.store.blocks import NO_BLOCKS
from insight_core.store.reduction import Indices, column_borders, reduction
from insight_core.store.snapshot import Snapshot
from insight_core.store.views import Axis, View, x_of

_NO_BREAKS = np.zeros(0, np.int64)
_NO_BREAKS.flags.writeable = False


def answer(snapshot: Snapshot, view: View, query: ScalarQuery) -> ScalarColumns:
    """The points of ``view``, which is one of ``snapshot``, that ``query`` asks for."""
    low, high = query.window
    if low is not None and high is not None and low > high:
        raise InvalidArgument("the window ends before it begins")
    axis = view.axis(query.x)
    select = _of_sorted if axis.ascends else _of_scattered
    points, nonfinite, chosen = select(axis, view, query)
    return ScalarColumns(
        steps=view.steps[chosen],
        wall_times=view.wall_times[chosen],
        values=view.values[chosen],
        points=points,
        total=snapshot.total,
        hidden=view.hidden,
        kept=len(snapshot),
        origin=view.origin,
        extent=axis.extent,
        restarts=snapshot.attempts.restarts,
        breaks=_breaks(view, chosen),
        nonfinite=nonfinite,
        purged=snapshot.attempts.purged if query.attempts == "last" else 0,
    )


_Selected = tuple[int, tuple[int, int, int], slice | Indices]  # points and non-finite values in the window


def _of_sorted(axis: Axis, view: View, query: ScalarQuery) -> _Selected:
    """For x that ascends within each attempt: finds all places by bisection."""
    low, high = query.window
    if low is None and high is None:
        ranges = (
            np.column_stack((view.edges[:-1], view.edges[1:])) if len(view.edges) > 2 else view.edges[None]
        )
    else:
        low, high = -math.inf if low is None else low, math.inf if high is None else high
        ranges = reduction.within(axis.places, axis.offset, view.edges, low, high)
    bounds = ranges.tolist()
    points = sum([stop - start for start, stop in bounds])
    nonfinite = reduction.count_nonfinite(view.values, view.blocks, ranges)
    if query.nearest is not None:
        nearest = reduction.nearest(axis.places, axis.offset, ranges, query.nearest)
        return points, nonfinite, slice(max(nearest, 0), nearest + 1)
    if query.width is not None and points > 4 * query.width:
        borders = _borders(axis, query, lambda: _smallest_positive(axis, view, query))
        starts, stops = reduction.cut(axis.places, axis.offset, ranges, borders)
        return points, nonfinite, reduction.envelope(view.values, view.blocks, starts, stops)
    if not points:
        return points, nonfinite, slice(0, 0)
    if points == bounds[-1][1] - bounds[0][0]:
        return points, nonfinite, slice(bounds[0][0], bounds[-1][1])
    return points, nonfinite, np.concatenate([np.arange(start, stop) for start, stop in bounds])


def _smallest_positive(axis: Axis, view: View, query: ScalarQuery) -> float:
    high = math.inf if query.window[1] is None else query.window[1]
    ranges = reduction.within(axis.places, axis.offset, view.edges, math.ulp(0.0), high)
    return float((axis.places[ranges[:, 0]] - axis.offset).min(initial=math.inf))


def _of_scattered(axis: Axis, view: View, query: ScalarQuery) -> _Selected:
    """For x in any order, NaN included: reads every point."""
    x = x_of(axis.places, axis.offset)
    inside = np.ones(len(x), bool)
    if query.window[0] is not None:
        inside &= x >= query.window[0]
    if query.window[1] is not None:
        inside &= x <= query.window[1]
    indices = np.flatnonzero(inside)
    x, values, points = x[indices], view.values[indices], len(indices)
    nonfinite = reduction.count_nonfinite(values, NO_BLOCKS, np.array([[0, points]]))
    if query.nearest is not None:
        distance = np.abs(x - query.nearest)
        distance[~np.isfinite(distance)] = math.inf
        nearest = indices[[np.argmin(distance)]] if len(distance) else indices
        return points, nonfinite, nearest if np.isfinite(distance).any() else indices[:0]
    if query.width is not None and points > 4 * query.width:
        borders = _borders(axis, query, lambda: float(x[(x > 0) & (x < math.inf)].min(initial=math.inf)))
        columns = np.searchsorted(borders, x, side="right")
        columns[np.isnan(x)] = 0
        attempt = np.searchsorted(view.edges[1:-1], indices, side="right")  # each is a line of its own
        columns += attempt * (len(borders) + 1)
        edges = np.concatenate(([0], np.flatnonzero(np.diff(columns)) + 1, [points]))
        indices = indices[reduction.envelope(values, NO_BLOCKS, edges[:-1], edges[1:])]
    return points, nonfinite, indices


def _borders(axis: Axis, query: ScalarQuery, smallest_positive: Callable[[], float]) -> NDArray[np.float64]:
    """Column borders of the window; an open end of the window is the end of x."""
    low, high = (
        edge if given is None else given for given, edge in zip(query.window, axis.extent, strict=True)
    )
    if query.log_x and low <= 0:
        low = smallest_positive()
    return column_borders(low, high, query.width or 1, log=query.log_x)


def _breaks(view: View, chosen: slice | Indices) -> Indices:
    """Indices in the chosen points where later attempts begin."""
    breaks = view.edges[1:-1]
    if not len(breaks):
        return _NO_BREAKS
    if isinstance(chosen, slice):
        within: Indices = np.clip(breaks, chosen.start, chosen.stop) - chosen.start
        return within
    return np.searchsorted(chosen, breaks).astype(np.int64, copy=False)
