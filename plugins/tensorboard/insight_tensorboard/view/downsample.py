"""Chooses the points of a series for TensorBoard's downsampled answers."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray


@functools.lru_cache(maxsize=32)
def downsampled(count: int, limit: int) -> NDArray[np.intp]:
    """Indices, ascending, of at most ``limit`` of ``count`` points: a uniform sample and the last point.

    The result depends only on both numbers, so that series written in parallel keep the same steps.
    """
    if limit >= count:
        chosen = np.arange(count)
    elif not limit:
        chosen = np.zeros(0, np.intp)
    else:
        draw = np.random.Generator(np.random.PCG64(0))
        drawn = draw.choice(count - 1, limit - 1, replace=False, shuffle=False)
        chosen = np.append(np.sort(drawn), count - 1)
    chosen.setflags(write=False)
    return chosen
