"""Mean and spread of one tag over several runs, computed on the full data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Window = tuple[float | None, float | None]


@frozen(eq=False)
class Curve:
    """One run: finite values at strictly increasing x."""

    x: Floats
    y: Floats

    @classmethod
    def of(cls, x: NDArray[np.generic], y: NDArray[np.generic]) -> Curve:
        """Sorts by x, leaves out what is not finite, and keeps the last of several values at one x."""
        places: Floats = x.astype(np.float64)
        values: Floats = y.astype(np.float64)
        finite = np.isfinite(places) & np.isfinite(values)
        places, values = places[finite], values[finite]
        if np.any(np.diff(places) <= 0):
            order = np.argsort(places, kind="stable")
            places, values = places[order], values[order]
            last = np.append(np.diff(places) > 0, True)
            places, values = places[last], values[last]
        return cls(places, values)


@frozen(eq=False)
class Band:
    """By column, at every x where one of the runs has a point; ``count`` runs reach across it."""

    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    count: NDArray[np.int64]

    def take(self, which: NDArray[np.intp]) -> Band:
        """The band at these indices."""
        return Band(self.x[which], self.mean[which], self.low[which], self.high[which], self.count[which])


def band_of(curves: Sequence[Curve], spread: Literal["minmax", "std"], window: Window) -> Band:
    """Each run interpolated linearly between its own points, never beyond them.

    ``low`` and ``high`` are min and max, or mean minus and plus the population standard deviation.
    Mean and variance are updated run by run (Welford, 1962), so that memory is that of one band
    however many runs there are, and nearly equal values do not cancel.
    """
    grid = _within(_union(curve.x for curve in curves), window)
    count = np.zeros(len(grid), np.int64)
    mean = np.zeros(len(grid))
    squares = np.zeros(len(grid))  # sum of squared distances from the mean
    low = np.full(len(grid), np.inf)
    high = np.full(len(grid), -np.inf)
    for curve in curves:
        if not len(curve.x):
            continue
        first = int(np.searchsorted(grid, curve.x[0], "left"))
        reach = slice(first, max(first, int(np.searchsorted(grid, curve.x[-1], "right"))))
        y = np.interp(grid[reach], curve.x, curve.y)
        count[reach] += 1
        distance = y - mean[reach]
        mean[reach] += distance / count[reach]
        squares[reach] += distance * (y - mean[reach])
        low[reach] = np.minimum(low[reach], y)
        high[reach] = np.maximum(high[reach], y)
    if spread == "std":
        deviation = np.sqrt(squares / np.maximum(count, 1))
        low, high = mean - deviation, mean + deviation
    return Band(grid, mean, low, high, count)


def decimated(band: Band, width: int, window: Window, *, log_x: bool) -> Band:
    """Cuts the window into ``width`` equal columns and keeps what shapes the picture of each.

    That is its first and last point, the smallest low, the largest high, and the smallest and
    largest mean; the order of x stays.
    """
    if len(band.x) <= 2:
        return band
    columns = _columns(band.x, width, window, log_x)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(columns)) + 1])
    ends = np.append(starts[1:], len(band.x)) - 1
    kept = [starts, ends]
    for ufunc, values in (
        (np.minimum, band.low),
        (np.maximum, band.high),
        (np.minimum, band.mean),
        (np.maximum, band.mean),
    ):
        kept.append(_first_extreme(ufunc, values, starts))
    return band.take(np.unique(np.concatenate(kept)))


def _union(columns: Iterable[Floats]) -> Floats:
    """All x in order, each once. Runs mostly share their steps: equal columns are looked at once."""
    distinct: list[Floats] = []
    for column in columns:
        if not any(np.array_equal(column, seen) for seen in distinct[-8:]):
            distinct.append(column)
    if len(distinct) == 1:
        return distinct[0]
    return np.unique(np.concatenate(distinct)) if distinct else np.empty(0)


def _within(x: Floats, window: Window) -> Floats:
    low, high = window
    begin = 0 if low is None else int(np.searchsorted(x, low, "left"))
    end = len(x) if high is None else int(np.searchsorted(x, high, "right"))
    return x[begin:end]


def _columns(x: Floats, width: int, window: Window, log_x: bool) -> NDArray[np.int64]:
    """The pixel column of each x; in log space everything that is not positive is left of the first."""
    low = x[0] if window[0] is None else window[0]
    high = x[-1] if window[1] is None else window[1]
    place = x
    if log_x:
        positive = x[x > 0]
        if not len(positive):
            return np.zeros(len(x), np.int64)
        low = np.log(low if low > 0 else positive[0])
        high = np.log(high)
        place = np.log(np.where(x > 0, x, positive[0]))
    span = high - low
    if not span > 0:
        return np.zeros(len(x), np.int64)
    columns = np.clip(np.floor((place - low) / span * width), 0, width - 1).astype(np.int64)
    if log_x:
        columns[x <= 0] = -1
    return columns


def _first_extreme(ufunc: np.ufunc, values: Floats, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Index of the first smallest or largest value of each stretch that begins at ``starts``."""
    lengths = np.diff(np.append(starts, len(values)))
    hits = np.flatnonzero(values == np.repeat(ufunc.reduceat(values, starts), lengths))
    found: NDArray[np.intp] = hits[np.searchsorted(hits, starts, "left")]
    return found
