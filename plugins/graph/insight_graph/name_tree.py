"""Paths whose parts repeat, as a tree: numbers for names, and for branches that hold names and branches.

A path like ``model/layer_0/add`` is placed as the branch ``model/layer_0`` and the name ``add``. A million
paths are placed at once. Compiled if available.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_graph.interned import Interned, Places, PureInterned, is_wanted, pieces_of

try:
    from insight_graph import _interned
except ImportError:
    _interned = None  # type: ignore[assignment]

AFTER_SLASH = -1  # the root of paths that begin with a slash
UNKNOWN = -2  # the number of a branch that is not there
DEEPEST = 100  # how many branches a path that is placed may be in, one in another

_Column: TypeAlias = NDArray[np.int32]


class NameTree(Protocol):
    """Branches by number: 0 is the root, and one comes after that around it. AFTER_SLASH stands for the root
    of paths that begin with a slash, which are others than those without. Names have numbers of their own, in
    ``names``, to which others may be added.

    ``starts`` and ``ends``, int64[paths], say where in ``data`` paths lie. They are relative to the branch
    ``base``. Methods raise IndexError for what is not within the data, and for no branch. One thread at a
    time may call ``add``.
    """

    @property
    def names(self) -> Interned:
        """The parts of all paths."""

    def __len__(self) -> int:
        """How many branches there are, with the root."""

    def add(self, data: bytes, starts: Places, ends: Places, base: int = 0) -> tuple[_Column, _Column]:
        """int32[paths] twice: the branches of what is before the last slash, and the numbers of the names
        after it. New ones get the next numbers. What is in DEEPEST branches keeps the rest as its name."""

    def branch(self, path: bytes, adds: bool) -> int:
        """The branch that a whole path names, at any depth; UNKNOWN if it was not added, and is not now."""

    def parents(self) -> _Column:
        """int32[branches]: the branch around each; -1 of the root."""

    def labels(self) -> _Column:
        """int32[branches]: the number of the name of each; -1 of the root."""


def name_tree() -> NameTree:
    """An empty tree. Its bytes are copied: ``data`` need not stay."""
    return PureNameTree() if _interned is None or not is_wanted() else _interned.CompiledNameTree()


class PureNameTree:
    """NameTree without the compiled module."""

    def __init__(self) -> None:
        self.names = PureInterned()
        self._branches: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._branches) + 1

    def add(self, data: bytes, starts: Places, ends: Places, base: int = 0) -> tuple[_Column, _Column]:
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

    def parents(self) -> _Column:
        """See NameTree."""
        return np.array([-1, *(parent for parent, _ in self._branches)], np.int32)

    def labels(self) -> _Column:
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
