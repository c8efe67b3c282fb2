"""Reduces a range of the timeline to what can be drawn: merges slices that are too narrow.

A query takes the scale of the lanes that is a little finer than a column of the screen, and merges what is
left.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import TooLarge
from insight_profiler.analysis.lanes import Lanes, Scale
from insight_profiler.model import Profile

_MANY_LANES = 500
_NARROWER = 4  # times fewer columns at a time, where there is too much to draw
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


_known: WeakKeyDictionary[Profile, Lanes] = WeakKeyDictionary()  # the one that was used last is the last
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


def _between(lanes: Lanes, chosen: NDArray[np.intp], start: int, end: int, column: int) -> Scale:
    """What of some lanes lies in a range, with columns of ``column`` ns."""
    scale = lanes.scale(column)
    if len(chosen) > _MANY_LANES:  # one look at all slices is sooner done than one at each lane
        is_chosen = np.zeros(len(lanes.tracks), bool)
        is_chosen[chosen] = True
        rows = scale.rows_of(is_chosen, start, end)
    else:
        parts = (scale.rows_in(lane, start, end) for lane in chosen.tolist())
        rows = np.concatenate([np.zeros(0, np.intp), *parts])
    return scale.take(rows, len(lanes.tracks)).merged(column, lanes.durations)


def _lanes_of(profile: Profile) -> Lanes:
    with _lock:
        found = _known.pop(profile, None)
        lanes = _known[profile] = found or Lanes.of(profile)
        left = _MOST_KEPT - lanes.nbytes
        for other, kept in reversed(list(_known.items())[:-1]):
            left -= kept.nbytes
            if left < 0:
                _known.pop(other, None)
        return lanes
