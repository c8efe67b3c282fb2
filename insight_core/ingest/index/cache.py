"""The index: a cache on disk with one entry for each event file, for a faster start.

An entry is written to a temporary file and renamed, so that readers never see a part of it. An entry with
anything unexpected (damage, another version, another file's content) is deleted, and the event file is read
again.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
import mmap
import os
import stat
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from insight_core.ingest.file_record import Entry
from insight_core.ingest.index.format import (
    Unusable,
    decode,
    encode,
    index_directory,
    machine_name,
    read_header,
)
from insight_core.ingest.mounts import mounts, silent_mount
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.store.claims import FileState

log = logging.getLogger(__name__)

MOST_BYTES = 10 << 30  # of all entries; the least recently used are evicted
_SMALLEST_MAP = 4096  # bytes; mapping costs the same for any size, fresh memory costs by the page
_MOST_MAPS = 20_000  # Linux allows a process 65,530 (vm.max_map_count)
_MOST_TRIES = 10  # to create directories that another process removes meanwhile
_TENSOR = EventField(Dialect.TENSORBOARD, "tensor")
_PIECE = 1 << 20  # bytes written at a time
_USE_RESOLUTION = 3600.0  # seconds; precision of the last use of an entry


class IndexCache:
    """The entries below one directory. Thread-safe; neither ``load`` nor ``save`` raises."""

    def __init__(self, directory: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._directory = directory
        self._root = os.fspath(index_directory(directory))
        self._most_bytes = most_bytes
        self._temporary = itertools.count()
        self._maps = itertools.count() if silent_mount(self._root, mounts()) is None else None
        self._lock = threading.Lock()
        self._written = 0  # bytes since the last tidying
        self._refusal = _distrust(self._root)  # why the index is disabled
        self._is_full = False
        if self._refusal:
            log.warning("no index is kept: %s", self._refusal)

    def load(self, path: str) -> Entry | None:
        """The entry of an event file, with read-only columns; None without a valid entry."""
        if self._refusal:
            return None
        path = os.path.abspath(path)
        place = self._place(path)
        try:
            descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            info = os.fstat(descriptor)
            data = self._content(descriptor, info)
        except (OSError, ValueError) as error:
            log.info("the index entry %s cannot be read: %s", place, error)
            return None
        finally:
            os.close(descriptor)
        try:
            header = read_header(data)
            if header.path != path:
                raise Unusable(f"it is of {header.path!r}")
            entry = decode(data, header)
        except Unusable as error:
            log.info("the index entry %s of %s is dropped: %s", place, path, error)
            _remove(place)
            return None
        if info.st_mtime < time.time() - _USE_RESOLUTION:
            _mark_used(place)
        return entry

    def _content(self, descriptor: int, info: os.stat_result) -> memoryview:
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("it is not a regular file")
        # files that another machine may delete are not mapped: reading their pages would kill this process
        if info.st_size < _SMALLEST_MAP or self._maps is None or next(self._maps) >= _MOST_MAPS:
            return memoryview(os.pread(descriptor, info.st_size, 0))
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        return memoryview(mmap.mmap(descriptor, info.st_size, flags=flags, prot=mmap.PROT_READ))

    def save(self, path: str, entry: Entry) -> None:
        """Replaces the entry, unless its content depends on other files. A full disk ends all saving."""
        if self._refusal or self._is_full or not _stands_alone(entry.content):
            return
        path = os.path.abspath(path)
        try:
            pieces = encode(path, entry)
        except (ValueError, OverflowError, struct.error) as error:
            log.warning("%s is not kept in the index: %s", path, error)
            return
        try:
            written = self._write(self._place(path), pieces)
        except OSError as error:
            self._is_full = True
            log.warning(
                "the index in %s is not updated any more, so the next start will be slower: %s",
                self._directory,
                error.strerror or error,
            )
            return
        with self._lock:
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

    def _place(self, path: str) -> str:
        name = hashlib.blake2b(os.fsencode(path), digest_size=16).hexdigest()
        return f"{self._root}/{name[:2]}/{name[2:]}"

    def _write(self, place: str, pieces: Iterable[bytes | memoryview]) -> int:
        temporary = _temporary_name(place, next(self._temporary))
        descriptor = _create(temporary, self._root)
        try:
            try:
                written = sum(_write_all(descriptor, piece) for piece in _joined(pieces))
            finally:
                os.close(descriptor)  # network file systems report a full disk here
            os.replace(temporary, place)
        except FileNotFoundError:
            return 0  # another process is clearing the cache
        except BaseException:
            _remove(temporary)
            raise
        return written


def _stands_alone(content: FileState) -> bool:
    """Whether the file's own metadata decide the plugin of every tensor.

    Otherwise another file of the run decides, which may have changed or been deleted at the next start.
    """
    undecided = {
        tag
        for claim, block in content.blocks
        if isinstance(claim, SummaryPlugin) or claim == _TENSOR
        for tag in block.tags
    }
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


def _temporary_name(place: str, number: int) -> str:
    """The name of a temporary file next to ``place``, with host and process."""
    return f"{place}.{machine_name()}-{os.getpid()}-{number}.tmp"


def _create(path: str, root: str) -> int:
    """Opens a new file in a directory in ``root``; creates both if necessary."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    for _ in range(_MOST_TRIES):
        try:
            return os.open(path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(root), 0o700, exist_ok=True)
            for directory in (root, os.path.dirname(path)):
                with contextlib.suppress(FileExistsError, FileNotFoundError):  # other processes do the same
                    os.mkdir(directory, 0o700)
    return os.open(path, flags, 0o600)


def _joined(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """Joins small pieces, because a system call for each would be slower."""
    small: list[bytes | memoryview] = []
    held = 0
    for piece in pieces:
        if len(piece) < _PIECE:
            small.append(piece)
            held += len(piece)
        if held >= _PIECE or len(piece) >= _PIECE:
            yield b"".join(small)
            small, held = [], 0
        if len(piece) >= _PIECE:
            yield piece
    yield b"".join(small)


def _write_all(descriptor: int, piece: bytes | memoryview) -> int:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    return len(piece)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        log.debug("%s cannot be removed: %s", path, error)


def _mark_used(place: str) -> None:
    try:
        os.utime(place)
    except OSError as error:
        log.debug("the use of %s cannot be noted: %s", place, error)
