"""Fields of protobuf messages, as writers encode them.

A message is bytes, or where it may be long a list of pieces (``Pieces``) that are never joined: an array is
copied once, when it is taken, and not again for each message around it.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

Pieces: TypeAlias = list[bytes | memoryview]

_DOUBLE, _FLOAT = struct.Struct("<d"), struct.Struct("<f")


def varint(number: int) -> bytes:
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
    return varint(number << 3 | 2) + varint(len(content)) + content


def text_field(number: int, text: str) -> bytes:
    return message_field(number, text.encode())


def int_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def double_field(number: int, value: float) -> bytes:
    return varint(number << 3 | 1) + _DOUBLE.pack(value)


def float_field(number: int, value: float) -> bytes:
    """A float32; what is beyond its range becomes infinite."""
    return varint(number << 3 | 5) + float32(value)


def float32(value: float) -> bytes:
    try:
        return _FLOAT.pack(value)
    except OverflowError:
        return _FLOAT.pack(float("inf") if value > 0 else float("-inf"))


def size_of(pieces: Pieces) -> int:
    return sum(len(piece) for piece in pieces)


def pieces_field(number: int, content: Pieces) -> Pieces:
    """``message_field`` of what is not joined."""
    return [varint(number << 3 | 2) + varint(size_of(content)), *content]
