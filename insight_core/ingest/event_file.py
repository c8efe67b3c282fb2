"""Reads one event file that may grow, batch by batch, and reports its damage."""

from __future__ import annotations

import functools
import os
import time
from typing import NamedTuple

from insight_core.formats.batch import BAD_DATA, BAD_HEADER, EMPTY, Batch, DamagedRecord, Flaw
from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_core.ingest.file_record import FileRecord, Stretch
from insight_core.ingest.followed_file import HEAD, TAIL, FollowedFile, Replaced, both_ends
from insight_core.ingest.scan_ahead import LEAST, OWN, PAUSE, FileVersion, ScanAhead, file_version
from insight_core.ingest.scanner.holes import MOST_RETRIED
from insight_core.ingest.scanner.pages import read_part
from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.ingest.scanner.scanner import Scanner, open_scanner
from insight_core.plugin import Dialect
from insight_record.formats.framing import FOOTER_SIZE, HEADER_SIZE

_PIECE = 64 << 10  # bytes of a damaged part that are searched at a time
_LIVE = 60.0  # seconds after its last write during which a file counts as being written


class WholeFile(NamedTuple):
    """A file that was read completely by a bulk read: an ``EventFile`` is made when it grows."""

    version: FileVersion
    dialect: Dialect
    head_checksum: int  # of HEAD bytes
    tail_checksum: int  # of TAIL bytes

    @property
    def position(self) -> int:
        """Offset of the first byte that was not read."""
        return self.version[2]

    def record(self) -> FileRecord:
        """The state from which it is read on."""
        _, inode, size, mtime_ns, ctime_ns = self.version
        head, tail = min(HEAD, size), min(TAIL, size)
        return FileRecord(
            self.dialect, inode, size, mtime_ns, ctime_ns, size,
            Stretch(0, head, self.head_checksum), Stretch(size - tail, tail, self.tail_checksum),
        )  # fmt: skip


class EventFile(FollowedFile):
    """Reads one file a batch at a time; every byte is scanned once."""

    def __init__(self, path: str, guess: Dialect, number_plugins: frozenset[str] = frozenset()) -> None:
        """``number_plugins`` are plugins of numbers: their tensors of one number need no locators."""
        super().__init__(path, guess)  # the dialect, until the file is read
        self._number_plugins = number_plugins
        self._ahead: ScanAhead | None = None
        self._ahead_scanner: Scanner | None = None
        # nothing is scanned ahead before this offset: the first batch determines the dialect
        self._in_order_until = 1

    @property
    def dialect(self) -> Dialect:
        """The dialect in the first record; before it is read, a guess from the file name."""
        assert self._known.dialect is not None
        return self._known.dialect

    def read(self, may_scan_ahead: bool = False) -> Batch | None:
        """The next records; None at the end of the file. Raises Replaced, OSError.

        With ``may_scan_ahead``, another thread may scan the records after these at the same time.
        """
        descriptor = open_regular(self.path)
        try:
            info = os.fstat(descriptor)
            self._look_at(info)
            if self.is_unchanged(info.st_size, info.st_mtime_ns):
                return None
            if self._known.size >= 0 and self._is_mended(descriptor, info.st_size, self._known):
                raise Replaced
            began = self.position
            known = [self._known.head, self._known.end]
            before = both_ends(descriptor, info) if time.time() - info.st_mtime < _LIVE else None
            batch = self._scan(descriptor, info, may_scan_ahead)
            if file_version(os.fstat(descriptor)) != file_version(info):
                if before is None:  # the file is being written: scan again, and compare both ends
                    before = both_ends(descriptor, info)
                    batch = self._scanner.scan(descriptor, began, self.size)
                known += before
            self._known.dialect = batch.dialect
            self._advance(descriptor, batch.end)
            # checked last: a file that was rewritten during the scan gives a mixture of old and new
            if not all(stretch.is_in(descriptor) for stretch in known):
                raise Replaced
            self._known.flaws.extend(batch.flaws)
            self._known.tail = batch.tail if self.size else Flaw(0, EMPTY)
            self._known.size = -1
            if batch.tail is not None or batch.end == self.size:
                self._note_complete(*file_version(info)[2:])
                self._ahead = self._ahead_scanner = None  # damage may lie before the part scanned ahead
                return batch if batch.end > began else None
            return batch
        finally:
            os.close(descriptor)

    def _is_mended(self, descriptor: int, size: int, record: FileRecord) -> bool:
        """Whether a damaged part has another first record now, as when a page of zeros gets its bytes.

        Looks at the beginning of each part, and searches parts further, up to a limit of all.
        """
        left = MOST_RETRIED
        for flaw in record.flaws.named:
            if flaw.reason not in (BAD_HEADER, BAD_DATA):
                continue  # a record with its checksum does not change
            scanner = open_scanner(record.dialect or self.dialect, _PIECE)
            batch = scanner.scan(descriptor, flaw.offset, size, flaw.offset + 1)
            while batch.end == flaw.offset and batch.tail is None and left > 0:
                left -= _PIECE
                batch = scanner.scan(descriptor, flaw.offset, size, flaw.offset + 1)
            if batch.end > flaw.offset and batch.flaws[:1] != [flaw]:
                return True
        return False

    def _scan(self, descriptor: int, info: os.stat_result, may_scan_ahead: bool) -> Batch:
        """The next records: the part scanned ahead, or the records up to its start."""
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
            batch = self._scanner.scan(descriptor, position, info.st_size, until)
            if batch.end - position > PAUSE:  # mostly payloads, which are skipped: little work
                self._in_order_until = batch.end + PAUSE
        return batch

    @functools.cached_property
    def _scanner(self) -> Scanner:  # made on demand: most files are read in bulk and never grow
        return open_scanner(self.dialect, number_plugins=self._number_plugins)


def read_payload(
    path: str, record: int, start: int, size: int, *, limit: int | None = None, fetch: Fetch | None = None
) -> bytes:
    """A payload of the record at offset ``record``, verified.

    Raises DamagedRecord if the checksum is wrong, ValueError if there is another record now, OSError.

    At most ``limit`` bytes of it; then the rest is not read, and nothing is verified.
    """
    if fetch is not None:
        fetch([FilePart(path, record, start + (size if limit is None else min(limit, size)) + FOOTER_SIZE)])
    with opened(path) as file:
        file.seek(record)
        header = file.read(HEADER_SIZE)
        length = int.from_bytes(header[:8], "little")
        if (
            len(header) < HEADER_SIZE
            or not record + HEADER_SIZE <= start <= start + size <= record + HEADER_SIZE + length
        ):
            raise ValueError("the file has changed: another record is at this offset")
        if limit is not None and limit < size:
            return os.pread(file.fileno(), limit, start)
        if fetch is not None:
            fetch([FilePart(path, record, record + HEADER_SIZE + length + FOOTER_SIZE)])
        data = read_part(file.fileno(), record + HEADER_SIZE, length, (start, size))
        if data is None:
            raise DamagedRecord(Flaw(record, BAD_DATA, HEADER_SIZE + length + FOOTER_SIZE))
        return data
