"""Selects the points that a cache policy keeps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.columns import Columns
from insight_core.plugin import CachePolicy, Keep


def keeps_all(policy: CachePolicy) -> bool:
    """Whether the policy keeps every point."""
    return not policy.points or policy.keep is Keep.ALL


def chosen(policy: CachePolicy, columns: Columns) -> NDArray[np.intp] | None:
    """Indices of the points that the policy keeps, ascending; None: all."""
    count, limit = len(columns), policy.points
    if keeps_all(policy) or count <= limit:
        return None
    if policy.keep is Keep.LATEST:
        return np.arange(count - limit, count)
    drawn = np.argsort(_lots(columns)[:-1], kind="stable")[: limit - 1]
    return np.append(np.sort(drawn), count - 1)


def _lots(columns: Columns) -> NDArray[np.uint64]:
    """uint64[n]: a pseudo-random number (splitmix64) for each point, computed from its columns.

    Keeping the points with the smallest numbers is a uniform sample that does not depend on how points
    arrive in batches. Points with equal numbers are equal, so it does not matter which of them is kept.
    """
    drawn = np.zeros(len(columns), np.uint64)
    marks = columns.places[0] if columns.places is not None else columns.values
    for column in (columns.steps, columns.wall_times, marks):
        if column is not None:
            z = drawn + column.astype("<f8" if column.dtype.kind == "f" else "<i8").view(np.uint64)
            z = (z + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            drawn = z ^ (z >> np.uint64(31))
    return drawn
