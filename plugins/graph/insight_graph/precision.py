"""Compares the statistics of tensors in two dumps: where two runs begin to compute differently."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_graph.tensor_statistics import COUNTS, VALUES, TensorStatistics


@frozen(eq=False)
class Precision:
    """``pairs``, int64[2, pairs], are rows of both dumps with one tensor, in the order of the second.

    ``differences`` is float64[pairs]: the largest relative difference of a statistic. Maximum, minimum and
    mean are divided by the largest absolute value of the tensor in both dumps: means close to zero and minima
    of activations would otherwise differ by rounding alone. A norm is divided by the larger of the two. It is
    infinite where one alone is NaN or infinite, or where the numbers of such values differ.
    """

    before: TensorStatistics
    after: TensorStatistics
    pairs: NDArray[np.int64]
    differences: NDArray[np.float64]

    @classmethod
    def of(cls, before: TensorStatistics, after: TensorStatistics) -> Precision:
        """Pairs tensors by operator, input or output, slot, and order of its calls."""
        rows = {key: row for row, key in enumerate(before.keys)}
        found = [(rows[key], row) for row, key in enumerate(after.keys) if key in rows]
        pairs = np.array(found, np.int64).reshape(-1, 2).T
        differences = np.zeros(pairs.shape[1])
        extremes = [
            np.abs(dump.values[name][rows])
            for dump, rows in zip((before, after), pairs, strict=True)
            for name in ("max", "min")
        ]
        peaks = np.max([np.where(np.isfinite(one), one, 0) for one in extremes], axis=0)
        for name in VALUES:
            one, two = before.values[name][pairs[0]], after.values[name][pairs[1]]
            apart = relative(one, two, np.zeros_like(peaks) if name == "norm" else peaks)
            differences = np.maximum(differences, apart)
        for name in COUNTS:
            one, two = before.counts[name][pairs[0]], after.counts[name][pairs[1]]
            differences[(one != two) & ~np.isnan(one) & ~np.isnan(two)] = np.inf
        return cls(before, after, pairs, differences)

    def answer(self, tolerance: float, *, differing: bool, offset: int, limit: int) -> dict[str, Any]:
        """What ``/precision`` answers: tensors as they were computed, all or those beyond ``tolerance``."""
        beyond = self.differences > tolerance
        rows = np.flatnonzero(beyond) if differing else np.arange(len(beyond))
        count = len(beyond)
        first = int(np.argmax(beyond)) if beyond.any() else None
        return {
            "compared": count,
            "beyond": int(beyond.sum()),
            "before_only": len(self.before.keys) - count,
            "after_only": len(self.after.keys) - count,
            "first": None if first is None else self._described(first),
            "total": len(rows),
            "offset": offset,
            "tensors": [self._described(row) for row in rows[offset : offset + limit].tolist()],
        }

    def _described(self, row: int) -> dict[str, Any]:
        one, two = self.pairs[:, row].tolist()
        name, side, slot, call = self.after.keys[two]
        return {
            "name": name,
            "type": self.after.types[two],
            "side": side,
            "slot": slot,
            "call": call,
            "dtype": [self.before.dtypes[one], self.after.dtypes[two]],
            "shape": [self.before.shapes[one], self.after.shapes[two]],
            "values": {
                key: [float(self.before.values[key][one]), float(self.after.values[key][two])]
                for key in VALUES
            },
            "counts": {
                key: [float(self.before.counts[key][one]), float(self.after.counts[key][two])]
                for key in COUNTS
            },
            "difference": float(self.differences[row]),
        }


def relative(
    one: NDArray[np.float64], two: NDArray[np.float64], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """|a - b| / scale, at least max(|a|, |b|) if that is finite; 0 for equal numbers and two NaN.

    Infinite where one alone is NaN or infinite.
    """
    largest = np.maximum(np.maximum(np.abs(one), np.abs(two)), scale)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.abs(one - two) / largest
    found[(one == two) | (np.isnan(one) & np.isnan(two))] = 0
    found[np.isnan(found)] = np.inf
    return found
