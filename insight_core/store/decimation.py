"""Computes the borders of chart columns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_NO_BORDERS = np.empty(0)


def column_borders(low: float, high: float, width: int, *, log: bool = False) -> NDArray[np.float64]:
    """Where all but the first of ``width`` equal columns of [low, high] begin, ascending.

    A point is in the last column that begins at or before its x, or in the first one. With ``log``
    the columns are equal in log space and ``low`` is positive. Where nothing can be divided there is
    one column: no borders.
    """
    if log:
        if not 0 < low < high:
            return _NO_BORDERS
        low, high = math.log(low), math.log(high)
    span = high - low
    if not 0 < span < math.inf or width < 2:
        return _NO_BORDERS
    borders = low + span * (np.arange(1, width) / width)
    if log:
        borders = np.maximum.accumulate(np.exp(borders))  # exp may be off by one place, either way
    return borders
