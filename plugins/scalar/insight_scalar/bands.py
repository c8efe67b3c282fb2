"""Centre and spread of one tag over several runs, computed on the full data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_scalar.student import t_95

Centre: TypeAlias = Literal["mean", "median"]
Spread: TypeAlias = Literal["minmax", "std", "sem", "ci95", "iqr"]
ABOUT_MEAN = frozenset[Spread]({"std", "sem", "ci95"})  # Spreads that lie around a mean, not around a median.

_CELLS = 1 << 20  # values that are sorted at a time, to bound memory

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
    """By column, at every x where one of the runs has a point; ``count`` runs reach across it.

    ``low`` and ``high`` are NaN where the spread is not defined.
    """

    x: Floats
    centre: Floats
    low: Floats
    high: Floats
    count: NDArray[np.int64]

    def take(self, which: NDArray[np.intp]) -> Band:
        """The band at these indices."""
        return Band(self.x[which], self.centre[which], self.low[which], self.high[which], self.count[which])


def band_of(curves: Sequence[Curve], centre: Centre, spread: Spread, window: Window) -> Band:
    """Each run interpolated linearly between its own points, never beyond them.

    ``low`` and ``high`` are by ``spread``, of the n runs that reach across x, with their mean m:

    - ``minmax``: the smallest and the largest value
    - ``std``: m ± the population standard deviation s (``numpy.std``)
    - ``sem``: m ± the standard error e = s / sqrt(n - 1) (``scipy.stats.sem``); not defined for n = 1
    - ``ci95``: m ± t·e, the 95 % interval of the mean by Student's t distribution with n - 1 degrees of
      freedom (``scipy.stats.t.interval``); not defined for n = 1
    - ``iqr``: the first and the third quartile (``numpy.percentile``, method "linear")
    """
    grid = _within(_union(curve.x for curve in curves), window)
    mean, low, high, squares, count = _moments(curves, grid)
    middle = mean
    if centre == "median" or spread == "iqr":
        first, median, third = _quartiles(curves, grid)
        if centre == "median":
            middle = median
        if spread == "iqr":
            low, high = first, third
    if spread in ABOUT_MEAN:
        half = np.sqrt(squares / np.maximum(count, 1))
        if spread != "std":
            half /= np.sqrt(np.where(count > 1, count - 1.0, np.nan))
        if spread == "ci95":
            used = np.bincount(count, minlength=1).tolist()
            half *= np.array([t_95(n - 1) if n > 1 and places else 0.0 for n, places in enumerate(used)])[
                count
            ]
        low, high = mean - half, mean + half
    return Band(grid, middle, low, high, count)


def _moments(
    curves: Sequence[Curve], grid: Floats
) -> tuple[Floats, Floats, Floats, Floats, NDArray[np.int64]]:
    """Mean, smallest and largest value, sum of squared distances from the mean, and number of runs.

    Mean and squares are updated run by run (Welford, 1962), so that memory is that of one band however many
    runs there are, and nearly equal values do not cancel.
    """
    count = np.zeros(len(grid), np.int64)
    mean = np.zeros(len(grid))
    squares = np.zeros(len(grid))
    low = np.full(len(grid), np.inf)
    high = np.full(len(grid), -np.inf)
    for reach, y in _interpolated(curves, grid):
        count[reach] += 1
        distance = y - mean[reach]
        mean[reach] += distance / count[reach]
        squares[reach] += distance * (y - mean[reach])
        low[reach] = np.minimum(low[reach], y)
        high[reach] = np.maximum(high[reach], y)
    return mean, low, high, squares, count


def _quartiles(curves: Sequence[Curve], grid: Floats) -> tuple[Floats, Floats, Floats]:
    found = np.empty((3, len(grid)))
    step = max(1, _CELLS // max(1, len(curves)))
    for start in range(0, len(grid), step):
        part = grid[start : start + step]
        values = np.full((len(curves), len(part)), np.nan)
        for row, (reach, y) in enumerate(_interpolated(curves, part)):
            values[row, reach] = y
        values.sort(axis=0)  # NaN, where a run does not reach, comes last
        last = np.isfinite(values).sum(axis=0) - 1
        columns = np.arange(len(part))
        for row, share in enumerate((0.25, 0.5, 0.75)):
            place = share * last
            below = np.floor(place).astype(np.intp)
            lower = values[below, columns]
            upper = values[np.minimum(below + 1, last), columns]
            found[row, start : start + step] = lower + (place - below) * (upper - lower)
    return found[0], found[1], found[2]


def _interpolated(curves: Sequence[Curve], grid: Floats) -> Iterator[tuple[slice, Floats]]:
    """For each run the part of the grid that it reaches across, and its values there."""
    for curve in curves:
        if len(curve.x):
            first = int(np.searchsorted(grid, curve.x[0], "left"))
            reach = slice(first, max(first, int(np.searchsorted(grid, curve.x[-1], "right"))))
            yield reach, np.interp(grid[reach], curve.x, curve.y)


def decimated(band: Band, width: int, window: Window, *, log_x: bool) -> Band:
    """Cuts the window into ``width`` equal columns and keeps what shapes the picture of each.

    That is its first and last point, the smallest low, the largest high, and the smallest and
    largest centre; the order of x stays.
    """
    if len(band.x) <= 2:
        return band
    columns = pixel_columns(band.x, width, window, log_x=log_x)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(columns)) + 1])
    ends = np.append(starts[1:], len(band.x)) - 1
    kept = [starts, ends]
    for ufunc, values in (
        (np.fmin, band.low),
        (np.fmax, band.high),
        (np.fmin, band.centre),
        (np.fmax, band.centre),
    ):
        kept.append(first_extremes(ufunc, values, starts))
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


def pixel_columns(x: Floats, width: int, window: Window, *, log_x: bool) -> NDArray[np.int64]:
    """The pixel column of each x; in log space everything that is not positive is left of the first.

    A point at the border of two columns is in the second.
    """
    low = x[0] if window[0] is None else window[0]
    high = x[-1] if window[1] is None else window[1]
    if log_x:
        low = low if low > 0 else np.min(x[x > 0], initial=np.inf)
        low, high = (np.log(edge) if 0 < edge < np.inf else np.nan for edge in (low, high))
    span = high - low
    columns = np.zeros(len(x), np.int64)
    if 0 < span < np.inf:
        borders = low + span * (np.arange(1, width) / width)
        borders = np.maximum.accumulate(np.exp(borders)) if log_x else borders
        columns = np.searchsorted(borders, x, side="right").astype(np.int64)
    if log_x:
        columns[x <= 0] = -1
    return columns


def first_extremes(ufunc: np.ufunc, values: Floats, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Index of the first smallest or largest value of each stretch that begins at ``starts``.

    NaN does not count; of a stretch of nothing else it is the first.
    """
    lengths = np.diff(np.append(starts, len(values)))
    extreme = np.repeat(ufunc.reduceat(values, starts), lengths)
    hits = np.flatnonzero((values == extreme) | np.isnan(extreme))
    found: NDArray[np.intp] = hits[np.searchsorted(hits, starts, "left")]
    return found
