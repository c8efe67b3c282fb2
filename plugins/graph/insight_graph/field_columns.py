"""Reads the fields of many protobuf messages at once, as columns.

All messages are parsed in lock-step: one numpy step takes the next field of every message that has one, so
that no message costs calls of the interpreter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.payloads import EIGHT_BYTES, FOUR_BYTES, LENGTH_DELIMITED, VARINT, Malformed, fields

_Column: TypeAlias = NDArray[np.int64]
_Rows: TypeAlias = tuple[_Column, _Column, _Column, _Column, _Column]  # owners, keys, firsts, starts, ends

_NONE: _Column = np.empty(0, np.int64)
_KNOWN = np.isin(np.arange(8), (VARINT, EIGHT_BYTES, LENGTH_DELIMITED, FOUR_BYTES))  # wire types
_FEW = 32  # messages that are parsed one by one
_LONGEST_VARINT = 10  # bytes
_MOST_NUMBER = 7 * 9  # bits that are kept of a varint


@frozen(eq=False)
class FieldColumns:
    """Fields of messages, those of one message in the order in which they are written.

    ``owners`` are indices of messages. ``keys`` are ``number << 3 | wire type``. ``firsts`` say where a field
    begins; ``starts`` and ``ends``, where its content lies. All are int64[fields]. ``broken``,
    bool[messages], marks messages that cannot be read; their fields are left out.
    """

    owners: NDArray[np.int64]
    keys: NDArray[np.int64]
    firsts: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    broken: NDArray[np.bool_]

    @classmethod
    def of(cls, data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> FieldColumns:
        """The fields of the messages whose contents lie there."""
        content = np.frombuffer(data, np.uint8)
        broken = np.zeros(len(starts), bool)
        parts: list[_Rows] = []
        owners = np.flatnonzero(starts < ends)
        at, stops = starts[owners], ends[owners]
        while len(owners) > _FEW:
            step = _next(content, at, stops)
            if not step.sound.all():
                broken[owners[~step.sound]] = True
                owners, at, stops = owners[step.sound], at[step.sound], stops[step.sound]
                step = step.of_sound()
            parts.append((owners, step.keys, at, step.starts, step.ends))
            left = step.ends < stops
            owners, at, stops = owners[left], step.ends[left], stops[left]
        for owner, first, stop in zip(owners.tolist(), at.tolist(), stops.tolist(), strict=True):
            rest = _rest(data, owner, first, stop)
            broken[owner] = rest is None
            parts += [rest] if rest is not None else []
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [_NONE] * 5
        if broken.any():
            readable = ~broken[columns[0]]
            columns = [column[readable] for column in columns]
        owners, keys, firsts, begins, stops = columns
        return cls(owners, keys, firsts, begins, stops, broken)

    def rows(self, number: int, wire_type: int = LENGTH_DELIMITED) -> NDArray[np.intp]:
        """Indices of the fields of one number, by message."""
        found = np.flatnonzero(self.keys == (number << 3 | wire_type))
        return found[np.argsort(self.owners[found], kind="stable")]

    def last(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the content of a field that is not repeated lies, by message; 0 and 0 where it is missing."""
        found = np.zeros((2, len(self.broken)), np.int64)
        rows = np.flatnonzero(self.keys == (number << 3 | LENGTH_DELIMITED))  # the last one stays
        found[:, self.owners[rows]] = self.starts[rows], self.ends[rows]
        return found[0], found[1]

    def numbers(self, data: bytes, number: int) -> NDArray[np.int64]:
        """The varint of a field that is not repeated, by message; 0 where it is missing."""
        rows = self.rows(number, VARINT)
        found = np.zeros(len(self.broken), np.int64)
        values, _, _ = _varints(np.frombuffer(data, np.uint8), self.starts[rows], self.ends[rows])
        found[self.owners[rows]] = values
        return found

    def places_in(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Of chosen fields, in order: which of its message each is, among these."""
        owners = self.owners[rows]
        return np.arange(len(rows)) - np.searchsorted(owners, owners)


def pieces_of(data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Iterator[bytes]:
    """The bytes that lie there."""
    return map(data.__getitem__, map(slice, starts.tolist(), ends.tolist()))


def content_starts(data: bytes, firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the contents of sound length-delimited fields begin."""
    content = np.frombuffer(data, np.uint8)
    _, sizes_at, _ = _varints(content, firsts, ends)
    return _varints(content, sizes_at, ends)[1]


@frozen(eq=False)
class _Step:
    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    sound: NDArray[np.bool_]

    def of_sound(self) -> _Step:
        sound = self.sound
        return _Step(self.keys[sound], self.starts[sound], self.ends[sound], sound[sound])


def _next(content: NDArray[np.uint8], at: NDArray[np.int64], stops: NDArray[np.int64]) -> _Step:
    """The fields that begin at these places."""
    keys, starts, sound = _varints(content, at, stops)
    wire_types = keys & 7
    ends = starts.copy()
    sized = np.flatnonzero(wire_types == LENGTH_DELIMITED)
    sizes, starts[sized], complete = _varints(content, starts[sized], stops[sized])
    ends[sized] = starts[sized] + sizes
    sound[sized] &= complete
    whole = np.flatnonzero(wire_types == VARINT)
    if len(whole):
        _, ends[whole], complete = _varints(content, starts[whole], stops[whole])
        sound[whole] &= complete
    ends[wire_types == EIGHT_BYTES] += 8
    ends[wire_types == FOUR_BYTES] += 4
    sound &= _KNOWN[wire_types] & (keys >> 3 > 0) & (ends <= stops) & (ends >= starts)
    return _Step(keys, starts, ends, sound)


def _varints(
    content: NDArray[np.uint8], at: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Values, the places after them, and which of them end within their message."""
    if not len(content):
        return np.zeros(len(at), np.int64), at.copy(), np.zeros(len(at), bool)
    octets = content.take(at, mode="clip").astype(np.int64)
    values, after = octets & 0x7F, at + 1
    longer = np.flatnonzero(octets > 0x7F)
    shift = 7
    while len(longer) and shift < 7 * _LONGEST_VARINT:
        octets = content.take(after[longer], mode="clip").astype(np.int64)
        if shift < _MOST_NUMBER:
            values[longer] |= (octets & 0x7F) << shift
        else:
            values[longer] |= (octets & 1) << shift
        after[longer] += 1
        longer = longer[octets > 0x7F]
        shift += 7
    sound = after <= stops
    sound[longer] = False
    return values, after, sound


def _rest(data: bytes, owner: int, first: int, stop: int) -> _Rows | None:
    """The fields of one message; None if it cannot be read."""
    found = []
    try:
        for number, wire_type, start, end, _ in fields(data, first, stop):
            found.append((owner, number << 3 | wire_type, first, start, end))
            first = end
    except Malformed:
        return None
    owners, keys, firsts, starts, ends = np.array(found, np.int64).reshape(-1, 5).T
    return owners, keys, firsts, starts, ends
