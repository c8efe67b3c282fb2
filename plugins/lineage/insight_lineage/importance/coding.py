"""Columns of the run table as small whole numbers for a forest, and the target as a quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.filters import MISSING, NUMBER, TEXT, Column
from insight_lineage.importance.forest import Codes, Floats

BINS = 32
_MOST_VALUES = BINS - 1  # the last code is for runs without a value
_OWN = 0.5  # different texts for each run: a name, not a category
_MANY = 12  # different texts that may be names
_TAIL, _WIDE = 0.05, 100.0  # as for the axes of the tab: beyond it a scale is logarithmic
_FAR = 3.0  # interquartile ranges beyond the quartiles: Tukey's "far out" (Exploratory Data Analysis, 1977)

Reason: TypeAlias = Literal["constant", "unique"]


@frozen(eq=False)
class Step:
    """The values of a parameter that share a code: a text, or the numbers from ``low`` to ``high``."""

    text: str | None
    low: float
    high: float


@frozen(eq=False)
class Coded:
    """int[row] ``codes`` of a parameter and what they stand for. Without codes ``reason`` says why."""

    codes: Codes
    steps: Sequence[Step]
    is_category: bool
    reason: Reason | None = None


def coded(column: Column, rows: NDArray[np.intp]) -> Coded:
    """A parameter as at most ``BINS`` codes: bins of equal counts of its numbers, or its texts.

    Texts that are all numbers count as numbers. Of more than 31 other texts the frequent ones have a code
    each, and the others share one. Runs without a value have a code of their own.
    """
    present = column.kinds[rows] != MISSING
    numbers = numbers_of(column, rows) if column.type != "bool" else None
    is_category = numbers is None
    found = _categories(column, rows, present) if numbers is None else _numbers(numbers)
    if found.reason is None and len(np.unique(found.codes)) < 2:
        return Coded(found.codes, found.steps, is_category, "constant")
    return found


def numbers_of(column: Column, rows: NDArray[np.intp]) -> Floats | None:
    """The numbers, also where they were recorded as text; None if some value is neither."""
    numbers = column.numbers[rows]
    present = column.kinds[rows] != MISSING
    others = present & (column.kinds[rows] != NUMBER)
    if not others.any():
        return numbers
    if (column.kinds[rows[others]] != TEXT).any():
        return None
    try:
        read = column.values[rows[others]].astype(np.float64)
    except ValueError:
        return None
    if not np.isfinite(read).all():
        return None
    numbers = numbers.copy()
    numbers[others] = read
    return numbers


def _numbers(numbers: Floats) -> Coded:
    """NaN counts as missing; infinities are the ends."""
    present = ~np.isnan(numbers)
    values, counts = np.unique(numbers[present], return_counts=True)
    if len(values) > _MOST_VALUES:
        before = np.cumsum(counts) - counts / 2
        bins = np.floor(before * _MOST_VALUES / counts.sum()).astype(np.intp)
        _, bins = np.unique(bins, return_inverse=True)
    else:
        bins = np.arange(len(values))
    codes = np.full(len(numbers), bins.max(initial=-1) + 1)
    codes[present] = bins[np.searchsorted(values, numbers[present])]
    steps = [
        Step(None, float(values[bins == one][0]), float(values[bins == one][-1])) for one in np.unique(bins)
    ]
    return Coded(codes, _with_missing(steps, present), False)


def _categories(column: Column, rows: NDArray[np.intp], present: NDArray[np.bool_]) -> Coded:
    texts = np.array([_text(value) for value in column.shown[rows[present]]], object)
    values, inverse, counts = np.unique(texts.astype(str), return_inverse=True, return_counts=True)
    if len(values) > max(_MANY, _OWN * len(texts)):
        return Coded(np.zeros(len(rows), np.intp), (), True, "unique")
    codes = np.arange(len(values))
    steps = [Step(value, np.nan, np.nan) for value in values.tolist()]
    if len(values) > _MOST_VALUES:
        kept = np.sort(np.argsort(-counts, kind="stable")[: _MOST_VALUES - 1])
        codes = np.full(len(values), _MOST_VALUES - 1)
        codes[kept] = np.arange(len(kept))
        steps = [*(steps[one] for one in kept), Step("…", np.nan, np.nan)]
    found = np.full(len(rows), len(steps))
    found[present] = codes[inverse.reshape(-1)]
    return Coded(found, _with_missing(steps, present), True)


def _with_missing(steps: Sequence[Step], present: NDArray[np.bool_]) -> Sequence[Step]:
    return steps if present.all() else [*steps, Step(None, np.nan, np.nan)]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@frozen(eq=False)
class Explained:
    """Finite numbers as they are explained: logarithms if they are above 0 and wide; outliers are clipped."""

    values: Floats
    is_log: bool
    clipped: int

    @classmethod
    def of(cls, numbers: Floats) -> Explained:
        """``clipped`` counts the numbers beyond three interquartile ranges from the quartiles.

        They count as the nearest number within: at the fence, two of 60 would be half of the variance.
        """
        low, high = np.quantile(numbers, [_TAIL, 1 - _TAIL])
        is_log = bool(numbers.min() > 0 and high / low >= _WIDE)
        values = np.log10(numbers) if is_log else numbers
        first, third = np.quantile(values, [0.25, 0.75])
        room = _FAR * (third - first)
        if room == 0:
            return cls(values, is_log, 0)
        usual = values[(values >= first - room) & (values <= third + room)]
        kept = np.clip(values, usual.min(), usual.max())
        return cls(kept, is_log, int(np.count_nonzero(kept != values)))

    def value(self, explained: Floats) -> Floats:
        """Explained values as values of the target."""
        return np.asarray(10**explained if self.is_log else explained, np.float64)
