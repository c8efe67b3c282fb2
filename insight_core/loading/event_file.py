"""One event file that may grow: reads what was appended, and says what cannot be read."""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Sequence

from insight_core.api import Dialect
from insight_core.records.crc32c import crc32c, masked
from insight_core.records.framing import FOOTER_SIZE, HEADER_SIZE, find_header
from insight_core.records.scanner import BAD_DATA, BAD_HEADER, Batch, Flaw, Scanner

CHUNK = 4 << 20  # bytes read at a time
MOST_FLAWS = 200  # of a file that are listed one by one
_HEAD = 1024  # bytes that tell whether a file is still the same one
_PAGE = 1 << 16
_SETTLED = 10.0  # seconds without growth after which a cut-off record of a growing file is damage


class Replaced(Exception):
    """The path now holds another file, or this one was cut or written anew."""


class FlawList:
    """The first flaws of a file one by one; of further ones, how many there are and what they cost."""

    def __init__(self) -> None:
        self._named: list[Flaw] = []
        self._more = 0
        self._first_unnamed = 0  # offset
        self._skipped = 0  # bytes, by those that are not named

    def extend(self, flaws: Sequence[Flaw]) -> None:
        room = max(0, MOST_FLAWS - len(self._named))
        self._named.extend(flaws[:room])
        rest = flaws[room:]
        if rest and not self._more:
            self._first_unnamed = rest[0].offset
        self._more += len(rest)
        self._skipped += sum(flaw.skipped for flaw in rest)

    def entries(self) -> list[Flaw]:
        if not self._more:
            return list(self._named)
        reason = (
            f"{self._more} more places from here on cannot be read; only the first {MOST_FLAWS} are listed"
        )
        return [*self._named, Flaw(self._first_unnamed, reason, self._skipped)]


class EventFile:
    """Reads one file a chunk at a time; every byte is scanned once."""

    def __init__(self, path: str, guess: Dialect) -> None:
        self.path = path
        self.position = 0  # of the first byte that is not part of a record read
        self.size = 0  # when last looked at
        self._scanner = Scanner(guess)
        self._identity: tuple[int, int] | None = None
        self._head = (0, 0)  # length and checksum of the first bytes
        self._seen: tuple[int, int] = (-1, -1)  # size and mtime_ns at the last complete look
        self._searched = 0  # bytes before this were searched for a header after a bad one
        self._flaws = FlawList()
        self._tail: Flaw | None = None
        self._caught_up = False
        self._grew = -math.inf

    @property
    def dialect(self) -> Dialect:
        return self._scanner.dialect

    def flaws(self) -> list[Flaw]:
        """What cannot be read. A tail that is cut off counts unless the file is just being written."""
        tail = [self._tail] if self._tail and time.monotonic() - self._grew > _SETTLED else []
        return self._flaws.entries() + tail

    def is_unchanged(self, size: int, mtime_ns: int) -> bool:
        return self._seen == (size, mtime_ns)

    def read(self) -> Batch | None:
        """The records of the next chunk; None at the end of what there is. Raises Replaced, OSError."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            info = os.fstat(descriptor)
            self._check_identity(descriptor, info)
            if self._caught_up and info.st_size > self.size:
                self._grew = time.monotonic()
            self.size = info.st_size
            batch = self._read_chunk(descriptor)
            if batch is None:
                self._seen = (info.st_size, info.st_mtime_ns)
                self._caught_up = True
            return batch
        finally:
            os.close(descriptor)

    def _check_identity(self, descriptor: int, info: os.stat_result) -> None:
        identity = (info.st_dev, info.st_ino)
        if self._identity is not None:
            length, checksum = self._head
            head = os.pread(descriptor, length, 0) if (info.st_size, info.st_mtime_ns) != self._seen else None
            if (
                identity != self._identity
                or info.st_size < self.position
                or (head is not None and (len(head), zlib.crc32(head)) != (length, checksum))
            ):
                raise Replaced
        self._identity = identity
        if self._head[0] < _HEAD and self.position:
            head = os.pread(descriptor, min(_HEAD, self.position), 0)
            self._head = (len(head), zlib.crc32(head))

    def _read_chunk(self, descriptor: int) -> Batch | None:
        chunk = os.pread(descriptor, CHUNK, self.position)
        if not chunk:
            self._tail = None if self.position else Flaw(0, "the file is empty")
            return None
        batch = self._scanner.scan(chunk, self.position, self.size - self.position)
        self._flaws.extend(batch.flaws)
        if batch.end > self.position:
            self.position = batch.end
            self._searched = 0
            self._tail = None
            return batch
        if batch.header_is_bad:
            return self._resynchronise(descriptor)
        if batch.wanted and self.position + batch.wanted <= self.size:
            return self._read_long(descriptor, batch.wanted)
        held = self.size - self.position
        reason = (
            f"a record is cut off: {held} of {batch.wanted} bytes"
            if batch.wanted
            else "the header of a record is cut off"
        )
        self._tail = Flaw(self.position, reason, held)
        return None

    def _resynchronise(self, descriptor: int) -> Batch | None:
        """Looks through one chunk for the next good header after a bad one."""
        at = max(self.position + 1, self._searched)
        self._tail = Flaw(self.position, BAD_HEADER, self.size - self.position)
        if at + HEADER_SIZE > self.size:
            return None
        chunk = os.pread(descriptor, CHUNK, at)
        offset = find_header(chunk, 0, self.size - at)
        if offset is None:
            self._searched = at + max(1, len(chunk) - HEADER_SIZE + 1)
            return Batch(self.position)
        skipped = at + offset - self.position
        self._flaws.extend([Flaw(self.position, BAD_HEADER, skipped)])
        self.position += skipped
        self._tail = None
        return Batch(self.position)

    def _read_long(self, descriptor: int, wanted: int) -> Batch:
        """A record longer than a chunk: its payloads stay on disk, numbers are taken once verified."""
        start = self.position + HEADER_SIZE
        batch = Batch(self.position + wanted)
        view = _Pages(descriptor, start, wanted - HEADER_SIZE - FOOTER_SIZE)
        if self._scanner.scan_long(view, start, batch, verified=False):
            if _is_whole(descriptor, start, len(view)):
                self._scanner.scan_long(view, start, batch, verified=True)
            else:
                batch.flaws.append(Flaw(self.position, BAD_DATA, wanted))
        self._flaws.extend(batch.flaws)
        self.position = batch.end
        self._tail = None
        return batch


def _is_whole(descriptor: int, start: int, length: int) -> bool:
    crc, done = 0, 0
    while done < length:
        piece = os.pread(descriptor, min(CHUNK, length - done), start + done)
        if not piece:
            return False
        crc = crc32c(piece, crc)
        done += len(piece)
    return masked(crc) == int.from_bytes(os.pread(descriptor, FOOTER_SIZE, start + length), "little")


class _Pages:
    """A stretch of a file as a buffer that fetches only the pages touched."""

    def __init__(self, descriptor: int, start: int, size: int) -> None:
        self._descriptor, self._start, self._size = descriptor, start, size
        self._page, self._at = b"", -1

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int | slice) -> int | bytes:
        if isinstance(index, slice):
            first, last, _ = index.indices(self._size)
            return os.pread(self._descriptor, max(0, last - first), self._start + first)
        if not self._at <= index < self._at + len(self._page):
            self._page, self._at = (
                os.pread(self._descriptor, min(_PAGE, self._size - index), self._start + index),
                index,
            )
            if not self._page:
                raise OSError("the file was cut while it was read")
        return self._page[index - self._at]


def read_payload(path: str, record: int, start: int, size: int) -> bytes:
    """A payload of the record at offset ``record``, verified; raises ValueError, OSError."""
    with open(path, "rb") as file:
        file.seek(record)
        header = file.read(HEADER_SIZE)
        length = int.from_bytes(header[:8], "little")
        if (
            len(header) < HEADER_SIZE
            or not record + HEADER_SIZE <= start <= start + size <= record + HEADER_SIZE + length
        ):
            raise ValueError("the record is no longer where it was")
        if not _is_whole(file.fileno(), record + HEADER_SIZE, length):
            raise ValueError(BAD_DATA)
        return os.pread(file.fileno(), size, start)
