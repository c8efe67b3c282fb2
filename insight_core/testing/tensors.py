"""Bytes of a ``TensorProto`` in either dialect, from numpy arrays, so that tests can also build broken ones.

Numbers of fields and types: TensorFlow's tensor.proto and types.proto, MindSpore's anf_ir.proto.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_core.testing.wire import int_field, message_field, varint

TENSORFLOW_TYPES = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "qint8": 11,
    "quint8": 12,
    "qint32": 13,
    "bfloat16": 14,
    "qint16": 15,
    "quint16": 16,
    "uint16": 17,
    "complex128": 18,
    "float16": 19,
    "uint32": 22,
    "uint64": 23,
}
MINDSPORE_TYPES = {
    "bool": 1,
    "int8": 2,
    "int16": 3,
    "int32": 4,
    "int64": 5,
    "uint8": 6,
    "uint16": 7,
    "uint32": 8,
    "uint64": 9,
    "float16": 10,
    "float32": 11,
    "float64": 12,
    "string": 13,
    "bfloat16": 47,
}
# Of TensorFlow's typed fields: which one, and whether numbers are varints or lie there as in memory.
_INT_VAL, _FLOAT_VAL, _DOUBLE_VAL, _STRING_VAL = 7, 5, 6, 8
_VARINTS = {
    **dict.fromkeys(("int32", "int16", "int8", "uint8", "uint16"), _INT_VAL),
    **dict.fromkeys(("qint8", "quint8", "qint16", "quint16", "qint32"), _INT_VAL),
    **dict.fromkeys(("float16", "bfloat16"), 13),  # their bits
    "int64": 10,
    "bool": 11,
    "uint32": 16,
    "uint64": 17,
}
_FIXED = {"float32": _FLOAT_VAL, "float64": _DOUBLE_VAL, "complex64": 9, "complex128": 12}


def tensorflow_tensor(
    values: ArrayLike,
    *,
    dtype: str | None = None,
    shape: Sequence[int] | None = None,
    typed: bool = False,
    count: int | None = None,
) -> bytes:
    """The elements in ``tensor_content``, or with ``typed`` in the field of their type.

    ``dtype`` and ``shape`` are written in place of those of the array: the bits of a bfloat16 are a
    uint16. With ``count`` only so many typed elements are written: the last stands for all that follow.
    Strings are always typed.
    """
    array = np.asarray(values)
    name = dtype or _name_of(array)
    dims = b"".join(
        message_field(2, int_field(1, size)) for size in (array.shape if shape is None else shape)
    )
    head = int_field(1, TENSORFLOW_TYPES[name]) + message_field(2, dims)
    flat = array.reshape(-1)[:count]
    if name == "string":
        return head + b"".join(message_field(_STRING_VAL, _as_bytes(text)) for text in flat.tolist())
    if not typed:
        return head + message_field(4, _little(flat).tobytes())
    if name in _FIXED:
        return head + message_field(_FIXED[name], _little(flat).tobytes())
    numbers = flat.view(np.uint16) if name in ("float16", "bfloat16") else flat
    return head + message_field(_VARINTS[name], b"".join(varint(int(number)) for number in numbers.tolist()))


def mindspore_tensor(
    values: ArrayLike, *, dtype: str | None = None, shape: Sequence[int] | None = None, raw: bool = False
) -> bytes:
    """As MindSpore writes it: every type as float32 in ``float_data``; ``raw``: as it is, in ``raw_data``."""
    array = np.asarray(values)
    dims = b"".join(varint(size) for size in (array.shape if shape is None else shape))
    head = message_field(1, dims) if dims else b""
    head += int_field(2, MINDSPORE_TYPES[dtype or _name_of(array)])
    if raw:
        return head + message_field(8, _little(array).tobytes())
    return head + message_field(3, array.astype("<f4").tobytes())


def _name_of(array: NDArray[np.generic]) -> str:
    return "string" if array.dtype.kind in "SUO" else array.dtype.name


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _little(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
