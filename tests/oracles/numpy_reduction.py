"""The definition of ``insight_core.store.reduction``, in NumPy."""

from __future__ import annotations

import functools
import itertools

import numpy as np
from numpy.typing import NDArray

from insight_core.store.blocks import POINTS, Blocks

_Values = NDArray[np.float32] | NDArray[np.float64]
_Places = NDArray[np.int64] | NDArray[np.float64]
_Indices = NDArray[np.int64]

_BATCH = 4096  # blocks summarised at a time, to bound temporary memory
_RESPONSE = 64  # values that one product with a matrix smooths


# --- extremes -----------------------------------------------------------------------------------


def summarise(values: _Values, blocks: Blocks) -> None:
    """See ``Reduction.summarise``."""
    for first in range(0, len(blocks), _BATCH):
        part = blocks[first : first + _BATCH]
        rows = values[first * POINTS : (first + len(part)) * POINTS].reshape(-1, POINTS)
        finite = np.isfinite(rows)
        row = np.arange(len(rows))
        for place, (name, extreme, out_of_the_way) in enumerate(
            (("low", np.argmin, np.inf), ("high", np.argmax, -np.inf))
        ):
            candidates = np.where(finite, rows, out_of_the_way)
            best = extreme(candidates, axis=1)
            part[name] = candidates[row, best]
            part["places"][:, place] = best
        for kind, of_kind in enumerate(_odd(rows)):
            part["counts"][:, kind] = of_kind.sum(axis=1)
            part["places"][:, 2 + kind] = of_kind.argmax(axis=1)


def _odd(values: _Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    return np.isnan(values), values == np.inf, values == -np.inf


def envelope(values: _Values, blocks: Blocks, starts: _Indices, stops: _Indices) -> _Indices:
    """See ``Reduction.envelope``."""
    if not len(starts):
        return np.zeros(0, np.int64)
    indices = _candidates(blocks, starts, stops)
    candidates = values[indices]
    group = np.searchsorted(starts, indices, side="right") - 1
    begin = np.searchsorted(indices, starts)
    keep = [starts, stops - 1]
    finite = np.isfinite(candidates)
    for extreme, out_of_the_way in ((np.minimum, np.inf), (np.maximum, -np.inf)):
        usable = np.where(finite, candidates, out_of_the_way)
        best = extreme.reduceat(usable, begin)
        keep.append(indices[_first_of_each(group, (usable == best[group]) & finite)])
    if not finite.all():
        keep += [indices[_first_of_each(group, of_kind)] for of_kind in _odd(candidates)]
    result: _Indices = np.unique(np.concatenate(keep))
    return result


def _candidates(blocks: Blocks, starts: _Indices, stops: _Indices) -> _Indices:
    """Indices, ascending, of all points that an envelope of the columns may keep.

    These are the points of the columns; of blocks that lie inside a column, only the extremes and
    non-finite values.
    """
    first = -(-starts // POINTS)
    last = np.minimum(stops // POINTS, len(blocks))
    inside = last > first
    number = _all_of(first[inside], last[inside])
    block = blocks[number]
    there = np.column_stack((np.isfinite(block["low"]), np.isfinite(block["high"]), block["counts"] > 0))
    standing_out = (number[:, None] * POINTS + block["places"])[there]
    heads = _all_of(starts, np.where(inside, first * POINTS, stops))
    tails = _all_of(last[inside] * POINTS, stops[inside])
    indices: _Indices = np.unique(np.concatenate((heads, standing_out, tails, starts, stops - 1)))
    return indices


def _all_of(starts: _Indices, stops: _Indices) -> _Indices:
    """Every index of the ranges [start, stop), one range after the other."""
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    indices: _Indices = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return indices


def _first_of_each(group: _Indices, wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The first wanted index of each group; ``group`` ascends."""
    indices = np.flatnonzero(wanted)
    return indices[np.flatnonzero(np.diff(group[indices], prepend=-1))]


def count_nonfinite(values: _Values, blocks: Blocks, ranges: _Indices) -> tuple[int, int, int]:
    """See ``Reduction.count_nonfinite``."""
    total = np.zeros(3, np.int64)
    for start, stop in ranges.tolist():
        part = values[start:stop]
        odd = part[~np.isfinite(part)]
        total += [int(of_kind.sum()) for of_kind in _odd(odd)]
    nan, above, below = total.tolist()
    return nan, above, below


# --- places on a sorted axis ----------------------------------------------------------------------


def _x(x: _Places, offset: float, start: int, stop: int) -> NDArray[np.float64]:
    return x[start:stop].astype(np.float64) - offset


def within(x: _Places, offset: float, edges: _Indices, low: float, high: float) -> _Indices:
    """See ``Reduction.within``."""
    found = []
    for start, stop in itertools.pairwise(edges.tolist()):
        place = _x(x, offset, start, stop)
        first, last = np.searchsorted(place, low, "left"), np.searchsorted(place, high, "right")
        if first < last:
            found.append((start + int(first), start + int(last)))
    return np.array(found, np.int64).reshape(-1, 2)


def cut(
    x: _Places, offset: float, ranges: _Indices, borders: NDArray[np.float64]
) -> tuple[_Indices, _Indices]:
    """See ``Reduction.cut``."""
    starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start, stop in ranges.tolist():
        place = _x(x, offset, start, stop)
        edges = np.unique(np.concatenate(([0], np.searchsorted(place, borders, "left"), [len(place)])))
        starts.append(start + edges[:-1])
        stops.append(start + edges[1:])
    return np.concatenate(starts), np.concatenate(stops)


def nearest(x: _Places, offset: float, ranges: _Indices, place: float) -> int:
    """See ``Reduction.nearest``."""
    best, least = -1, np.inf
    for start, stop in ranges.tolist():
        distance = np.abs(_x(x, offset, start, stop) - place)
        if not len(distance):
            continue
        closest = int(np.argmin(np.where(np.isfinite(distance), distance, np.inf)))
        if distance[closest] < least:
            best, least = start + closest, distance[closest]
    return best


def reach(x: NDArray[np.float64], edges: _Indices) -> tuple[bool, float, float]:
    """See ``Reduction.reach``."""
    ascends, low, high = True, np.inf, -np.inf
    for start, stop in itertools.pairwise(edges.tolist()):
        part = x[start:stop]
        ascends = ascends and not np.isnan(part[:1]).any() and bool((part[1:] >= part[:-1]).all())
        finite = part[np.isfinite(part)]
        low, high = float(finite.min(initial=low)), float(finite.max(initial=high))
    return ascends, low, high


# --- smoothing ----------------------------------------------------------------------------------


def average(values: _Values, out: NDArray[np.float64], weight: float, state: NDArray[np.float64]) -> None:
    """See ``Reduction.average``."""
    last, mass, first, varied = state.tolist()
    out[:] = values
    finite = np.isfinite(out)
    numbers = out if finite.all() else out[finite]
    if not len(numbers):
        return
    decay = np.log(weight) * np.arange(1, len(numbers) + 1)
    averages = _recur((1.0 - weight) * numbers, weight) + np.exp(decay) * last
    masses = -np.expm1(decay) + np.exp(decay) * mass
    if not mass:
        first = float(numbers[0])
    same = 0 if varied else int(np.argmax(np.append(numbers != first, True)))  # this many values are equal
    state[:] = averages[-1], masses[-1], first, same < len(numbers)
    most = np.finfo(np.float64).max
    shown = np.clip(averages / masses, -most, most)
    shown[:same] = first
    out[finite] = shown


@functools.lru_cache(maxsize=64)
def _response(weight: float) -> NDArray[np.float64]:
    """float64[_RESPONSE, _RESPONSE]: weight**(row - column) on and below the diagonal."""
    power = np.arange(_RESPONSE)[:, None] - np.arange(_RESPONSE)[None, :]
    return np.where(power >= 0, weight ** np.maximum(power, 0), 0.0)


def _recur(x: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """y[n] = weight * y[n - 1] + x[n], with y[-1] = 0: a block at a time, the carries likewise."""
    if len(x) <= _RESPONSE:
        return _response(weight)[: len(x), : len(x)] @ x
    blocks = np.zeros((-(-len(x) // _RESPONSE), _RESPONSE))
    blocks.reshape(-1)[: len(x)] = x
    inside = blocks @ _response(weight).T
    carries = _recur(inside[:, -1], weight**_RESPONSE)
    inside[1:] += carries[:-1, None] * weight ** np.arange(1, _RESPONSE + 1)
    result: NDArray[np.float64] = inside.reshape(-1)[: len(x)]
    return result
