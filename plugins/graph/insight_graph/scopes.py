"""Scopes of a graph by their paths."""

from __future__ import annotations

from array import array
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.payloads import AFTER_SLASH, DEEPEST, UNKNOWN, name_tree
from insight_graph.texts import Codes, NodeTexts, decoded, text_of

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

    Deeper than DEEPEST there are none: names of nodes stay whole there.
    """

    def __init__(self, codes: Codes) -> None:
        """``codes`` are those of the labels."""
        self._codes = codes
        self._tree = name_tree()
        self._code_of = array("i")  # by number of a name
        self._unreadable: set[int] = set()  # names that are not UTF-8
        self._moved: dict[int, int] = {}  # branches of such names, to those with U+FFFD instead
        self._checked = 1  # branches
        self._last = "", 0  # nodes of a scope mostly follow each other
        self._above = np.empty(0, np.int32)  # the branch around each
        self._parents = self._above
        self._labels = NodeTexts(codes)
        self._paths = [""]

    def __len__(self) -> int:
        return len(self._tree)

    @property
    def parents(self) -> _Column:
        """int32[scopes]: the scope around each; -1 of the root."""
        if len(self._parents) < len(self):
            self._parents = np.maximum(self._branches_above(), 0)
            self._parents[0] = -1
        return self._parents

    @property
    def labels(self) -> NodeTexts:
        """The last part of each path."""
        if len(self._labels) < len(self):
            self._labels = NodeTexts(self._codes)
            self._labels.append("")
            self._labels.extend(np.frombuffer(self._code_of, np.int32)[self._tree.labels()[1:]])
        return self._labels

    @property
    def paths(self) -> list[str]:
        """All paths; ``path`` gives one without making all."""
        found = self._paths
        if len(found) < len(self):
            above, labels = self._branches_above().tolist(), list(self.labels)
            for scope in range(len(found), len(self)):
                around = above[scope]
                prefix = "/" if around == AFTER_SLASH else f"{found[around]}/" if around else ""
                found.append(prefix + labels[scope])
        return found

    def path(self, scope: int) -> str:
        """The path of one scope."""
        if scope < len(self._paths):
            return self._paths[scope]
        return _path(scope, self._branches_above(), self.labels)

    def number(self, path: str) -> int:
        """Of the scope with that path, which is made if it is new, with those around it."""
        found = self._tree.branch(path.encode("utf-8", "surrogatepass"), adds=True)
        self._take_new()
        return self._moved.get(found, found)

    def find(self, path: str) -> int | None:
        """The number of the scope with this path; None if unknown."""
        found = self._tree.branch(path.encode("utf-8", "surrogatepass"), adds=False)
        return None if found == UNKNOWN else self._moved.get(found, found)

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
        self._take_new()
        return placed

    def find_places(self, data: bytes, starts: Offsets, ends: Offsets, base: int = 0) -> Placed:
        """As ``place``; the names of unknown ones are -1."""
        return Placed(*self._tree.find(data, starts, ends, base))

    def of(self, placed: Placed) -> _Column:
        """int32[paths]: the scopes of nodes."""
        scopes = np.maximum(placed.branches, 0)
        if not self._moved:
            return scopes
        moved = np.arange(len(self), dtype=np.int32)
        moved[list(self._moved)] = list(self._moved.values())
        return moved[scopes]

    def names_of(self, placed: Placed) -> _Column:
        """int32[paths]: the codes of the names of nodes."""
        return np.frombuffer(self._code_of, np.int32)[placed.names] if len(placed.names) else placed.names

    def _branches_above(self) -> _Column:
        if len(self._above) < len(self):
            self._above = self._tree.parents()
        return self._above

    def _take_new(self) -> None:
        self._take_names()
        if self._unreadable and self._checked < len(self):
            self._move()
            self._take_names()

    def _take_names(self) -> None:
        known = len(self._code_of)
        fresh = self._tree.pieces(known)
        texts = decoded(fresh)
        if texts is None:
            texts = list(map(text_of, fresh))
            pairs = enumerate(zip(fresh, texts, strict=True), known)
            self._unreadable |= {name for name, (piece, text) in pairs if text.encode() != piece}
        self._code_of.extend(map(self._codes.__getitem__, texts))

    def _move(self) -> None:
        """Finds the scopes of new branches that have an unreadable name, or are in one with such."""
        above, names, labels = self._branches_above(), self._tree.labels(), self.labels
        for branch in range(self._checked, len(above)):
            if names[branch] in self._unreadable or above[branch] in self._moved:
                path = _path(branch, above, labels)
                self._moved[branch] = self._tree.branch(path.encode(), adds=True)
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
