"""Bytes of tensors and histograms in either dialect, as the frameworks write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_authoring.testing.wire import encoded_varint, message_field
from insight_record.formats.dtypes import MINDSPORE_NUMBERS as MINDSPORE_NUMBERS
from insight_record.formats.dtypes import TENSORFLOW_NUMBERS as TENSORFLOW_NUMBERS
from insight_record.formats.tensor_messages import little_endian, string_tensor, tensorflow_head
from insight_record.histograms import histogram_proto as histogram_proto
from insight_record.histograms import histogram_proto_of as histogram_proto_of
from insight_record.histograms import mindspore_histogram as mindspore_histogram
from insight_record.histograms import mindspore_histogram_of as mindspore_histogram_of
from insight_record.tensors import mindspore_head

# Of TensorFlow's typed fields: which one, and whether numbers are varints or lie there as in memory.
_INT_VAL, _FLOAT_VAL, _DOUBLE_VAL = 7, 5, 6
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
    written_shape = array.shape if shape is None else shape
    flat = array.reshape(-1)[:count]
    if name == "string":
        return string_tensor([_as_bytes(text) for text in flat.tolist()], written_shape)
    head = tensorflow_head(name, written_shape)
    if not typed:
        return head + message_field(4, little_endian(flat).tobytes())
    if name in _FIXED:
        return head + message_field(_FIXED[name], little_endian(flat).tobytes())
    numbers = flat.view(np.uint16) if name in ("float16", "bfloat16") else flat
    return head + message_field(
        _VARINTS[name], b"".join(encoded_varint(int(number)) for number in numbers.tolist())
    )


def mindspore_tensor(
    values: ArrayLike, *, dtype: str | None = None, shape: Sequence[int] | None = None, raw: bool = False
) -> bytes:
    """As MindSpore writes it: every type as float32 in ``float_data``; ``raw``: as it is, in ``raw_data``."""
    array = np.asarray(values)
    head = mindspore_head(dtype or _name_of(array), array.shape if shape is None else shape)
    if raw:
        return head + message_field(8, little_endian(array).tobytes())
    return head + message_field(3, array.astype("<f4").tobytes())


def _name_of(array: NDArray[np.generic]) -> str:
    return "string" if array.dtype.kind in "SUO" else array.dtype.name


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def histogram_tensor(values: ArrayLike, bins: int = 30) -> bytes:
    """float64[bins, 3] of left edge, right edge and count, as TensorFlow 2 writes it.

    Values that are all equal lie in the last bucket, and the others are empty; none at all are all zeros.
    """
    array = np.asarray(values, np.float64).ravel()
    if not len(array):
        return tensorflow_tensor(np.zeros((bins, 3)))
    if array.min() == array.max():
        edges = np.full((bins, 2), array.min())
        counts = np.append(np.zeros(bins - 1), len(array))
        return tensorflow_tensor(np.column_stack((edges, counts)))
    counts, limits = np.histogram(array, bins)
    return tensorflow_tensor(np.column_stack((limits[:-1], limits[1:], counts)))
