"""Decodes PR curves: one tensor of counts, precision and recall at every threshold."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of

MOST_THRESHOLDS = 1_000_000
MOST_EXAMPLES = 1e15  # that float64 counts exactly
_ROWS = 6  # of the tensor: the counts in the order of PrCurve, precision, recall
_NUMBERS = "bfiu"  # kinds of numpy types
_ROUNDING = 1e-3  # of shares that a writer computed with few bits

Floats = NDArray[np.float64]
_NOT_NUMBERS = ReasonKind("pr_curves_not_numbers", "the tensor holds values of type {type}, not numbers")
_MANY = ReasonKind(
    "pr_curves_many", "the curve has {count:,} thresholds, of at most {most:,} that can be shown"
)


@frozen(eq=False)
class PrCurve:
    """Counts, precision and recall of one record at every threshold, ascending. Shape (thresholds,) each.

    Counts may be fractions, where examples have weights. Precision and recall are those that were recorded.
    Thresholds at the end at which nothing is predicted positive are left out, as TensorBoard does: precision
    is not defined there. ``recorded`` counts them, too.
    """

    thresholds: Floats
    true_positives: Floats
    false_positives: Floats
    true_negatives: Floats
    false_negatives: Floats
    precision: Floats
    recall: Floats
    recorded: int


def curve_of(payload: Payload) -> PrCurve:
    """Reads a tensor of shape (6, thresholds): TP, FP, TN, FN, precision, recall.

    Thresholds are even from 0 to 1.

    Raises ValueError for bytes that are not a tensor, another type or shape, and counts or shares out
    of range.
    """
    tensor = tensor_of(payload)
    if tensor.values.dtype.kind not in _NUMBERS:
        raise ValueError(_NOT_NUMBERS(type=tensor.dtype))
    if len(tensor.shape) != 2 or tensor.shape[0] != _ROWS or tensor.shape[1] == 0:
        shape = str(list(tensor.shape))
        text = f"the tensor has the shape {shape}, not [{_ROWS}, thresholds]"
        raise ValueError(Reason(text, "pr_curves_shape", shape=shape))
    recorded = tensor.shape[1]
    if recorded > MOST_THRESHOLDS:
        raise ValueError(_MANY(count=recorded, most=MOST_THRESHOLDS))
    with np.errstate(invalid="ignore"):  # signalling NaN
        rows = tensor.values.astype(np.float64)
    counts = rows[:4]
    if not ((counts >= 0) & (counts <= MOST_EXAMPLES)).all():
        text = f"a count is not a number from 0 to {MOST_EXAMPLES:.0e}"
        raise ValueError(Reason(text, "pr_curves_counts"))
    shares = rows[4:]
    if ((shares < -_ROUNDING) | (shares > 1 + _ROUNDING)).any():  # NaN is a gap
        raise ValueError(Reason("a precision or recall is not from 0 to 1", "pr_curves_shares"))
    predicted = np.flatnonzero(counts[0] + counts[1] > 0)
    end = int(predicted[-1]) + 1 if len(predicted) else 1
    tp, fp, tn, fn, precision, recall = rows[:, :end]
    return PrCurve(np.linspace(0.0, 1.0, recorded)[:end], tp, fp, tn, fn, precision, recall, recorded)
