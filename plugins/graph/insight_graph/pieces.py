"""Reads the submessages of a long message a few at a time.

A graph of a million nodes as messages would take several times the bytes of its file. What stays are the
bytes, and where each piece lies in them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import fields
from insight_graph.field_columns import FieldColumns
from insight_graph.interned import pieces_of
from insight_graph.messages import parsed

MOST_MESSAGES = 2_000_000  # of a graph; a million nodes take 0.3 GB and 2 to 3 s
TOO_LARGE = ReasonKind("graph_too_large", "the graph has more than {most:,} nodes: it is not read")
_MOST_AT_ONCE = 1024  # messages
_BYTES_AT_ONCE = 4 << 20
_MESSAGES_IN_STEP = 1 << 16  # that are parsed as columns: a field takes 40 bytes
_FIELDS_AT_ONCE = 1 << 18
_NONE = np.empty(0, np.int64)
_Read = TypeVar("_Read")
_Columns: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


@frozen(eq=False)
class Places:
    """Where the fields of one number lie, with their keys; ``message`` and ``field`` are what reads them."""

    message: str
    field: str
    firsts: NDArray[np.int64]
    starts: NDArray[np.int64]  # of the contents
    ends: NDArray[np.int64]

    def contents(self) -> Iterator[tuple[int, int]]:
        """Where the contents lie."""
        return zip(self.starts.tolist(), self.ends.tolist(), strict=True)

    def bytes(self, data: bytes) -> bytes:
        """All of them, keys too."""
        return b"".join(pieces_of(data, self.firsts, self.ends))


@frozen(eq=False)
class Pieces:
    """Fields of a message; ``broken`` says why it ends before its end, if it does."""

    data: bytes
    places: Mapping[int, Places]
    broken: Reason

    @classmethod
    def of(
        cls, message: str, wanted: Mapping[int, str], data: bytes, start: int = 0, end: int = -1
    ) -> Pieces:
        """``wanted``: names of repeated fields by number. Raises ValueError for more than MOST_MESSAGES."""
        found: dict[int, list[_Columns]] = {number: [(_NONE, _NONE, _NONE)] for number in wanted}
        stop = len(data) if end < 0 else end
        before, left, broken = start, MOST_MESSAGES, Reason()
        while before < stop and not broken:
            some = FieldColumns.beginning(data, before, stop, _FIELDS_AT_ONCE)
            for number, parts in found.items():
                rows = some.rows(number)
                parts.append((some.firsts[rows], some.starts[rows], some.ends[rows]))
                left -= len(rows)
            if left < 0:
                raise ValueError(TOO_LARGE(most=MOST_MESSAGES))
            before = int(some.ends[-1]) if len(some.ends) else before
            broken = _reason(data, before, stop) if some.broken[0] else Reason()
        places = {
            number: Places(message, wanted[number], *map(np.concatenate, zip(*parts, strict=True)))
            for number, parts in found.items()
        }
        return cls(data, places, broken)

    def __len__(self) -> int:
        return sum(len(one.starts) for one in self.places.values())

    def columns(
        self, number: int, read: Callable[[NDArray[np.int64], FieldColumns], _Read]
    ) -> Iterator[_Read]:
        """Yields ``read(starts, fields)`` for the messages of one number, ``_MESSAGES_IN_STEP`` at a time.

        ``starts``: int64[messages], offsets in ``data``. A thread reads the next part while the caller works
        on the last one.
        """
        places = self.places[number]

        def part(first: int) -> _Read:
            some = slice(first, first + _MESSAGES_IN_STEP)
            columns = FieldColumns.of(self.data, places.starts[some], places.ends[some])
            return read(places.firsts[some], columns)

        return ahead(part, range(0, len(places.starts), _MESSAGES_IN_STEP))

    def each(self, number: int) -> Iterator[tuple[int, Any]]:
        """The messages of one field, in order, and where each begins; None for one that cannot be read."""
        places, data = self.places[number], self.data
        firsts, ends = places.firsts, places.ends
        first = 0
        while first < len(firsts):
            most = int(np.searchsorted(ends, firsts[first] + _BYTES_AT_ONCE, "right"))
            some = slice(first, max(first + 1, min(most, first + _MOST_AT_ONCE)))
            pieces = list(pieces_of(data, firsts[some], ends[some]))
            try:
                found: list[Any] = getattr(parsed(places.message, b"".join(pieces)), places.field)
            except ValueError:
                found = [_one(places, piece) for piece in pieces]
            yield from zip(firsts[some].tolist(), found, strict=True)
            first = some.stop


def _reason(data: bytes, start: int, stop: int) -> Reason:
    """Why the field that begins there cannot be read."""
    try:
        next(fields(data, start, stop))
    except Malformed as error:
        return Reason.of(error)
    raise AssertionError(f"the field at {start} is sound")


def _one(places: Places, piece: bytes) -> Any:  # noqa: ANN401  a message made at run time, or None
    try:
        return getattr(parsed(places.message, piece), places.field)[0]
    except ValueError:
        return None


def content_at(data: bytes, start: int) -> bytes:
    """The content of the field that begins there."""
    _, _, first, last, _ = next(fields(data, start))
    return data[first:last]


def ahead(make: Callable[[_Item], _Made], items: Iterable[_Item]) -> Iterator[_Made]:
    """``map(make, items)`` in one thread, at most two items ahead.

    Saves time where ``make`` is NumPy or compiled code, which release the GIL. A single item needs no thread.
    """
    left = iter(items)
    first = list(itertools.islice(left, 2))
    if len(first) < 2:
        yield from map(make, first)
        return
    with ThreadPoolExecutor(1, "graph-ahead") as thread:
        coming = [thread.submit(make, item) for item in first]
        while coming:
            found = coming.pop(0).result()
            yield found
            coming += [thread.submit(make, item) for item in itertools.islice(left, 1)]
