"""Scopes of a graph by their paths."""

from __future__ import annotations

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
        head, _, label = path.rpartition("/")
        around = self._numbers.get(head)
        if around is not None:
            self._numbers[path] = number = len(self.paths)
            self.paths.append(path)
            self.labels.append(label)
            self.parents.append(around)
            return number
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
