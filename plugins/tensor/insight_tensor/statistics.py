"""Statistics of all values of a tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

_PORTION = 1 << 16  # values at a time: they stay in the cache of the processor


@frozen
class Statistics:
    """Statistics of ``count`` values. None: not defined for this type, or no finite value.

    ``mean``, ``std`` (of the population), ``min`` and ``max`` are of the finite values; ``zeros``,
    ``positives``, ``negatives``, ``nan``, ``pos_inf`` and ``neg_inf`` add up to ``count``. Minimum and
    maximum of integers are exact.
    """

    count: int
    mean: float | None = None
    std: float | None = None
    min: float | int | None = None
    max: float | int | None = None
    zeros: int | None = None
    positives: int | None = None
    negatives: int | None = None
    nan: int | None = None
    pos_inf: int | None = None
    neg_inf: int | None = None


def statistics_of(values: NDArray[Any]) -> Statistics:
    """Computes statistics in one pass, in float64; strings and complex numbers are only counted."""
    if values.dtype.kind not in "fiub":
        return Statistics(values.size)
    sums = _Sums()
    repeated = values.size > 1 and not any(values.strides)  # one written value that stands for all
    if repeated:
        sums.add(values.reshape(-1)[:1], values.size)
    elif values.size:
        flags: Any = ["external_loop", "buffered"]
        with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest float64
            for portion in np.nditer(values, flags, order="K", buffersize=_PORTION):
                sums.add(np.asarray(portion))
    known = sums.finite > 0
    return Statistics(
        count=values.size,
        mean=sums.mean if known else None,
        std=math.sqrt(sums.squares / sums.finite) if known else None,
        min=sums.low if known else None,
        max=sums.high if known else None,
        zeros=sums.finite - sums.positives - sums.negatives,
        positives=sums.positives,
        negatives=sums.negatives,
        nan=sums.nan,
        pos_inf=sums.pos_inf,
        neg_inf=sums.neg_inf,
    )


@define
class _Sums:
    """Sums over all portions so far. ``squares`` are of the distances from the mean."""

    finite: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float | int = math.inf
    high: float | int = -math.inf
    positives: int = 0
    negatives: int = 0
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0

    def add(self, portion: NDArray[Any], times: int = 1) -> None:
        """``times``: the portion is one value, which stands for so many."""
        numbers = portion.view(np.uint8) if portion.dtype == bool else portion
        if numbers.dtype.kind == "f":
            numbers = self._finite(numbers, times)
        if not len(numbers):
            return
        count = len(numbers) * times
        self.low = min(self.low, numbers.min().item())
        self.high = max(self.high, numbers.max().item())
        self.positives += int(np.count_nonzero(numbers > 0)) * times
        self.negatives += int(np.count_nonzero(numbers < 0)) * times
        wide = numbers.astype(np.float64)
        # Chan, Golub, LeVeque: the mean and the squares of two parts together
        mean = float(np.mean(wide))
        wide -= mean
        distance, before = mean - self.mean, self.finite
        self.finite += count
        self.mean += distance * (count / self.finite)
        self.squares += float(np.dot(wide, wide)) + distance * distance * (before * count / self.finite)

    def _finite(self, numbers: NDArray[Any], times: int) -> NDArray[Any]:
        finite = np.isfinite(numbers)
        if finite.all():
            return numbers
        self.nan += int(np.count_nonzero(np.isnan(numbers))) * times
        self.pos_inf += int(np.count_nonzero(numbers == np.inf)) * times
        self.neg_inf += int(np.count_nonzero(numbers == -np.inf)) * times
        return np.asarray(numbers[finite])
