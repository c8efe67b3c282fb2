"""What a timeline of some width shows of a stretch of time: whole columns, whatever the number of slices."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Column, Profile, Table

_PLENTY = 4  # slices for each column of the width are not merged


@frozen(eq=False)
class ShownSlices:
    """``columns``: track, start, duration, depth, name, category, id (row in slices) and merged.

    Where several slices of a track and depth are narrower than a column of the width and begin in
    the same one, a single row stands for ``merged`` of them: from the first beginning to the last end, with
    name, category and id of the longest. ``count`` is how many there are in all.
    """

    columns: Table
    count: int


def slices_between(
    profile: Profile, start: int, end: int, width: int, tracks: NDArray[np.intp] | None = None
) -> ShownSlices:
    """The slices of some tracks, or of all, that touch a stretch of time, drawn ``width`` columns wide.

    Of what is wider than a column nothing is left out. Rows are in the order of slices.
    """
    slices = profile.tables["slices"]
    rows = _touching(slices, start, end, _ranges(slices["track"], tracks))
    if len(rows) <= _PLENTY * width:
        return ShownSlices(_columns(slices, rows), len(rows))
    scale = width / max(1, end - start)
    durations = slices["duration"][rows]
    is_narrow = durations * scale < 1
    narrow = rows[is_narrow]
    merged = _merged(slices, narrow, durations[is_narrow], start, scale, width)
    wide = _columns(slices, rows[~is_narrow])
    columns = {name: np.concatenate((wide[name], merged[name])) for name in wide}
    order = np.lexsort((columns["depth"], columns["start"], columns["track"]))
    return ShownSlices({name: column[order] for name, column in columns.items()}, len(rows))


def _ranges(track: Column, wanted: NDArray[np.intp] | None) -> list[tuple[int, int]]:
    """Where in the slices those of the tracks are."""
    if wanted is None:
        return [(0, len(track))]
    places = np.unique(wanted).astype(track.dtype)
    lows, highs = np.searchsorted(track, places), np.searchsorted(track, places, "right")
    return [(low, high) for low, high in zip(lows.tolist(), highs.tolist(), strict=True) if low < high]


def _touching(slices: Table, start: int, end: int, ranges: list[tuple[int, int]]) -> NDArray[np.int64]:
    found = []
    for low, high in ranges:
        starts = slices["start"][low:high]
        ends = starts + slices["duration"][low:high]
        # one without duration touches the stretch in which it is
        inside = (starts < end) & ((ends > start) | (starts >= start))
        found.append(np.flatnonzero(inside) + low)
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _columns(slices: Table, rows: NDArray[np.int64]) -> dict[str, Column]:
    names = ("track", "start", "duration", "depth", "name", "category")
    found: dict[str, Column] = {name: slices[name][rows] for name in names}
    found["id"] = rows.astype(np.int32)
    found["merged"] = np.ones(len(rows), np.int32)
    return found


def _merged(
    slices: Table,
    rows: NDArray[np.int64],
    durations: NDArray[np.int64],
    start: int,
    scale: float,
    width: int,
) -> dict[str, Column]:
    """A row for each track, depth and column in which at least one of the rows begins."""
    track, depth = slices["track"][rows], slices["depth"][rows].astype(np.int64)
    if not len(rows):
        return _columns(slices, rows)
    # rows are sorted by track: the lanes of each track stand after those of the one before
    firsts = np.flatnonzero(np.diff(track, prepend=-1))
    depths = np.maximum.reduceat(depth, firsts) + 1
    lane = np.repeat(np.cumsum(depths) - depths, np.diff(firsts, append=len(track))) + depth
    starts = slices["start"][rows]
    pixel = ((starts - start) * scale).astype(np.int64).clip(0, width - 1)
    cell = lane * width + pixel
    count = int(depths.sum()) * width

    counts = np.bincount(cell, minlength=count)
    begin, finish = np.empty(count, np.int64), np.empty(count, np.int64)
    begin[cell[::-1]] = starts[::-1]  # of several the last one written stays: the earliest
    finish[cell] = -(1 << 62)
    np.maximum.at(finish, cell, starts + durations)
    longest = np.full(count, -1, np.int64)
    np.maximum.at(longest, cell, durations)
    is_longest = durations == longest[cell]
    standing = np.empty(count, np.int64)
    standing[cell[is_longest][::-1]] = rows[is_longest][::-1]

    used = np.flatnonzero(counts)
    columns = _columns(slices, standing[used])
    columns["start"] = begin[used]
    columns["duration"] = finish[used] - begin[used]
    columns["merged"] = counts[used].astype(np.int32)
    return columns
