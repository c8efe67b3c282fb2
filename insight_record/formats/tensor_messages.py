"""Encodes arrays and strings as TensorFlow's ``TensorProto``.

Numbers of fields and types: tensor.proto, types.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.formats.dtypes import TENSORFLOW_NUMBERS
from insight_record.formats.protobuf import Pieces, int_field, message_field, pieces_field

_DTYPE, _SHAPE, _DIM, _SIZE, _CONTENT, _STRINGS = 1, 2, 2, 1, 4, 8


def tensorflow_head(dtype: str, shape: Sequence[int]) -> bytes:
    """Type and shape, the first fields of a ``TensorProto``."""
    dims = b"".join(message_field(_DIM, int_field(_SIZE, size)) for size in shape)
    return int_field(_DTYPE, TENSORFLOW_NUMBERS[dtype]) + message_field(_SHAPE, dims)


def tensorflow_tensor(array: NDArray[Any]) -> Pieces:
    """A tensor with its elements in ``tensor_content``."""
    return [tensorflow_head(array.dtype.name, array.shape), *pieces_field(_CONTENT, [bytes_of(array)])]


def string_tensor(strings: Iterable[bytes], shape: Sequence[int] | None = None) -> bytes:
    """A tensor of strings, of rank 1 by default."""
    listed = list(strings)
    head = tensorflow_head("string", [len(listed)] if shape is None else shape)
    return head + b"".join(message_field(_STRINGS, string) for string in listed)


def little_endian(array: NDArray[Any]) -> NDArray[Any]:
    """The bytes of the array in C order, little-endian."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def bytes_of(array: NDArray[Any]) -> memoryview:
    """The elements in C order, little-endian, as bytes."""
    return little_endian(array).reshape(-1).view(np.uint8).data
