"""Numbers of pieces of bytes that repeat, and the search for nodes by name."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin.payloads import Interned, interned
from insight_graph.texts import Codes, texts_of

Hashes = NDArray[np.uint64]
Offsets = NDArray[np.int64]

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
    """Numbers of pieces that repeat; ``make`` gives those of pieces that are new, each once."""

    make: Callable[[list[bytes]], Sequence[int]]
    _pieces: Interned = field(factory=interned)
    _numbers: array[int] = field(factory=lambda: array("i"))  # by number of the piece

    @classmethod
    def codes(cls, codes: Codes) -> Made:
        """Pieces are texts; their numbers are ``codes``."""
        return cls(lambda pieces: list(map(codes.__getitem__, texts_of(pieces))))

    @classmethod
    def one_by_one(cls, make: Callable[[bytes], int]) -> Made:
        """``make`` gives the number of one piece."""
        return cls(lambda pieces: list(map(make, pieces)))

    def each(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: the numbers of the pieces that lie there."""
        found = self._pieces.add(data, starts, ends)
        if fresh := self._pieces.pieces(len(self._numbers)):
            self._numbers.extend(self.make(fresh))
        return np.frombuffer(self._numbers, np.int32)[found] if len(found) else found


@define(eq=False)
class NodeNames:
    """Finds nodes by name: the first of those that have it."""

    _names: Interned = field(factory=interned)
    _nodes: array[int] = field(factory=lambda: array("i"))  # by number of the name

    def add(self, data: bytes, starts: Offsets, ends: Offsets, nodes: NDArray[np.int32]) -> None:
        """Adds nodes whose names lie there."""
        known = len(self._names)
        numbers = self._names.add(data, starts, ends)
        self._nodes.frombytes(nodes[new_rows(numbers, known)].astype(np.int32).tobytes())

    def find(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: the nodes with these names; -1 where there is none."""
        found = self._names.find(data, starts, ends)
        if not self._nodes:
            return found
        return np.where(found < 0, np.int32(-1), np.frombuffer(self._nodes, np.int32)[found])
