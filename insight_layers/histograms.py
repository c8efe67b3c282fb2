"""Reads many histograms at once: means, deviations, zeros and values that are not finite.

``HistogramProto`` (tensorflow/core/framework/summary.proto) has the fields min, max, num, sum, sum_squares,
bucket_limit and bucket; a field of the value 0 may be left out. Writers such as torch count values that are
not finite in num, min, max and the sums, but in no bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Claim
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import HISTO, Histogram, decoded_histogram
from insight_layers.measured import (
    MEASURED,
    NAN,
    NEG_INF,
    POS_INF,
    UNREADABLE,
    Floats,
    MeasuredRecords,
    moments,
)

_ZERO = 2e-12  # the innermost buckets of TensorBoard's histograms end here
_KEYS = (0x09, 0x11, 0x19, 0x21, 0x29)  # of min, max, num, sum, sum_squares: doubles
_LIMITS, _COUNTS = 0x32, 0x3A  # packed doubles
_MOST_DIGITS = 4  # bytes of a length
_ROOM = 9 * len(_KEYS) + 1 + _MOST_DIGITS  # bytes before the limits, at most

Places = NDArray[np.int64]


def measured_histograms(claim: Claim, payloads: Sequence[bytes]) -> MeasuredRecords:
    """What the histograms of one claim say; those that cannot be read have the flag UNREADABLE."""
    if claim != HISTO:
        return MeasuredRecords.joined([_one(Payload(data, claim)) for data in payloads])
    sizes = np.array([len(data) for data in payloads], np.int64)
    starts = np.cumsum(sizes) - sizes
    found, is_usual = _usual(b"".join(payloads), starts, sizes)
    for place in np.flatnonzero(~is_usual).tolist():
        one = _one(Payload(payloads[place], claim))
        found.numbers[place], found.flags[place] = one.numbers[0], one.flags[0]
    return found


def _usual(data: bytes, starts: Places, sizes: Places) -> tuple[MeasuredRecords, NDArray[np.bool_]]:
    """What messages say whose fields are in the usual order, and which of them are so."""
    buffer = np.frombuffer(data + bytes(_ROOM), np.uint8)  # room to look beyond the last
    place, ends = starts.copy(), starts + sizes
    numbers = []
    for key in _KEYS:
        there = (buffer[place] == key) & (place + 9 <= ends)
        number = np.zeros(len(place))
        number[there] = _doubles(buffer, place[there] + 1)
        numbers.append(number)
        place = np.where(there, place + 9, place)
    low, high, num, total, squares = numbers
    limits, limits_end, is_usual = _packed(buffer, place, ends, _LIMITS)
    counts, counts_end, has_counts = _packed(buffer, limits_end, ends, _COUNTS)
    buckets = (limits_end - limits) // 8
    is_usual &= has_counts & (counts_end == ends) & (buckets > 0)
    is_usual &= counts_end - counts == limits_end - limits
    found = MeasuredRecords.empty(len(starts))
    usual = np.flatnonzero(is_usual)
    if len(usual):
        lengths = buckets[usual]
        right = _joined(data, limits[usual], limits_end[usual])
        count = _joined(data, counts[usual], counts_end[usual])
        first = np.cumsum(lengths) - lengths
        left = np.concatenate([[-np.inf], right[:-1]])
        left[first] = -np.inf
        rises = np.ones(len(right), bool)
        rises[1:] = right[1:] >= right[:-1]
        rises[first] = True
        sound = rises & np.isfinite(count) & (count >= 0)
        is_usual[usual] = np.logical_and.reduceat(sound, first)
        bounds = np.stack([low[usual], high[usual], num[usual], total[usual], squares[usual]])
        rows = _of_buckets(bounds, left, right, count, first, lengths)
        found.numbers[usual], found.flags[usual] = rows.numbers, rows.flags
    return found, is_usual


def _of_buckets(
    bounds: Floats, left: Floats, right: Floats, count: Floats, first: Places, lengths: Places
) -> MeasuredRecords:
    """What histograms say whose buckets stand end to end, each from ``first`` on."""
    low, high, num, total, squares = bounds
    found = MeasuredRecords.empty(len(first))
    counted = np.add.reduceat(count, first)
    num = np.where(np.isfinite(num) & (num > 0), num, counted)
    is_whole = np.isfinite(low) & np.isfinite(high) & np.isfinite(total) & np.isfinite(squares)
    # a float64 sum of finite values is finite: one that is not says that some are not
    nan = np.isnan(low) | np.isnan(high) | (np.isnan(total) & ~np.isinf(low) & ~np.isinf(high))
    found.flags[:] = (
        np.where(nan, NAN, 0) | np.where(high == np.inf, POS_INF, 0) | np.where(low == -np.inf, NEG_INF, 0)
    )
    missing = np.maximum(np.round(num - counted), 0)
    odd = found.flags > 0
    found.numbers[:, MEASURED.index("nonfinite")] = np.where(odd, np.maximum(missing, 1), 0)
    # buckets are clipped to what was recorded, and an endless one to its other edge
    row = np.repeat(np.arange(len(first)), lengths)
    # a writer that does not record min and max leaves both 0, and then buckets beyond have counts
    outside = (count > 0) & ((right < low[row]) | (left > high[row]))
    believed = np.isfinite(low) & np.isfinite(high) & ~np.logical_or.reduceat(outside, first)
    lower, upper = np.where(believed, low, -np.inf)[row], np.where(believed, high, np.inf)[row]
    left, right = np.clip(left, lower, upper), np.clip(right, lower, upper)
    left, right = np.where(left < -1e300, right, left), np.where(right > 1e300, left, right)
    zeros, known = _zeros(left, right, count, first)
    # all lie in the innermost buckets but are not all 0: gradients that are only rounding, say
    known &= ~(believed & ((low != 0) | (high != 0)) & (zeros == counted))
    share = np.where(known & (counted > 0), zeros / np.maximum(counted, 1), np.nan)
    found.numbers[:, MEASURED.index("zeros")] = share
    with np.errstate(over="ignore", invalid="ignore"):
        summed = np.add.reduceat(count * (left + right) / 2, first)
        squared = np.add.reduceat(count * (left * left + left * right + right * right) / 3, first)
    is_whole &= ~((squares == 0) & (squared > 0))  # not recorded
    found.numbers[:, 1:4] = np.stack(
        moments(
            np.where(is_whole, num, counted),
            np.where(is_whole, total, summed),
            np.where(is_whole, squares, squared),
        ),
        axis=1,
    )
    return found


def _zeros(left: Floats, right: Floats, count: Floats, first: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """How many values of each histogram are zero, and whether the buckets tell."""
    is_zero = (left >= -_ZERO) & (right <= _ZERO)
    wide = (left <= 0) & (right > 0) & ~is_zero & (count > 0)
    # a value at an edge belongs to the bucket that begins there, if there is one
    ends_at_zero = (right == 0) & ~is_zero & (count > 0)
    unknown = np.logical_or.reduceat(ends_at_zero, first) & ~np.logical_or.reduceat(is_zero, first)
    return np.add.reduceat(count * is_zero, first), ~(np.logical_or.reduceat(wide, first) | unknown)


def _one(payload: Payload) -> MeasuredRecords:
    """What one histogram of any claim says, by its buckets."""
    found = MeasuredRecords.empty(1)
    try:
        histogram = decoded_histogram(payload)
    except ValueError:
        found.flags[0] = UNREADABLE
        return found
    return _of_histogram(histogram)


def _of_histogram(one: Histogram) -> MeasuredRecords:
    found = MeasuredRecords.empty(1)
    flags = (NAN if one.nan else 0) | (POS_INF if one.pos_inf else 0) | (NEG_INF if one.neg_inf else 0)
    odd = one.nan + one.pos_inf + one.neg_inf
    if len(one.counts):
        bounds = np.array([[np.nan], [np.nan], [0.0], [np.nan], [np.nan]])
        if one.min is not None and one.max is not None:
            bounds[:2, 0] = one.min, one.max
        begin = np.zeros(1, np.int64)
        found = _of_buckets(bounds, one.left, one.right, one.counts, begin, np.array([len(one.counts)]))
        if one.mean is not None:
            found.numbers[0, MEASURED.index("mean")] = one.mean
    found.flags[0] = flags
    found.numbers[0, MEASURED.index("nonfinite")] = odd
    return found


def _packed(
    buffer: NDArray[np.uint8], place: Places, ends: Places, key: int
) -> tuple[Places, Places, NDArray[np.bool_]]:
    """Begin and end of the packed doubles of a field that stands at these places, and whether it does."""
    last = len(buffer) - 1
    there = buffer[np.minimum(place, last)] == key
    length = np.zeros(len(place), np.int64)
    begin = place + 1
    goes_on = there.copy()
    for digit in range(_MOST_DIGITS):
        byte = buffer[np.minimum(begin, last)].astype(np.int64)
        length = np.where(goes_on, length | (byte & 0x7F) << (7 * digit), length)
        begin = np.where(goes_on, begin + 1, begin)
        goes_on &= byte >= 0x80
    fits = there & ~goes_on & (begin + length <= ends) & (length % 8 == 0)
    return begin, np.where(fits, begin + length, begin), fits


def _doubles(buffer: NDArray[np.uint8], place: Places) -> Floats:
    return np.asarray(buffer[place[:, None] + np.arange(8)].view("<f8")[:, 0], np.float64)


def _joined(data: bytes, begins: Places, ends: Places) -> Floats:
    view = memoryview(data)
    parts = [view[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return np.frombuffer(b"".join(parts), "<f8").astype(np.float64)
