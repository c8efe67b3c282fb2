"""Robust statistics of curves: levels, noise, trends and excursions, without assumptions about outliers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NORMAL = 1.4826  # a median absolute deviation times this is the standard deviation of normal noise
CERTAIN = 2.33  # standard errors: chance alone goes beyond this in one case of a hundred

_LARGEST = 1e120


@frozen(eq=False)
class StepCurve:
    """Finite values in the order of their steps, of equal length."""

    steps: NDArray[np.int64]
    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    def step(self, place: float) -> int:
        """The step at a place, counted in points from 0; the nearest one that there is."""
        return int(self.steps[min(max(round(place), 0), len(self.steps) - 1)])


@frozen(eq=False)
class Trend:
    """A line through values at equal distances.

    ``change`` is that of the line from its first to its last point, ``error`` its standard error. ``score``
    is that of Mann and Kendall: below -CERTAIN values fall, above CERTAIN they rise.
    """

    change: float
    error: float
    score: float


def curve_of(steps: NDArray[np.int64], values: NDArray[np.floating]) -> StepCurve:
    """The finite part of a series. Values beyond 1e120 are cut off there: their squares are finite, too."""
    finite = np.isfinite(values)
    if not finite.all():  # else nothing is copied: there may be millions of points
        steps, values = steps[finite], values[finite]
    plain = np.asarray(values, np.float64)
    if len(plain) and max(plain.max(), -plain.min()) > _LARGEST:
        plain = plain.clip(-_LARGEST, _LARGEST)
    return StepCurve(steps, plain)


def medians(values: Floats, most: int) -> Floats:
    """The medians of ``most`` parts of about equal length; the values themselves if they are not more."""
    if len(values) <= most:
        return values
    edges = np.linspace(0, len(values), most + 1).round().astype(int)
    return np.array([np.median(values[begin:end]) for begin, end in pairwise(edges)])


def means(values: Floats, most: int) -> Floats:
    """The same with means, in which a short excursion shows."""
    if len(values) <= most:
        return values
    edges = np.linspace(0, len(values), most + 1).round().astype(int)
    found: Floats = np.add.reduceat(values, edges[:-1]) / np.diff(edges)
    return found


def spread(values: Floats) -> float:
    """The standard deviation by the median absolute deviation (F. R. Hampel, "The Influence StepCurve and Its
    Role in Robust Estimation", JASA 69, 1974)."""
    return float(NORMAL * np.median(np.abs(values - np.median(values)))) if len(values) else 0.0


def noise(values: Floats) -> float:
    """The standard deviation of noise around a slow curve, by differences of neighbours (J. von Neumann et
    al., "The Mean Square Successive Difference", Ann. Math. Stat. 12, 1941; here by their median)."""
    return float(NORMAL * np.median(np.abs(np.diff(values))) / np.sqrt(2)) if len(values) > 1 else 0.0


def trend(values: Floats) -> Trend:
    """The line of Theil and Sen, the median slope of all pairs (P. K. Sen, JASA 63, 1968), and the score of
    Mann and Kendall (H. B. Mann, Econometrica 13, 1945). At least three values, at most some hundred."""
    count = len(values)
    first, second = np.triu_indices(count, 1)
    rises = values[second] - values[first]
    slope = float(np.median(rises / (second - first)))
    rest = values - slope * np.arange(count)
    error = spread(rest) * np.sqrt(12 / count)
    s = float(np.sign(rises).sum())
    deviation = np.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return Trend(slope * (count - 1), float(error), (s - np.sign(s)) / deviation)


def running_median(values: Floats, width: int) -> Floats:
    """The median of ``width`` (odd) neighbours, of fewer at both ends."""
    half = width // 2
    if len(values) <= width:
        return np.full(len(values), np.median(values))
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    middle = np.median(windows, axis=1)
    head = [np.median(values[: place + half + 1]) for place in range(half)]
    tail = [np.median(values[place - half :]) for place in range(len(values) - half, len(values))]
    return np.concatenate([head, middle, tail])


def runs_of(found: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end (not included) of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], found.astype(np.int8), [0]])))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def autocorrelation(values: Floats, most: int) -> Floats:
    """The correlation of values with themselves 1 to ``most`` places later."""
    centred = values - values.mean()
    power = float(centred @ centred)
    if not power:
        return np.zeros(most)
    return np.array([float(centred[lag:] @ centred[:-lag]) / power for lag in range(1, most + 1)])


def short(number: float) -> float:
    """The number with four digits, for texts."""
    return float(f"{number:.4g}")
