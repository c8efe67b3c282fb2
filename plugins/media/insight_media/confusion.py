"""Confusion matrices: counts of examples by true and predicted class, and measures of each class."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_media.item import parsed

MOST_CLASSES = 500
_MOST_BYTES = 32 << 20

Floats = NDArray[np.float64]
_MANY_CLASSES = ReasonKind(
    "media_many_classes", "the matrix has {count:,} classes, of at most {most} that can be shown"
)
_LABELS = ReasonKind("media_labels", "the matrix has {count} classes, and 'labels' is not a list of so many")


@frozen(eq=False)
class ConfusionMatrix:
    """Counts by true class (rows) and predicted class (columns). Shape (classes, classes)."""

    labels: tuple[str, ...]
    counts: Floats


@frozen(eq=False)
class Measures:
    """Accuracy and, by class, precision, recall, F1 and the number of examples. Shape (classes,) each.

    As scikit-learn's ``classification_report``: 0 where a class has no examples, or is never predicted.
    """

    accuracy: float
    precision: Floats
    recall: Floats
    f1: Floats
    support: Floats


def confusion_matrix_of(content: bytes) -> ConfusionMatrix:
    """Reads ``{"matrix": [[...], ...], "labels": [...]}``; labels may be absent.

    Raises ValueError with a Reason for anything else, and for more than MOST_CLASSES classes.
    """
    value = parsed(content, _MOST_BYTES)
    rows = value.get("matrix") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not rows:
        raise ValueError(Reason("the JSON has no list of rows 'matrix'", "media_no_matrix"))
    if len(rows) > MOST_CLASSES:
        raise ValueError(_MANY_CLASSES(count=len(rows), most=MOST_CLASSES))
    if any(not isinstance(row, list) or len(row) != len(rows) for row in rows):
        raise ValueError(Reason("the matrix is not square", "media_not_square"))
    if any(isinstance(count, bool) or not isinstance(count, int | float) for row in rows for count in row):
        raise ValueError(Reason("a count is negative or not a finite number", "media_counts"))
    try:
        counts = np.array(rows, np.float64)
    except OverflowError:
        counts = np.array([[np.inf]])
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError(Reason("a count is negative or not a finite number", "media_counts"))
    labels = value.get("labels") or list(range(len(rows)))
    if not isinstance(labels, list) or len(labels) != len(rows):
        raise ValueError(_LABELS(count=len(rows)))
    return ConfusionMatrix(tuple(str(label) for label in labels), counts)


def measures_of(matrix: ConfusionMatrix) -> Measures:
    """Accuracy, precision, recall and F1 of the counts."""
    counts = matrix.counts
    right, support, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    total = counts.sum()
    return Measures(
        float(right.sum() / total) if total else 0.0,
        _share(right, predicted),
        _share(right, support),
        _share(2 * right, support + predicted),
        support,
    )


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
