"""Sums, extremes and shares by group with array operations; -1 and NaN mean "unknown"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Table

_MOST = np.iinfo(np.int64).max


@frozen(eq=False)
class SliceSums:
    """How often and how long each of some things ran (ns); ``own`` without what ran within."""

    calls: NDArray[np.int64]
    total: NDArray[np.int64]
    own: NDArray[np.int64]
    minimum: NDArray[np.int64]
    maximum: NDArray[np.int64]

    @property
    def best(self) -> NDArray[np.int64]:
        """Their own time where it is known, so that nothing counts twice."""
        return np.where(self.own >= 0, self.own, self.total.clip(0))


def runs_of_slices(slices: Table, rows: NDArray[np.intp], owners: NDArray[Any], count: int) -> SliceSums:
    """``owners`` says of each of the rows whose run it is."""
    durations = slices["duration"][rows]
    calls = np.bincount(owners, minlength=count)
    total, own = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(total, owners, durations)
    np.add.at(own, owners, slices["self"][rows])
    minimum, maximum = np.full(count, _MOST), np.full(count, -1)
    np.minimum.at(minimum, owners, durations)
    np.maximum.at(maximum, owners, durations)
    minimum[calls == 0] = -1
    return SliceSums(calls, total, own, minimum, maximum)


def numbered(
    keys: Sequence[NDArray[Any]], chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The group of each row, -1 of those not chosen, and the first row of each group."""
    groups = np.full(len(chosen), -1, np.intp)
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return groups, rows
    codes = np.zeros(len(rows), np.int64)
    for key in keys:
        # numbers of what was found so far, so that the product stays small
        _, inner = np.unique(codes, return_inverse=True)
        values, own = np.unique(key[rows], return_inverse=True)
        codes = inner * len(values) + own
    _, firsts, inverse = np.unique(codes, return_index=True, return_inverse=True)
    groups[rows] = inverse
    return groups, rows[firsts]


def summed(runs: SliceSums, groups: NDArray[np.intp], count: int) -> SliceSums:
    """Combines the sums of runs by group; ``groups`` is the group of each run, 0 to ``count`` - 1."""
    return SliceSums(
        sum_of(runs.calls, groups, count),
        sum_of(runs.total, groups, count),
        sum_of(runs.own, groups, count),
        _extreme(runs.minimum, groups, count, np.minimum),
        _extreme(runs.maximum, groups, count, np.maximum),
    )


def sum_of(values: NDArray[Any], groups: NDArray[np.intp], count: int) -> NDArray[Any]:
    """By group, of what is known: -1 (whole numbers) or NaN where nothing of it is."""
    is_float = values.dtype.kind == "f"
    known = np.isfinite(values) if is_float else values >= 0
    rows = np.flatnonzero((groups >= 0) & known)
    found: NDArray[Any] = np.zeros(count, np.float64 if is_float else np.int64)
    np.add.at(found, groups[rows], values[rows])
    found[np.bincount(groups[rows], minlength=count) == 0] = np.nan if is_float else -1
    return found


def ratio(values: NDArray[Any], by: NDArray[Any] | int) -> NDArray[np.float64]:
    """NaN where it is not known."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: NDArray[np.float64] = np.divide(values, by, dtype=np.float64)
    found[(values < 0) | ~np.isfinite(found)] = np.nan
    return found


def nearest_rank(
    values: NDArray[np.int64], owners: NDArray[Any], count: int, part: float
) -> NDArray[np.int64]:
    """The percentile of the values of each owner by nearest rank; -1 of those without."""
    found = np.full(count, -1)
    counts = np.bincount(owners, minlength=count)
    ends = np.cumsum(counts)
    has = counts > 0
    ranks = np.ceil(counts[has] * part).astype(np.int64) - 1
    found[has] = _sorted_by_owner(values, owners, count)[ends[has] - counts[has] + ranks]
    return found


def are_of(rows: NDArray[np.int32], chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
    """bool[rows]: which of ``rows`` (-1: none) are chosen; rows of a short table, as steps are."""
    is_chosen = np.zeros(max(int(rows.max(initial=-1)), int(chosen.max(initial=-1))) + 2, bool)
    is_chosen[chosen] = True
    return is_chosen[rows]


def _sorted_by_owner(values: NDArray[np.int64], owners: NDArray[Any], count: int) -> NDArray[np.int64]:
    if not len(values):
        return values
    least = int(values.min())
    bits = (int(values.max()) - least).bit_length()
    if count.bit_length() + bits > 63:
        return values[np.lexsort((values, owners))]
    keys = owners.astype(np.int64)  # owner and value in one number, which is sorted ten times as fast
    keys <<= bits
    keys |= values - least
    keys.sort()
    keys &= (1 << bits) - 1
    keys += least
    return keys


def _extreme(values: NDArray[Any], groups: NDArray[np.intp], count: int, ufunc: np.ufunc) -> NDArray[Any]:
    """By group; not known as soon as it is not for one of them."""
    rows = np.flatnonzero(groups >= 0)
    found = np.full(count, _MOST if ufunc is np.minimum else -1)
    ufunc.at(found, groups[rows], values[rows])
    unknown = np.bincount(groups[rows[values[rows] < 0]], minlength=count) > 0
    found[unknown] = -1
    return found
