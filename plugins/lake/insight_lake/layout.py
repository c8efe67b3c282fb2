"""How the rows of a series are stored: those that are shown first, and a summary of long ones by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 256  # points that a picture of a long series shows by their extremes
LONG = 131_072  # points from which on a series has blocks
COUNTS = ("nan", "positive_infinite", "negative_infinite")
_PORTION = 4096  # blocks at a time, to bound temporary memory

Values = NDArray[np.float64] | NDArray[np.float32]


def order_of(
    every: Sequence[NDArray[Any]], shown: Sequence[NDArray[Any]]
) -> tuple[NDArray[np.intp], dict[str, NDArray[Any]]]:
    """The points of a series as they are stored: those that are shown by step, then those that are hidden.

    Given are columns of all points in the order of files, and of those that are shown, steps first. Of points
    that are equal in all columns the last ones are shown. Returns indices, and the columns attempt and shown.
    """
    steps = every[0]
    attempt = np.zeros(len(steps), np.int32)
    attempt[1:] = np.cumsum(steps[1:] < steps[:-1])
    is_shown = np.ones(len(steps), np.bool_) if len(shown[0]) == len(steps) else _are_among(every, shown)
    rows = np.flatnonzero(is_shown)
    rows = rows[np.argsort(steps[rows], kind="stable")]
    rows = np.concatenate((rows, np.flatnonzero(~is_shown)))
    return rows, {"attempt": attempt[rows], "shown": is_shown[rows]}


def file_order(steps: NDArray[np.int64], attempts: NDArray[np.int32]) -> NDArray[np.intp]:
    """The rows of a series in the order of the log files."""
    return np.lexsort((steps, attempts))


def _are_among(every: Sequence[NDArray[Any]], some: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which points are among some of them, bit by bit; of n equal ones of which m are, the last m."""
    count = len(every[0])
    columns = [np.concatenate(pair) for pair in zip(every, some, strict=True)]
    bits = np.column_stack([column.view(f"i{column.itemsize}") for column in columns])
    number = np.unique(bits, axis=0, return_inverse=True)[1].reshape(-1)
    wanted = np.bincount(number[count:], minlength=int(number.max(initial=0)) + 1)
    backwards = number[:count][::-1]
    order = np.argsort(backwards, kind="stable")
    ordered = backwards[order]
    before = np.arange(count) - np.searchsorted(ordered, ordered)
    result = np.zeros(count, np.bool_)
    result[count - 1 - order] = before < wanted[ordered]
    return result


def blocks_of(values: Values) -> tuple[NDArray[np.int64], Mapping[str, NDArray[np.int32]]]:
    """The points that stand for the blocks of a series, as rows, and columns of COUNTS.

    Of each block: the first and last point, the first of the smallest and of the largest finite values, and
    the first NaN, +Inf and -Inf (Jugel et al., "M4", VLDB 2014, and the non-finite). The first point of a
    block has the counts of its non-finite values, the others have 0.
    """
    rows = np.concatenate(
        [
            first + _envelope(values[first : first + BLOCK * _PORTION])
            for first in range(0, len(values), BLOCK * _PORTION)
        ]
    )
    starts = np.arange(0, len(values), BLOCK)
    counts = {name: np.zeros(len(rows), np.int32) for name in COUNTS}
    for name, kind in nonfinite(values).items():
        counts[name][np.searchsorted(rows, starts)] = np.add.reduceat(kind, starts, dtype=np.int32)
    return rows, counts


def nonfinite(values: Values) -> dict[str, NDArray[np.bool_]]:
    """Which values are NaN, +Inf and -Inf, by the names of COUNTS."""
    return dict(zip(COUNTS, (np.isnan(values), values == np.inf, values == -np.inf), strict=True))


def _envelope(values: Values) -> NDArray[np.int64]:
    """Indices, ascending, of the points to keep of each block."""
    starts = np.arange(0, len(values), BLOCK)
    block = np.arange(len(values)) // BLOCK
    keep = [starts, np.append(starts[1:], len(values)) - 1]
    finite = np.isfinite(values)
    for extreme, out_of_the_way in ((np.minimum, np.inf), (np.maximum, -np.inf)):
        usable = np.where(finite, values, out_of_the_way)
        best = extreme.reduceat(usable, starts)
        keep.append(_first_of_each(block, (usable == best[block]) & finite))
    if not finite.all():
        keep += [_first_of_each(block, kind) for kind in nonfinite(values).values()]
    result: NDArray[np.int64] = np.unique(np.concatenate(keep))
    return result


def _first_of_each(block: NDArray[np.intp], wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    indices = np.flatnonzero(wanted)
    return indices[np.flatnonzero(np.diff(block[indices], prepend=-1))]
