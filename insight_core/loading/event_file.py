"""One event file that may grow: reads what was appended, and says what cannot be read."""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Sequence

from insight_core.api import Dialect
from insight_core.records.batch import BAD_DATA, Batch, Flaw
from insight_core.records.framing import HEADER_SIZE
from insight_core.records.pages import is_whole
from insight_core.records.scanner import open_scanner

MOST_FLAWS = 200  # of a file that are listed one by one
_HEAD = 1024  # bytes that tell whether a file is still the same one
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
    """Reads one file a batch at a time; every byte is scanned once."""

    def __init__(self, path: str, guess: Dialect) -> None:
        self.path = path
        self.position = 0  # of the first byte that is not part of a record read
        self.size = 0  # when last looked at
        self._scanner = open_scanner(guess)
        self._identity: tuple[int, int] | None = None
        self._head = (0, 0)  # length and checksum of the first bytes
        self._seen: tuple[int, int] = (-1, -1)  # size and mtime_ns at the last complete look
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
        """The next records; None at the end of what there is. Raises Replaced, OSError."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            info = os.fstat(descriptor)
            self._check_identity(descriptor, info)
            if self._caught_up and info.st_size > self.size:
                self._grew = time.monotonic()
            self.size = info.st_size
            if self.is_unchanged(info.st_size, info.st_mtime_ns):
                return None
            began = self.position
            batch = self._scanner.scan(descriptor, began, self.size)
            self.position = batch.end
            self._flaws.extend(batch.flaws)
            self._tail = batch.tail if self.size else Flaw(0, "the file is empty")
            if batch.tail is not None or batch.end == self.size:
                self._seen = (info.st_size, info.st_mtime_ns)
                self._caught_up = True
                return batch if batch.end > began else None
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
        if not is_whole(file.fileno(), record + HEADER_SIZE, length):
            raise ValueError(BAD_DATA)
        return os.pread(file.fileno(), size, start)
