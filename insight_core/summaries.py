"""Counts and extremes of scalar series by column, as a data provider knows them without reading points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray


@frozen(eq=False)
class ScalarSummaries:
    """Counts and extremes of the shown points of scalar series: a row for each series with such points.

    ``run`` and ``tag`` int32[n] are the places of its names in ``runs`` and ``tags``, ``points`` int64[n] the
    number of its shown points, ``first_step`` and ``last_step`` int64[n] the least and greatest of their
    steps. ``least`` and ``greatest`` float64[n] are of their values in an order in which NaN follows all
    others, as in SQL: ``least`` is NaN if all values are, ``greatest`` if one is.
    """

    runs: Sequence[str]
    tags: Sequence[str]
    run: NDArray[np.int32]
    tag: NDArray[np.int32]
    points: NDArray[np.int64]
    first_step: NDArray[np.int64]
    last_step: NDArray[np.int64]
    least: NDArray[np.float64]
    greatest: NDArray[np.float64]
