"""Fewer points that draw the same picture: what each pixel column must keep."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pixel_columns(
    x: NDArray[np.float64], low: float, high: float, width: int, *, log: bool = False
) -> NDArray[np.int64]:
    """The column 0..width-1 of each x when [low, high] is cut into ``width`` equal ones.

    With ``log`` they are equal in log space; what has no logarithm falls into column 0.
    """
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.log(x)
            positive = x[np.isfinite(x)]
            low = float(np.log(low)) if low > 0 else float(positive.min(initial=0.0))
            high = float(np.log(high)) if high > 0 else low
    span = high - low
    if not span > 0:
        return np.zeros(len(x), np.int64)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.nan_to_num((x - low) / span * width, nan=0.0, posinf=width, neginf=0.0)
    return np.clip(scaled, 0, width - 1).astype(np.int64)


def envelope(
    columns: NDArray[np.int64], values: NDArray[np.float32] | NDArray[np.float64]
) -> NDArray[np.intp]:
    """Indices, ascending, of the points that a picture of ``values`` needs.

    Of each run of equal ``columns``: the first and last point, the smallest and largest finite
    value, and the first NaN, +Inf and -Inf (Jugel et al., "M4", VLDB 2014, and the non-finite).
    """
    if not len(values):
        return np.zeros(0, np.intp)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(columns)) + 1])
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(values))))
    keep = [starts, np.append(starts[1:], len(values)) - 1]
    finite = np.isfinite(values)
    whole = bool(finite.all())
    for extreme, out_of_the_way in ((np.minimum, np.inf), (np.maximum, -np.inf)):
        candidates = values if whole else np.where(finite, values, out_of_the_way)
        best = extreme.reduceat(candidates, starts)
        keep.append(_first_of_each(group, (candidates == best[group]) & finite))
    if not whole:
        for of_kind in (np.isnan(values), values == np.inf, values == -np.inf):
            keep.append(_first_of_each(group, of_kind))
    result: NDArray[np.intp] = np.unique(np.concatenate(keep))
    return result


def _first_of_each(group: NDArray[np.int64], wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The first wanted index of each group; ``group`` ascends."""
    indices = np.flatnonzero(wanted)
    groups = group[indices]
    return indices[np.flatnonzero(np.diff(groups, prepend=-1))]
