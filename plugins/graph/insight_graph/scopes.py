"""Scopes of a graph by their paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.payloads import interned, last_places, pieces_of
from insight_graph.names import Made, Offsets, joined_pieces, new_rows
from insight_graph.texts import Codes, NodeTexts, decoded, text_of, texts_of

MAX_SCOPES = 100  # one in another; deeper names stay whole
_SLASH = ord("/")


class Scopes:
    """Scopes by their path; number 0 is the root, whose path is empty. A scope comes after that around it."""

    def __init__(self, codes: Codes) -> None:
        """``codes`` are those of the labels."""
        self.paths = [""]
        self.labels = NodeTexts(codes)
        self.parents = [-1]
        self.labels.append("")
        self._numbers = {"": 0}  # of the first paths
        self._pieces = interned()  # as well, in UTF-8
        self._labels = Made.codes(codes)
        self._last = "", 0  # nodes of a scope mostly follow each other

    def number(self, path: str) -> int:
        """Of the scope with that path, which is made if it is new, with those around it."""
        numbers = self._by_path()
        made = []
        while path not in numbers:
            made.append(path)
            path = path.rpartition("/")[0]
        parent = numbers[path]
        for new in reversed(made):
            numbers[new] = number = len(self.paths)
            self.paths.append(new)
            self.labels.append(new.rpartition("/")[2])
            self.parents.append(parent)
            parent = number
        return parent

    def each(self, data: bytes, starts: Offsets, ends: Offsets) -> NDArray[np.int32]:
        """int32[pieces]: ``number`` of the paths that lie there; -1 for those deeper than MAX_SCOPES."""
        if len(self._pieces) < len(self.paths):
            self._pieces.add(*joined_pieces([path.encode("utf-8", "surrogatepass") for path in self.paths]))
        found = self._pieces.find(data, starts, ends)
        left = np.flatnonzero(found < 0)
        if not len(left):
            return found
        pieces = interned()
        numbers = pieces.add(data, starts[left], ends[left])
        fresh = left[new_rows(numbers, 0)]
        paths = list(pieces_of(data, starts[fresh], ends[fresh]))
        shallow = np.ones(len(fresh), bool)
        for row in np.flatnonzero(ends[fresh] - starts[fresh] >= MAX_SCOPES).tolist():
            shallow[row] = paths[row].count(b"/") < MAX_SCOPES
        texts = decoded(paths)
        if texts is not None and shallow.all():
            self._add(data, starts[fresh], ends[fresh], texts)
            found[left] = self._pieces.find(data, starts[left], ends[left])
        else:
            pairs = zip(paths, shallow.tolist(), strict=True)
            made = [self.number(text_of(path)) if is_shallow else -1 for path, is_shallow in pairs]
            found[left] = np.array(made, np.int32)[numbers]
        return found

    def _add(self, data: bytes, starts: Offsets, ends: Offsets, texts: list[str]) -> None:
        """Adds scopes whose paths lie there, and those around them."""
        levels = []
        while len(starts):
            levels.append((starts, ends, texts))
            slashes = last_places(data, starts, ends, _SLASH)
            starts, ends = starts[slashes >= 0], slashes[slashes >= 0]
            fresh = self._pieces.find(data, starts, ends) < 0
            starts, ends = starts[fresh], ends[fresh]
            texts = texts_of(list(pieces_of(data, starts, ends)))
        for starts, ends, texts in reversed(levels):
            known = len(self._pieces)
            rows = new_rows(self._pieces.add(data, starts, ends), known)
            starts, ends = starts[rows], ends[rows]
            slashes = last_places(data, starts, ends, _SLASH)
            is_inside = slashes >= 0
            self.parents += self._pieces.find(data, starts, np.where(is_inside, slashes, starts)).tolist()
            self.paths += map(texts.__getitem__, rows.tolist())
            self.labels.extend(self._labels.each(data, np.where(is_inside, slashes + 1, starts), ends))

    def find(self, path: str) -> int | None:
        """The number of the scope with this path; None if unknown."""
        return self._by_path().get(path)

    def split(self, path: str) -> tuple[int, str]:
        """The scope of a node and its name in it."""
        scope, _, name = path.rpartition("/")
        last, known = self._last
        if scope == last:
            return known, name
        found = self.find(scope)
        if found is None:
            if scope.count("/") >= MAX_SCOPES:
                names = path.split("/")
                scope, name = "/".join(names[:MAX_SCOPES]), "/".join(names[MAX_SCOPES:])
            found = self.number(scope)
        self._last = scope, found
        return found, name

    def __len__(self) -> int:
        return len(self.paths)

    def _by_path(self) -> dict[str, int]:
        known = len(self._numbers)
        if known < len(self.paths):
            self._numbers.update(zip(self.paths[known:], range(known, len(self.paths)), strict=True))
        return self._numbers


def joined(scope: str, name: str) -> str:
    """The path of a name in a scope; the root scope is the empty string."""
    return f"{scope}/{name}" if scope else name
