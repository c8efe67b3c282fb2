"""Scopes of a graph by their paths."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_graph.name_tree import AFTER_SLASH, DEEPEST, UNKNOWN
from insight_graph.texts import NameCodes, NodeTexts, data_of

Offsets: TypeAlias = NDArray[np.int64]
_Column: TypeAlias = NDArray[np.int32]


@frozen(eq=False)
class Placed:
    """Where paths of nodes lead, int32[paths]: the branches and names of a NameTree. Those of other paths
    are others, even where they are shown as the same text."""

    branches: _Column
    names: _Column


class Scopes:
    """Scopes by their path; number 0 is the root, whose path is empty. A scope comes after that around it.

    Once a graph is read, any thread may ask: what is made then is made whole before it is kept.
    Deeper than DEEPEST there are none: names of nodes stay whole there.
    """

    def __init__(self, codes: NameCodes) -> None:
        """``codes`` are those of the labels."""
        self._codes = codes
        self._tree = codes.tree
        self._moved: dict[int, int] = {}  # branches of names that are not UTF-8, to those that are shown
        self._checked = 1  # branches
        self._last = "", 0  # nodes of a scope mostly follow each other
        self._above = np.empty(0, np.int32)  # the branch around each
        self._parents = self._above
        self._labels = NodeTexts(codes)
        self._paths = [""]

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_tree"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._tree = self._codes.tree

    def __len__(self) -> int:
        return len(self._tree)

    @property
    def parents(self) -> _Column:
        """int32[scopes]: the scope around each; -1 of the root."""
        found = self._parents
        if len(found) < len(self):
            found = np.maximum(self._branches_above(), 0)
            found[0] = -1
            self._parents = found
        return found

    @property
    def labels(self) -> NodeTexts:
        """The last part of each path."""
        found = self._labels
        if len(found) < len(self):
            found = NodeTexts(self._codes)
            found.append("")
            found.extend(self._codes.of(self._tree.labels()[1:]))
            self._labels = found
        return found

    @property
    def paths(self) -> list[str]:
        """All paths; ``path`` and ``paths_of`` give some without making all."""
        if len(self._paths) < len(self):
            self._paths = self.paths_of(np.arange(len(self), dtype=np.int32))
        return self._paths

    def paths_of(self, scopes: _Column) -> list[str]:
        """The paths of scopes."""
        parents, above = self.parents, self._branches_above()
        needed = np.zeros(len(self), bool)
        fresh = np.unique(scopes)
        while len(fresh):
            needed[fresh] = True
            fresh = np.unique(parents[fresh])
            fresh = fresh[(fresh > 0) & ~needed[fresh]]
        needed[0] = False
        made = np.flatnonzero(needed)  # what is around a scope comes before it
        found = {0: ""}
        for scope, around, label in zip(
            made.tolist(), above[made].tolist(), self.labels.at(made), strict=True
        ):
            prefix = "/" if around == AFTER_SLASH else f"{found[around]}/" if around else ""
            found[scope] = prefix + label
        return list(map(found.__getitem__, scopes.tolist()))

    def path(self, scope: int) -> str:
        """The path of one scope."""
        if scope < len(self._paths):
            return self._paths[scope]
        return _path(scope, self._branches_above(), self.labels)

    def number(self, path: str) -> int:
        """Of the scope with that path, which is made if it is new, with those around it."""
        return self._tree.branch(data_of(path), adds=True)

    def find(self, path: str) -> int | None:
        """The number of the scope with this path; None if unknown."""
        found = self._tree.branch(data_of(path), adds=False)
        return None if found == UNKNOWN else found

    def split(self, path: str) -> tuple[int, str]:
        """The scope of a node, which is made if it is new, and its name in it."""
        scope, _, name = path.rpartition("/")
        last, known = self._last
        if scope == last:
            return known, name
        if scope.count("/") >= DEEPEST:
            names = path.split("/")
            scope, name = "/".join(names[:DEEPEST]), "/".join(names[DEEPEST:])
        found = self.number(scope)
        self._last = scope, found
        return found, name

    def place(self, data: bytes, starts: Offsets, ends: Offsets, base: int = 0) -> Placed:
        """Where the paths lead that lie there, in the scope ``base``. New scopes are made."""
        placed = Placed(*self._tree.add(data, starts, ends, base))
        if unreadable := self._codes.unreadable():
            self._move(unreadable)
        return placed

    def of(self, placed: Placed) -> _Column:
        """int32[paths]: the scopes of nodes."""
        return self.shown(np.maximum(placed.branches, 0))

    def shown(self, scopes: NDArray[np.int32]) -> _Column:
        """These scopes, one for all whose paths are shown as the same text."""
        if not self._moved:
            return scopes
        moved = np.arange(len(self), dtype=np.int32)
        moved[list(self._moved)] = list(self._moved.values())
        return moved[scopes]

    def names_of(self, placed: Placed) -> _Column:
        """int32[paths]: the codes of the names of nodes."""
        return self._codes.of(placed.names)

    def _branches_above(self) -> _Column:
        if len(self._above) < len(self):
            self._above = self._tree.parents()
        return self._above

    def _move(self, unreadable: Set[int]) -> None:
        """Finds the scopes of new branches that have an unreadable name, or are in one with such."""
        above, names, labels = self._branches_above(), self._tree.labels(), self.labels
        for branch in range(self._checked, len(above)):
            if int(names[branch]) in unreadable or int(above[branch]) in self._moved:
                self._moved[branch] = self.number(_path(branch, above, labels))
        self._checked = len(self)


def _path(scope: int, above: _Column, labels: NodeTexts) -> str:
    parts = []
    while scope > 0:
        parts.append(labels[scope])
        scope = int(above[scope])
    if scope == AFTER_SLASH:
        parts.append("")
    return "/".join(reversed(parts))


def joined(scope: str, name: str) -> str:
    """The path of a name in a scope; the root scope is the empty string."""
    return f"{scope}/{name}" if scope else name
