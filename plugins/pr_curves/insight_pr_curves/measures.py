"""Measures of a whole curve: average precision, the area under ROC, and the best F1."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_core.plugin import Reason
from insight_pr_curves.decoder import Floats, PrCurve

_SAME = 1e-3  # share by which the number of positives may differ between thresholds: counts are float32

_NO_TOTALS = Reason(
    "TP + FN or FP + TN is not the same at every threshold, so the counts give no ROC curve",
    "pr_curves_totals",
)
_ONE_CLASS = Reason("all examples are of one class, which gives no ROC curve", "pr_curves_one_class")


@frozen
class BestF1:
    """The largest F1 of a curve, and the smallest threshold that has it."""

    f1: float
    threshold: float


def average_precision(curve: PrCurve) -> float | None:
    """The sum over thresholds of precision times the recall that the next one loses; None without values.

    It is the average precision of scikit-learn (no interpolation), for scores rounded down to the thresholds.
    """
    known = np.isfinite(curve.precision) & np.isfinite(curve.recall)
    if not known.any():
        return None
    precision, recall = curve.precision[known], curve.recall[known]
    return float(np.sum((recall - np.append(recall[1:], 0.0)) * precision))


def roc(curve: PrCurve) -> tuple[Floats, Floats]:
    """False and true positive rate at every threshold. Shape (thresholds,) each.

    Raises ValueError with a Reason if the counts give none.
    """
    positives = curve.true_positives + curve.false_negatives
    negatives = curve.false_positives + curve.true_negatives
    if positives.max() == 0 or negatives.max() == 0:
        raise ValueError(_ONE_CLASS)
    if not (_is_constant(positives) and _is_constant(negatives)):
        raise ValueError(_NO_TOTALS)
    return curve.false_positives / negatives, curve.true_positives / positives


def roc_area(false_rate: Floats, true_rate: Floats) -> float:
    """The area under the ROC curve by the trapezoidal rule, from (0, 0) to (1, 1)."""
    x = np.concatenate([[1.0], false_rate, [0.0]])
    y = np.concatenate([[1.0], true_rate, [0.0]])
    return float(np.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2))


def f1_scores(curve: PrCurve) -> Floats:
    """2 TP / (2 TP + FP + FN) at every threshold, 0 where there is neither. Shape (thresholds,)."""
    doubled = 2 * curve.true_positives
    total = doubled + curve.false_positives + curve.false_negatives
    return np.divide(doubled, total, out=np.zeros_like(total), where=total > 0)


def best_f1(curve: PrCurve) -> BestF1:
    """The threshold to choose if precision and recall count the same."""
    scores = f1_scores(curve)
    best = int(np.argmax(scores))
    return BestF1(float(scores[best]), float(curve.thresholds[best]))


def _is_constant(totals: Floats) -> bool:
    return bool(totals.max() - totals.min() <= _SAME * totals.max())
