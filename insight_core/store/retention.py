"""Selects the points that a cache policy keeps."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import CachePolicy, Keep
from insight_core.store.column_memory import Column
from insight_core.store.segment import FileOrder


def keeps_all(policy: CachePolicy) -> bool:
    """Whether the policy keeps every point."""
    return not policy.points or policy.keep is Keep.ALL


def chosen(policy: CachePolicy, columns: Mapping[str, Column]) -> NDArray[np.intp] | None:
    """Indices of the points that the policy keeps, ascending; None: all."""
    count, limit = len(columns["steps"]), policy.points
    if keeps_all(policy) or count <= limit:
        return None
    if policy.keep is Keep.LATEST:
        return np.arange(count - limit, count)
    if limit == 1:
        return np.array([count - 1])
    drawn = np.argpartition(columns["lot"][:-1], limit - 2)[: limit - 1]
    return np.append(np.sort(drawn), count - 1)


def lots(first: int, count: int, order: FileOrder) -> NDArray[np.int64]:
    """A pseudo-random number (splitmix64) for each point of a file, starting at index ``first``.

    Keeping the points with the smallest numbers is a uniform sample that does not depend on how points
    arrive in batches.
    """
    seed = zlib.crc32(repr(order).encode("utf-8", "surrogateescape")) << 32
    z = np.arange(first, first + count, dtype=np.uint64)
    z = (z + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(1)).view(np.int64)
