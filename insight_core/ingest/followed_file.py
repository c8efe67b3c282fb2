"""Base class of files that are tailed: identifies the file, and stores how far it was read."""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Sequence
from typing import Self

from attrs import Factory, define, frozen

from insight_core.formats.batch import Flaw
from insight_core.ingest.index.entry import FileRecord
from insight_core.ingest.scan_ahead import file_version
from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.plugin import Dialect

MOST_FLAWS = 200  # listed one by one for a file
HEAD = 1024  # first bytes; together with TAIL they identify a file
TAIL = 8192  # last bytes that were read
_SETTLED = 10.0  # seconds without growth after which a cut-off record of a growing file is damage


class Replaced(Exception):
    """The path now holds another file, or the file was truncated or rewritten."""


@define
class FlawList:
    """The first flaws of a file, and the number and skipped bytes of the others."""

    named: list[Flaw] = Factory(list)
    more: int = 0
    first_unnamed: int = 0  # offset
    skipped: int = 0  # bytes, by flaws that are not listed

    def extend(self, flaws: Sequence[Flaw]) -> None:
        """Adds flaws; beyond ``MOST_FLAWS`` only their number and bytes are kept."""
        room = max(0, MOST_FLAWS - len(self.named))
        self.named.extend(flaws[:room])
        rest = flaws[room:]
        if rest and not self.more:
            self.first_unnamed = rest[0].offset
        self.more += len(rest)
        self.skipped += sum(flaw.skipped for flaw in rest)

    def entries(self) -> list[Flaw]:
        """The listed flaws, then one entry that sums up the others."""
        if not self.more:
            return list(self.named)
        reason = (
            f"{self.more} more places from here on cannot be read; only the first {MOST_FLAWS} are listed"
        )
        return [*self.named, Flaw(self.first_unnamed, reason, self.skipped)]


@frozen
class Stretch:
    """Bytes at one place of a file when it was read: its head, or the end of the part that was read."""

    start: int = 0
    length: int = 0
    checksum: int = 0

    @classmethod
    def of(cls, descriptor: int, start: int, end: int) -> Self:
        """Reads the bytes from ``start`` to ``end``."""
        data = os.pread(descriptor, end - start, start)
        return cls(start, len(data), zlib.crc32(data))

    def is_in(self, descriptor: int) -> bool:
        """Whether the file still has these bytes at this place."""
        return not self.length or self == self.of(descriptor, self.start, self.start + self.length)


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
        self.position = 0  # of the first unread byte
        self.size = 0  # at the last check
        self.dialect = dialect
        self._identity: tuple[int, int] | None = None  # device, inode
        self._head = Stretch()
        self._end = Stretch()
        self._seen: tuple[int, int] = (-1, -1)  # size and mtime_ns at the last look, if it was complete
        self._ctime_ns = 0  # at that look
        self._flaws = FlawList()
        self._tail: Flaw | None = None
        self._caught_up = False
        self._grew = -math.inf

    def flaws(self) -> list[Flaw]:
        """The flaws. A truncated last record is a flaw unless the file is still being written."""
        tail = [self._tail] if self._tail and time.monotonic() - self._grew > _SETTLED else []
        return self._flaws.entries() + tail

    def is_unchanged(self, size: int, mtime_ns: int) -> bool:
        """Whether size and modification time equal those of the last complete check."""
        return self._seen == (size, mtime_ns)

    def _look_at(self, info: os.stat_result) -> None:
        """Notes the size. Raises Replaced if this is another file, or the file was cut."""
        identity = (info.st_dev, info.st_ino)
        if self._identity not in (None, identity) or info.st_size < self.position:
            raise Replaced
        self._identity = identity
        if self._caught_up and info.st_size > self.size:
            self._grew = time.monotonic()
        self.size = info.st_size

    def _note_complete(self, info: os.stat_result) -> None:
        """Records that the file was read up to its size at this check."""
        self._seen = (info.st_size, info.st_mtime_ns)
        self._ctime_ns = info.st_ctime_ns
        self._caught_up = True

    def _advance(self, descriptor: int, position: int) -> None:
        if position == self.position:
            return
        self.position = position
        if self._head.length < HEAD:
            self._head = Stretch.of(descriptor, 0, min(HEAD, position))
        self._end = Stretch.of(descriptor, max(0, position - TAIL), position)

    def record(self) -> FileRecord | None:
        """The state from which a later start can resume; None while bytes are unread."""
        size, mtime_ns = self._seen
        if self._identity is None or size < 0:
            return None
        return FileRecord(
            self._identity[1],
            size,
            mtime_ns,
            self._ctime_ns,
            self.position,
            self._head.length,
            self._head.checksum,
            self._end.length,
            self._end.checksum,
            self.dialect,
            tuple(self._flaws.named),
            self._flaws.more,
            self._flaws.first_unnamed,
            self._flaws.skipped,
            self._tail,
        )

    def resume(self, record: FileRecord) -> bool:
        """Goes on from where another reader of this path was, before anything is read; returns
        False, and has to read from the beginning, unless what it read is still there.

        It is when the inode is the same, the first and the last bytes that were read are, and either
        size, mtime and ctime are too or the file has grown. That holds, wrongly, of a file that was
        written to in place between those bytes and has grown as well, or that was within the same
        tick of the file system's clock as the last look at it.
        """
        head = Stretch(0, record.head_length, record.head_checksum)
        end = Stretch(record.position - record.tail_length, record.tail_length, record.tail_checksum)
        try:
            descriptor = open_regular(self.path)
        except OSError:
            return False  # reading reports the error
        try:
            info = os.fstat(descriptor)
            is_unchanged = file_version(info)[2:] == (record.size, record.mtime_ns, record.ctime_ns)
            if (
                info.st_ino != record.inode
                or not (is_unchanged or info.st_size > record.size)
                or not (head.is_in(descriptor) and end.is_in(descriptor))
            ):
                return False
        except OSError:
            return False
        finally:
            os.close(descriptor)
        self._identity = (info.st_dev, info.st_ino)
        self._head, self._end = head, end
        self.dialect = record.dialect
        self.position, self.size = record.position, info.st_size
        self._flaws = FlawList(
            list(record.flaws), record.more_flaws, record.first_unnamed_flaw, record.unnamed_skipped
        )
        self._tail = record.tail
        if is_unchanged:
            self._note_complete(info)
        self._caught_up = True
        return True
