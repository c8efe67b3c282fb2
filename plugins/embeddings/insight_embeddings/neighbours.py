"""Nearest neighbours of points, exactly, by comparison with all others."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Metric: TypeAlias = Literal["cosine", "euclidean"]
METRICS: tuple[Metric, ...] = get_args(Metric)
_BLOCK = 1 << 22  # distances, or values of points, that are in memory at a time


def distances_to(values: NDArray[np.float32], point: int, metric: Metric) -> NDArray[np.float64]:
    """The distance of each of ``values`` [n, d] to one of them, float64[n].

    ``cosine`` is 1 - a·b / (|a| |b|), and NaN for a point of length 0; ``euclidean`` is |a - b|.
    """
    found = np.empty(len(values))
    wanted = values[point].astype(np.float64)
    length = np.linalg.norm(wanted)
    step = max(1, _BLOCK // values.shape[1])
    for start in range(0, len(values), step):
        rows = values[start : start + step].astype(np.float64)
        if metric == "euclidean":
            found[start : start + step] = np.linalg.norm(rows - wanted, axis=1)
        else:
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = rows @ wanted / (np.linalg.norm(rows, axis=1) * length)
            found[start : start + step] = np.clip(1 - shares, 0, 2)
    return found


def nearest(distances: NDArray[np.float64], point: int, count: int) -> NDArray[np.intp]:
    """Indices of the ``count`` smallest distances but that of the point itself, the nearest first.

    Of equal distances the smaller index comes first; NaN is never near.
    """
    others = distances.copy()
    others[point] = np.nan
    count = min(count, int(np.isfinite(others).sum()))
    if count == 0:
        return np.empty(0, np.intp)
    limit = np.partition(np.where(np.isnan(others), np.inf, others), count - 1)[count - 1]
    found = np.flatnonzero(others <= limit)
    return found[np.argsort(others[found], kind="stable")][:count]
