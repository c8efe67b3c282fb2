"""Decimation and smoothing of long series, compiled. Tests compare it with its definition in NumPy."""

from __future__ import annotations

import importlib
import math
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.compiled import NotCompiled
from insight_core.store.blocks import Blocks

Values: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64] | NDArray[np.float64]  # steps, or wall times
Indices: TypeAlias = NDArray[np.int64]
_NO_BORDERS = np.empty(0)


class Reduction(Protocol):
    """Arrays are contiguous. The x of a point is its place, as float64, minus ``offset``.

    ``edges`` int64[k + 1] cuts the points into k segments that follow each other; ``ranges`` int64[k, 2]
    are stretches [start, stop). Within a segment or a range, x ascends (``reach`` says whether it does).
    """

    def summarise(self, values: Values, blocks: Blocks) -> None:
        """Fills ``blocks`` with summaries of the first len(blocks) * POINTS values."""

    def envelope(self, values: Values, blocks: Blocks, starts: Indices, stops: Indices) -> Indices:
        """Indices, ascending, of the points that a picture of ``values`` needs.

        Of each column [starts[i], stops[i]), not empty and in order: the first and last point, the first
        of the smallest and of the largest finite values, and the first NaN, +Inf and -Inf (Jugel et al.,
        "M4", VLDB 2014, and the non-finite). ``blocks`` describe the beginning of ``values``, or nothing.
        """

    def count_nonfinite(self, values: Values, blocks: Blocks, ranges: Indices) -> tuple[int, int, int]:
        """Number of NaN, +Inf and -Inf."""

    def within(self, x: Places, offset: float, edges: Indices, low: float, high: float) -> Indices:
        """The ranges whose x lies in [low, high], of each segment at most one, none of them empty."""

    def cut(
        self, x: Places, offset: float, ranges: Indices, borders: NDArray[np.float64]
    ) -> tuple[Indices, Indices]:
        """Starts and stops of the columns that hold points; a column never spans two ranges.

        ``borders`` ascend: the x at which each column but the first begins.
        """

    def nearest(self, x: Places, offset: float, ranges: Indices, place: float) -> int:
        """The first of the points that are nearest to ``place``; -1 when none is at a finite distance."""

    def reach(self, x: NDArray[np.float64], edges: Indices) -> tuple[bool, float, float]:
        """Whether x ascends in every segment, and its smallest and largest finite value (+-Inf: none)."""

    def average(
        self, values: Values, out: NDArray[np.float64], weight: float, state: NDArray[np.float64]
    ) -> None:
        """TensorBoard's debiased exponential moving average after each value; 0 < ``weight`` < 1.

        last = weight * last + (1 - weight) * value, shown as last / (1 - weight**count); values that are
        not finite stay as they are and are not counted; as long as all are the same they stay exact.
        ``state`` float64[4], zeros at the beginning, is what the next values go on from. Source: the
        ``resmoothDataset`` of TensorBoard's line chart.
        """


try:
    reduction: Reduction = cast(Reduction, importlib.import_module("insight_core.store._reduction"))
except ImportError as error:
    raise NotCompiled("insight_core.store._reduction") from error


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
