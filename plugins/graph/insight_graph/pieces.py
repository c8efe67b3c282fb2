"""Reads the submessages of a long message a few at a time.

A graph of a million nodes as messages would take several times the bytes of its file. What stays are the
bytes, and where each piece lies in them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from insight_core.plugin import Reason
from insight_core.plugin.payloads import LENGTH_DELIMITED, Malformed, fields
from insight_graph.messages import parsed

MOST_MESSAGES = 2_000_000  # of a graph; a million nodes take 0.3 GB and 7 s
_MOST_AT_ONCE = 1024  # messages
_BYTES_AT_ONCE = 4 << 20


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
        adding = {number: (one.starts.append, one.ends.append) for number, one in places.items()}
        broken = ""
        before, count = start, 0
        try:
            for number, wire_type, _, after, _ in fields(data, start, len(data) if end < 0 else end):
                add = adding.get(number)
                if add is not None and wire_type == LENGTH_DELIMITED:
                    add[0](before)
                    add[1](after)
                    count += 1
                    if count > MOST_MESSAGES:
                        text = f"the graph has more than {MOST_MESSAGES:,} nodes: it is not read"
                        raise ValueError(Reason(text, "graph_too_large", most=MOST_MESSAGES))
                before = after
        except Malformed as error:
            broken = str(error)
        return cls(data, places, broken)

    def __len__(self) -> int:
        return sum(len(one.starts) for one in self.places.values())

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
