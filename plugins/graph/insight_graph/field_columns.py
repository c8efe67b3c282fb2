"""Reads the fields of many protobuf messages at once, as columns."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_record.formats.protobuf import LENGTH_DELIMITED, VARINT

try:
    from insight_graph import _byte_columns
except ImportError as error:
    raise NotCompiled("insight_graph._byte_columns") from error

_LONGEST_VARINT = 10  # bytes
_MOST_NUMBER = 7 * 9  # bits that are kept of a varint
_ALL = 1 << 62


@frozen(eq=False)
class FieldColumns:
    """Fields of messages, by message and in the order in which they are written.

    ``owners`` are indices of messages. ``keys`` are ``number << 3 | wire type``. ``firsts`` say where a field
    begins; ``starts`` and ``ends``, where its content lies. All are int64[fields]. ``broken``,
    bool[messages], marks messages that cannot be read.
    """

    owners: NDArray[np.int64]
    keys: NDArray[np.int64]
    firsts: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    broken: NDArray[np.bool_]

    @classmethod
    def of(cls, data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> FieldColumns:
        """The fields of the messages whose contents lie there, int64[messages]; none of a broken message.

        Raises IndexError for messages that are not within the data.
        """
        columns, broken = _fields_of(data, starts, ends)
        owners, keys, firsts, starts, ends = columns[:, ~broken[columns[0]]] if broken.any() else columns
        return cls(owners, keys, firsts, starts, ends, broken)

    @classmethod
    def beginning(cls, data: bytes, start: int, end: int, most: int) -> FieldColumns:
        """The first fields of one message, at most ``most``, up to where it is broken."""
        columns, broken = _fields_of(data, np.array([start]), np.array([end]), most)
        owners, keys, firsts, starts, ends = columns
        return cls(owners, keys, firsts, starts, ends, broken)

    def rows(self, number: int, wire_type: int = LENGTH_DELIMITED) -> NDArray[np.intp]:
        """Indices of the fields of one number, by message."""
        return np.flatnonzero(self.keys == (number << 3 | wire_type))

    def last(
        self, number: int, messages: NDArray[np.intp] | slice = slice(None)
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the content of a field that is not repeated lies, by message; 0 and 0 where it is missing.

        ``messages`` are indices of those that are wanted.
        """
        found = np.zeros((2, len(self.broken)), np.int64)
        rows = self.rows(number)  # the last one stays
        found[:, self.owners[rows]] = self.starts[rows], self.ends[rows]
        return found[0, messages], found[1, messages]

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


def _fields_of(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], most: int = _ALL
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """int64[5, fields]: the columns of FieldColumns, and bool[messages]: which messages are broken."""
    return _byte_columns.fields_of(data, np.ascontiguousarray(starts), np.ascontiguousarray(ends), most)


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
