"""Measures tensors: the same numbers as of histograms, exact, and the share of dead units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.layers.columns import MEASURED, NAN, NEG_INF, POS_INF, UNREADABLE, MeasuredRecords, moments
from insight_core.layers.names import Kind
from insight_core.plugin import Claim
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of

_CHANCE = 0.05  # that a living unit is zero for the whole batch


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
