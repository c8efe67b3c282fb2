"""Encodes histograms in either dialect, from values or from given buckets.

Messages: TensorFlow's histogram.proto, MindSpore's summary.proto.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_record.formats.protobuf import double_field, int_field, message_field

_LEAST_LIMIT, _LARGEST_LIMIT, _GROWTH = 1e-12, 1e20, 1.1  # of the buckets that TensorFlow 1 and torch have
_MOST_BUCKETS = 90  # of MindSpore


@functools.cache
def tensorflow_limits() -> NDArray[np.float64]:
    """Limits of buckets that grow by a tenth from 1e-12 to 1e20, in both directions; the last is the largest
    number.
    """
    count = int(np.log(_LARGEST_LIMIT / _LEAST_LIMIT) / np.log(_GROWTH)) + 1
    positive = np.multiply.accumulate(np.array([_LEAST_LIMIT] + [_GROWTH] * (count - 1)))  # rounds as theirs
    return np.concatenate((-positive[::-1], [0.0], positive, [np.finfo(np.float64).max]))


def histogram_proto(values: ArrayLike) -> bytes:
    """A ``HistogramProto`` as torch's ``add_histogram`` writes it: only the buckets around the values.

    No bucket counts non-finite values, but minimum, maximum and sums are of all values, so that readers know
    of them. Without finite values there is one empty bucket, because TensorBoard cannot read a histogram
    without buckets.
    """
    every = np.asarray(values, np.float64).ravel()
    array = _finite(every)
    limits = tensorflow_limits()
    below = np.searchsorted(np.sort(array), limits)  # a limit itself is above it, but for the last
    below[-1] = len(array)
    counts = np.diff(below, prepend=0)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return histogram_proto_of([0.0], [0.0], every)
    shown = slice(max(0, filled[0] - 1), filled[-1] + 1)
    return histogram_proto_of(limits[shown], counts[shown], every)


def histogram_proto_of(
    limits: ArrayLike, counts: ArrayLike, values: ArrayLike = (), *, least: float = 0.0, largest: float = 0.0
) -> bytes:
    """A ``HistogramProto`` of these right limits and counts, whose numbers may differ.

    Minimum, maximum and sums are computed from ``values`` or, without values, from ``least`` and
    ``largest``.
    """
    array = np.asarray(values, np.float64).ravel()
    if len(array):
        least, largest = float(array.min()), float(array.max())
    with np.errstate(over="ignore", invalid="ignore"):  # infinities of both signs have no sum
        numbers = (least, largest, float(len(array)), float(array.sum()), float((array**2).sum()))
    body = b"".join(double_field(number, value) for number, value in enumerate(numbers, 1))
    return body + message_field(6, _doubles(limits)) + message_field(7, _doubles(counts))


def mindspore_histogram(values: ArrayLike) -> bytes:
    """A ``Summary.Histogram`` as MindSpore writes it: buckets of equal width over the finite values."""
    finite = _finite(values)
    count = min(_MOST_BUCKETS, -(-len(finite) // 10) + 1) if len(finite) else 1
    least, largest = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    edges = np.linspace(least / 2, largest / 2, count + 1) * 2  # the difference may overflow
    edges[[0, -1]] = least, largest  # half of the smallest float is 0
    if (np.diff(edges) <= 0).any():  # equal, or closer than adjacent floats
        return mindspore_histogram_of([least], [largest - least], [len(finite)], values)
    return mindspore_histogram_of(edges[:-1], np.diff(edges), np.histogram(finite, edges)[0], values)


def mindspore_histogram_of(
    lefts: ArrayLike, widths: ArrayLike, counts: ArrayLike, values: ArrayLike = ()
) -> bytes:
    """A ``Summary.Histogram`` of these buckets; the statistics are those of ``values``."""
    array = np.asarray(values, np.float64).ravel()
    finite = array[np.isfinite(array)]
    rows = zip(np.ravel(lefts).tolist(), np.ravel(widths).tolist(), np.ravel(counts).tolist(), strict=True)
    buckets = (
        double_field(1, float(left)) + double_field(2, float(width)) + int_field(3, int(count))
        for left, width, count in rows
    )
    odd = (np.isnan(array).sum(), np.isposinf(array).sum(), np.isneginf(array).sum())
    extremes = (finite.max(), finite.min(), finite.sum()) if len(finite) else (np.nan, np.nan, 0.0)
    return b"".join(
        [
            *(message_field(1, bucket) for bucket in buckets),
            *(int_field(number, int(count)) for number, count in enumerate(odd, 2)),
            *(double_field(number, float(value)) for number, value in enumerate(extremes, 5)),
            int_field(8, len(array)),
        ]
    )


def _finite(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64).ravel()
    finite = np.isfinite(array)
    return array if finite.all() else array[finite]


def _doubles(values: ArrayLike) -> bytes:
    array: NDArray[np.float64] = np.asarray(values, "<f8")
    return array.tobytes()
