"""Histograms with buckets of the user's choice, as ``HistogramProto``.

Which buckets are kept, and how they are merged: TensorFlow's histogram.cc, torch's ``make_histogram``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_record.arrays import is_small_float, numbers_of, snapshot
from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.protobuf import double_field, message_field
from insight_record.histograms import histogram_proto, histogram_proto_of, tensorflow_limits

_HISTO = 5  # of a value
_LIMITS, _COUNTS = 6, 7  # of a histogram


def histogram(tag: str, value: object, bins: Any, max_bins: int | None) -> EncodedValue:  # noqa: ANN401
    """A histogram of an array; no bucket counts values that are not finite.

    ``bins`` is "tensorflow", for buckets that grow by a tenth, or what ``numpy.histogram`` takes. More than
    ``max_bins`` buckets are merged. Raises ValueError for an empty array and invalid buckets, TypeError.
    """
    array = numbers_of(value)
    if is_small_float(array.dtype):
        array = array.astype(np.float32)
    if not array.size:
        raise ValueError("the array has no elements")
    if isinstance(bins, str) and bins == "tensorflow":
        bins = tensorflow_limits()[:-1]
        if max_bins is not None and max_bins < len(bins):
            return _encoded(tag, array, bins, max_bins)
        values = snapshot(array)
        return EncodedValue(
            tag, "summary", values.nbytes, lambda: [message_field(_HISTO, histogram_proto(values))]
        )
    return _encoded(tag, array, bins, max_bins)


def _encoded(tag: str, array: NDArray[Any], bins: Any, max_bins: int | None) -> EncodedValue:  # noqa: ANN401
    content = message_field(_HISTO, _counted(array.astype(np.float64).ravel(), bins, max_bins))
    return EncodedValue(tag, "summary", len(content), lambda: [content])


def _counted(values: NDArray[np.float64], bins: Any, max_bins: int | None) -> bytes:  # noqa: ANN401
    finite = values[np.isfinite(values)]
    if not len(finite):
        return histogram_proto_of([0.0], [0.0], values)
    counts, limits = np.histogram(finite, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = _merged(counts, limits, len(counts) // max_bins)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return histogram_proto_of([0.0], [0.0], values)
    first, end = int(filled[0]), int(filled[-1]) + 1
    shown = counts[first - 1 : end] if first else np.concatenate(([0], counts[:end]))  # one empty at the left
    return histogram_proto_of(limits[first : end + 1], shown, values)


def _merged(counts: NDArray[Any], limits: NDArray[Any], many: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Counts of ``many`` neighbours each, and their limits."""
    padded = np.pad(counts, (0, -len(counts) % many)) if len(counts) % many else counts
    return padded.reshape(-1, many).sum(axis=1), np.append(limits[:-1:many], limits[-1])


def raw_histogram(
    tag: str, statistics: tuple[float, float, float, float, float], limits: ArrayLike, counts: ArrayLike
) -> EncodedValue:
    """A histogram of given right limits and counts; the statistics are minimum, maximum, number, sum and sum
    of squares. Raises ValueError if limits and counts are not as many.
    """
    rights, numbers = (numbers_of(one).astype("<f8").ravel() for one in (limits, counts))
    if len(rights) != len(numbers):
        raise ValueError(f"there are {len(rights)} bucket_limits and {len(numbers)} bucket_counts")
    content = b"".join(double_field(number, float(one)) for number, one in enumerate(statistics, 1))
    content += message_field(_LIMITS, rights.tobytes()) + message_field(_COUNTS, numbers.tobytes())
    encoded = message_field(_HISTO, content)
    return EncodedValue(tag, "summary", len(encoded), lambda: [encoded])
