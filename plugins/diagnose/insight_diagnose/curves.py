"""Robust statistics of curves: levels, noise, trends and excursions, without assumptions about outliers."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Curve = TypeVar("Curve")
Said = TypeVar("Said")

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


def once(function: Callable[[Curve], Said]) -> Callable[[Curve], Said]:
    """Keeps what a function says of a curve while the curve is there: several rules ask."""
    known: WeakKeyDictionary[Curve, Said] = WeakKeyDictionary()

    @wraps(function)
    def kept(curve: Curve) -> Said:
        if curve not in known:
            known[curve] = function(curve)
        return known[curve]

    return kept


def curve_of(steps: NDArray[np.int64], values: NDArray[np.floating]) -> StepCurve:
    """The finite part of a series. Values beyond 1e120 are cut off there: their squares are finite, too."""
    finite = np.isfinite(values)
    if not finite.all():  # else nothing is copied: there may be millions of points
        steps, values = steps[finite], values[finite]
    plain = np.asarray(values, np.float64)
    if len(plain) and max(plain.max(), -plain.min()) > _LARGEST:
        plain = plain.clip(-_LARGEST, _LARGEST)
    return StepCurve(steps, plain)


def median(values: Floats) -> float:
    """The median of finite values. For few of them np.median takes five times as long."""
    if not len(values):
        return math.nan
    half = len(values) // 2
    parts = np.partition(values, half)
    upper = float(parts[half])
    return upper if len(values) % 2 else (float(parts[:half].max()) + upper) / 2


def medians(values: Floats, most: int) -> Floats:
    """The medians of ``most`` parts of about equal length; the values themselves if they are not more."""
    if len(values) <= most:
        return values
    edges = np.linspace(0, len(values), most + 1).round().astype(int)
    lengths = np.diff(edges)
    found = np.empty(most)
    for length in np.unique(lengths).tolist():  # two lengths: all parts of one at a time
        same = lengths == length
        found[same] = np.median(values[edges[:-1][same, None] + np.arange(length)], axis=1)
    return found


def means(values: Floats, most: int) -> Floats:
    """The same with means, in which a short excursion shows."""
    if len(values) <= most:
        return values
    edges = np.linspace(0, len(values), most + 1).round().astype(int)
    found: Floats = np.add.reduceat(values, edges[:-1]) / np.diff(edges)
    return found


def spread(values: Floats) -> float:
    """The standard deviation by the median absolute deviation (F. R. Hampel, "The Influence Curve and Its
    Role in Robust Estimation", JASA 69, 1974)."""
    return NORMAL * median(np.abs(values - median(values))) if len(values) else 0.0


def noise(values: Floats) -> float:
    """The standard deviation of noise around a slow curve, by differences of neighbours (J. von Neumann et
    al., "The Mean Square Successive Difference", Ann. Math. Stat. 12, 1941; here by their median)."""
    return NORMAL * median(np.abs(values[1:] - values[:-1])) / math.sqrt(2) if len(values) > 1 else 0.0


def trend(values: Floats) -> Trend:
    """The line of Theil and Sen, the median slope of all pairs (P. K. Sen, JASA 63, 1968), and the score of
    Mann and Kendall (H. B. Mann, Econometrica 13, 1945). At least three values, at most some hundred."""
    count = len(values)
    first, second = _pairs(count)
    rises = values[second] - values[first]
    slope = median(rises / (second - first))
    rest = values - slope * np.arange(count)
    error = spread(rest) * np.sqrt(12 / count)
    s = float(np.sign(rises).sum())
    deviation = np.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return Trend(slope * (count - 1), float(error), (s - np.sign(s)) / deviation)


@lru_cache(64)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each two places of ``count``; few counts are asked for."""
    return np.triu_indices(count, 1)


def running_median(values: Floats, width: int) -> Floats:
    """The median of ``width`` (odd) neighbours, of fewer at both ends.

    Of wide windows only some are computed, at a sixteenth of their width; values between lie on lines.
    """
    count, half = len(values), width // 2
    if count <= width:
        return np.full(count, median(values))
    stride = max(1, width // 16)
    windows = np.lib.stride_tricks.sliding_window_view(values, width)[::stride]
    places = np.arange(half, count - half, stride)
    ends = range(0, half, stride)
    head = [median(values[: place + half + 1]) for place in ends]
    tail = [median(values[count - 1 - place - half :]) for place in reversed(ends)]
    at = np.concatenate([list(ends), places, [count - 1 - place for place in reversed(ends)]])
    known: Floats = np.concatenate([head, np.median(windows, axis=1), tail])
    return known if stride == 1 else np.interp(np.arange(count), at, known)


def runs_of(found: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end (not included) of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], found.astype(np.int8), [0]])))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def autocorrelation(values: Floats, most: int) -> Floats:
    """The correlation of values with themselves 1 to ``most`` places later."""
    centred = values - values.mean()
    size = 1 << (2 * len(values) - 1).bit_length()  # so that the end does not meet the beginning
    whole = np.fft.irfft(np.abs(np.fft.rfft(centred, size)) ** 2, size)
    if not whole[0] > 0:
        return np.zeros(most)
    found: Floats = whole[1 : most + 1] / whole[0]
    return found


def short(number: float) -> float:
    """The number with four digits, for texts."""
    return float(f"{number:.4g}")
