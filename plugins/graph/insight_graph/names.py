"""Codes of repeated pieces of bytes, and the search for nodes by name, by 64-bit hashes of columns of pieces.

Among n pieces two different ones get the same hash with a probability of n²/2⁶⁵: 3e-8 for a million. Each
process has a seed of its own, so that no file can be made to have such pieces.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_graph.field_columns import pieces_of
from insight_graph.row_order import by_key

Hashes = NDArray[np.uint64]
Offsets = NDArray[np.int64]

_SEED = np.uint64(secrets.randbits(64))
_WORD = 8  # bytes that are hashed in a step
_LONG = 1024  # bytes of a piece that is hashed by itself
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_WORD_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)


def hashes_of(data: bytes, starts: Offsets, ends: Offsets) -> Hashes:
    """uint64[pieces]: a hash of each piece ``data[start:end]``."""
    sizes = ends - starts
    found = mixed(sizes.astype(np.uint64) ^ _SEED)
    if len(data) < _WORD:
        data = data.ljust(_WORD)
    words = np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))
    long = sizes > _LONG
    rows = np.flatnonzero(~long & (sizes > 0))
    at, left = starts[rows], sizes[rows]
    while len(rows):
        within = np.minimum(at, len(words) - 1)
        piece = words[within] >> ((at - within).astype(np.uint64) * np.uint64(8))
        piece &= _WORD_MASKS[np.minimum(left, _WORD)]
        found[rows] = mixed(found[rows] ^ piece)
        more = left > _WORD
        rows, at, left = rows[more], at[more] + _WORD, left[more] - _WORD
    for row in np.flatnonzero(long).tolist():
        found[row] ^= np.uint64(hash(data[starts[row] : ends[row]]) & (1 << 64) - 1)
    return found


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


@frozen(eq=False)
class Made:
    """Numbers of pieces that repeat; ``make`` gives those of pieces that are new, each once."""

    make: Callable[[list[bytes]], Sequence[int]]
    _numbers: dict[int, int] = field(factory=dict)  # by hash

    @classmethod
    def one_by_one(cls, make: Callable[[bytes], int]) -> Made:
        """``make`` gives the number of one piece."""
        return cls(lambda pieces: list(map(make, pieces)))

    def each(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: the numbers of the pieces that lie there."""
        hashes = hashes_of(data, starts, ends)
        if not len(hashes):
            return np.empty(0, np.int32)
        order = np.argsort(hashes)
        ordered = hashes[order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        of_groups = np.flatnonzero(is_first)
        keys = ordered[of_groups].tolist()
        fresh = np.array([row for row, key in enumerate(keys) if key not in self._numbers], np.intp)
        if len(fresh):
            firsts = np.minimum.reduceat(order, of_groups)[fresh]
            in_file = np.argsort(firsts)
            firsts, fresh = firsts[in_file], fresh[in_file]
            made = self.make(list(pieces_of(data, starts[firsts], ends[firsts])))
            self._numbers.update(zip(map(keys.__getitem__, fresh.tolist()), made, strict=True))
        numbers = np.fromiter(map(self._numbers.__getitem__, keys), np.int32, len(keys))
        found = np.empty(len(order), np.int32)
        found[order] = numbers[np.cumsum(is_first) - 1]
        return found


@frozen(eq=False)
class NodeNames:
    """Finds nodes by name: the first of those that have it."""

    _hashes: Hashes  # sorted
    _nodes: NDArray[np.int32]

    @classmethod
    def of(cls, hashes: Sequence[Hashes], nodes: Sequence[NDArray[np.int32]]) -> NodeNames:
        """Of all names, by hash; earlier ones are found before later ones."""
        all_hashes = np.concatenate((*hashes, np.empty(0, np.uint64)))
        order = by_key(all_hashes)
        return cls(all_hashes[order], np.concatenate((*nodes, np.empty(0, np.int32)))[order])

    def find(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: the nodes with these names; -1 where there is none."""
        wanted = hashes_of(data, starts, ends)
        found = np.full(len(wanted), -1, np.int32)
        order = np.argsort(wanted)  # neighbours are found side by side
        at = np.searchsorted(self._hashes, wanted[order])
        there = at < len(self._hashes)
        there[there] = self._hashes[at[there]] == wanted[order[there]]
        found[order[there]] = self._nodes[at[there]]
        return found
