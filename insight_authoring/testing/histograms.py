"""Bytes of histograms in either dialect: of values, as the frameworks count them, and of given buckets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from insight_authoring.testing.tensors import tensorflow_tensor
from insight_record.histograms import histogram_proto as histogram_proto
from insight_record.histograms import histogram_proto_of as histogram_proto_of
from insight_record.histograms import mindspore_histogram as mindspore_histogram
from insight_record.histograms import mindspore_histogram_of as mindspore_histogram_of


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
