"""Walks the directories below a logdir, each once, however many symbolic links lead to it."""

from __future__ import annotations

import contextlib
import heapq
import os
from collections.abc import Iterator


class Walk:
    """Visits a directory and those that ``add`` names while it goes on: (path, path relative to the first).

    Directories that no link leads to come first, then the targets of links, those of the links nearest to the
    first directory and first by name. So a directory below a logdir keeps its own name, and all who walk the
    same tree call each directory the same, in whatever order the file system lists it.
    """

    def __init__(self, top: str) -> None:
        self._plain = [(top, "")]
        self._links: list[tuple[int, str, str]] = []  # a heap: depth, relative path, path
        self._visited: list[str] = []  # until the first link: most trees have none, and need no identities
        self._identities: set[tuple[int, int]] | None = None

    def add(self, path: str, relative: str, *, is_link: bool) -> None:
        """Adds a directory to visit; links are visited after all directories."""
        if is_link:
            heapq.heappush(self._links, (relative.count("/"), relative, path))
        else:
            self._plain.append((path, relative))

    def upcoming(self, count: int) -> list[str]:
        """The paths of directories that are visited next as far as is known, so many at most."""
        return [path for path, _ in reversed(self._plain[-count:])]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        while self._plain or self._links:
            if self._plain:
                path, relative = self._plain.pop()
                if self._is_new(path):
                    yield path, relative
                continue
            _, relative, path = heapq.heappop(self._links)
            if self._identities is None:
                self._identities = {known for known in map(identity_of, self._visited) if known is not None}
            if self._is_new(path):
                yield path, relative

    def _is_new(self, path: str) -> bool:
        if self._identities is None:
            self._visited.append(path)
            return True
        identity = identity_of(path)
        if identity is None:  # deleted: listing it reports that
            return True
        is_new = identity not in self._identities
        self._identities.add(identity)
        return is_new


def listed(directory: str) -> list[os.DirEntry[str]]:
    """The entries of a directory; none if it was deleted or cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode of the file or directory at a path; None if it is missing or cannot be reached."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def size_below(directory: str | os.PathLike[str]) -> int:
    """Bytes on disk of the files below a directory."""
    size = 0
    for place, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_blocks * 512
    return size
