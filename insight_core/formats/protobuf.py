"""Fields of a protobuf message, found where they lie: nothing is copied.

The format is https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

VARINT, EIGHT_BYTES, LENGTH_DELIMITED, FOUR_BYTES = 0, 1, 2, 5  # wire types
_UINT64 = (1 << 64) - 1

Buffer: TypeAlias = Any  # bytes, memoryview, or anything with len(), [i] and [a:b] of bytes


class Malformed(ValueError):
    """The bytes are not the protobuf message that they should be."""


def varint(data: Buffer, position: int, end: int) -> tuple[int, int]:
    """The unsigned varint at ``position``, and the position after it. Raises Malformed."""
    result = shift = 0
    while position < end:
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & _UINT64, position
        shift += 7
        if shift > 63:
            break
    raise Malformed("a varint does not end")


def signed(value: int) -> int:
    """An unsigned varint as ``int64`` has it."""
    return value - (1 << 64) if value >> 63 else value


def fields(data: Buffer, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int, int]]:
    """``(number, wire type, start, end, varint)`` of each field of the message at ``data[start:end]``.

    ``start`` and ``end`` are those of the content, without key and length; ``varint`` is the value of a
    varint and 0 for other wire types. Raises Malformed where the bytes are no message.
    """
    position = start
    stop = len(data) if end is None else end
    while position < stop:
        key = data[position]  # most keys and lengths are one byte
        position += 1
        if key > 0x7F:
            key, position = varint(data, position - 1, stop)
        number, kind = key >> 3, key & 7
        content, value = position, 0
        if kind == LENGTH_DELIMITED:
            size = data[position] if position < stop else 0x80
            content += 1
            if size > 0x7F:
                size, content = varint(data, position, stop)
            position = content + size
        elif kind == VARINT:
            value, position = varint(data, position, stop)
        elif kind == EIGHT_BYTES:
            position += 8
        elif kind == FOUR_BYTES:
            position += 4
        else:
            raise Malformed(f"the message has a field of wire type {kind}")
        if position > stop or number == 0:
            raise Malformed("a field runs over the end of its message")
        yield number, kind, content, position, value
