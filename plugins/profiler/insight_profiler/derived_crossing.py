"""Assigns depths to slices of a track that overlap without nesting, for tracks with few of them, such as
annotations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Times = NDArray[np.int64]
Nested = Callable[[Times, Times], tuple[Rows, Rows]]
"""Depths and parents (places, -1) of slices in order that do not cross."""

_ROUNDS = 8
_MOST = 0.2  # of the slices may lie across others


def laid_across(start: Times, end: Times, nested: Nested) -> tuple[Rows, Rows] | None:
    """Depth and parent (place, -1) of each slice, which are in order; None where too many cross."""
    across = np.zeros(len(start), bool)
    for _ in range(_ROUNDS):
        rest = np.flatnonzero(~across)
        depth, parent = nested(start[rest], end[rest])
        inner = np.flatnonzero(parent >= 0)
        crossing = inner[end[rest[inner]] > end[rest[parent[inner]]]]
        if not len(crossing):
            break
        one, other = rest[crossing], rest[parent[crossing]]
        # behind a crossing depths are off, and parents may have ended: of these nothing is known yet
        going = end[other] > start[one]
        one, other = one[going], other[going]
        is_longer = end[one] - start[one] >= end[other] - start[other]
        across[np.where(is_longer, one, other)] = True
        if across.sum() > _MOST * len(start):
            return None
    else:
        return None
    above = np.flatnonzero(across)
    own_depth, own_parent = nested(start[above], end[above])
    inner = np.flatnonzero(own_parent >= 0)
    if np.any(end[above[inner]] > end[above[own_parent[inner]]]):
        return None
    outer = _around(start, end, rest, parent, above)
    levels, parents = np.full(len(start), -1), np.full(len(start), -1)
    _descend(start, end, (rest, depth, parent), (above, own_depth, own_parent, outer), levels)
    parents[rest] = np.where(parent >= 0, rest[parent], -1)
    parents[above] = np.where(outer >= 0, rest[outer], -1)
    # the innermost of what is across is nearer where it lies in the other
    for place in np.argsort(own_depth, kind="stable").tolist():
        row = int(above[place])
        low, high = row + 1, int(np.searchsorted(start, end[row]))
        within = np.arange(low, high)[end[low:high] <= end[row]]
        around = parents[within]
        nearer = (around < 0) | (end[around] - start[around] >= end[row] - start[row])
        parents[within[nearer]] = row
    return levels, parents


def _around(start: Times, end: Times, rest: Rows, parent: Rows, above: Rows) -> Rows:
    """Of slices that lie across the place in ``rest`` of the innermost in which they lie."""
    found = np.searchsorted(rest, above) - 1
    outside = (found >= 0) & (end[rest[np.maximum(found, 0)]] < end[above])
    while outside.any():
        found[outside] = parent[found[outside]]
        outside = (found >= 0) & (end[rest[np.maximum(found, 0)]] < end[above])
    return found


def _descend(
    start: Times,
    end: Times,
    plain: tuple[Rows, Rows, Rows],
    across: tuple[Rows, Rows, Rows, Rows],
    levels: Rows,
) -> None:
    """Depths from the top: each slice is as deep as it lies in plain ones, and shifted below all that lies
    across it."""
    rest, depth, parent = plain
    above, own_depth, own_parent, outer = across
    starts = start[rest]
    shift, least = np.zeros(len(rest), np.int64), np.zeros(len(rest), np.int64)
    own_shift = np.zeros(len(above), np.int64)
    inside = np.where(outer >= 0, depth[np.maximum(outer, 0)] + 1, 0)
    order = np.lexsort((own_depth, inside)).tolist()
    for level in range(int(depth.max(initial=-1)) + 2):
        while order and inside[order[0]] == level:
            place = order.pop(0)
            row, within = int(above[place]), int(outer[place])
            own = int(shift[within]) if within >= 0 else 0
            if own_parent[place] >= 0:
                own = max(own, int(own_shift[own_parent[place]]) + 1)
            own_shift[place] = own
            levels[row] = level + own
            low, high = np.searchsorted(starts, [start[row], end[row]])
            least[low:high] = np.maximum(least[low:high], own + 1)
            before = int(np.searchsorted(rest, row)) - 1
            while before >= 0 and before != within:  # what has begun before it and ends in it
                if end[rest[before]] > start[row]:
                    least[before] = max(int(least[before]), own + 1)
                before = int(parent[before])
        now = np.flatnonzero(depth == level)
        over = parent[now]
        shift[now] = np.maximum(least[now], np.where(over >= 0, shift[np.maximum(over, 0)], 0))
        levels[rest[now]] = level + shift[now]
