"""The values of parameters with the best results, by marginal curves of a forest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_lineage.goals import Goal
from insight_lineage.importance.coding import Coded
from insight_lineage.importance.forest import Floats

_NEAR = 0.1  # of the span of a curve: values whose results are as good as the best


@frozen(eq=False)
class Best:
    """The values with the best results: from ``start`` to ``end``, or ``texts``."""

    start: float
    end: float
    texts: Sequence[str]


def best_of(known: Coded, curve: Floats, goal: Goal | None) -> Best | None:
    """Around the best step those that are nearly as good; of texts all of them, the best first.

    ``curve`` float64[code] is in units of the target, NaN where nothing is known. None without a known value,
    or without a goal.
    """
    if goal is None:
        return None
    values = -curve if goal == "min" else curve
    named = [at for at in _named(known) if np.isfinite(values[at])]
    if not named:
        return None
    top = max(named, key=lambda at: float(values[at]))
    span = float(np.ptp(values[named]))
    return _around(known, values, named, top, float(values[top]) - _NEAR * span)


def best_together(
    pair: tuple[Coded, Coded], surface: Floats, goal: Goal | None
) -> tuple[Best | None, Best | None]:
    """For each of two parameters what is best where the other is best. ``surface`` is float64[code, code].

    Only values that some run has together can be best. None without a goal.
    """
    if goal is None:
        return None, None
    first, second = pair
    values = -surface if goal == "min" else surface
    seen = np.full(surface.shape, np.nan)
    seen[first.codes, second.codes] = values[first.codes, second.codes]
    rows, columns = _named(first), _named(second)
    known = seen[np.ix_(rows, columns)]
    if not np.isfinite(known).any():
        return None, None
    row, column = np.unravel_index(int(np.nanargmax(known)), known.shape)
    top = rows[int(row)], columns[int(column)]
    least = float(values[top]) - _NEAR * float(np.ptp(known[np.isfinite(known)]))
    return (
        _around(first, values[:, top[1]], rows, top[0], least),
        _around(second, values[top[0]], columns, top[1], least),
    )


def _named(known: Coded) -> list[int]:
    """Codes that stand for a value."""
    return [at for at, step in enumerate(known.steps) if step.text is not None or not np.isnan(step.low)]


def _around(known: Coded, values: NDArray[np.float64], named: Sequence[int], top: int, least: float) -> Best:
    if known.is_category:
        near = sorted((at for at in named if values[at] >= least), key=lambda at: -float(values[at]))
        return Best(np.nan, np.nan, [known.steps[at].text or "" for at in near])
    first = last = named.index(top)
    while first > 0 and values[named[first - 1]] >= least:
        first -= 1
    while last < len(named) - 1 and values[named[last + 1]] >= least:
        last += 1
    return Best(known.steps[named[first]].low, known.steps[named[last]].high, ())
