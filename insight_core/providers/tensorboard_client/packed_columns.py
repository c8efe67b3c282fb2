"""The packed columns of TensorBoard's ScalarData as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_core.rpc.schema import packed_scalars_pb2 as packed

Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float32]]


def scalar_columns(data: packed.ScalarData) -> Columns:
    """Steps, wall times and values. Raises ValueError when they differ in length."""
    steps = packed_varints(data.step)
    wall_times = np.frombuffer(data.wall_time, "<f8")
    values = np.frombuffer(data.value, "<f4")
    if not len(steps) == len(wall_times) == len(values):
        raise ValueError(f"columns of {len(steps)} steps, {len(wall_times)} times, {len(values)} values")
    return steps, wall_times, values


def packed_varints(data: bytes) -> NDArray[np.int64]:
    """The int64 numbers that protobuf wrote as varints, one after another."""
    digits = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(digits < 0x80)
    if not len(ends) or ends[-1] != len(digits) - 1:
        if len(digits):
            raise ValueError("a varint does not end")
        return np.zeros(0, np.int64)
    if len(ends) == len(digits):  # every number is one digit
        return digits.astype(np.int64)
    starts = np.empty_like(ends)
    starts[0], starts[1:] = 0, ends[:-1] + 1
    place = np.arange(len(digits)) - np.repeat(starts, ends - starts + 1)  # of a digit in its number
    if place.max() > 9:
        raise ValueError("a varint does not end")
    parts = (digits & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.add.reduceat(parts, starts).view(np.int64)
