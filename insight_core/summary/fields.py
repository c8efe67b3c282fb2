"""Fields of protobuf messages, as writers encode them."""

from __future__ import annotations


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


def int_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)
