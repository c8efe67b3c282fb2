"""Columns of pieces of bytes: numbers for distinct ones, places in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled

try:
    from insight_graph import _byte_columns, _interned
except ImportError as error:
    raise NotCompiled("insight_graph._interned") from error

Places: TypeAlias = NDArray[np.int64]


class Interned(Protocol):
    """Strings of bytes by their number: 0 is the first that was added, and equal ones have one number.

    ``starts`` and ``ends``, int64[pieces], say which pieces of ``data`` are meant. Methods raise IndexError
    for pieces that are not within the data. One thread at a time may add pieces.
    """

    def __len__(self) -> int: ...

    def add(self, data: bytes, starts: Places, ends: Places) -> NDArray[np.int32]:
        """int32[pieces]: their numbers; new pieces get the next ones, in order."""

    def find(self, data: bytes, starts: Places, ends: Places) -> NDArray[np.int32]:
        """int32[pieces]: their numbers, -1 for those that were not added."""

    def number(self, piece: bytes, adds: bool) -> int:
        """That of one piece; -1 if it was not added, and is not now."""

    def pieces(self, first: int = 0, stop: int | None = None) -> list[bytes]:
        """The pieces from number ``first`` to before ``stop``, or all after it."""

    def joined(self, first: int = 0) -> tuple[bytes, Places]:
        """The pieces from number ``first`` on, end to end, and int64[pieces]: where each ends."""


def interned() -> Interned:
    """An empty table. Its bytes are copied: ``data`` need not stay."""
    return _interned.CompiledInterned()


def last_places(data: bytes, starts: Places, ends: Places, byte: int) -> Places:
    """int64[pieces]: where in ``data`` the last byte of that value in each piece is; -1 where it has none.

    Raises IndexError for pieces that are not within the data.
    """
    return _byte_columns.last_places(data, starts, ends, byte)


def pieces_of(data: bytes, starts: Places, ends: Places) -> Iterator[bytes]:
    """The bytes that lie there. Raises IndexError if they are not within the data."""
    check_places(data, starts, ends)
    return map(data.__getitem__, map(slice, starts.tolist(), ends.tolist()))


def check_places(data: bytes, starts: Places, ends: Places) -> None:
    """Raises IndexError for pieces that are not within the data."""
    if len(starts) != len(ends) or not ((starts >= 0) & (starts <= ends) & (ends <= len(data))).all():
        raise IndexError("starts and ends must be those of pieces of the data")
