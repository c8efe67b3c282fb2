"""Computes the nesting of slices of a track: order, depth, parent and self time, with array operations.

A slice lies in another of its track that begins no later and ends no earlier; of two that are equal, in the
one that was added first. Nothing lies in a slice without duration. Slices that overlap without one lying
in the other come below each other: where few do, those that lie across others above these, else each in
the first free depth below that in which it lies.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.derived.columns import Columns, set_rows
from insight_profiler.derived.crossing import laid_across, laid_in_turn
from insight_profiler.derived.upwards import holds_marked, nearest_marked

Rows = NDArray[np.int64]
_DEEPEST = np.iinfo(np.uint16).max


def order_of(track: NDArray[np.int32], start: NDArray[np.int64], duration: NDArray[np.int64]) -> Rows:
    """Rows by track, start, and the longer first; otherwise as they are."""
    by_track = np.argsort(track, kind="stable")
    sorted_track = track[by_track]
    bounds = [0, *(np.flatnonzero(np.diff(sorted_track)) + 1).tolist(), len(track)]
    for low, high in itertools.pairwise(bounds):
        rows = by_track[low:high]
        starts = start[rows]
        if np.any(starts[1:] < starts[:-1]):
            places = np.argsort(starts, kind="stable")
            rows, starts = rows[places], starts[places]
        same = starts[1:] == starts[:-1]
        if same.any():  # of these the longer first: they stay where all of them are
            tied = np.zeros(len(rows), bool)
            tied[1:] |= same
            tied[:-1] |= same
            places = np.flatnonzero(tied)
            among = rows[places]
            rows = rows.copy()
            rows[places] = among[np.lexsort((-duration[among], start[among]))]
        by_track[low:high] = rows
    return by_track.astype(np.int64, copy=False)


@frozen(eq=False)
class Nesting:
    """Of slices in order: how many each lies in, the row of the innermost of these, its own time."""

    depth: NDArray[np.uint16]
    parent: NDArray[np.int32]
    own: NDArray[np.int64]


def nest(track: NDArray[np.int32], start: NDArray[np.int64], duration: NDArray[np.int64]) -> Nesting:
    """``track``, ``start`` and ``duration`` are in order (``order_of``)."""
    count = len(track)
    depth = np.zeros(count, np.int64)
    end = start + duration
    bounds = [0, *(np.flatnonzero(np.diff(track)) + 1).tolist(), count]
    for low, high in itertools.pairwise(bounds):
        depth[low:high] = _open_before(start[low:high], end[low:high])
    parent = parents(depth)
    inner = np.flatnonzero(parent >= 0)
    crossing = inner[end[inner] > end[parent[inner]]]
    if len(crossing):
        _lay_out(crossing, depth, parent, track, start, end)
    return Nesting(np.minimum(depth, _DEEPEST).astype(np.uint16), parent, own_times(duration, parent))


def _open_before(start: NDArray[np.int64], end: NDArray[np.int64]) -> Rows:
    """How many slices before each of a track have not ended when it begins."""
    count = len(start)
    ended = np.searchsorted(np.sort(end), start, "right")
    is_instant = end == start
    if is_instant.any():  # of those counted as ended, the ones that come later at the same moment
        instants = np.zeros(count + 1, np.int64)
        np.cumsum(is_instant, out=instants[1:])
        ended -= instants[np.searchsorted(start, start, "right")] - instants[:-1]
    return np.arange(count) - ended


def parents(depth: Rows) -> NDArray[np.int32]:
    """The last row before each that is one less deep."""
    parent = np.full(len(depth), -1, np.int32)
    if not len(depth):
        return parent
    by_depth = np.argsort(depth.astype(np.uint16) if depth.max() <= _DEEPEST else depth, kind="stable")
    sizes = np.bincount(depth)
    above = by_depth[: sizes[0]]
    low = int(sizes[0])
    for size in sizes[1:].tolist():
        rows = by_depth[low : low + size]
        parent[rows] = above[np.searchsorted(above, rows) - 1]
        above, low = rows, low + size
    return parent


def _nested(start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[Rows, Rows]:
    depth = _open_before(start, end)
    return depth, parents(depth).astype(np.int64)


def own_times(duration: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """Duration without that of the slices that lie directly within; not below 0."""
    inner = np.flatnonzero(parent >= 0)
    within = np.zeros(len(duration), np.int64)
    np.add.at(within, parent[inner], duration[inner])
    own: NDArray[np.int64] = np.maximum(duration - within, 0)
    return own


def _lay_out(
    crossing: Rows,
    depth: Rows,
    parent: NDArray[np.int32],
    track: NDArray[np.int32],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> None:
    """Recomputes depths and parents of overlapping slices, between moments at which the track is idle."""
    begins = np.flatnonzero(depth == 0)
    for first in np.unique(np.searchsorted(begins, crossing, "right") - 1).tolist():
        low = int(begins[first])
        high = int(begins[first + 1]) if first + 1 < len(begins) else len(depth)
        slices = start[low:high], end[low:high]
        depth[low:high], within = laid_across(*slices, _nested) or laid_in_turn(*slices, _DEEPEST)
        parent[low:high] = np.where(within >= 0, within + low, -1)


def innermost(
    track: NDArray[np.int32],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    parent: NDArray[np.int32],
    at_track: NDArray[np.int32],
    at_time: NDArray[np.int64],
) -> Rows:
    """The row of the innermost slice that goes on at a time on a track, or -1. One that begins there does,
    one that ends there does not."""
    found = np.full(len(at_track), -1, np.int64)
    by_track = np.argsort(at_track, kind="stable")
    sorted_at = at_track[by_track]
    for one in np.unique(at_track).tolist():
        low, high = np.searchsorted(track, [one, one + 1])
        if low == high:
            continue
        asked = by_track[slice(*np.searchsorted(sorted_at, [one, one + 1]))]
        rows = low + np.searchsorted(start[low:high], at_time[asked], "right") - 1
        found[asked] = np.where(rows >= low, rows, -1)
    over = _has_ended(found, end, start, at_time)
    while over.any():
        places = np.flatnonzero(over)
        found[places] = parent[found[places]]
        over[places] = _has_ended(found[places], end, start, at_time[places])
    return found


def _has_ended(
    rows: Rows, end: NDArray[np.int64], start: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.bool_]:
    over: NDArray[np.bool_] = (rows >= 0) & (end[rows] <= times) & (start[rows] != times)
    return over


# operators that call those that compute, or are called by them, with the same shapes
_STANDS_IN = re.compile(r"aten::(_convolution|_(flash|efficient|cudnn)_attention_(for|back)ward)$")


def count_once(slices: Columns, texts: Sequence[str]) -> None:
    """Sets ``flops`` of slices to NaN where another slice has the same operations.

    The outermost operator counts. One that stands in for others counts only if none of these lies around or
    within it.
    """
    counted = np.isfinite(slices["flops"])
    if not counted.any():
        return
    names = np.unique(slices["name"][counted])
    stand_ins = [place for place in names.tolist() if _STANDS_IN.match(texts[place])]
    stands_in = counted & np.isin(slices["name"], stand_ins)
    parent = slices["parent"]
    own = counted & ~stands_in
    dropped = own & (nearest_marked(own, parent) >= 0)
    if len(stand_ins):
        around = (nearest_marked(counted, parent) >= 0) | holds_marked(own, parent)
        dropped |= stands_in & around
    for name in ("flops", "repeated"):
        slices[name] = np.where(dropped, np.nan, slices[name])


_BACKWARD = "autograd::engine::evaluate_function"


def mark_repeated(slices: Columns, texts: Sequence[str]) -> None:
    """Sets ``repeated`` of slices to ``flops`` where the backward pass does forward work again.

    Such a call lies in a node of the backward pass, and in that node it is, or lies in, an operator that
    autograd records (``forward``): as checkpoints of activations do. Of a gradient that is differentiated
    again (``create_graph=True``) autograd records the backward pass too: these calls count as repeated.
    """
    nodes = [place for place, name in enumerate(texts) if name.startswith(_BACKWARD)]
    counted = np.flatnonzero(np.isfinite(slices["flops"]))
    if not nodes or not len(counted) or not slices["forward"].any():
        return
    parent = slices["parent"]
    is_node = np.isin(slices["name"], nodes)
    node = nearest_marked(is_node, parent)
    is_forward = (slices["forward"] == 1) & ~is_node & (node >= 0)
    if not is_forward.any():
        return
    around = nearest_marked(is_forward | is_node, parent)
    is_within = (around >= 0) & is_forward[around]
    again = counted[(node[counted] >= 0) & (is_forward | is_within)[counted]]
    set_rows(slices, "repeated", again, slices["flops"][again])
