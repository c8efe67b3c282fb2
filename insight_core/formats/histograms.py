"""Histograms: buckets of values, alignment of several histograms, and percentiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_record.formats.reason import Reason, ReasonKind

Floats = NDArray[np.float64]
MAX_COUNTED = 1 << 53  # values of a histogram: float64 counts no further by ones
_ARRAY = 112  # bytes of an array object, without its numbers
_LARGEST = float(np.finfo(np.float64).max)
_NARROWEST = 1e-300  # width of an axis: bins of a narrower axis would underflow
_PORTION = 1 << 16  # values at a time: they stay in the cache of the processor
_NO_HISTOGRAM_OF_TYPE = ReasonKind("no_histogram_of_type", "values of type {type} have no histogram")


@frozen(eq=False)
class Histogram:
    """Buckets from ``left`` to ``right`` in ascending order, and further statistics.

    ``count`` is the number of values, finite or not; ``counts`` may be fractions. ``min``, ``max``
    and ``mean`` cover the finite values and are None if the writer did not record them. A bucket of width 0
    holds equal values.
    """

    left: Floats
    right: Floats
    counts: Floats
    count: int
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    min: float | None = None
    max: float | None = None
    mean: float | None = None

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(column.nbytes + _ARRAY for column in (self.left, self.right, self.counts))


@frozen(eq=False)
class AlignedHistograms:
    """The same bins for every step: ``edges`` float64[bins + 1], ``counts`` float64[steps, bins].

    ``beyond`` (float64[steps]) is the number of values outside the axis.
    """

    edges: Floats
    counts: Floats
    beyond: Floats


def checked(left: Floats, right: Floats, counts: Floats) -> None:
    """Raises ValueError for impossible buckets."""
    if np.isnan(left).any() or np.isnan(right).any():
        raise ValueError(Reason("an edge of a bucket is NaN", "bucket_edge_nan"))
    if not np.isfinite(counts).all():
        raise ValueError(Reason("the count of a bucket is not finite", "bucket_count_infinite"))
    if (counts < 0).any():
        raise ValueError(Reason("the count of a bucket is negative", "bucket_count_negative"))
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    if total > MAX_COUNTED:
        text = f"the buckets count {total:.4g} values, more than any tensor has"
        raise ValueError(Reason(text, "bucket_counts_too_large", total=f"{total:.4g}"))
    if (right < left).any():
        raise ValueError(Reason("a bucket has a negative width", "bucket_width_negative"))


def histogram_of(values: NDArray[Any], bins: int) -> Histogram:
    """``bins`` equal buckets from the smallest to the largest finite value, or one of width 0.

    Values are integers, floats or booleans, of any shape. Without finite values the buckets are empty.
    """
    if values.dtype.kind not in "fiub":
        raise ValueError(_NO_HISTOGRAM_OF_TYPE(type=str(values.dtype)))
    flat = values.ravel()
    nan = pos_inf = neg_inf = 0
    if flat.size and not (math.isfinite(flat.min()) and math.isfinite(flat.max())):
        nan = int(np.isnan(flat).sum())
        pos_inf = int(np.isposinf(flat).sum())
        neg_inf = int(np.isneginf(flat).sum())
        flat = flat[np.isfinite(flat)]
    if not flat.size:
        none = np.empty(0)
        return Histogram(none, none, none, values.size, nan, pos_inf, neg_inf)
    low, high = float(flat.min()), float(flat.max())
    edges = _edges(low, high, bins)
    if not (np.diff(edges / 2) > 0).all():  # float64 has no numbers between
        edges = np.array([low, high])
    counts = np.zeros(len(edges) - 1)
    mean = 0.0
    for begin in range(0, flat.size, _PORTION):
        portion = flat[begin : begin + _PORTION].astype(np.float64)
        counts += _counted(portion, edges)
        with np.errstate(over="ignore"):  # by rounding, where all are near the largest float64
            mean += float(np.sum(portion / flat.size))
    return Histogram(
        left=edges[:-1],
        right=edges[1:],
        counts=counts,
        count=values.size,
        nan=nan,
        pos_inf=pos_inf,
        neg_inf=neg_inf,
        min=low,
        max=high,
        mean=min(max(mean, low), high),
    )


def bins_for(count: float) -> int:
    """The number of bins for ``count`` values: about ten values in each, 30 at most, as in MindInsight."""
    if count <= 10:
        return 1 if not count else 2 if count <= 5 else 3
    return min(30, math.ceil(count / 10) + 1)


def aligned(
    histograms: Sequence[Histogram], bins: int | None = None, extent: tuple[float, float] | None = None
) -> AlignedHistograms:
    """Histograms on one shared axis, from the first edge with counts to the last.

    The count of a bucket is divided between the bins that it overlaps, in proportion, so that the sum of
    each step is unchanged; a bucket of width 0 goes to one bin. Without ``bins``, the largest step determines
    the number. If all values are equal, the axis extends by half a unit to both sides. ``extent`` sets the
    axis; values outside are counted in ``beyond``.
    """
    sizes = [len(histogram.counts) for histogram in histograms]
    step = np.repeat(np.arange(len(histograms)), sizes)
    left, right, counts = (
        np.concatenate([getattr(histogram, name) for histogram in histograms] or [np.empty(0)])
        for name in ("left", "right", "counts")
    )
    if bins is None:
        totals = np.bincount(step, counts)
        bins = bins_for(float(totals.max()) if len(totals) else 0)
    beyond = np.zeros(len(histograms))
    if extent is not None:
        whole = counts
        left, right, counts = _within(left, right, counts, extent)
        beyond += np.bincount(step, whole - counts, len(histograms))
    counted = counts > 0
    step, left, right, counts = step[counted], left[counted], right[counted], counts[counted]
    if extent is None and not len(counts):
        extent = (-0.5, 0.5)
    low, high = _wide(float(left.min()), float(right.max())) if extent is None else _wide(*extent)
    shape = (len(histograms), bins)
    return AlignedHistograms(
        _edges(low, high, bins),
        _spread(step, _places(left, low, high, bins), _places(right, low, high, bins), counts, shape),
        beyond,
    )


def _within(
    left: Floats, right: Floats, counts: Floats, extent: tuple[float, float]
) -> tuple[Floats, Floats, Floats]:
    """The parts of the buckets that lie in the range, with their share of the counts."""
    low, high = extent
    cut_left, cut_right = np.clip(left, low, high), np.clip(right, low, high)
    half = right / 2 - left / 2  # right - left may be beyond float64
    flat = half == 0  # so is the half of the smallest width
    width = np.where(flat, 1, half)
    share = np.where(flat, (left >= low) & (left <= high), (cut_right / 2 - cut_left / 2) / width)
    return cut_left, cut_right, counts * share


def usual_range(rows: Floats) -> tuple[float, float] | None:
    """The range of values without the most extreme steps; ``rows`` are float64[steps, 9] percentiles.

    At each end 5% of the steps are ignored, at least one of five. None if the range is empty.
    """
    known = rows[~np.isnan(rows[:, 0])]
    if not len(known):
        return None
    out = max(len(known) // 20, int(len(known) >= 5))
    low, high = float(np.sort(known[:, 0])[out]), float(np.sort(known[:, -1])[-1 - out])
    return (low, high) if low < high else None


PERCENTS: Final = (0.0, 6.68, 15.87, 30.85, 50.0, 69.15, 84.13, 93.32, 100.0)
"""As in TensorBoard's distributions: half standard deviations of a normal distribution."""


def percentiles(histogram: Histogram) -> Floats:
    """float64[9]: the percentiles ``PERCENTS``; NaN for an empty histogram.

    Values are assumed to be spread evenly over their bucket. The first is ``min`` and the last ``max``,
    if known.
    """
    counted = histogram.counts > 0
    if not counted.any():
        return np.full(len(PERCENTS), np.nan)
    left, right, counts = histogram.left[counted], histogram.right[counted], histogram.counts[counted]
    below = np.concatenate([[0.0], np.cumsum(counts)])
    wanted = np.array(PERCENTS) / 100 * below[-1]
    bucket = np.clip(np.searchsorted(below, wanted, "left") - 1, 0, len(counts) - 1)
    share = np.clip((wanted - below[bucket]) / counts[bucket], 0, 1)
    found = left[bucket] * (1 - share) + right[bucket] * share
    low = left[0] if histogram.min is None else histogram.min
    high = right[-1] if histogram.max is None else histogram.max
    found[0], found[-1] = low, high
    return np.asarray(np.clip(np.maximum.accumulate(found), low, high), np.float64)


def _wide(low: float, high: float) -> tuple[float, float]:
    """The range, made wide enough for a float64 to tell its two ends and the bins between them apart."""
    if high - low > max(1e-9 * max(abs(low), abs(high)), _NARROWEST):
        return low, high
    half = max(0.5, 1e-6 * abs(high)) if high - low <= _NARROWEST else 1e-9 * abs(high)
    middle = low / 2 + high / 2
    return max(middle - half, -_LARGEST), min(middle + half, _LARGEST)


def _edges(low: float, high: float, bins: int) -> Floats:
    share = np.arange(bins + 1) / bins
    edges: Floats = low * (1 - share) + high * share  # high - low may be beyond float64
    edges[-1] = high
    return edges


def _places(x: Floats, low: float, high: float, bins: int) -> Floats:
    """Positions on the axis in units of bins, from 0 to ``bins``."""
    return np.clip((x / 2 - low / 2) / (high / 2 - low / 2) * bins, 0, bins)


def _spread(
    step: NDArray[np.intp], start: Floats, end: Floats, counts: Floats, shape: tuple[int, int]
) -> Floats:
    """float64[steps, bins]: each count, evenly from ``start`` to ``end``, places in units of bins."""
    bins = shape[1]
    size = shape[0] * bins
    first = np.minimum(start.astype(np.intp), bins - 1)
    last = np.minimum(end.astype(np.intp), bins - 1)
    row = step * bins
    across = last > first
    density = counts / np.where(across, end - start, 1)
    total = np.bincount(row + first, np.where(across, density * (first + 1 - start), counts), size)
    total += np.bincount((row + last)[across], (density * (end - last))[across], size)
    # the bins between the first and the last are covered whole: summed up from where that begins and ends
    wide = last > first + 1
    begin, stop, density = (row + first + 1)[wide], (row + last)[wide], density[wide]
    covers = np.bincount(begin, minlength=size) - np.bincount(stop, minlength=size)
    change = np.bincount(begin, density, size) - np.bincount(stop, density, size)
    covered = np.cumsum(covers.reshape(shape), axis=1) > 0
    between = np.where(covered, np.cumsum(change.reshape(shape), axis=1), 0)
    return np.asarray(total.reshape(shape) + between, np.float64)


def _counted(values: Floats, edges: Floats) -> NDArray[np.intp]:
    """The number of values in each of the equal buckets between the edges."""
    if len(edges) == 2:
        return np.array([len(values)], np.intp)
    if not math.isfinite(2 * (float(edges[-1]) - float(edges[0]))):  # numpy takes no range near infinity
        values, edges = values / 4, edges / 4
    counts: NDArray[np.intp] = np.histogram(values, len(edges) - 1, (edges[0], edges[-1]))[0]
    return counts
