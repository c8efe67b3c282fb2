"""Many scalar events at once, vectorised: two million take seconds, not minutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_core.api import Dialect
from insight_core.testing import wire

Form: TypeAlias = Literal["simple", "tensor", "tensor64", "tf2"]

_METADATA = wire.metadata("scalars", 1)


def scalar_events(
    tags: Sequence[str],
    steps: ArrayLike,
    values: ArrayLike,
    wall_times: ArrayLike,
    *,
    dialect: Dialect = Dialect.TENSORBOARD,
    form: Form = "simple",
    first: bool = True,
) -> bytes:
    """Framed records, one event a value, step by step and within a step tag by tag.

    ``values`` is of shape (steps, tags). ``form`` "tensor" and "tensor64" are float and double tensors;
    ``first`` says that these are the first values of the tags and so carry metadata. "tf2" is as
    TensorFlow 2 writes: a float tensor, and the metadata behind it with every value.
    """
    step_column = np.asarray(steps, np.int64)
    wall_column = np.asarray(wall_times, np.float64)
    matrix = np.asarray(values, np.float64).reshape(len(step_column), len(tags))
    if form != "simple" and dialect is not Dialect.TENSORBOARD:
        raise ValueError("only the tensorboard dialect has tensor scalars")
    head = b""
    start = 0
    if form in ("tensor", "tensor64") and first and len(step_column):
        head = b"".join(
            wire.record(
                wire.event(
                    int(step_column[0]),
                    float(wall_column[0]),
                    wire.summary([_value(tag, number, dialect, form, wire.metadata("scalars", 1))]),
                )
            )
            for tag, number in zip(tags, matrix[0], strict=True)
        )
        start = 1
    return head + _block(tags, step_column[start:], matrix[start:], wall_column[start:], dialect, form)


def _value(tag: str, number: float, dialect: Dialect, form: Form, first: bytes = b"") -> bytes:
    if form == "simple":
        return wire.scalar_value(tag, number, dialect)
    if form == "tf2":
        return wire.tensor_value(tag, wire.number_tensor(number)) + _METADATA
    return wire.tensor_value(tag, wire.number_tensor(number, double=form == "tensor64"), first)


def _block(
    tags: Sequence[str],
    steps: NDArray[np.int64],
    values: NDArray[np.float64],
    wall_times: NDArray[np.float64],
    dialect: Dialect,
    form: Form,
) -> bytes:
    groups = list(_equal_varints(steps))
    lengths = np.zeros(values.shape, np.int64)
    rows: list[tuple[NDArray[np.intp], int, NDArray[np.uint8]]] = []
    for index, varints in groups:
        for column, tag in enumerate(tags):
            number = values[index, column]
            matrix = _records(tag, varints, number, wall_times[index], dialect, form)
            lengths[index, column] = matrix.shape[1]
            rows.append((index, column, matrix))
    ends = np.cumsum(lengths.ravel()).reshape(lengths.shape)
    out = np.empty(int(lengths.sum()), np.uint8)
    for index, column, matrix in rows:
        offsets = ends[index, column] - matrix.shape[1]
        out[offsets[:, None] + np.arange(matrix.shape[1])] = matrix
    return out.tobytes()


def _equal_varints(steps: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
    """Rows whose step takes equally many bytes, with these bytes."""
    unsigned = steps.astype(np.uint64)
    size = np.ones(len(steps), np.int64)
    for bits in range(7, 64, 7):
        size[unsigned >= np.uint64(1 << bits)] = bits // 7 + 1
    for length in np.unique(size):
        index = np.flatnonzero(size == length)
        shifts = np.arange(length, dtype=np.uint64) * np.uint64(7)
        digits = (unsigned[index, None] >> shifts) & np.uint64(0x7F)
        digits[:, :-1] |= np.uint64(0x80)
        yield index, digits.astype(np.uint8)


def _records(
    tag: str,
    varints: NDArray[np.uint8],
    numbers: NDArray[np.float64],
    wall_times: NDArray[np.float64],
    dialect: Dialect,
    form: Form,
) -> NDArray[np.uint8]:
    value_dtype = np.float64 if form == "tensor64" else np.float32
    body = wire.summary([_value(tag, 0.0, dialect, form)])
    width = np.dtype(value_dtype).itemsize
    behind = (
        len(_METADATA) if form == "tf2" else 0
    )  # of the number, which else is the last thing in the value
    with np.errstate(over="ignore"):
        raw = np.ascontiguousarray(numbers, value_dtype).view(np.uint8).reshape(-1, width)
    count = len(varints)
    step_end = 10 + varints.shape[1]
    payload = np.empty((count, step_end + len(body)), np.uint8)
    payload[:, 0] = 0x09
    payload[:, 1:9] = np.ascontiguousarray(wall_times).view(np.uint8).reshape(-1, 8)
    payload[:, 9] = 0x10
    payload[:, 10:step_end] = varints
    payload[:, step_end:] = np.frombuffer(body, np.uint8)
    number_end = payload.shape[1] - behind
    payload[:, number_end - width : number_end] = raw
    frame = np.frombuffer(wire.record(bytes(payload.shape[1]))[:12], np.uint8)
    rows = np.empty((count, payload.shape[1] + 16), np.uint8)
    rows[:, :12] = frame
    rows[:, 12:-4] = payload
    rows[:, -4:] = wire.masked_crc32c_rows(payload).view(np.uint8).reshape(-1, 4)
    return rows
