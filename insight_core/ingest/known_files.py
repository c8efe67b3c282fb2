"""The log files that a loader follows, found by run and path, by path, or by their place in a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Set
from typing import TYPE_CHECKING

from insight_core.ingest.fetching import Fetch
from insight_core.ingest.folding import Folding
from insight_core.ingest.found import FoundFile
from insight_core.ingest.log_file import FormatReader
from insight_core.ingest.tailer import Tailed
from insight_core.ingest.value_files import ValueFiles
from insight_core.plugin import LogFormat
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

if TYPE_CHECKING:  # a host without a cache does not load it
    from insight_core.ingest.index.cache import IndexCache


class KnownFiles:
    """Log files by the keys of ``Found.files``. One thread changes them; others may look."""

    def __init__(
        self,
        store: Store,
        cache: IndexCache | None,
        fetch: Fetch | None,
        lose: Callable[[str], None],
        values: ValueFiles,
        folding: Folding,
    ) -> None:
        """``lose`` has the file at a path read again; ``values`` are of log formats."""
        self._folding = folding
        self._store, self._cache, self._fetch, self._lose = store, cache, fetch, lose
        self._values = values
        self._readers: dict[LogFormat, FormatReader] = {}
        self._files: dict[tuple[str, str], Tailed] = {}
        self._by_path: dict[str, list[Tailed]] = {}
        self._places: dict[tuple[str, FileOrder], str] = {}  # paths

    def all(self) -> Collection[Tailed]:
        """Those that are known now."""
        return list(self._files.values())

    def read_and_known(self) -> tuple[int, int]:
        """The bytes of all files that were read, and those that are there."""
        read = total = 0
        for tailed in self.all():
            position = tailed.position
            size = max(tailed.found.size, position)
            read += position if tailed.is_behind else size
            total += size
        return read, total

    def keys(self) -> Set[tuple[str, str]]:
        """Of those that are known now."""
        return self._files.keys()

    def get(self, key: tuple[str, str]) -> Tailed | None:
        """The file of this key."""
        return self._files.get(key)

    def has_points(self, key: tuple[str, str]) -> bool:
        """Whether the file of this key has points, of what is read of it."""
        tailed = self._files.get(key)
        return tailed is not None and tailed.has_points

    def at(self, path: str) -> list[Tailed]:
        """The files at a path: several if logdirs overlap."""
        return list(self._by_path.get(path, ()))

    def at_real(self, path: str) -> list[Tailed]:
        """The files at an absolute path, also those below a logdir with a relative one."""
        return self.at(path) or [one for one in self.all() if os.path.abspath(one.found.path) == path]

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """The path of the file that has the payloads of a file of a run, by its order among the run's files:
        mostly that file. None if unknown."""
        path = self._places.get((run, order))
        for tailed in self.at(path or ""):
            if tailed.found.run == run:
                return tailed.values_path or path
        return path

    def add(self, key: tuple[str, str], file: FoundFile) -> None:
        """Nothing of the file is read yet."""
        reader = None
        if file.format is not None:
            made = FormatReader(file.format, self._values, self._fetch)
            reader = self._readers.setdefault(file.format, made)
        tailed = self._files[key] = Tailed(
            file, self._store, self._folding, self._cache, self._lose, reader, self._fetch
        )
        self._by_path.setdefault(file.path, []).append(tailed)
        self._places[(file.run, file.order)] = file.path

    def drop(self, key: tuple[str, str]) -> Tailed:
        """Removes the file, and its points from the store."""
        tailed = self._files.pop(key)
        found = tailed.found
        with tailed.lock:  # otherwise an index entry could be written of a file that is being dropped
            tailed.drop()
        self._by_path[found.path].remove(tailed)
        if not self._by_path[found.path]:
            del self._by_path[found.path]
        if self._places.get((found.run, found.order)) == found.path:
            del self._places[(found.run, found.order)]
        return tailed
