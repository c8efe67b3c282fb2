"""Reduces a range of the timeline to what can be drawn: merges slices that are too narrow.

On one depth of a track (a lane) slices follow each other. They are held lane by lane, at several scales: at
each, those shorter than a cell that begin in the same cell are one. A query takes the scale that is a
little finer than a column of the screen, and merges what is left.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import TooLarge
from insight_profiler.model import Profile, Table

_COLUMNS = 500  # of a narrow screen
_WIDEST = 4096  # columns of a wide one
_MANY = 1 << 18  # slices whose lanes are not made in an instant
_KEPT = ("drawn_lanes", "drawn_slices")  # tables
_MANY_LANES = 500
_NARROWER = 4  # times fewer columns at a time, where there is too much to draw
_STEP = 4  # between the cells of one scale and the next
_FEWER = 3  # times: a scale is kept if it has so much less than the one before
_AT_ONCE = 1 << 19  # rows
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
        return sum(column.nbytes for column in columns if column.strides != (0,))

    def take(self, rows: NDArray[np.intp], lane_count: int) -> _Scale:
        lanes = self.lanes[rows]
        borders = np.searchsorted(lanes, np.arange(lane_count + 1))
        return _Scale(
            lanes, self.begins[rows], self.ends[rows], self.longest[rows], self.counts[rows], borders
        )

    def merged(self, cell: int, durations: NDArray[np.int64]) -> _Scale:
        """The same with cells of ``cell`` ns; ``durations`` are those of the slices."""
        return self._at(self._starts_anew(cell), durations)

    def coarser(self, cell: int, durations: NDArray[np.int64]) -> _Scale:
        """The same with cells of ``cell`` ns if that is far less, else itself: finer is right, too."""
        starts_anew = self._starts_anew(cell)
        is_less = np.count_nonzero(starts_anew) * _FEWER <= len(self.lanes)
        return self._at(starts_anew, durations) if is_less else self

    def _at(self, starts_anew: NDArray[np.bool_], durations: NDArray[np.int64]) -> _Scale:
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
        return _Scale(lanes, self.begins[firsts], ends, longest, counts, borders)

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


def _portions(firsts: NDArray[np.intp]) -> Iterator[slice]:
    """The groups that begin at ``firsts``, in portions of about as many rows as are looked at at once."""
    low = 0
    while low < len(firsts):
        high = max(low + 1, int(np.searchsorted(firsts, firsts[low] + _AT_ONCE)))
        yield slice(low, high)
        low = high


@define(eq=False)
class _Lanes:
    """The slices of one profile, lane by lane, at the scales that were asked for. Those of wide ranges may be
    kept with the profile: the others, which need all slices, are made when they are asked for."""

    slices: Table
    tracks: NDArray[np.int32]  # of each lane
    depths: NDArray[np.uint16]
    scales: dict[int, _Scale]
    lock: threading.Lock = field(factory=threading.Lock)

    @classmethod
    def of(cls, slices: Table) -> _Lanes:
        """Those of a profile, at the finest scale."""
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
        finest = _Scale(lanes, begins, ends, order, counts, np.append(firsts, len(order)))
        return cls(slices, *of_lanes, {0: finest})

    @classmethod
    def kept(cls, profile: Profile) -> _Lanes | None:
        """Those that are kept with a profile (``kept_lanes``)."""
        lanes, drawn = (profile.tables.get(name) for name in _KEPT)
        if lanes is None or drawn is None:
            return None
        borders = np.searchsorted(drawn["lane"], np.arange(len(lanes["track"]) + 1))
        scale = _Scale(drawn["lane"], drawn["start"], drawn["end"], drawn["longest"], drawn["count"], borders)
        wanted = _wanted(_kept_cell(profile))
        found = cls(profile.tables["slices"], lanes["track"], lanes["depth"], {wanted: scale})
        found.scale(max(1, profile.duration_ns // _COLUMNS))
        return found

    @property
    def durations(self) -> NDArray[np.int64]:
        """int64[slices]: those of all slices."""
        return np.asarray(self.slices["duration"])

    @property
    def nbytes(self) -> int:
        return sum({id(scale): scale.nbytes for scale in list(self.scales.values())}.values())

    def scale(self, column: int) -> _Scale:
        """The coarsest that is kept of which no cell is longer than ``column`` ns."""
        wanted = _wanted(column)
        found = self.scales.get(wanted)
        if found is not None:  # others may wait for finer ones meanwhile
            return found
        with self.lock:
            if wanted < min(self.scales):
                self.scales |= _Lanes.of(self.slices).scales
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
    """Tables that a profile of many slices is kept with, from which all of it is drawn at once."""
    slices = profile.tables.get("slices")
    if slices is None or len(slices["start"]) < _MANY:
        return {}
    lanes = _Lanes.of(slices)
    scale = lanes.scale(_kept_cell(profile))
    drawn: Table = {
        "lane": scale.lanes,
        "start": scale.begins,
        "end": scale.ends,
        "longest": scale.longest,
        "count": np.array(scale.counts),
    }
    return dict(zip(_KEPT, ({"track": lanes.tracks, "depth": lanes.depths}, drawn), strict=True))


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
    lanes = _lanes_of(profile)
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
    levels, most = int(depths.max(initial=0)) + 1, int(slices["track"].max(initial=0))
    # 16 bits are sorted digit by digit: many times faster
    kind = np.uint16 if (most + 1) * levels <= 1 << 16 else np.int64
    lanes = np.multiply(slices["track"], levels, dtype=kind, casting="unsafe")
    np.add(lanes, depths, out=lanes, casting="unsafe")
    return np.argsort(lanes, kind="stable").astype(np.int32)


def prepare(profile: Profile) -> None:
    """Makes what queries of parts need, so that the first of them takes no longer than others."""
    _lanes_of(profile).scale(max(1, _kept_cell(profile) // _STEP))


def _lanes_of(profile: Profile) -> _Lanes:
    with _lock:
        found = _known.pop(profile, None) or _Lanes.kept(profile)
        lanes = _known[profile] = found or _Lanes.of(profile.tables["slices"])
        left = _MOST_KEPT - lanes.nbytes
        for other, kept in reversed(list(_known.items())[:-1]):
            left -= kept.nbytes
            if left < 0:
                _known.pop(other, None)
        return lanes
