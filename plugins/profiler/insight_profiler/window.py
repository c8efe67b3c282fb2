"""Reduces a range of the timeline to what can be drawn: merges slices that are too narrow.

On one depth of a track (a lane) slices follow each other. They are held lane by lane, at several scales: at
each, those shorter than a cell that begin in the same cell are one. A query takes the scale that is a
little finer than a column of the screen, and merges what is left.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import TooLarge
from insight_profiler.model import Profile, Table

_COLUMNS = 500  # of a narrow screen
_MANY_LANES = 500
_NARROWER = 4  # times fewer columns at a time, where there is too much to draw
_STEP = 4  # between the cells of one scale and the next
_MOST_KEPT = 256 << 20  # bytes of lanes of all profiles, but for one: those that were used last stay


@frozen(eq=False)
class ShownSlices:
    """Columns ``track, start, duration, depth, name, category, id, merged``, times in ns.

    ``id`` is a row of the slices. Where ``merged`` is more than 1 the row stands for so many, from the first
    beginning to the last end, and is called after the longest. ``count`` slices are in the range, drawn for
    ``width`` columns.
    """

    columns: dict[str, NDArray[Any]]
    count: int
    width: int


@frozen(eq=False)
class _Scale:
    """Slices or what stands for some, lane by lane and there in the order of time."""

    lanes: NDArray[np.int32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    longest: NDArray[np.int32]  # row of the longest slice that it stands for
    counts: NDArray[np.int32]
    borders: NDArray[np.int64]  # where each lane begins, and the last ends

    @property
    def nbytes(self) -> int:
        columns = (self.lanes, self.begins, self.ends, self.longest, self.counts, self.borders)
        return sum(column.nbytes for column in columns)

    def take(self, rows: NDArray[np.intp], lane_count: int) -> _Scale:
        lanes = self.lanes[rows]
        borders = np.searchsorted(lanes, np.arange(lane_count + 1))
        return _Scale(
            lanes, self.begins[rows], self.ends[rows], self.longest[rows], self.counts[rows], borders
        )

    def merged(self, cell: int, durations: NDArray[np.int64]) -> _Scale:
        """The same with cells of ``cell`` ns; ``durations`` are those of the slices."""
        if not len(self.lanes):
            return self
        is_wide = self.ends - self.begins >= cell
        cells = self.begins // cell
        starts_anew = np.ones(len(self.lanes), bool)
        same_place = (self.lanes[1:] == self.lanes[:-1]) & (cells[1:] == cells[:-1])
        starts_anew[1:] = ~same_place | is_wide[1:] | is_wide[:-1]
        firsts = np.flatnonzero(starts_anew)
        if len(firsts) == len(self.lanes):
            return self
        groups = np.cumsum(starts_anew) - 1
        lengths = durations[self.longest]
        best = np.maximum.reduceat(lengths, firsts)
        is_best = np.flatnonzero(lengths == best[groups])
        longest = np.empty(len(firsts), np.int32)
        longest[groups[is_best[::-1]]] = self.longest[is_best[::-1]]  # of equal ones the first
        return _Scale(
            self.lanes[firsts],
            self.begins[firsts],
            np.maximum.reduceat(self.ends, firsts),
            longest,
            np.add.reduceat(self.counts, firsts, dtype=np.int32),
            np.searchsorted(self.lanes[firsts], np.arange(len(self.borders))),
        )


@define(eq=False)
class _Lanes:
    """The slices of one profile, lane by lane, at the scales that were asked for."""

    tracks: NDArray[np.int32]  # of each lane
    depths: NDArray[np.uint16]
    scales: dict[int, _Scale]
    durations: NDArray[np.int64]
    lock: threading.Lock = field(factory=threading.Lock)

    @classmethod
    def of(cls, slices: Table) -> _Lanes:
        order = _by_lane(slices)
        tracks, depths = slices["track"][order], slices["depth"][order]
        changes = np.ones(len(order), bool)
        changes[1:] = (tracks[1:] != tracks[:-1]) | (depths[1:] != depths[:-1])
        firsts = np.flatnonzero(changes)
        begins = slices["start"][order]
        finest = _Scale(
            (np.cumsum(changes) - 1).astype(np.int32),
            begins,
            begins + slices["duration"][order],
            order,
            np.ones(len(order), np.int32),
            np.append(firsts, len(order)),
        )
        return cls(tracks[firsts], depths[firsts], {0: finest}, np.asarray(slices["duration"]))

    @property
    def nbytes(self) -> int:
        with self.lock:
            return sum({id(scale): scale.nbytes for scale in self.scales.values()}.values())

    def scale(self, column: int) -> _Scale:
        """The coarsest of which no cell is longer than ``column`` ns."""
        wanted = 0
        while _STEP ** (wanted + 1) <= column:
            wanted += 1
        with self.lock:
            at = max(known for known in self.scales if known <= wanted)
            while at < wanted:
                at += 1
                self.scales[at] = self.scales[at - 1].merged(_STEP**at, self.durations)
            return self.scales[wanted]


_known: WeakKeyDictionary[Profile, _Lanes] = WeakKeyDictionary()  # the one that was used last is the last
_lock = threading.Lock()


def slices_between(
    profile: Profile,
    start: int,
    end: int,
    width: int,
    tracks: Collection[int] | NDArray[Any] | None = None,
    levels: int | None = None,
    most: int | None = None,
) -> ShownSlices:
    """What of the range from ``start`` to ``end`` (ns) is drawn on ``width`` columns, of some tracks or all,
    with ``levels`` only their first depths.

    On a lane there are hardly more than ``width`` things narrower than a column. Where that makes more than
    ``most`` rows, they are drawn for fewer columns. Raises TooLarge where one column is too many.
    """
    slices = profile.tables["slices"]
    lanes = _lanes_of(profile, slices)
    is_chosen = np.ones(len(lanes.tracks), bool)
    if tracks is not None:
        is_chosen = np.isin(lanes.tracks, np.asarray(tracks, np.int64))
    if levels is not None:
        is_chosen &= lanes.depths < levels
    chosen = np.flatnonzero(is_chosen)
    while True:
        column = max(1, (end - start) // width)
        shown = _between(lanes, chosen, start, end, column)
        if most is None or len(shown.lanes) <= most:
            break
        if width == 1:
            raise TooLarge(
                f"{len(shown.lanes)} slices of {len(chosen)} lanes are in this range, more than {most}: "
                "ask for fewer with tracks= or levels=, or for a shorter range with from= and to=",
                code="profiler_many_slices",
                count=len(shown.lanes),
                most=most,
            )
        width = max(1, width // _NARROWER)
    return ShownSlices(
        {
            "track": lanes.tracks[shown.lanes],
            "start": shown.begins,
            "duration": shown.ends - shown.begins,
            "depth": lanes.depths[shown.lanes].astype(np.int32),
            "name": slices["name"][shown.longest],
            "category": slices["category"][shown.longest],
            "id": shown.longest,
            "merged": shown.counts,
        },
        int(shown.counts.sum()),
        width,
    )


def _between(lanes: _Lanes, chosen: NDArray[np.intp], start: int, end: int, column: int) -> _Scale:
    """What of some lanes lies in a range, with columns of ``column`` ns."""
    scale = lanes.scale(column)
    if len(chosen) > _MANY_LANES:  # one look at all slices is sooner done than one at each lane
        is_chosen = np.zeros(len(lanes.tracks), bool)
        is_chosen[chosen] = True
        inside = (scale.ends >= start) & (scale.begins <= end) & is_chosen[scale.lanes]
        return scale.take(np.flatnonzero(inside), len(lanes.tracks)).merged(column, lanes.durations)
    parts = [np.zeros(0, np.intp)]
    for lane in chosen.tolist():
        low, high = int(scale.borders[lane]), int(scale.borders[lane + 1])
        first = low + int(np.searchsorted(scale.ends[low:high], start, "left"))
        last = low + int(np.searchsorted(scale.begins[low:high], end, "right"))
        if last > first:
            parts.append(np.arange(first, last))
    return scale.take(np.concatenate(parts), len(lanes.tracks)).merged(column, lanes.durations)


def _by_lane(slices: Table) -> NDArray[np.int32]:
    """Rows by track, depth and start; by track and start they are sorted already."""
    depths = slices["depth"]
    lanes = slices["track"].astype(np.int64) * (int(depths.max(initial=0)) + 1) + depths
    if lanes.max(initial=0) < 1 << 16:
        lanes = lanes.astype(np.uint16)  # sorted digit by digit: many times faster
    return np.argsort(lanes, kind="stable").astype(np.int32)


def prepare(profile: Profile) -> None:
    """Makes what queries need, so that the first of them takes no longer than others."""
    _lanes_of(profile, profile.tables["slices"]).scale(max(1, profile.duration_ns // _COLUMNS))


def _lanes_of(profile: Profile, slices: Table) -> _Lanes:
    with _lock:
        found = _known.pop(profile, None)
        lanes = _known[profile] = _Lanes.of(slices) if found is None else found
        left = _MOST_KEPT - lanes.nbytes
        for other, kept in reversed(list(_known.items())[:-1]):
            left -= kept.nbytes
            if left < 0:
                _known.pop(other, None)
        return lanes
