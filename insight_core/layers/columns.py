"""Columns of numbers about records: what one histogram or tensor says, many at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.layers.names import Measure

MEASURED: tuple[Measure, ...] = ("nonfinite", "mean", "std", "size", "zeros", "dead")  # Columns of a record.
NAN, POS_INF, NEG_INF, UNREADABLE = 1, 2, 4, 8  # Flags of a record.
NOT_FINITE = NAN | POS_INF | NEG_INF

Floats = NDArray[np.float64]


@frozen(eq=False)
class MeasuredRecords:
    """What records say. NaN: not known.

    ``numbers`` is float64[records, MEASURED]: how many values are NaN or infinite; mean, standard deviation
    (of the population) and root mean square of the finite values; the share of zeros, and of dead units.
    ``flags`` is uint8[records].
    """

    numbers: Floats
    flags: NDArray[np.uint8]

    @classmethod
    def empty(cls, count: int) -> MeasuredRecords:
        """Records of which nothing is known."""
        return cls(np.full((count, len(MEASURED)), np.nan), np.zeros(count, np.uint8))

    @classmethod
    def joined(cls, parts: Sequence[MeasuredRecords]) -> MeasuredRecords:
        """The records of all parts, in order."""
        none = cls.empty(0)
        return cls(
            np.concatenate([none.numbers, *(part.numbers for part in parts)]),
            np.concatenate([none.flags, *(part.flags for part in parts)]),
        )


def moments(total: Floats, sums: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, standard deviation and root mean square of ``total`` values; NaN where there are none."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean, square = sums / total, squares / total
        return mean, np.sqrt(np.maximum(square - mean * mean, 0)), np.sqrt(square)
