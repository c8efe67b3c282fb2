"""Base class of files that are tailed: identifies the file, and stores how far it was read."""

from __future__ import annotations

import math
import os
import time

from insight_core.formats.batch import Flaw
from insight_core.ingest.file_record import FileRecord, Stretch
from insight_core.ingest.scan_ahead import FileVersion
from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.plugin import Dialect

HEAD = 1024  # first bytes; together with TAIL they identify a file
TAIL = 8192  # last bytes that were read
SETTLED = 10.0  # seconds without growth after which a cut-off record of a growing file is damage


class Replaced(Exception):
    """The path now holds another file, or the file was truncated or rewritten."""


def both_ends(descriptor: int, info: os.stat_result) -> list[Stretch]:
    """Head and tail of a file; compared after a scan, they tell whether it was only appended to."""
    return [
        Stretch.of(descriptor, 0, min(HEAD, info.st_size)),
        Stretch.of(descriptor, max(0, info.st_size - HEAD), info.st_size),
    ]


class FollowedFile:
    """A file whose bytes are each read once; subclasses read them."""

    def __init__(self, path: str, dialect: Dialect | None) -> None:
        self.path = path
        self.size = 0  # when last looked at
        self._known = FileRecord(dialect)
        self._identity: tuple[int, int] | None = None  # device, inode
        self._caught_up = False
        self._grew = -math.inf

    @property
    def position(self) -> int:
        """Offset of the first byte that was not read."""
        return self._known.position

    @property
    def dialect(self) -> Dialect | None:
        """The dialect of an event file."""
        return self._known.dialect

    def flaws(self) -> list[Flaw]:
        """The damage of the file. A truncated tail counts unless the file is being written."""
        tail = self._known.tail
        is_due = tail is not None and time.monotonic() - self._grew > SETTLED
        return self._known.flaws.entries() + ([tail] if tail is not None and is_due else [])

    def is_unchanged(self, size: int, mtime_ns: int) -> bool:
        """Whether size and modification time equal those of the last complete check."""
        return (self._known.size, self._known.mtime_ns) == (size, mtime_ns)

    def _check_identity(self, info: os.stat_result) -> None:
        """Raises Replaced if this is another file, or the file was truncated."""
        if self._identity not in (None, (info.st_dev, info.st_ino)) or info.st_size < self.position:
            raise Replaced

    def _look_at(self, info: os.stat_result) -> None:
        """Notes identity and size. Raises Replaced."""
        self._check_identity(info)
        self._identity, self._known.inode = (info.st_dev, info.st_ino), info.st_ino
        if self._caught_up and info.st_size > self.size:
            self._grew = time.monotonic()
        self.size = info.st_size

    def _note_complete(self, size: int, mtime_ns: int, ctime_ns: int) -> None:
        """Records that the file was read to its end, and its version at that time."""
        known = self._known
        known.size, known.mtime_ns, known.ctime_ns = size, mtime_ns, ctime_ns
        self._caught_up = True

    def _advance(self, descriptor: int, position: int) -> None:
        known = self._known
        if position == known.position:
            return
        known.position = position
        if known.head.length < HEAD:
            known.head = Stretch.of(descriptor, 0, min(HEAD, position))
        known.end = Stretch.of(descriptor, max(0, position - TAIL), position)

    def record(self) -> FileRecord | None:
        """The state from which a later start can resume; None while bytes are unread."""
        if self._identity is None or self._known.size < 0:
            return None
        return self._known.copied()

    def resume(self, record: FileRecord, version: FileVersion) -> bool:
        """Resumes from the state of an earlier reader of this path, before anything is read.

        ``version`` is that of the file now. Returns False if the file has changed, so that it must be read
        from the beginning. The file counts as unchanged if inode, size, mtime and ctime are the same; it may
        also have grown, if its first bytes, the last bytes that were read, and its damage are the same. Two
        changes are not noticed: a write in place to intact bytes between those in a file that has also grown,
        and a write within the same tick of the file system's clock as the last read.
        """
        is_unchanged = version[1:] == (record.inode, record.size, record.mtime_ns, record.ctime_ns)
        if not is_unchanged and not self._has_grown(record):
            return False
        self._identity = version[:2]
        self._known = record.copied()
        self.size = version[2]
        if not is_unchanged:
            self._known.size = -1
        self._caught_up = True
        return True

    def _has_grown(self, record: FileRecord) -> bool:
        """Whether the file is the one of the record, with more bytes at its end."""
        try:
            descriptor = open_regular(self.path)
        except OSError:
            return False  # reading reports the error
        try:
            info = os.fstat(descriptor)
            return (
                info.st_ino == record.inode
                and info.st_size > record.size
                and record.head.is_in(descriptor)
                and record.end.is_in(descriptor)
                and not self._is_mended(descriptor, info.st_size, record)
            )
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def _is_mended(self, descriptor: int, size: int, record: FileRecord) -> bool:
        """Whether damaged parts of the file can be read now: then it is read again from the beginning."""
        return False
