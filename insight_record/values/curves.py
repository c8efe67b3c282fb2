"""Precision-recall curves.

Counts and rates by threshold: tensorboard/plugins/pr_curve/summary.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import array_of, numbers_of
from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.protobuf import int_field
from insight_record.values.tensors import tensor_value

_MOST = 127  # thresholds
_THRESHOLDS = 2  # of the plugin data
_LEAST_COUNT = 1e-7  # instead of a division by 0


def curve(
    tag: str, labels: object, predictions: object, num_thresholds: int, weights: object = None
) -> EncodedValue:
    """A curve of labels (true or false) and predictions from 0 to 1, [n] each.

    Raises ValueError for predictions outside 0 to 1 and lengths that differ, TypeError for other types.
    """
    truth = numbers_of(labels).astype(np.float64).ravel()
    scores = numbers_of(predictions).astype(np.float64).ravel()
    if truth.shape != scores.shape:
        raise ValueError(f"there are {len(truth)} labels and {len(scores)} predictions")
    weight = np.float64(1) if weights is None else numbers_of(weights).astype(np.float64)
    thresholds = _thresholds(num_thresholds)
    bins = np.floor(scores * (thresholds - 1))

    def above(values: NDArray[np.float64]) -> NDArray[np.float64]:
        counted, _ = np.histogram(bins, bins=thresholds, range=(0, thresholds - 1), weights=values)
        return np.cumsum(counted[::-1])[::-1]

    true_positives, false_positives = above(truth * weight), above((1 - truth) * weight)
    true_negatives = false_positives[0] - false_positives
    false_negatives = true_positives[0] - true_positives
    precision = true_positives / np.maximum(_LEAST_COUNT, true_positives + false_positives)
    recall = true_positives / np.maximum(_LEAST_COUNT, true_positives + false_negatives)
    rows = (true_positives, false_positives, true_negatives, false_negatives, precision, recall)
    return _value(tag, np.stack(rows), thresholds)


def raw_curve(tag: str, rows: tuple[object, ...], num_thresholds: int) -> EncodedValue:
    """A curve of six rows by threshold.

    They are true positives, false positives, true negatives, false negatives, precision and recall.
    """
    return _value(tag, np.stack([array_of(row) for row in rows]), _thresholds(num_thresholds))


def _thresholds(number: int) -> int:
    if number < 2:
        raise ValueError(f"num_thresholds is 2 or more, not {number}")
    return min(int(number), _MOST)


def _value(tag: str, data: NDArray[np.floating], thresholds: int) -> EncodedValue:
    content = int_field(_THRESHOLDS, thresholds)
    return tensor_value(tag, data.astype(np.float32), "pr_curves", content=content)
