"""Numbers about records by column, and those of tensors: exact, with the share of dead units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Claim
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of
from insight_layers.names import Kind, Measure

MEASURED: tuple[Measure, ...] = ("nonfinite", "mean", "std", "size", "zeros", "dead")  # Columns of a record.
NAN, POS_INF, NEG_INF, UNREADABLE = 1, 2, 4, 8  # Flags of a record.
NOT_FINITE = NAN | POS_INF | NEG_INF
_CHANCE = 0.05  # that a living unit is zero for the whole batch

Floats = NDArray[np.float64]


@frozen(eq=False)
class MeasuredRecords:
    """What records say. NaN: not known.

    ``numbers`` is float64[records, MEASURED]: how many values are NaN or infinite; mean, standard deviation
    (of the population) and root mean square of the finite values; the share of zeros, and of dead units.
    ``flags`` is uint8[records].
    """

    numbers: Floats
    flags: NDArray[np.uint8]

    @classmethod
    def empty(cls, count: int) -> MeasuredRecords:
        """Records of which nothing is known."""
        return cls(np.full((count, len(MEASURED)), np.nan), np.zeros(count, np.uint8))

    @classmethod
    def joined(cls, parts: Sequence[MeasuredRecords]) -> MeasuredRecords:
        """The records of all parts, in order."""
        none = cls.empty(0)
        return cls(
            np.concatenate([none.numbers, *(part.numbers for part in parts)]),
            np.concatenate([none.flags, *(part.flags for part in parts)]),
        )


def moments(total: Floats, sums: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, standard deviation and root mean square of ``total`` values; NaN where there are none."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean, square = sums / total, squares / total
        return mean, np.sqrt(np.maximum(square - mean * mean, 0)), np.sqrt(square)


def measured_tensors(claim: Claim, payloads: Sequence[bytes], kind: Kind) -> MeasuredRecords:
    """What tensors of one claim say; those that cannot be read, or hold no numbers, are UNREADABLE."""
    return MeasuredRecords.joined([_one(Payload(data, claim), kind) for data in payloads])


def _one(payload: Payload, kind: Kind) -> MeasuredRecords:
    found = MeasuredRecords.empty(1)
    try:
        values = tensor_of(payload).values
    except ValueError:
        values = np.empty(0, object)
    if values.dtype.kind not in "fiub" and values.dtype.name != "bfloat16":
        found.flags[0] = UNREADABLE
        return found
    return measured_values(values, kind)


def measured_values(values: NDArray[Any], kind: Kind) -> MeasuredRecords:
    """One row of numbers about an array.

    Dead units are those of the last axis of an activation of two or three axes (batch, units) or (batch,
    positions, units) whose values are all zero. They are not known where the batch is so small that units
    which are as often zero as the others are so by chance.
    """
    found = MeasuredRecords.empty(1)
    wide = values.astype(np.float64)
    finite = np.isfinite(wide)
    found.flags[0] = (
        (NAN if np.isnan(wide).any() else 0)
        | (POS_INF if np.isposinf(wide).any() else 0)
        | (NEG_INF if np.isneginf(wide).any() else 0)
    )
    known = wide[finite]
    with np.errstate(over="ignore"):
        sums = np.array([known.sum()]), np.array([np.dot(known, known)])
    mean, std, size = moments(np.array([float(known.size)]), *sums)
    if known.size:
        std = np.array([known.std()])
    zeros = float(np.mean(wide == 0)) if wide.size else np.nan
    dead = np.nan
    if kind == "activation" and wide.ndim in (2, 3) and wide.shape[0] > 1 and wide.size:
        is_dead = (wide == 0).all(axis=tuple(range(wide.ndim - 1)))
        living = wide.reshape(-1, wide.shape[-1])[:, ~is_dead]
        chance = float(np.mean(living == 0)) ** len(living) if living.size else 0.0
        if chance < _CHANCE:
            dead = float(is_dead.mean())
    found.numbers[0] = (wide.size - known.size, mean[0], std[0], size[0], zeros, dead)
    assert len(MEASURED) == 6
    return found
