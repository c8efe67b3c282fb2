"""Keeps the store abreast of files that plugins take by their names. Nothing of them is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from insight_core.formats.batch import Flaw
from insight_core.store.claimed_file import NamedFile
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

_UNREADABLE = Flaw(0, "cannot be read: permission denied")


class NamedFiles:
    """The files that the store has."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files: dict[tuple[str, str], NamedFile] = {}  # by run and path
        self._by_path: dict[str, set[tuple[str, str]]] = {}
        self._places: dict[tuple[str, FileOrder], str] = {}  # paths
        self._unreadable: set[tuple[str, str]] = set()

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """Where the file lies that has this place among the files of a run."""
        return self._places.get((run, order))

    def reconcile(self, found: Mapping[tuple[str, str], NamedFile]) -> None:
        """Has these files and no others."""
        for key in [key for key in self._files if key not in found]:
            self._forget(key)
        for key, file in found.items():
            before = self._files.get(key)
            if before is not None and before.claims != file.claims:
                self._forget(key)
            self._have(key, file)

    def look_at(self, path: str) -> bool:
        """Has the file at a path as it is now; False if it is none of these, or is gone."""
        keys = self._by_path.get(path)
        if keys is None:
            return False
        try:
            info = os.stat(path)
        except OSError:
            return False
        if not stat.S_ISREG(info.st_mode):
            return False
        for key in keys:
            file = self._files[key]._replace(size=info.st_size, mtime_ns=info.st_mtime_ns)
            self._have(key, file)
        return True

    def _have(self, key: tuple[str, str], file: NamedFile) -> None:
        if self._files.get(key) != file:
            self._files[key] = file
            self._by_path.setdefault(file.path, set()).add(key)
            self._places[(file.run, file.order)] = file.path
            self._store.put_file(file)
        if _is_forbidden(file.path) != (key in self._unreadable):
            self._unreadable ^= {key}
            flaws = [_UNREADABLE] if key in self._unreadable else []
            self._store.set_damage(file.run, file.name, flaws)

    def _forget(self, key: tuple[str, str]) -> None:
        file = self._files.pop(key)
        self._store.drop_file(file.run, file.name, file.order)
        self._unreadable.discard(key)
        del self._places[(file.run, file.order)]
        self._by_path[file.path].discard(key)
        if not self._by_path[file.path]:
            del self._by_path[file.path]


def _is_forbidden(path: str) -> bool:
    return not os.access(path, os.R_OK) and os.path.exists(path)
