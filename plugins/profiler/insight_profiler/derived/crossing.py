"""Assigns depths to slices of a track that overlap without nesting.

Few of them, such as annotations, lie across the others; many are laid in turn.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Times = NDArray[np.int64]
Nested = Callable[[Times, Times], tuple[Rows, Rows]]
"""Depths and parents (places, -1) of slices in order that do not cross."""

_ROUNDS = 8
_MOST = 0.2  # of the slices may lie across others
_MOST_WITHIN = 256  # slices within those that lie across others, for each slice: what this takes
_MOST_DEEP = 1024


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
    within = np.searchsorted(start, end[above]) - above
    if within.sum() > _MOST_WITHIN * len(start) or depth.max(initial=0) > _MOST_DEEP:
        return None
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


def laid_in_turn(start: Times, end: Times, deepest: int) -> tuple[Rows, Rows]:
    """Depth and parent (place, -1) of slices in order: each comes into the first free depth below the deepest
    of those in which it lies. All that do not fit above it share the depth ``deepest``."""
    count = len(start)
    levels, parents = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    # places among the ends, the last first: a slice lies in those that end no earlier, and after it begins
    last_first = np.sort(end)[::-1]
    places = count - np.searchsorted(last_first[::-1], end, "left")
    limits = count - np.searchsorted(last_first[::-1], np.maximum(end, start + 1), "left")
    deepest_of = [-1] * (count + 1)  # a Fenwick tree of depth and row of the deepest, by these places
    going: list[tuple[int, int]] = []  # end and depth of what goes on, the first end first
    free = (1 << (deepest + 1)) - 1  # depths, as bits
    for row, (begin, finish, place, limit) in enumerate(
        zip(start.tolist(), end.tolist(), places.tolist(), limits.tolist(), strict=True)
    ):
        while going and going[0][0] <= begin:
            free |= 1 << heapq.heappop(going)[1]
        around = -1
        while limit:
            around = max(around, deepest_of[limit])
            limit &= limit - 1
        level, parents[row] = divmod(around, count) if around >= 0 else (-1, -1)
        below = free >> (level + 1)
        level = level + (below & -below).bit_length() if below else deepest
        levels[row] = level
        if level < deepest:  # that one is always free
            free ^= 1 << level
            heapq.heappush(going, (finish, level))
        deepest_now = level * count + row
        while place <= count:
            deepest_of[place] = max(deepest_of[place], deepest_now)
            place += place & -place
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
    order = deque(np.lexsort((own_depth, inside)).tolist())
    for level in range(int(depth.max(initial=-1)) + 2):
        while order and inside[order[0]] == level:
            place = order.popleft()
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
