"""A text summary is a TensorProto of strings: this reads the strings."""

from __future__ import annotations

from collections.abc import Iterator

from insight_core.plugin.data import Payload

_STRING_VAL = 8  # field number in tensorflow/core/framework/tensor.proto
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5  # protobuf's wire types


# SKELETON: bytes of one value as they stand in the file -> what your routes want to work with
def texts_of(payload: Payload) -> list[str]:
    """Every string of the tensor; bytes that are not UTF-8 show as U+FFFD."""
    return [content.decode("utf-8", "replace") for content in _fields(payload.data, _STRING_VAL)]


def _fields(message: bytes, wanted: int) -> Iterator[bytes]:
    """The contents of all length-delimited fields of that number; ValueError for a broken message."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, wire_type = key >> 3, key & 7
        length = {_FIXED64: 8, _FIXED32: 4, _VARINT: 0}.get(wire_type)
        if wire_type in (_VARINT, _LENGTH):
            value, position = _varint(message, position)
            length = value if wire_type == _LENGTH else 0
        if length is None or position + length > len(message):
            raise ValueError(f"not a tensor: byte {position} of {len(message)} begins no field")
        if number == wanted and wire_type == _LENGTH:
            yield message[position : position + length]
        position += length


def _varint(message: bytes, position: int) -> tuple[int, int]:
    """A base-128 number and the position after it."""
    value = 0
    for shift, byte in enumerate(message[position : position + 10]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, position + shift + 1
    raise ValueError(f"not a tensor: the number at byte {position} of {len(message)} does not end")
