"""Parses and encodes fields of protobuf messages.

Parsing copies nothing. An encoded message is bytes, or a list of pieces (``Pieces``) if it may be
long: pieces are never joined, so that an array is copied once and not again for each enclosing message.
The format is https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, TypeAlias

from insight_record.formats.reason import Reason, ReasonKind

VARINT, EIGHT_BYTES, LENGTH_DELIMITED, FOUR_BYTES = 0, 1, 2, 5  # wire types
ENDLESS = Reason("a varint does not end", "varint_endless")
_UINT64 = (1 << 64) - 1
_DOUBLE, _FLOAT = struct.Struct("<d"), struct.Struct("<f")

Pieces: TypeAlias = list[bytes | memoryview]
Buffer: TypeAlias = Any  # bytes, memoryview, or anything with len(), [i] and [a:b] of bytes
_FIELD_TYPE = ReasonKind("field_type", "the message has a field of wire type {kind}")


class Malformed(ValueError):
    """The bytes are not the expected protobuf message."""


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
    raise Malformed(ENDLESS)


def signed(value: int) -> int:
    """Converts an unsigned varint to ``int64``."""
    return value - (1 << 64) if value >> 63 else value


def fields(data: Buffer, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int, int]]:
    """``(number, wire type, start, end, varint)`` of each field of the message at ``data[start:end]``.

    ``start`` and ``end`` are those of the content, without key and length; ``varint`` is the value of a
    varint and 0 for other wire types. Raises Malformed for invalid bytes.
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
            raise Malformed(_FIELD_TYPE(kind=kind))
        if position > stop or number == 0:
            raise Malformed(Reason("a field runs over the end of its message", "field_too_long"))
        yield number, kind, content, position, value


# --- writing -------------------------------------------------------------------------------------------


def encoded_varint(number: int) -> bytes:
    """A protobuf varint; negative numbers take ten bytes, as ``int64`` does."""
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def message_field(number: int, content: bytes) -> bytes:
    """A length-delimited field: a message, a string or bytes."""
    return encoded_varint(number << 3 | 2) + encoded_varint(len(content)) + content


def text_field(number: int, text: str) -> bytes:
    """A string field, in UTF-8."""
    return message_field(number, text.encode())


def int_field(number: int, value: int) -> bytes:
    """A field of any integer type but sint and fixed."""
    return encoded_varint(number << 3) + encoded_varint(value)


def double_field(number: int, value: float) -> bytes:
    """A field of eight bytes."""
    return encoded_varint(number << 3 | 1) + _DOUBLE.pack(value)


def float_field(number: int, value: float) -> bytes:
    """A float32 field; values beyond its range become infinite."""
    return encoded_varint(number << 3 | 5) + float32(value)


def float32(value: float) -> bytes:
    """Four little-endian bytes; values beyond the range become infinite."""
    try:
        return _FLOAT.pack(value)
    except OverflowError:
        return _FLOAT.pack(float("inf") if value > 0 else float("-inf"))


def size_of(pieces: Pieces) -> int:
    """Total bytes of all pieces."""
    return sum(len(piece) for piece in pieces)


def pieces_field(number: int, content: Pieces) -> Pieces:
    """``message_field`` of pieces that are not joined."""
    return [encoded_varint(number << 3 | 2) + encoded_varint(size_of(content)), *content]
