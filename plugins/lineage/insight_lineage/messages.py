"""Fields of the messages of lineage files and hparams, by their numbers."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from insight_core.values import wire

Content = tuple[int, int]  # start and end of a field's content


def varints(data: bytes, content: Content, number: int) -> list[int]:
    """The values of a varint field, one by one or packed."""
    values: list[int] = []
    for found, kind, start, end, value in wire.fields(data, *content):
        if found == number and kind == wire.VARINT:
            values.append(wire.signed(value))
        elif found == number and kind == wire.LENGTH_DELIMITED:
            while start < end:
                value, start = wire.varint(data, start, end)
                values.append(wire.signed(value))
    return values


def messages(data: bytes, content: Content, number: int) -> Iterator[Content]:
    """Where the values of a message, string or bytes field are."""
    for found, kind, start, end, _ in wire.fields(data, *content):
        if found == number and kind == wire.LENGTH_DELIMITED:
            yield start, end


def message(data: bytes, content: Content, number: int) -> Content | None:
    """The last value of a field that has one; None without it."""
    last = None
    for last in messages(data, content, number):  # noqa: B007
        pass
    return last


def text(data: bytes, content: Content, number: int) -> str | None:
    place = message(data, content, number)
    return None if place is None else text_at(data, place)


def text_at(data: bytes, content: Content) -> str:
    """Bytes that are not UTF-8 show as U+FFFD."""
    return data[slice(*content)].decode("utf-8", "replace")


def integer(data: bytes, content: Content, number: int) -> int | None:
    values = varints(data, content, number)
    return values[-1] if values else None


def floating(data: bytes, content: Content, number: int) -> float | None:
    """A ``float`` or ``double``. A ``float`` is the shortest decimal number that it is: 0.01, not
    0.009999999776482582."""
    last = None
    for found, kind, start, _, _ in wire.fields(data, *content):
        if found == number and kind == wire.FOUR_BYTES:
            last = shortest(struct.unpack_from("<f", data, start)[0])
        elif found == number and kind == wire.EIGHT_BYTES:
            [last] = struct.unpack_from("<d", data, start)
    return last


def floats(data: bytes, content: Content, number: int) -> list[float]:
    """The values of a repeated ``float``, one by one or packed."""
    values: list[float] = []
    for found, kind, start, end, _ in wire.fields(data, *content):
        if found != number:
            continue
        if kind == wire.FOUR_BYTES or (kind == wire.LENGTH_DELIMITED and (end - start) % 4 == 0):
            values += map(shortest, np.frombuffer(data, "<f4", (end - start) // 4, start))
    return values


def shortest(value: float) -> float:
    return float(str(np.float32(value)))


def entries(data: bytes, content: Content, number: int) -> Iterator[tuple[str, Content]]:
    """Keys of a map from strings, and where the entry of each is; its value is field 2 of that."""
    for entry in messages(data, content, number):
        yield text(data, entry, 1) or "", entry
