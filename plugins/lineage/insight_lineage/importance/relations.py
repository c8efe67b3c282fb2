"""Parameters that are correlated in the runs, so that their shares are hard to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_lineage.importance.coding import Coded
from insight_lineage.importance.correlation import pearson

_LEAST = 0.5  # a correlation below explains less than a quarter of the other parameter
_CHANCE = 0.01  # of any pair at all, where nothing is correlated
_Codes: TypeAlias = NDArray[np.intp]


@frozen
class Relation:
    """Two parameters by their places, and their correlation: from -1 to 1, with a category from 0 to 1."""

    first: int
    second: int
    r: float

    def other(self, place: int) -> int:
        """The parameter that is not at this place."""
        return self.second if place == self.first else self.first


def relations_of(fit: Sequence[Coded], places: Sequence[int]) -> list[Relation]:
    """The pairs that are correlated beyond chance, of the parameters at these places, the strongest first.

    Of two numbers Spearman's rank correlation; of a number and a category the correlation ratio of the
    ranks, of two categories Cramér's V, both corrected for chance (Bergsma, A bias-correction for Cramér's V,
    Journal of the Korean Statistical Society 42, 2013).
    """
    pairs = list(combinations(places, 2))
    found = []
    # the bound of a normal distribution: it is beyond z on both sides less often than exp(-z² / 2)
    deviations = np.sqrt(2 * np.log(max(1, len(pairs)) / _CHANCE))
    for first, second in pairs:
        r, freedom = _related(fit[first], fit[second])
        if abs(r) >= max(_LEAST, float(np.tanh(deviations / np.sqrt(max(1, freedom))))):
            found.append(Relation(first, second, r))
    return sorted(found, key=lambda one: -abs(one.r))


def _related(one: Coded, other: Coded) -> tuple[float, int]:
    """The correlation, and the degrees of freedom that Fisher's z has."""
    if one.is_category and other.is_category:
        return _cramer(one.codes, other.codes)
    if one.is_category:
        one, other = other, one
    known = _has_value(one) & (other.is_category | _has_value(other))
    x, y = one.codes[known], other.codes[known]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0, 0
    if other.is_category:
        return _ratio(_ranks(x), y)
    return pearson(_ranks(x), _ranks(y)), len(x) - 3


def _has_value(known: Coded) -> NDArray[np.bool_]:
    numbers = np.array([not np.isnan(step.low) for step in known.steps], np.bool_)
    return numbers[known.codes]


def _ranks(codes: _Codes) -> NDArray[np.float64]:
    """Ranks from 1; equal codes share the mean of theirs."""
    counts = np.bincount(codes)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes], np.float64)


def _ratio(values: NDArray[np.float64], codes: _Codes) -> tuple[float, int]:
    """The root of the share of the variance that is between the categories."""
    _, groups = np.unique(codes, return_inverse=True)
    counts = np.bincount(groups)
    runs, number = len(values), len(counts)
    if runs <= number:
        return 0.0, 0
    means = np.bincount(groups, values) / counts
    within = ((values - means[groups]) ** 2).sum() / (runs - number)
    share = 1 - within / values.var(ddof=1)
    return float(np.sqrt(max(0.0, share))), runs - number - 1


def _cramer(one: _Codes, other: _Codes) -> tuple[float, int]:
    _, rows = np.unique(one, return_inverse=True)
    _, columns = np.unique(other, return_inverse=True)
    runs, height, width = len(one), int(rows.max()) + 1, int(columns.max()) + 1
    if min(height, width) < 2:
        return 0.0, 0
    table = np.zeros((height, width))
    np.add.at(table, (rows, columns), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / runs
    phi = float(((table - expected) ** 2 / expected).sum()) / runs
    corrected = max(0.0, phi - (height - 1) * (width - 1) / (runs - 1))
    tall, wide = height - (height - 1) ** 2 / (runs - 1), width - (width - 1) ** 2 / (runs - 1)
    least = min(tall, wide) - 1
    freedom = runs - (height - 1) * (width - 1) - 2
    return (min(1.0, float(np.sqrt(corrected / least))) if least > 0 else 0.0), freedom
