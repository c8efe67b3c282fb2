"""Reads numbers of protobuf messages one by one; many at once: ``reading.wire_columns``."""

from __future__ import annotations


def varint_at(data: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends; -1 where it is cut. Raises ValueError for one that is too long."""
    value = 0
    for place in range(10):
        if at + place >= len(data):
            return 0, -1
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError("a number has more than ten bytes")
