"""Scopes of a graph by their paths."""

from __future__ import annotations

from collections.abc import Iterable

MAX_SCOPES = 100  # one in another; deeper names stay whole


class Scopes:
    """Scopes by their path; number 0 is the root, whose path is empty."""

    def __init__(self) -> None:
        self.paths = [""]
        self.labels = [""]
        self.parents = [-1]
        self._numbers = {"": 0}
        self._last = "", 0  # nodes of a scope mostly follow each other

    def number(self, path: str) -> int:
        """Of the scope with that path, which is made if it is new, with those around it."""
        known = self._numbers.get(path)
        if known is not None:
            return known
        made = []
        while path not in self._numbers:
            made.append(path)
            path = path.rpartition("/")[0]
        parent = self._numbers[path]
        for new in reversed(made):
            self._numbers[new] = number = len(self.paths)
            self.paths.append(new)
            self.labels.append(new.rpartition("/")[2])
            self.parents.append(parent)
            parent = number
        return parent

    def numbers(self, paths: Iterable[str]) -> list[int]:
        """``number`` of each of many paths."""
        known, labels, parents, all_paths = self._numbers, self.labels, self.parents, self.paths
        found = []
        for path in paths:
            number = known.get(path)
            if number is None:
                head, _, label = path.rpartition("/")
                around = known.get(head)
                if around is None:
                    number = self.number(path)
                else:
                    known[path] = number = len(all_paths)
                    all_paths.append(path)
                    labels.append(label)
                    parents.append(around)
            found.append(number)
        return found

    def find(self, path: str) -> int | None:
        """The number of the scope with this path; None if unknown."""
        return self._numbers.get(path)

    def split(self, path: str) -> tuple[int, str]:
        """The scope of a node and its name in it."""
        scope, _, name = path.rpartition("/")
        last, known = self._last
        if scope == last:
            return known, name
        found = self._numbers.get(scope)
        if found is None:
            if scope.count("/") >= MAX_SCOPES:
                names = path.split("/")
                scope, name = "/".join(names[:MAX_SCOPES]), "/".join(names[MAX_SCOPES:])
            found = self.number(scope)
        self._last = scope, found
        return found, name

    def __len__(self) -> int:
        return len(self.paths)


def joined(scope: str, name: str) -> str:
    """The path of a name in a scope; the root scope is the empty string."""
    return f"{scope}/{name}" if scope else name
