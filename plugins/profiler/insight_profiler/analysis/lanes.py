"""Holds the slices of a profile lane by lane, at several scales, and keeps these with the profile.

On one depth of a track (a lane) slices follow each other. At each scale, those shorter than a cell that begin
in the same cell are one.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_profiler.model import Profile, Table

_COLUMNS = 500  # of a narrow screen
_WIDEST = 4096  # columns of a wide one
_MANY = 1 << 18  # slices whose lanes are not made in an instant
_KEPT = ("drawn_lanes", "drawn_order", "drawn_scales", "drawn_slices")  # tables
_STEP = 4  # between the cells of one scale and the next
_FEWER = 3  # times: a scale is kept if it has so much less than the one before
_AT_ONCE = 1 << 19  # rows


@frozen(eq=False)
class Scale:
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
        return sum(column.nbytes for column in columns if column.strides != (0,))

    def rows_in(self, lane: int, start: int, end: int) -> NDArray[np.intp]:
        """The rows of a lane that lie in a range of time, at least in part."""
        low, high = int(self.borders[lane]), int(self.borders[lane + 1])
        first = low + int(np.searchsorted(self.ends[low:high], start, "left"))
        return np.arange(first, low + int(np.searchsorted(self.begins[low:high], end, "right")))

    def rows_of(self, is_chosen: NDArray[np.bool_], start: int, end: int) -> NDArray[np.intp]:
        """The same for many lanes: one look at all rows."""
        return np.flatnonzero((self.ends >= start) & (self.begins <= end) & is_chosen[self.lanes])

    def take(self, rows: NDArray[np.intp], lane_count: int) -> Scale:
        lanes = self.lanes[rows]
        borders = np.searchsorted(lanes, np.arange(lane_count + 1))
        return Scale(
            lanes, self.begins[rows], self.ends[rows], self.longest[rows], self.counts[rows], borders
        )

    def merged(self, cell: int, durations: NDArray[np.int64]) -> Scale:
        """The same with cells of ``cell`` ns; ``durations`` are those of the slices."""
        return self._at(self._starts_anew(cell), durations)

    def coarser(self, cell: int, durations: NDArray[np.int64]) -> Scale:
        """The same with cells of ``cell`` ns if that is far less, else itself: finer is right, too."""
        starts_anew = self._starts_anew(cell)
        is_less = np.count_nonzero(starts_anew) * _FEWER <= len(self.lanes)
        return self._at(starts_anew, durations) if is_less else self

    def _at(self, starts_anew: NDArray[np.bool_], durations: NDArray[np.int64]) -> Scale:
        firsts = np.flatnonzero(starts_anew)
        if len(firsts) == len(self.lanes):
            return self
        lanes = self.lanes[firsts]
        ends = np.empty(len(firsts), np.int64)
        longest = np.empty(len(firsts), np.int32)
        counts = np.add.reduceat(self.counts, firsts, dtype=np.int32)
        for groups in _portions(firsts):
            low = int(firsts[groups.start])
            high = int(firsts[groups.stop]) if groups.stop < len(firsts) else len(self.lanes)
            begins = firsts[groups] - low
            ends[groups] = np.maximum.reduceat(self.ends[low:high], begins)
            lengths = durations[self.longest[low:high]]
            best = np.maximum.reduceat(lengths, begins)
            sizes = np.diff(begins, append=high - low)
            of_best = np.flatnonzero(lengths == np.repeat(best, sizes))
            group = np.searchsorted(begins, of_best, "right") - 1
            # of equal ones the first: the last that is written
            longest[groups.start + group[::-1]] = self.longest[low + of_best[::-1]]
        borders = np.searchsorted(lanes, np.arange(len(self.borders)))
        return Scale(lanes, self.begins[firsts], ends, longest, counts, borders)

    def _starts_anew(self, cell: int) -> NDArray[np.bool_]:
        """Where something begins that is not merged with what is before it."""
        found = np.ones(len(self.lanes), bool)
        for low in range(0, len(self.lanes), _AT_ONCE):
            before = max(0, low - 1)  # the one before decides about the first
            part = slice(before, low + _AT_ONCE)
            lanes, begins = self.lanes[part], self.begins[part]
            is_wide = self.ends[part] - begins >= cell
            cells = begins // cell
            same_place = (lanes[1:] == lanes[:-1]) & (cells[1:] == cells[:-1])
            found[before + 1 : low + _AT_ONCE] = ~same_place | is_wide[1:] | is_wide[:-1]
        return found


@frozen(eq=False)
class Finest:
    """All slices of a profile that is kept. In memory is nothing but what is mapped: their order by lane, and
    their times, which are looked up."""

    slices: Table
    order: NDArray[np.int32]  # rows of the slices
    borders: NDArray[np.int64]

    def rows_in(self, lane: int, start: int, end: int) -> NDArray[np.intp]:
        """See ``Scale``."""
        begins, durations = self.slices["start"], self.slices["duration"]

        def begin(place: int) -> int:
            return int(begins[self.order[place]])

        def end_of(place: int) -> int:
            return begin(place) + int(durations[self.order[place]])

        places = range(len(self.order))
        low, high = int(self.borders[lane]), int(self.borders[lane + 1])
        first = bisect_left(places, start, low, high, key=end_of)
        return np.arange(first, bisect_right(places, end, low, high, key=begin))

    def rows_of(self, is_chosen: NDArray[np.bool_], start: int, end: int) -> NDArray[np.intp]:
        """See ``Scale``."""
        parts = [np.zeros(0, np.intp)]
        for low in range(0, len(self.order), _AT_ONCE):
            part = self.take(np.arange(low, min(low + _AT_ONCE, len(self.order))), len(is_chosen))
            parts.append(low + part.rows_of(is_chosen, start, end))
        return np.concatenate(parts)

    def take(self, rows: NDArray[np.intp], lane_count: int) -> Scale:
        """Some of the slices, by their places in the order."""
        chosen = self.order[rows]
        lanes = (np.searchsorted(self.borders, rows, "right") - 1).astype(np.int32)
        begins = self.slices["start"][chosen]
        ends = begins + self.slices["duration"][chosen]
        borders = np.searchsorted(lanes, np.arange(lane_count + 1))
        return Scale(lanes, begins, ends, chosen, np.broadcast_to(np.int32(1), len(rows)), borders)

    def coarser(self, cell: int, durations: NDArray[np.int64]) -> Scale | Finest:
        """See ``Scale``."""
        whole = self.take(np.arange(len(self.order)), len(self.borders) - 1)
        found = whole.coarser(cell, durations)
        return self if found is whole else found


def _portions(firsts: NDArray[np.intp]) -> Iterator[slice]:
    """The groups that begin at ``firsts``, in portions of about as many rows as are looked at at once."""
    low = 0
    while low < len(firsts):
        high = max(low + 1, int(np.searchsorted(firsts, firsts[low] + _AT_ONCE)))
        yield slice(low, high)
        low = high


@define(eq=False)
class Lanes:
    """The slices of one profile, lane by lane, at the scales that were asked for."""

    slices: Table
    tracks: NDArray[np.int32]  # of each lane
    depths: NDArray[np.uint16]
    scales: dict[int, Scale | Finest]
    mapped: int = -1  # scales up to this number take no memory
    lock: threading.Lock = field(factory=threading.Lock)

    @classmethod
    def of(cls, profile: Profile) -> Lanes:
        """Those of a profile; made where they are not kept with it."""
        return cls._kept(profile) or cls._made(profile.tables["slices"])

    @classmethod
    def _made(cls, slices: Table) -> Lanes:
        order = _by_lane(slices)
        tracks, depths = slices["track"][order], slices["depth"][order]
        changes = np.ones(len(order), bool)
        changes[1:] = (tracks[1:] != tracks[:-1]) | (depths[1:] != depths[:-1])
        firsts = np.flatnonzero(changes)
        of_lanes = tracks[firsts], depths[firsts]
        del tracks, depths  # a profile has millions of slices
        lanes = np.cumsum(changes, dtype=np.int32)
        lanes -= 1
        begins = slices["start"][order]
        ends = slices["duration"][order]
        np.add(ends, begins, out=ends)
        counts = np.broadcast_to(np.int32(1), len(order))
        finest = Scale(lanes, begins, ends, order, counts, np.append(firsts, len(order)))
        return cls(slices, *of_lanes, {0: finest})

    @classmethod
    def _kept(cls, profile: Profile) -> Lanes | None:
        lanes, order, numbers, drawn = (profile.tables.get(name) for name in _KEPT)
        if lanes is None or order is None or numbers is None or drawn is None:
            return None
        slices = profile.tables["slices"]
        borders = np.append(lanes["first"], len(order["row"]))
        scales: dict[int, Scale | Finest] = {0: Finest(slices, order["row"], borders)}
        first = 0
        for number, rows in zip(numbers["number"].tolist(), numbers["rows"].tolist(), strict=True):
            part = {name: column[first : first + rows] for name, column in drawn.items()}
            borders = np.searchsorted(part["lane"], np.arange(len(lanes["track"]) + 1))
            scales[number] = Scale(
                part["lane"], part["start"], part["end"], part["longest"], part["count"], borders
            )
            first += rows
        last = _wanted(_kept_cell(profile))
        for number in range(1, last + 1):
            scales.setdefault(number, scales[number - 1])
        found = cls(slices, lanes["track"], lanes["depth"], scales, last)
        found.scale(max(1, profile.duration_ns // _COLUMNS))
        return found

    @property
    def durations(self) -> NDArray[np.int64]:
        """int64[slices]: those of all slices."""
        return np.asarray(self.slices["duration"])

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        own = {id(one): one for number, one in list(self.scales.items()) if number > self.mapped}
        return sum(one.nbytes for one in own.values() if isinstance(one, Scale))

    def scale(self, column: int) -> Scale | Finest:
        """The coarsest that is kept of which no cell is longer than ``column`` ns."""
        wanted = _wanted(column)
        found = self.scales.get(wanted)
        if found is not None:  # others may wait for finer ones meanwhile
            return found
        with self.lock:
            at = max(known for known in self.scales if known <= wanted)
            while at < wanted:
                at += 1
                self.scales.setdefault(at, self.scales[at - 1].coarser(_STEP**at, self.durations))
            return self.scales[wanted]


def _wanted(column: int) -> int:
    """The number of the coarsest scale of which no cell is longer than ``column`` ns."""
    wanted = 0
    while _STEP ** (wanted + 1) <= column:
        wanted += 1
    return wanted


def _kept_cell(profile: Profile) -> int:
    return max(1, profile.duration_ns // _WIDEST)


def kept_lanes(profile: Profile) -> dict[str, Table]:
    """Tables that a profile of many slices is kept with, from which any part of it is drawn at once."""
    slices = profile.tables.get("slices")
    if slices is None or len(slices["start"]) < _MANY:
        return {}
    lanes = Lanes.of(profile)
    lanes.scale(_kept_cell(profile))
    finest = lanes.scales[0]
    assert isinstance(finest, Scale)
    of_lanes: Table = {"track": lanes.tracks, "depth": lanes.depths, "first": finest.borders[:-1]}
    order: Table = {"row": finest.longest}
    kept = {
        number: one
        for number, one in sorted(lanes.scales.items())
        if number and one is not lanes.scales[number - 1] and isinstance(one, Scale)
    }
    del lanes, finest  # its times and lanes, before the others are joined
    numbers: Table = {
        "number": np.array(list(kept), np.int32),
        "rows": np.array([len(one.lanes) for one in kept.values()], np.int64),
    }
    fields = {"lane": "lanes", "start": "begins", "end": "ends", "longest": "longest", "count": "counts"}
    drawn: Table = {
        name: np.concatenate([np.zeros(0, np.int32), *(getattr(one, field) for one in kept.values())])
        for name, field in fields.items()
    }
    return dict(zip(_KEPT, (of_lanes, order, numbers, drawn), strict=True))


def _by_lane(slices: Table) -> NDArray[np.int32]:
    """Rows by track, depth and start; by track and start they are sorted already."""
    depths = slices["depth"]
    levels, most = int(depths.max(initial=0)) + 1, int(slices["track"].max(initial=0))
    # 16 bits are sorted digit by digit: many times faster
    kind = np.uint16 if (most + 1) * levels <= 1 << 16 else np.int64
    lanes = np.multiply(slices["track"], levels, dtype=kind, casting="unsafe")
    np.add(lanes, depths, out=lanes, casting="unsafe")
    return np.argsort(lanes, kind="stable").astype(np.int32)
