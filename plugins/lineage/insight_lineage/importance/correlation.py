"""Correlations of a parameter with a target."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.filters import Column
from insight_lineage.importance.coding import numbers_of

FEWEST = 3  # runs: two points always lie on a line


@frozen
class Correlation:
    """``count`` is how many runs it rests on. Without coefficients ``reason`` says why."""

    count: int
    pearson: float | None = None
    spearman: float | None = None
    reason: str | None = None


def correlation(target: Column, parameter: Column, rows: NDArray[np.intp]) -> Correlation:
    """Over the rows in which both have finite numbers."""
    read = numbers_of(parameter, rows)
    numbers, wanted = parameter.numbers[rows] if read is None else read, target.numbers[rows]
    both = np.isfinite(numbers) & np.isfinite(wanted)
    count = int(np.count_nonzero(both))
    x, y = numbers[both], wanted[both]
    reason = None
    if read is None and not parameter.has_numbers:
        reason = "not_numeric"
    elif count < FEWEST:
        reason = "too_few"
    elif x.min() == x.max():
        reason = "constant"
    elif y.min() == y.max():
        reason = "target_constant"
    if reason is not None:
        return Correlation(count, reason=reason)
    return Correlation(count, pearson(x, y), pearson(_ranks(x), _ranks(y)))


def pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Pearson's coefficient of finite numbers, of which some differ."""
    x, y = _centred(x), _centred(y)
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Deviations from the mean, scaled so that their squares neither overflow nor vanish."""
    scaled = values / np.abs(values).max()
    deviations = scaled - scaled.mean()
    return np.asarray(deviations / np.abs(deviations).max(), np.float64)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse.reshape(-1)], np.float64)
