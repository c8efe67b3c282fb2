"""Bytes of histograms in either dialect: of values, as the frameworks count them, and of given buckets.

Messages: TensorFlow's histogram.proto, MindSpore's summary.proto.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_core.testing.tensors import tensorflow_tensor
from insight_core.testing.wire import int_field, message_field

_LEAST_LIMIT, _LARGEST_LIMIT, _GROWTH = 1e-12, 1e20, 1.1  # of the buckets that TensorFlow 1 and torch have
_MOST_BUCKETS = 90  # of MindSpore


def histogram_proto(values: ArrayLike) -> bytes:
    """A ``HistogramProto`` as torch's ``add_histogram`` writes it: only the buckets around what there is."""
    array = np.asarray(values, np.float64).ravel()
    positive = _LEAST_LIMIT * _GROWTH ** np.arange(
        int(np.log(_LARGEST_LIMIT / _LEAST_LIMIT) / np.log(_GROWTH)) + 1
    )
    limits = np.concatenate((-positive[::-1], [0.0], positive, [np.finfo(np.float64).max]))
    counts = np.zeros(len(limits))
    np.add.at(counts, np.searchsorted(limits, array, side="left"), 1.0)
    filled = np.flatnonzero(counts)
    shown = slice(max(0, filled[0] - 1), filled[-1] + 1) if len(filled) else slice(0, 0)
    return histogram_proto_of(limits[shown], counts[shown], array)


def histogram_proto_of(
    limits: ArrayLike, counts: ArrayLike, values: ArrayLike = (), *, least: float = 0.0, largest: float = 0.0
) -> bytes:
    """A ``HistogramProto`` of these right limits and counts, which may differ in number.

    Minimum, maximum and sums are those of ``values``; without values ``least`` and ``largest``.
    """
    array = np.asarray(values, np.float64).ravel()
    if len(array):
        least, largest = float(array.min()), float(array.max())
    numbers = (least, largest, float(len(array)), float(array.sum()), float((array**2).sum()))
    body = b"".join(_double_field(number, value) for number, value in enumerate(numbers, 1))
    return body + message_field(6, _doubles(limits)) + message_field(7, _doubles(counts))


def mindspore_histogram(values: ArrayLike) -> bytes:
    """A ``Summary.Histogram`` as MindSpore writes it: buckets of equal width over what is finite."""
    array = np.asarray(values, np.float64).ravel()
    finite = array[np.isfinite(array)]
    count = min(_MOST_BUCKETS, -(-len(finite) // 10) + 1) if len(finite) else 1
    edges = np.linspace(finite.min(), finite.max(), count + 1) if len(finite) else np.zeros(2)
    if edges[0] == edges[-1]:
        edges = edges[[0, -1]]
        counts = np.array([len(finite)])
    else:
        counts = np.histogram(finite, edges)[0]
    return mindspore_histogram_of(edges[:-1], np.diff(edges), counts, array)


def mindspore_histogram_of(
    lefts: ArrayLike, widths: ArrayLike, counts: ArrayLike, values: ArrayLike = ()
) -> bytes:
    """A ``Summary.Histogram`` of these buckets; what it says beside them is said of ``values``."""
    array = np.asarray(values, np.float64).ravel()
    finite = array[np.isfinite(array)]
    rows = zip(np.ravel(lefts), np.ravel(widths), np.ravel(counts), strict=True)
    buckets = (
        _double_field(1, float(left)) + _double_field(2, float(width)) + int_field(3, int(n))
        for left, width, n in rows
    )
    odd = (np.isnan(array).sum(), np.isposinf(array).sum(), np.isneginf(array).sum())
    extremes = (finite.max(), finite.min(), finite.sum()) if len(finite) else (np.nan, np.nan, 0.0)
    return b"".join(
        [
            *(message_field(1, bucket) for bucket in buckets),
            *(int_field(number, int(count)) for number, count in enumerate(odd, 2)),
            *(_double_field(number, float(value)) for number, value in enumerate(extremes, 5)),
            int_field(8, len(array)),
        ]
    )


def histogram_tensor(values: ArrayLike, bins: int = 30) -> bytes:
    """float64[bins, 3] of left edge, right edge and count, as TensorFlow 2 writes it.

    Values that are all equal lie in the last bucket, and the others are empty; none at all are all zeros.
    """
    array = np.asarray(values, np.float64).ravel()
    if not len(array):
        return tensorflow_tensor(np.zeros((bins, 3)))
    if array.min() == array.max():
        edges = np.full((bins, 2), array.min())
        counts = np.append(np.zeros(bins - 1), len(array))
        return tensorflow_tensor(np.column_stack((edges, counts)))
    counts, limits = np.histogram(array, bins)
    return tensorflow_tensor(np.column_stack((limits[:-1], limits[1:], counts)))


def _double_field(number: int, value: float) -> bytes:
    return bytes([number << 3 | 1]) + struct.pack("<d", value)


def _doubles(values: ArrayLike) -> bytes:
    array: NDArray[np.float64] = np.asarray(values, "<f8")
    return array.tobytes()
