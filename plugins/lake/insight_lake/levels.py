"""Levels of a long series: of each block of points those that a picture of it needs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

BLOCKS = (256, 65_536)  # points of a block: of the fine level, and of the coarse one
LONG = 131_072  # points from which on a series has levels
_PORTION = 4096  # blocks at a time, to bound temporary memory

Values = NDArray[np.float64] | NDArray[np.float32]
Rows = NDArray[np.int64]
COUNTS = ("nan", "positive_infinite", "negative_infinite")


def fine_level(values: Values) -> tuple[Rows, Mapping[str, NDArray[np.int32]]]:
    """The points of the fine level, as rows of the series, and columns of COUNTS.

    Of each block: the first and last point, the first of the smallest and of the largest finite values, and
    the first NaN, +Inf and -Inf (Jugel et al., "M4", VLDB 2014, and the non-finite). The first point of a
    block has the counts of its non-finite values, the others have 0.
    """
    size = BLOCKS[0]
    parts = []
    for first in range(0, len(values), size * _PORTION):
        portion = values[first : first + size * _PORTION]
        starts = np.arange(0, len(portion), size)
        parts.append((first + envelope(portion, starts), _counts(portion, starts)))
    rows = np.concatenate([rows for rows, _ in parts])
    counts = np.concatenate([counts for _, counts in parts], axis=1)
    return rows, _at_first(rows // size, counts)


def coarse_level(
    rows: Rows, values: Values, counts: Mapping[str, NDArray[np.int32]]
) -> tuple[NDArray[np.intp], Mapping[str, NDArray[np.int32]]]:
    """The points of the coarse level, as indices of those of the fine level, and columns of COUNTS."""
    blocks = rows // BLOCKS[1]
    starts = np.flatnonzero(np.diff(blocks, prepend=-1))
    chosen = envelope(values, starts)
    sums = np.stack([np.add.reduceat(counts[name], starts) for name in COUNTS])
    return chosen, _at_first(blocks[chosen], sums)


def envelope(values: Values, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices, ascending, of the points to keep of each block that begins at ``starts``; none is empty."""
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(values))))
    keep = [starts, np.append(starts[1:], len(values)) - 1]
    finite = np.isfinite(values)
    for extreme, out_of_the_way in ((np.minimum, np.inf), (np.maximum, -np.inf)):
        usable = np.where(finite, values, out_of_the_way)
        best = extreme.reduceat(usable, starts)
        keep.append(_first_of_each(group, (usable == best[group]) & finite))
    if not finite.all():
        keep += [_first_of_each(group, kind) for kind in _kinds(values)]
    result: NDArray[np.int64] = np.unique(np.concatenate(keep))
    return result


def nonfinite(values: Values) -> tuple[int, int, int]:
    """Counts the values that are NaN, +Inf and -Inf."""
    odd = values[~np.isfinite(values)]
    nan, above, below = (int(np.count_nonzero(kind)) for kind in _kinds(odd))
    return nan, above, below


def _kinds(values: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    return np.isnan(values), values == np.inf, values == -np.inf


def _first_of_each(group: NDArray[np.intp], wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    indices = np.flatnonzero(wanted)
    return indices[np.flatnonzero(np.diff(group[indices], prepend=-1))]


def _counts(values: Values, starts: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.stack([np.add.reduceat(kind.astype(np.int32), starts) for kind in _kinds(values)])


def _at_first(blocks: Rows, counts: NDArray[np.int32]) -> Mapping[str, NDArray[np.int32]]:
    """Columns with the counts of each block at its first point."""
    places = np.flatnonzero(np.diff(blocks, prepend=-1))
    columns = {}
    for name, column in zip(COUNTS, counts, strict=True):
        columns[name] = np.zeros(len(blocks), np.int32)
        columns[name][places] = column
    return columns
