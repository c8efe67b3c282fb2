"""The index: segment files on disk with what was read of log files, for a faster start.

The log files below one logdir share segment files. A segment file is written to a temporary file and renamed,
so that readers never see a part of it, and never changes; of several entries for a log file the last counts.
A segment file whose catalogue is damaged is deleted, and the log files are read again. Points are read, and
verified, when a series is shown; if that fails, the log file is read again too.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import os
import resource
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from insight_core.formats.stored_block import Lost
from insight_core.ingest.file_record import Entry
from insight_core.ingest.index.alike import PackedFiles, pack_alike
from insight_core.ingest.index.format import Packed, Unusable, index_directory, pack
from insight_core.ingest.index.segment_directory import opened_segment, write_segment
from insight_core.ingest.index.segment_file import SUFFIX, SegmentFile
from insight_core.ingest.walk import listed
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.store.claims import FileState
from insight_core.store.first_files import LoadedFiles

log = logging.getLogger(__name__)

_MOST_BYTES = 10 << 30  # of all segment files; the least recently used are evicted
_MOST_TRIES = 10  # to create directories that another process removes meanwhile
_TENSOR = EventField(Dialect.TENSORBOARD, "tensor")
_OPEN_SHARE = 4  # of the process's file descriptor limit: segment files beyond are opened for each read
_USE_RESOLUTION = 3600.0  # seconds; precision of the last use of a segment file


class IndexCache:
    """The entries of log files below some directories. Thread-safe; neither ``load`` nor ``save`` raises."""

    def __init__(
        self, directory: Path, roots: Sequence[str] = ("/",), *, most_bytes: int | None = None
    ) -> None:
        """``roots`` are the logdirs; entries of each are kept by themselves.

        ``most_bytes`` is by default 10 GiB.
        """
        self._directory = directory
        self._root = os.fspath(index_directory(directory))
        self._shelves = {
            root: f"{self._root}/{hashlib.blake2b(os.fsencode(root), digest_size=15).hexdigest()}"
            for root in sorted({os.path.join(os.path.abspath(root), "") for root in roots}, key=len)
        }
        self._most_bytes = most_bytes or _MOST_BYTES
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._seen: set[str] = set()  # paths of segment files
        self._entries: dict[str, tuple[SegmentFile, int]] = {}  # by path of the log file
        self._is_stale = True  # there may be segment files that were not opened
        self._written = 0  # bytes since the last tidying
        self._refusal = _distrust(self._root)  # why the index is disabled
        self._is_full = False
        if self._refusal:
            log.warning("no index is kept: %s", self._refusal)

    def load(self, path: str, lose: Callable[[str], None] = lambda path: None) -> Entry | None:
        """The entry of a log file, of which the points are not read yet; None without a valid entry.

        ``lose`` is called with the absolute path, in any thread, when points of the entry cannot be read.
        """
        if self._refusal:
            return None
        found = self._found(path)
        if found is None:
            return None
        path, segment, number = os.path.abspath(path), *found
        try:
            entry = segment.entry(number, self.dropping(lose))
        except Unusable as error:
            log.info("the index entry of %s in %s is dropped: %s", path, segment.path, error)
            self.drop(path)
            return None
        _note_use(segment)
        return entry

    def listed(self) -> Iterator[tuple[SegmentFile, list[int]]]:
        """The numbers of all entries that count, by segment file."""
        found: dict[SegmentFile, list[int]] = {}
        if not self._refusal:
            with self._lock:
                if self._is_stale:
                    self._refresh()
                for segment, number in self._entries.values():
                    found.setdefault(segment, []).append(number)
        for segment in found:
            _note_use(segment)
        return iter(found.items())

    def has(self, segment: SegmentFile, number: int) -> bool:
        """Whether an entry still counts: it was neither replaced nor dropped."""
        with self._lock:
            return self._entries.get(segment.paths[number]) == (segment, number)

    def dropping(self, lose: Callable[[str], None]) -> Callable[[str], None]:
        """Drops the entry of a log file that cannot be read, and then calls ``lose`` with its path."""

        def drop(path: str) -> None:
            self.drop(path)
            lose(path)

        return drop

    def drop(self, path: str) -> None:
        """Drops the entry of a log file, by absolute path, because it cannot be read."""
        with self._lock:
            self._entries.pop(path, None)

    def holds(self, path: str) -> bool:
        """Whether there is an entry of a log file."""
        return not self._refusal and self._found(path) is not None

    def _found(self, path: str) -> tuple[SegmentFile, int] | None:
        """The segment file with the entry of a log file, and its number there."""
        with self._lock:
            if self._is_stale:
                self._refresh()
            return self._entries.get(os.path.abspath(path)) if self._entries else None

    def _refresh(self) -> None:
        """Opens the segment files that are new. One without an entry that counts is let go."""
        self._is_stale = False
        for shelf in self._shelves.values():
            for _ in range(_MOST_TRIES):
                names = [found.path for found in listed(shelf) if found.name.endswith(SUFFIX)]
                if all(list(map(self._open, names))):
                    break  # or else another process has rewritten one that was listed

    def _open(self, path: str) -> bool:
        """Opens a segment file, unless that was done; returns False if it has been deleted."""
        if path in self._seen:
            return True
        segment = opened_segment(path, stays_open=len(self._seen) < _most_open())
        if segment is None:
            return os.path.lexists(path)
        self._seen.add(path)
        for number, log_file in enumerate(segment.paths):
            known = self._entries.get(log_file)
            if known is None or known[0].saved(known[1]) <= segment.saved(number):
                self._entries[log_file] = segment, number
        return True

    def save(
        self, entries: Mapping[str, Entry], alike: Mapping[LoadedFiles, Mapping[str, int]] | None = None
    ) -> None:
        """Keeps entries, by path of the log file, unless their content depends on other files. ``alike`` are
        files of runs that are alike, with their numbers there.

        A full disk ends all saving.
        """
        if self._refusal or self._is_full:
            return
        entries = {_absolute(path): entry for path, entry in entries.items()}
        groups = {
            files: {_absolute(path): number for path, number in some.items()}
            for files, some in (alike or {}).items()
            if some and _stands_alone(files.content(next(iter(some.values()))))
        }
        paths = itertools.chain(entries, *groups.values())
        with self._lock:
            known = [self._entries[path] for path in paths if path in self._entries] if self._entries else []
        # later than the known ones, whatever the clock
        now = max([time.time_ns(), *(segment.saved(number) + 1 for segment, number in known)])
        packed = self._packed(entries, now)
        packed_alike = self._packed_alike(groups, now)
        for shelf in {**packed, **packed_alike}:
            self._save(shelf, packed.get(shelf, {}), packed_alike.get(shelf, ()))

    def _packed(
        self, entries: Mapping[str, Entry], now: int
    ) -> Mapping[str, Mapping[str, tuple[int, Packed]]]:
        """The entries by directory and path."""
        shelves: dict[str, dict[str, tuple[int, Packed]]] = {}
        for path, entry in entries.items():
            shelf = self._shelf(path)
            if shelf is None or not _stands_alone(entry.content):
                continue
            try:
                shelves.setdefault(shelf, {})[path] = now, pack(entry)
            except (ValueError, OverflowError) as error:
                log.warning("%s is not kept in the index: %s", path, error)
            except Lost as error:
                log.info("%s", error)
        return shelves

    def _packed_alike(
        self, groups: Mapping[LoadedFiles, Mapping[str, int]], now: int
    ) -> Mapping[str, list[tuple[int, PackedFiles]]]:
        """The same of files that are alike."""
        shelves: dict[str, list[tuple[int, PackedFiles]]] = {}
        for files, numbers in groups.items():
            of_shelf: dict[str, list[str]] = {}
            for path in numbers:
                if (shelf := self._shelf(path)) is not None:
                    of_shelf.setdefault(shelf, []).append(path)
            for shelf, paths in of_shelf.items():
                packed = pack_alike(paths, files, [numbers[path] for path in paths])
                shelves.setdefault(shelf, []).append((now, packed))
        return shelves

    def _shelf(self, path: str) -> str | None:
        """The directory for entries of a log file: that of the innermost root."""
        for root in reversed(self._shelves):  # a loop: a generator for each file takes longer
            if path.startswith(root):
                return self._shelves[root]
        return None

    def _save(
        self,
        shelf: str,
        packed: Mapping[str, tuple[int, Packed]],
        alike: Sequence[tuple[int, PackedFiles]],
    ) -> None:
        try:
            written = write_segment(shelf, next(self._numbers), packed, alike)
        except OSError as error:
            self._is_full = True
            log.warning(
                "the index in %s is not updated any more, so the next start will be slower: %s",
                self._directory,
                error.strerror or error,
            )
            return
        with self._lock:
            self._is_stale = True
            self._written += written
            is_due = self._written > self._most_bytes // 10
        if is_due:
            self.tidy()

    def tidy(self) -> None:
        """Removes leftovers of dead processes, entries of deleted files, and the least recently used."""
        with self._lock:
            self._written = 0
        if not self._refusal:
            from insight_core.ingest.index.upkeep import tidy  # not needed at the start

            tidy(self._directory, self._most_bytes)


def _absolute(path: str) -> str:
    """``os.path.abspath``, which takes several times as long for a path that is absolute already."""
    if path.startswith("/") and not path.endswith("/") and "//" not in path and "/." not in path:
        return path
    return os.path.abspath(path)


def _stands_alone(content: FileState) -> bool:
    """Whether the file's own metadata decide the plugin of every tensor.

    Otherwise another file of the run decides, which may have changed or been deleted at the next start.
    """
    named = [block for claim, block in content.blocks if isinstance(claim, SummaryPlugin) or claim == _TENSOR]
    if not (named or content.refused):  # as of most files
        return True
    undecided = {tag for block in named for tag in block.tags}
    return (undecided | content.refused.keys()) <= content.metadata.keys()


def _distrust(root: str) -> str:
    """Why files in ``root`` may not have been written by this user; empty if they were, or without files."""
    try:
        info = os.stat(root)
    except OSError:
        return ""
    if not stat.S_ISDIR(info.st_mode):
        return f"{root} is not a directory"
    if info.st_uid != os.geteuid():
        return f"{root} belongs to another user"
    if info.st_mode & 0o022:
        return f"{root} can be written by other users"
    return ""


def _most_open() -> int:
    """How many segment files may stay open."""
    limit: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1024 if limit == resource.RLIM_INFINITY else limit // _OPEN_SHARE


def _note_use(segment: SegmentFile) -> None:
    now = time.time()
    if segment.used >= now - _USE_RESOLUTION:
        return
    segment.used = now
    try:
        os.utime(segment.path)
    except OSError as error:
        log.debug("the use of %s cannot be noted: %s", segment.path, error)
