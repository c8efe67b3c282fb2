"""The log files that a loader follows, by run and path or by place in a run; which files each run has."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from insight_core.ingest.discover import discover, run_name, run_prefixes
from insight_core.ingest.fetching import Fetch
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.folding import Folding
from insight_core.ingest.found import Found, FoundFile, StoreFiles
from insight_core.ingest.locked_directory import ValueFiles
from insight_core.ingest.log_file import FormatReader
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.tailer import Tailed
from insight_core.plugin import LogFormat
from insight_core.plugin.data import RunFile
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

if TYPE_CHECKING:
    from insight_core.ingest.index.cache import IndexCache

_MOST_RECENT = 64  # files that are looked at between two walks, where nothing reports changes
_RECENT = 600_000_000_000  # ns


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

    def recent(self) -> frozenset[str]:
        """The paths of files that were written last, of those that were written a short time before them."""
        newest = heapq.nlargest(_MOST_RECENT, self.all(), key=lambda tailed: tailed.found.mtime_ns)
        since = newest[0].found.mtime_ns - _RECENT if newest else 0
        return frozenset([tailed.found.path for tailed in newest if tailed.found.mtime_ns >= since])

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


def unread_files(
    logdirs: Sequence[Logdir], names: FileNames, stores: StoreFiles, *, follow_symlinks: bool = False
) -> Mapping[str, int]:
    """How many files there are now that nothing reads, by what they hold, the largest number first."""
    found = discover(logdirs, names, follow_symlinks=follow_symlinks, counts_unread=True)
    return found.counts_of_unread(stores)


def run_files(logdirs: Sequence[Logdir], names: FileNames, folded: Callable[[Found], Found]) -> list[RunFile]:
    """Every file of every run as it is now, each for every run that it belongs to.

    ``folded`` gives files of parts to the runs above them.
    A store of another tracker may hold many runs, and is there as a file of its directory.
    """
    found = folded(discover(logdirs, names))
    roots = [(logdir.path, prefix) for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)]
    files = []
    for run, path in {**found.files, **found.named}:
        for root, prefix in roots:
            below = os.path.join(root, "")
            relative = path[len(below) :] if path.startswith(below) else ""
            while relative:
                relative = os.path.dirname(relative)
                if run_name(prefix, relative) == run:
                    files.append(RunFile(run, path, below + relative, root))
                    break
    for store in found.stores:
        for root, prefix in roots:
            below = os.path.join(root, "")
            if prefix == store.prefix and store.path.startswith(below):
                relative = os.path.dirname(store.path[len(below) :])
                run = run_name(prefix, relative)
                files.append(RunFile(run, store.path, below + relative, root, is_store=True))
    return files
