"""Reads the submessages of a long message a few at a time.

A graph of a million nodes as messages would take several times the bytes of its file. What stays are the
bytes, and where each piece lies in them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.payloads import LENGTH_DELIMITED, Malformed, fields
from insight_graph.field_columns import FieldColumns, content_starts
from insight_graph.messages import parsed

MOST_MESSAGES = 2_000_000  # of a graph; a million nodes take 0.3 GB and 7 s
_MOST_AT_ONCE = 1024  # messages
_BYTES_AT_ONCE = 4 << 20
_MESSAGES_IN_STEP = 1 << 16  # that are parsed as columns: a field takes 40 bytes


@frozen(eq=False)
class Places:
    """Where the fields of one number lie, with their keys; ``message`` and ``field`` are what reads them."""

    message: str
    field: str
    starts: array[int]
    ends: array[int]

    def contents(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where the contents lie."""
        return (_content(data, start) for start in self.starts)

    def bytes(self, data: bytes) -> bytes:
        """All of them, keys too."""
        return b"".join(data[start:end] for start, end in zip(self.starts, self.ends, strict=True))


@frozen(eq=False)
class Pieces:
    """Fields of a message; ``broken`` says why it ends before its end, if it does."""

    data: bytes
    places: Mapping[int, Places]
    broken: str

    @classmethod
    def of(
        cls, message: str, wanted: Mapping[int, str], data: bytes, start: int = 0, end: int = -1
    ) -> Pieces:
        """``wanted``: names of repeated fields by number. Raises ValueError for more than MOST_MESSAGES."""
        places = {number: Places(message, field, array("q"), array("q")) for number, field in wanted.items()}
        wanted_keys = {number << 3 | LENGTH_DELIMITED: one for number, one in places.items()}
        broken = ""
        stop = len(data) if end < 0 else end
        before, left = start, MOST_MESSAGES
        try:
            while before < stop:
                run = _run(data, before, stop, left) if data[before] in wanted_keys else []
                if not run:
                    number, wire_type, _, after, _ = next(fields(data, before, stop))
                    run, key = [after], number << 3 | wire_type
                else:
                    key = data[before]
                if key in wanted_keys:
                    left -= len(run)
                    wanted_keys[key].starts.extend((before, *run[:-1]))
                    wanted_keys[key].ends.extend(run)
                if left < 0:
                    text = f"the graph has more than {MOST_MESSAGES:,} nodes: it is not read"
                    raise ValueError(Reason(text, "graph_too_large", most=MOST_MESSAGES))
                before = run[-1]
        except Malformed as error:
            broken = str(error)
        return cls(data, places, broken)

    def __len__(self) -> int:
        return sum(len(one.starts) for one in self.places.values())

    def columns(self, number: int) -> Iterator[tuple[NDArray[np.int64], FieldColumns]]:
        """The fields of the messages of one number, some messages at a time, and where each begins."""
        places = self.places[number]
        starts, ends = np.array(places.starts, np.int64), np.array(places.ends, np.int64)
        for first in range(0, len(starts), _MESSAGES_IN_STEP):
            some = slice(first, first + _MESSAGES_IN_STEP)
            yield (
                starts[some],
                FieldColumns.of(self.data, content_starts(self.data, starts[some], ends[some]), ends[some]),
            )

    def each(self, number: int) -> Iterator[tuple[int, Any]]:
        """The messages of one field, in order, and where each begins; None for one that cannot be read."""
        places, data = self.places[number], self.data
        starts, ends = places.starts, places.ends
        first = 0
        while first < len(starts):
            most = bisect_right(ends, starts[first] + _BYTES_AT_ONCE, first)
            after = max(first + 1, min(most, first + _MOST_AT_ONCE))
            chosen = starts[first:after]
            pieces = [data[start:end] for start, end in zip(chosen, ends[first:after], strict=True)]
            try:
                found: list[Any] = getattr(parsed(places.message, b"".join(pieces)), places.field)
            except ValueError:
                found = [_one(places, piece) for piece in pieces]
            yield from zip(chosen, found, strict=True)
            first = after


def _run(data: bytes, start: int, stop: int, most: int) -> list[int]:
    """Where fields end that follow the one at ``start``, and it, if they have its key and at most 16 KiB;
    at most ``most`` + 1."""
    ends: list[int] = []
    add = ends.append
    key = data[start]
    safe = stop - 2
    for _ in range(most + 1):
        if start >= safe or data[start] != key:
            break
        size = data[start + 1]
        if size < 0x80:
            start += 2 + size
        else:
            more = data[start + 2]
            if more > 0x7F:
                break
            start += 3 + (size & 0x7F | more << 7)
        if start > stop:
            break
        add(start)
    return ends


def _one(places: Places, piece: bytes) -> Any:  # noqa: ANN401  a message made at run time, or None
    try:
        return getattr(parsed(places.message, piece), places.field)[0]
    except ValueError:
        return None


def content_at(data: bytes, start: int) -> bytes:
    """The content of the field that begins there."""
    return data[slice(*_content(data, start))]


def _content(data: bytes, start: int) -> tuple[int, int]:
    _, _, first, last, _ = next(fields(data, start))
    return first, last
