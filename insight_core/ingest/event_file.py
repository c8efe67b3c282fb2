"""One event file that may grow: reads what was appended, and says what cannot be read."""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Sequence
from typing import Self

from attrs import Factory, define, frozen

from insight_core.formats.batch import BAD_DATA, Batch, DamagedRecord, Flaw, SmallFile
from insight_core.formats.framing import FOOTER_SIZE, HEADER_SIZE
from insight_core.ingest.index.entry import FileRecord
from insight_core.ingest.scan_ahead import LEAST, OWN, PAUSE, ScanAhead, file_version
from insight_core.ingest.scanner.pages import read_part
from insight_core.ingest.scanner.regular_file import open_regular, opened
from insight_core.ingest.scanner.scanner import Scanner, open_scanner
from insight_core.plugin import Dialect

MOST_FLAWS = 200  # of a file that are listed one by one
HEAD = 1024  # bytes; with TAIL they tell whether a file is still the same one
TAIL = 8192  # bytes before the end of what was read
_LIVE = 60.0  # seconds after a write within which a file may well be written to while it is read
_SETTLED = 10.0  # seconds without growth after which a cut-off record of a growing file is damage


class Replaced(Exception):
    """The path now holds another file, or this one was cut or written anew."""


@define
class FlawList:
    """The first flaws of a file one by one; of further ones, how many there are and what they cost."""

    named: list[Flaw] = Factory(list)
    more: int = 0
    first_unnamed: int = 0  # offset
    skipped: int = 0  # bytes, by those that are not named

    def extend(self, flaws: Sequence[Flaw]) -> None:
        room = max(0, MOST_FLAWS - len(self.named))
        self.named.extend(flaws[:room])
        rest = flaws[room:]
        if rest and not self.more:
            self.first_unnamed = rest[0].offset
        self.more += len(rest)
        self.skipped += sum(flaw.skipped for flaw in rest)

    def entries(self) -> list[Flaw]:
        if not self.more:
            return list(self.named)
        reason = (
            f"{self.more} more places from here on cannot be read; only the first {MOST_FLAWS} are listed"
        )
        return [*self.named, Flaw(self.first_unnamed, reason, self.skipped)]


@frozen
class _Stretch:
    """Some bytes of a file, as they were when they were read: its head, or the end of what was read."""

    start: int = 0
    length: int = 0
    checksum: int = 0

    @classmethod
    def of(cls, descriptor: int, start: int, end: int) -> Self:
        data = os.pread(descriptor, end - start, start)
        return cls(start, len(data), zlib.crc32(data))

    def is_in(self, descriptor: int) -> bool:
        return not self.length or self == self.of(descriptor, self.start, self.start + self.length)


def _both_ends(descriptor: int, info: os.stat_result) -> list[_Stretch]:
    """What tells, after a scan, whether a file that changed meanwhile was only appended to."""
    return [
        _Stretch.of(descriptor, 0, min(HEAD, info.st_size)),
        _Stretch.of(descriptor, max(0, info.st_size - HEAD), info.st_size),
    ]


class EventFile:
    """Reads one file a batch at a time; every byte is scanned once."""

    def __init__(self, path: str, guess: Dialect, number_plugins: frozenset[str] = frozenset()) -> None:
        """``number_plugins``: of which tensors that are numbers need no locators."""
        self.path = path
        self.position = 0  # of the first byte that is not part of a record read
        self.size = 0  # when last looked at
        self.dialect = guess  # until the file says it
        self._number_plugins = number_plugins
        self._scanner: Scanner | None = None  # most files are read at once, and never grow
        self._ahead: ScanAhead | None = None
        self._ahead_scanner: Scanner | None = None
        self._in_order_until = (
            1  # offset; before it, nothing is scanned ahead: the first batch tells the dialect
        )
        self._identity: tuple[int, int] | None = None  # device, inode
        self._head = _Stretch()
        self._end = _Stretch()
        self._seen: tuple[int, int] = (-1, -1)  # size and mtime_ns at the last look, if it was complete
        self._ctime_ns = 0  # at that look
        self._flaws = FlawList()
        self._tail: Flaw | None = None
        self._caught_up = False
        self._grew = -math.inf

    def flaws(self) -> list[Flaw]:
        """What cannot be read. A tail that is cut off counts unless the file is just being written."""
        tail = [self._tail] if self._tail and time.monotonic() - self._grew > _SETTLED else []
        return self._flaws.entries() + tail

    def is_unchanged(self, size: int, mtime_ns: int) -> bool:
        return self._seen == (size, mtime_ns)

    def read(self, may_scan_ahead: bool = False) -> Batch | None:
        """The next records; None at the end of what there is. Raises Replaced, OSError.

        If it may, another thread scans what follows them meanwhile.
        """
        descriptor = open_regular(self.path)
        try:
            info = os.fstat(descriptor)
            identity = (info.st_dev, info.st_ino)
            if self._identity not in (None, identity) or info.st_size < self.position:
                raise Replaced
            self._identity = identity
            if self._caught_up and info.st_size > self.size:
                self._grew = time.monotonic()
            self.size = info.st_size
            if self.is_unchanged(info.st_size, info.st_mtime_ns):
                return None
            began = self.position
            known = [self._head, self._end]
            before = _both_ends(descriptor, info) if time.time() - info.st_mtime < _LIVE else None
            batch = self._scan(descriptor, info, may_scan_ahead)
            if file_version(os.fstat(descriptor)) != file_version(info):
                if before is None:  # it is written to after all: once more, with an eye on it
                    before = _both_ends(descriptor, info)
                    batch = self._scan_in_order(descriptor, began, self.size)
                known += before
            self.dialect = batch.dialect
            self._advance(descriptor, batch.end)
            # last: a file that was written anew while it was read is neither the one nor the other
            if not all(stretch.is_in(descriptor) for stretch in known):
                raise Replaced
            self._flaws.extend(batch.flaws)
            self._tail = batch.tail if self.size else Flaw(0, "the file is empty")
            self._seen = (-1, -1)
            if batch.tail is not None or batch.end == self.size:
                self._seen = (info.st_size, info.st_mtime_ns)
                self._ctime_ns = info.st_ctime_ns
                self._caught_up = True
                self._ahead = self._ahead_scanner = None  # a damaged end may come before what is scanned
                return batch if batch.end > began else None
            return batch
        finally:
            os.close(descriptor)

    def take(self, found: SmallFile) -> Batch:
        """The records of a file of which nothing was read so far, read whole by somebody else."""
        batch = found.batch
        self._identity = found.identity
        self.dialect = batch.dialect
        self.position = self.size = size = found.size
        self._head = _Stretch(0, min(HEAD, size), found.head_checksum)
        tail = min(TAIL, size)
        self._end = _Stretch(size - tail, tail, found.tail_checksum)
        self._seen = (size, found.mtime_ns)
        self._ctime_ns = found.ctime_ns
        self._caught_up = True
        return batch

    def _scan(self, descriptor: int, info: os.stat_result, may_scan_ahead: bool) -> Batch:
        """The next records: those that were scanned ahead, or those up to where that begins."""
        version, batch, position = file_version(info), None, self.position
        if self._ahead is not None and position >= self._ahead.start:
            batch = self._ahead.batch(position, version)
            self._ahead = None
            if batch is None:
                self._in_order_until = position + PAUSE
            else:
                position = batch.end
        if (
            may_scan_ahead
            and self._ahead is None
            and position >= self._in_order_until
            and info.st_size - position >= LEAST
        ):
            self._ahead_scanner = self._ahead_scanner or open_scanner(self.dialect)
            self._ahead = ScanAhead(self._ahead_scanner, self.path, version, position + OWN)
        if batch is None:
            until = self._ahead.start if self._ahead else None
            batch = self._scan_in_order(descriptor, position, info.st_size, until)
            if batch.end - position > PAUSE:  # mostly payloads, which nobody reads: there is little to do
                self._in_order_until = batch.end + PAUSE
        return batch

    def _scan_in_order(self, descriptor: int, position: int, size: int, until: int | None = None) -> Batch:
        if self._scanner is None:
            self._scanner = open_scanner(self.dialect, number_plugins=self._number_plugins)
        return self._scanner.scan(descriptor, position, size, until)

    def _advance(self, descriptor: int, position: int) -> None:
        if position == self.position:
            return
        self.position = position
        if self._head.length < HEAD:
            self._head = _Stretch.of(descriptor, 0, min(HEAD, position))
        self._end = _Stretch.of(descriptor, max(0, position - TAIL), position)

    def record(self) -> FileRecord | None:
        """What a later start needs to go on from here; None while there is more to read."""
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
        """Goes on from where another EventFile of this path was, before anything is read; returns
        False, and has to read from the beginning, unless what it read is still there.

        It is when the inode is the same, the first and the last bytes that were read are, and either
        size, mtime and ctime are too or the file has grown. That holds, wrongly, of a file that was
        written to in place between those bytes and has grown as well, or that was within the same
        tick of the file system's clock as the last look at it.
        """
        head = _Stretch(0, record.head_length, record.head_checksum)
        end = _Stretch(record.position - record.tail_length, record.tail_length, record.tail_checksum)
        try:
            descriptor = open_regular(self.path)
        except OSError:
            return False  # reading will say why
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
            self._seen = (info.st_size, info.st_mtime_ns)
            self._ctime_ns = info.st_ctime_ns
        self._caught_up = True
        return True


def read_payload(path: str, record: int, start: int, size: int, *, limit: int | None = None) -> bytes:
    """A payload of the record at offset ``record``, verified.

    Raises DamagedRecord if the checksum is wrong, ValueError if there is another record now, OSError.

    At most ``limit`` bytes of it; then the rest is not read, and nothing is verified.
    """
    with opened(path) as file:
        file.seek(record)
        header = file.read(HEADER_SIZE)
        length = int.from_bytes(header[:8], "little")
        if (
            len(header) < HEADER_SIZE
            or not record + HEADER_SIZE <= start <= start + size <= record + HEADER_SIZE + length
        ):
            raise ValueError("the record is no longer where it was")
        if limit is not None and limit < size:
            return os.pread(file.fileno(), limit, start)
        data = read_part(file.fileno(), record + HEADER_SIZE, length, (start, size))
        if data is None:
            raise DamagedRecord(Flaw(record, BAD_DATA, HEADER_SIZE + length + FOOTER_SIZE))
        return data
