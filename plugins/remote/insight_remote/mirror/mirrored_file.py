"""One file of a mirror: a sparse local file with size and time of the remote one, filled by need."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from insight_core.plugin import RemoteFile
from insight_remote.mirror.requests import Requests

_PIECE = 4 << 20  # bytes of one request
_OVERLAP = 64, 256  # least and most bytes before the old end that are compared when a file has grown
_OVERLAP_SHARE = 20  # bytes that were appended, for each that is compared
_KEEP_SIZE, _PUNCH_HOLE = 1, 2  # man 2 fallocate
# Sends requests at the same time: the results of calls, in order.
Together = Callable[[Sequence[Callable[[], bytes]]], Sequence[bytes]]
Stretches: TypeAlias = tuple[tuple[int, int], ...]  # start and end of each, sorted; they do not touch


class MirroredFile:
    """The local file at ``path`` of a remote file; ``lock`` is held by whoever changes either.

    ``present`` are the stretches that were fetched. A file that ``grows`` (a log) keeps them when the remote
    file becomes longer: ``unverified`` is then the old size, until the bytes before it were compared.
    """

    def __init__(self, path: str, listed: RemoteFile) -> None:
        self.path = path
        self.listed = listed
        self.present: Stretches = ()
        self.unverified = 0
        self.grows = False
        self.inode = 0
        self.used = 0.0  # monotonic seconds
        self.failure: Exception | None = None  # of the last fetch
        self.retry_at = 0.0  # monotonic seconds, after a failure
        self.missing_since = math.inf  # monotonic seconds of the first listing without it
        self.doubted: RemoteFile | None = None  # an older version in the last listing
        self.lock = threading.Lock()

    @property
    def held(self) -> int:
        """Bytes that are present."""
        return total(self.present)

    def has(self, start: int, end: int) -> bool:
        """Whether these bytes are present and of the current version."""
        return not self.unverified and not missing(self.present, start, min(end, self.listed.size))

    def create(self) -> None:
        """Makes the local file, without content, in place of an earlier one. Raises OSError."""
        self.present, self.unverified = (), 0  # first: ``state.save`` may read it any time
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        temporary = f"{self.path[: -len(os.path.basename(self.path))]}.new-{os.getpid()}-{id(self)}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(descriptor, self.listed.size)
            self._set_time(descriptor)
            self.inode = os.fstat(descriptor).st_ino
        finally:
            os.close(descriptor)
        os.replace(temporary, self.path)  # another inode: readers notice that it is another file

    def take(self, listed: RemoteFile) -> None:
        """Adopts another version of the remote file."""
        with self.lock:
            before = self.listed
            same, there = is_same(before, listed), self._is_there()
            grew = self.grows and listed.size > before.size
            if not same and there and grew:
                self.unverified = self.unverified or before.size
            elif not same or not there:
                self.present, self.unverified = (), 0
            self.listed = listed
            if there and (same or grew):
                self._resize()
            else:
                self.create()

    def fetch(self, start: int, end: int, requests: Requests, together: Together) -> None:
        """Makes these bytes present. Raises FileChanged, StoreAway, OSError."""
        with self.lock:
            self.used = time.monotonic()
            if not self._is_there():
                self.create()
            overlap = self._overlap()
            if self.unverified and not overlap:  # nothing to compare: readers compare the ends themselves
                self.present, self.unverified = (), 0
            if overlap and not self._grew(overlap, end, requests, together):
                self.create()
            self._fill(missing(self.present, start, min(end, self.listed.size)), requests, together)

    def forget_content(self) -> int:
        """Counts the content as missing; returns its bytes, 0 if the file is in use."""
        if not self.lock.acquire(blocking=False):
            return 0
        try:
            freed, self.present, self.unverified = self.held, (), 0
            return freed
        finally:
            self.lock.release()

    def free_content(self) -> None:
        """Frees the space of content that is missing. Raises OSError."""
        with self.lock:
            if not self.present and self._is_there():
                _punch(self.path, self.listed.size)
                self._resize()  # sets the time

    # --- the lock is held ---

    def _is_there(self) -> bool:
        try:
            return os.stat(self.path).st_ino == self.inode
        except OSError:  # the cache was cleared
            return False

    def _overlap(self) -> tuple[int, int] | None:
        """The bytes before the old end of a file that has grown, if they are present."""
        end = self.unverified
        least, most = _OVERLAP
        start = max(0, end - min(most, max(least, (self.listed.size - end) // _OVERLAP_SHARE)))
        return (start, end) if end and not missing(self.present, start, end) else None

    def _grew(self, overlap: tuple[int, int], end: int, requests: Requests, together: Together) -> bool:
        """Whether the file begins as before; also fetches what follows, as far as it is wanted."""
        end = max(overlap[1], min(end, self.listed.size))
        pieces = _pieces([(overlap[0], end)])
        listed = self.listed
        data = b"".join(together([functools.partial(requests.read, listed, *piece) for piece in pieces]))
        count = overlap[1] - overlap[0]
        with open(self.path, "rb") as file:
            if os.pread(file.fileno(), count, overlap[0]) != data[:count]:
                return False
        self.unverified = 0
        self._write([(overlap[1], data[count:])])
        return True

    def _fill(self, wanted: Sequence[tuple[int, int]], requests: Requests, together: Together) -> None:
        pieces = _pieces(wanted)
        listed = self.listed
        width = 16  # pieces in memory
        for at in range(0, len(pieces), width):
            part = pieces[at : at + width]
            data = together([functools.partial(requests.read, listed, *piece) for piece in part])
            self._write([(piece[0], each) for piece, each in zip(part, data, strict=True)])

    def _write(self, pieces: Sequence[tuple[int, bytes]]) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            for start, data in pieces:
                view = memoryview(data)
                while view:
                    view = view[os.pwrite(descriptor, view, start + len(data) - len(view)) :]
                self.present = with_stretch(self.present, start, start + len(data))
            self._set_time(descriptor)
        finally:
            os.close(descriptor)

    def _resize(self) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.ftruncate(descriptor, self.listed.size)
            self._set_time(descriptor)
        finally:
            os.close(descriptor)

    def _set_time(self, descriptor: int) -> None:
        os.utime(descriptor, ns=(self.listed.mtime_ns, self.listed.mtime_ns))


def is_same(one: RemoteFile, other: RemoteFile) -> bool:
    """Whether two listings of a file are of the same content."""
    if one.size != other.size:
        return False
    return one.version == other.version if one.version else one.mtime_ns == other.mtime_ns


def _pieces(stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(at, min(end, at + _PIECE)) for start, end in stretches for at in range(start, end, _PIECE)]


def _punch(path: str, size: int) -> bool:
    """Frees the blocks of a file, which keeps its size; False where the system cannot."""
    call = _fallocate()
    if call is None or not size:
        return False
    with open(path, "r+b") as file:
        code: int = call(file.fileno(), _KEEP_SIZE | _PUNCH_HOLE, ctypes.c_int64(0), ctypes.c_int64(size))
        return code == 0


@functools.cache
def _fallocate() -> Callable[..., int] | None:
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    return getattr(library, "fallocate64", getattr(library, "fallocate", None))


def with_stretch(present: Stretches, start: int, end: int) -> Stretches:
    """``present`` and the bytes from ``start`` to ``end``."""
    if start >= end:
        return present
    apart = [each for each in present if each[1] < start or each[0] > end]
    touching = [each for each in present if not (each[1] < start or each[0] > end)]
    joined = min([start, *(a for a, _ in touching)]), max([end, *(b for _, b in touching)])
    return tuple(sorted([*apart, joined]))


def missing(present: Stretches, start: int, end: int) -> list[tuple[int, int]]:
    """The stretches between ``start`` and ``end`` that are not present."""
    found = []
    for a, b in present:
        if b <= start:
            continue
        if a >= end:
            break
        if a > start:
            found.append((start, a))
        start = b
    if start < end:
        found.append((start, end))
    return found


def total(present: Iterable[tuple[int, int]]) -> int:
    """The bytes that are present."""
    return sum(end - start for start, end in present)
