"""What the compiled modules of the plugin graph do, in Python and NumPy."""

from __future__ import annotations

import itertools
from typing import TypeAlias

import numpy as np
from attrs import frozen
from insight_graph.field_columns import _varints
from insight_graph.interned import Places, check_places, pieces_of
from insight_graph.name_tree import AFTER_SLASH, DEEPEST, UNKNOWN
from numpy.typing import NDArray

from insight_core.plugin.lab import EIGHT_BYTES
from insight_record.formats.protobuf import FOUR_BYTES, LENGTH_DELIMITED, VARINT, Malformed, fields

_Column: TypeAlias = NDArray[np.int64]
_Numbers: TypeAlias = NDArray[np.int32]
_Rows: TypeAlias = tuple[_Column, _Column, _Column, _Column, _Column]  # owners, keys, firsts, starts, ends

_NONE: _Column = np.empty(0, np.int64)
_KNOWN = np.isin(np.arange(8), (VARINT, EIGHT_BYTES, LENGTH_DELIMITED, FOUR_BYTES))  # wire types
_FEW = 32  # messages that are parsed one by one


def last_places(data: bytes, starts: Places, ends: Places, byte: int) -> Places:
    """See ``insight_graph.interned.last_places``."""
    check_places(data, starts, ends)
    found = map(data.rfind, itertools.repeat(bytes([byte])), starts.tolist(), ends.tolist())
    return np.fromiter(found, np.int64, len(starts))


def fields_of(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """int64[5, fields]: the columns of FieldColumns, and bool[messages]: which messages are broken.

    All messages are parsed in lock-step: one step takes the next field of every message that has one.
    """
    check_places(data, starts, ends)
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
        rest, broken[owner] = _rest(data, owner, first, stop, most)
        parts.append(rest)
    columns = np.array([np.concatenate(column) for column in zip(*parts, strict=True)] or [_NONE] * 5)
    return columns[:, np.argsort(columns[0], kind="stable")[:most]], broken


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


def _rest(data: bytes, owner: int, first: int, stop: int, most: int) -> tuple[_Rows, bool]:
    """The fields of one message, and whether it is broken after them."""
    found: list[tuple[int, int, int, int, int]] = []
    broken = False
    try:
        for number, wire_type, start, end, _ in itertools.islice(fields(data, first, stop), most):
            found.append((owner, number << 3 | wire_type, first, start, end))
            first = end
    except Malformed:
        broken = True
    owners, keys, firsts, starts, ends = np.array(found, np.int64).reshape(-1, 5).T
    return (owners, keys, firsts, starts, ends), broken


class PureInterned:
    """See Interned."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._pieces: list[bytes] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, data: bytes, starts: Places, ends: Places) -> NDArray[np.int32]:
        """See Interned."""
        return np.array([self.number(piece, adds=True) for piece in pieces_of(data, starts, ends)], np.int32)

    def find(self, data: bytes, starts: Places, ends: Places) -> NDArray[np.int32]:
        """See Interned."""
        return np.array([self._numbers.get(piece, -1) for piece in pieces_of(data, starts, ends)], np.int32)

    def number(self, piece: bytes, adds: bool) -> int:
        """See Interned."""
        known = self._numbers.get(piece, -1)
        if known < 0 and adds:
            known = self._numbers[piece] = len(self._pieces)
            self._pieces.append(piece)
        return known

    def pieces(self, first: int = 0, stop: int | None = None) -> list[bytes]:
        """See Interned."""
        return self._pieces[first:stop]

    def joined(self, first: int = 0) -> tuple[bytes, Places]:
        """See Interned."""
        pieces = self.pieces(first)
        return b"".join(pieces), np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))


class PureNameTree:
    """See NameTree."""

    def __init__(self) -> None:
        self.names = PureInterned()
        self._branches: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._branches) + 1

    def add(self, data: bytes, starts: Places, ends: Places, base: int = 0) -> tuple[_Numbers, _Numbers]:
        """See NameTree."""
        room = DEEPEST - self._depth(base)
        found = np.empty((2, len(starts)), np.int32)
        for row, path in enumerate(pieces_of(data, starts, ends)):
            branch, parts = _parted(path, base)
            if len(parts) - 1 > room:
                parts[room:] = [b"/".join(parts[room:])]
            found[:, row] = self._inner(branch, parts[:-1], True), self.names.number(parts[-1], True)
        return found[0], found[1]

    def branch(self, path: bytes, adds: bool) -> int:
        """See NameTree."""
        branch, parts = _parted(path, 0)
        return self._inner(branch, parts, adds) if path else 0

    def parents(self) -> _Numbers:
        """See NameTree."""
        return np.array([-1, *(parent for parent, _ in self._branches)], np.int32)

    def labels(self) -> _Numbers:
        """See NameTree."""
        return np.array([-1, *(name for _, name in self._branches)], np.int32)

    def _inner(self, branch: int, parts: list[bytes], adds: bool) -> int:
        for part in parts:
            key = branch, self.names.number(part, adds)
            known = self._branches.get(key)
            if known is None:
                if not adds:
                    return UNKNOWN
                known = self._branches[key] = len(self)
            branch = known
        return branch

    def _depth(self, base: int) -> int:
        if not 0 <= base < len(self):
            raise IndexError("base must be the number of a branch")
        parents = self.parents()
        depth = 0
        while base > 0:
            base = int(parents[base])
            depth += 1
        return min(depth, DEEPEST)


def _parted(path: bytes, base: int) -> tuple[int, list[bytes]]:
    """The branch that its first part is in, and its parts."""
    is_after_slash = base == 0 and path.startswith(b"/")
    return AFTER_SLASH if is_after_slash else base, path[is_after_slash:].split(b"/")
