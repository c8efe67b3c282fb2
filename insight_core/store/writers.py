"""Finds lines of a series that several processes wrote at the same time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MOST = 1024  # lines; of more, none is compared
_SHARE = 0.25  # of the points of the shorter line: clocks of machines differ a little


def written_at_once(
    steps: NDArray[np.int64], wall_times: NDArray[np.float64], starts: NDArray[np.intp]
) -> NDArray[np.bool_] | None:
    """Whether each two lines were written at the same time, bool[n, n]; None if no two were.

    ``starts`` are the indices of the first points of the lines. The times of two such lines lie within each
    other for a quarter of the points of the shorter one, and for two points of each at least. Lines with
    the same steps at the same times are a copy: one of them is enough.
    """
    count = len(starts)
    if not 1 < count <= _MOST:
        return None
    firsts = np.fmin.reduceat(wall_times, starts)
    lasts = np.fmax.reduceat(wall_times, starts)
    by_time = np.argsort(firsts, kind="stable")
    reached = np.fmax.accumulate(lasts[by_time])
    if not (firsts[by_time][1:] < reached[:-1]).any():  # each line begins where the last one ended: usual
        return None
    lengths = np.diff(np.append(starts, len(wall_times)))
    within = np.empty((count, count), np.int64)  # points of a line within the times of another line
    for line, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        times = np.sort(wall_times[start : start + length])
        within[line] = np.searchsorted(times, lasts, "right") - np.searchsorted(times, firsts, "left")
    is_shorter = lengths[:, None] <= lengths
    of_shorter = np.where(is_shorter, within, within.T)
    shorter = np.minimum(lengths[:, None], lengths)
    found = (np.minimum(within, within.T) >= 2) & (of_shorter >= _SHARE * shorter)
    np.fill_diagonal(found, False)
    copied = _copied(steps, wall_times, starts, lengths)
    found &= ~np.where(is_shorter, copied[:, None], copied)
    return found if found.any() else None


def _copied(
    steps: NDArray[np.int64],
    wall_times: NDArray[np.float64],
    starts: NDArray[np.intp],
    lengths: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Whether a quarter of the points of each line are in another one too, such as in a copy of its file."""
    order = np.lexsort((steps, wall_times))
    ordered_steps, ordered_times = steps[order], wall_times[order]
    same = (ordered_steps[1:] == ordered_steps[:-1]) & (ordered_times[1:] == ordered_times[:-1])
    repeated = np.zeros(len(steps), np.int64)
    repeated[order[1:][same]] = repeated[order[:-1][same]] = 1
    copied: NDArray[np.bool_] = np.add.reduceat(repeated, starts) > _SHARE * lengths
    return copied
