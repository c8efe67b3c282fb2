"""Paths whose parts repeat, as a tree: numbers for names, and for branches that hold names and branches.

A path like ``model/layer_0/add`` is placed as the branch ``model/layer_0`` and the name ``add``. A million
paths are placed at once.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_graph.interned import Interned, Places

try:
    from insight_graph import _interned
except ImportError as error:
    raise NotCompiled("insight_graph._interned") from error

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
    return _interned.CompiledNameTree()
