"""Numbers of pieces of bytes that repeat, and the search for nodes by name."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_graph.interned import Interned, interned
from insight_graph.scopes import Offsets

Hashes = NDArray[np.uint64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def mixed(numbers: Hashes) -> Hashes:
    """The finaliser of splitmix64."""
    with np.errstate(over="ignore"):
        numbers = numbers + _SPREAD
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return numbers ^ (numbers >> np.uint64(31))


def joined_pieces(pieces: Sequence[bytes]) -> tuple[bytes, Offsets, Offsets]:
    """Pieces end to end, and where each begins and ends."""
    ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
    return b"".join(pieces), np.concatenate(([0], ends[:-1])) if len(ends) else ends, ends


def new_rows(numbers: NDArray[np.int32], known: int) -> NDArray[np.intp]:
    """Rows with the first of each number from ``known`` on, of numbers that are given in order."""
    most = np.maximum.accumulate(np.concatenate(([known - 1], numbers)))
    return np.flatnonzero(most[1:] > most[:-1])


@frozen(eq=False)
class Made:
    """Numbers of pieces that repeat; ``make`` gives that of a piece that is new."""

    make: Callable[[bytes], int]
    _pieces: Interned = field(factory=interned)
    _numbers: array[int] = field(factory=lambda: array("i"))  # by number of the piece

    def each(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: the numbers of the pieces that lie there."""
        found = self._pieces.add(data, starts, ends)
        self._numbers.extend(map(self.make, self._pieces.pieces(len(self._numbers))))
        return np.frombuffer(self._numbers, np.int32)[found] if len(found) else found


@frozen(eq=False)
class FirstOf:
    """Nodes by pieces of bytes that name them: of equal pieces, the first that was added counts."""

    _pieces: Interned = field(factory=interned)
    _nodes: array[int] = field(factory=lambda: array("i"))  # by number of the piece

    def add(
        self, data: bytes, starts: Offsets, ends: Offsets, nodes: NDArray[np.integer[Any]]
    ) -> NDArray[np.intp]:
        """Adds nodes with the pieces that lie there; the rows of those whose pieces were known."""
        known = len(self._pieces)
        rows = new_rows(self._pieces.add(data, starts, ends), known)
        self._nodes.frombytes(nodes[rows].astype(np.int32).tobytes())
        is_known = np.ones(len(nodes), bool)
        is_known[rows] = False
        return np.flatnonzero(is_known)

    def find(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: the node that each piece names; -1 for an unknown piece."""
        found = self._pieces.find(data, starts, ends)
        if not self._nodes:
            return found
        return np.where(found < 0, np.int32(-1), np.frombuffer(self._nodes, np.int32)[found])
