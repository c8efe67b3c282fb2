"""Parses protobuf messages of lineage files and hparams by field number."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from attrs import define

from insight_core.plugin import payloads as wire

Found: TypeAlias = tuple[int, int, int, int, int]  # as of wire.fields


@define(eq=False)  # not frozen, which takes longer to make: there is one for every value
class Message:
    """A message somewhere in ``data``. Fields of another wire type than asked for count as not there."""

    data: bytes
    fields: dict[int, list[Found]]

    @classmethod
    def at(cls, data: bytes, start: int = 0, end: int | None = None) -> Message:
        """Raises ValueError for malformed bytes."""
        fields: dict[int, list[Found]] = {}
        for found in wire.fields(data, start, end):
            number = found[0]
            if number in fields:
                fields[number].append(found)
            else:
                fields[number] = [found]
        return cls(data, fields)

    def messages(self, number: int) -> Iterator[Message]:
        """The messages in a repeated field."""
        for start, end in self._contents(number):
            yield Message.at(self.data, start, end)

    def within(self, number: int) -> Iterator[tuple[int, int, int]]:
        """Number, start and end of the messages and texts in the messages of a field."""
        for start, end in self._contents(number):
            for inner, kind, first, last, _ in wire.fields(self.data, start, end):
                if kind == wire.LENGTH_DELIMITED:
                    yield inner, first, last

    def message(self, number: int) -> Message | None:
        """The last one, None without any."""
        place = self._content(number)
        return None if place is None else Message.at(self.data, *place)

    def texts(self, number: int) -> list[str]:
        """Bytes that are not UTF-8 show as U+FFFD."""
        return [self._decoded(*place) for place in self._contents(number)]

    def text(self, number: int) -> str | None:
        """The text of the last occurrence of a field; None if absent."""
        place = self._content(number)
        return None if place is None else self._decoded(*place)

    def integers(self, number: int) -> list[int]:
        """One by one or packed."""
        values: list[int] = []
        for _, kind, start, end, value in self.fields.get(number, ()):
            if kind == wire.VARINT:
                values.append(wire.signed(value))
            elif kind == wire.LENGTH_DELIMITED:
                place = start
                while place < end:
                    packed, place = wire.varint(self.data, place, end)
                    values.append(wire.signed(packed))
        return values

    def integer(self, number: int) -> int | None:
        """The signed integer of the last occurrence of a field, packed or not; None if absent."""
        found = self.fields.get(number)
        if found is None:
            return None
        if found[-1][1] == wire.VARINT:
            return wire.signed(found[-1][4])
        values = self.integers(number)
        return values[-1] if values else None

    def floating(self, number: int) -> float | None:
        """A ``float`` or ``double``. A ``float`` is the shortest decimal number that it is: 0.01, not
        0.009999999776482582."""
        last = None
        for _, kind, start, _, _ in self.fields.get(number, ()):
            if kind == wire.FOUR_BYTES:
                last = _shortest(struct.unpack_from("<f", self.data, start)[0])
            elif kind == wire.EIGHT_BYTES:
                [last] = struct.unpack_from("<d", self.data, start)
        return last

    def floats(self, number: int) -> list[float]:
        """Of type ``float``, one by one or packed."""
        values: list[float] = []
        for _, kind, start, end, _ in self.fields.get(number, ()):
            if kind == wire.FOUR_BYTES or (kind == wire.LENGTH_DELIMITED and (end - start) % 4 == 0):
                values += map(_shortest, np.frombuffer(self.data, "<f4", (end - start) // 4, start).tolist())
        return values

    def entries(self, number: int) -> Iterator[tuple[str, Message]]:
        """Of a map from strings: each key and the entry, of which field 2 is the value."""
        for entry in self.messages(number):
            yield entry.text(1) or "", entry

    def _contents(self, number: int) -> list[tuple[int, int]]:
        found = self.fields.get(number, ())
        return [(start, end) for _, kind, start, end, _ in found if kind == wire.LENGTH_DELIMITED]

    def _content(self, number: int) -> tuple[int, int] | None:
        found = self.fields.get(number)
        if found is None:
            return None
        _, kind, start, end, _ = found[-1]
        if kind == wire.LENGTH_DELIMITED:
            return start, end
        places = self._contents(number)
        return places[-1] if places else None

    def _decoded(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")


def _shortest(value: float) -> float:
    return float(str(np.float32(value)))
