"""Figures of a scalar series: its ends, extremes and mean."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_core.plugin.data.provider import ScalarColumns


@frozen
class SeriesFigures:
    """What ``figures_of`` gives; None without such points.

    ``nonfinite`` is how many values are not finite. Extremes, the first step that has them, and the mean are
    of finite values, in float64.
    """

    points: int = 0
    nonfinite: int = 0
    first: float | None = None
    last: float | None = None
    min: float | None = None
    min_step: int | None = None
    max: float | None = None
    max_step: int | None = None
    mean: float | None = None


def figures_of(columns: ScalarColumns) -> SeriesFigures:
    """The figures of points that were not reduced."""
    values = columns.values.astype(np.float64)
    finite = np.flatnonzero(np.isfinite(values))
    if not len(values):
        return SeriesFigures()
    ends = len(values), len(values) - len(finite), float(values[0]), float(values[-1])
    if not len(finite):
        return SeriesFigures(*ends)
    low, high = (int(finite[search(values[finite])]) for search in (np.argmin, np.argmax))
    extremes = float(values[low]), int(columns.steps[low]), float(values[high]), int(columns.steps[high])
    return SeriesFigures(*ends, *extremes, float(values[finite].mean()))
