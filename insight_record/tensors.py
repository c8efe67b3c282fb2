"""Encodes arrays as MindSpore's ``TensorProto``, and checks arrays for either dialect.

Numbers of fields and types: MindSpore's anf_ir.proto.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from insight_record.arrays import array_of, is_small_float, numbers_of
from insight_record.formats.dtypes import MINDSPORE_NUMBERS, TENSORFLOW_NUMBERS
from insight_record.formats.protobuf import Pieces, encoded_varint, int_field, message_field, pieces_field
from insight_record.formats.tensor_messages import bytes_of

_DIMS, _DATA_TYPE, _FLOAT_DATA = 1, 2, 3


def mindspore_head(dtype: str, shape: Sequence[int]) -> bytes:
    """The fields ``dims`` and ``data_type`` of MindSpore's TensorProto. Raises KeyError for another dtype."""
    dims = b"".join(encoded_varint(size) for size in shape)
    return (message_field(_DIMS, dims) if dims else b"") + int_field(_DATA_TYPE, MINDSPORE_NUMBERS[dtype])


def mindspore_tensor(array: NDArray[Any]) -> Pieces:
    """A tensor as MindSpore writes it: every type as float32 in ``float_data``, the only type that
    MindInsight reads.

    Small floats unknown to MindInsight are declared as float32, which represents them exactly.
    """
    dtype = "float32" if is_small_float(array.dtype) else array.dtype.name
    floats = bytes_of(array.astype("<f4"))
    return [mindspore_head(dtype, array.shape), *pieces_field(_FLOAT_DATA, [floats])]


def tensorflow_checked(value: object) -> NDArray[Any]:
    """An array for ``tensorflow_tensor``. Raises TypeError for a type that TensorBoard does not support."""
    array = array_of(value)
    if array.dtype.kind in "OSUMm" or array.dtype.name not in TENSORFLOW_NUMBERS:
        raise TypeError(f"TensorBoard has no tensors of {array.dtype}")
    return array


def mindspore_checked(value: object) -> NDArray[Any]:
    """An array for ``mindspore_tensor``. Raises TypeError for a type that MindSpore does not support."""
    array = numbers_of(value)
    if array.dtype.name not in MINDSPORE_NUMBERS and not is_small_float(array.dtype):
        raise TypeError(f"MindSpore has no tensors of {array.dtype}")
    return array
