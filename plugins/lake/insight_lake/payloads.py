"""Reads payloads: from log files by their place, and those that were copied into a lake."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

from attrs import frozen

from insight_core.plugin import Claim, InsightError
from insight_core.plugin.data import PayloadStream
from insight_core.plugin.payloads import contents
from insight_lake.sources import is_remote
from insight_lake.store import LakeStore, ObjectMissing
from insight_record.formats.framing import HEADER_SIZE

_LENGTH = 8  # bytes at the start of a record that give the length of its content
_FOOTER = 4  # bytes of the checksum after the content of a record
_PIECE = 4 << 20  # bytes of a request
_PLACES_ONLY = "the lake has only the places of payloads in the logs, unless it is built with --with-payloads"


class UnreadablePayload(InsightError):
    """Why the bytes of a payload cannot be given."""

    status = 422
    code = "undecodable"


@frozen
class PayloadPlace:
    """A payload: in the object of a lake if it was ``copied``, else in a log file."""

    object: str  # a key, or a path
    copied: bool
    record: int  # offset of the framed record; -1: the payload is in none
    start: int
    size: int
    claim: Claim

    def read(self, store: LakeStore, limit: int | None) -> bytes:
        """The bytes of the payload, or its first ones. Raises UnreadablePayload."""
        size = self.size if limit is None else min(limit, self.size)
        if self.copied or self.record < 0:
            return self.part(store, self.start, size)
        header = self.part(store, self.record, HEADER_SIZE)
        length = int.from_bytes(header[:_LENGTH], "little")
        content = self.record + HEADER_SIZE
        if not content <= self.start <= self.start + self.size <= content + length:
            raise UnreadablePayload(f"{self.object}: the file has changed: another record is at this offset")
        if size < self.size:
            return self.part(store, self.start, size)
        record = header + self.part(store, content, length + _FOOTER)
        if not list(contents(record, [])):
            raise UnreadablePayload(
                f"{self.object}: the record at byte {self.record} does not have its checksum"
            )
        return record[self.start - self.record :][:size]

    def open(self, store: LakeStore, offset: int, length: int | None) -> PayloadStream:
        """The bytes of the payload, or a part of them, as a stream. Raises UnreadablePayload."""
        stop = self.size if length is None else min(self.size, offset + length)
        file: io.BytesIO | io.BufferedReader
        if length == 0:
            file = io.BytesIO()
        elif not self.copied and self.record >= 0:
            file = io.BytesIO(self.read(store, None)[:stop])
        else:
            if not self.copied:  # an error now
                self.part(store, self.start + max(0, self.size - 1), min(1, self.size))
            file = io.BufferedReader(_Bytes(store, self, stop), _PIECE)
        file.seek(min(offset, stop))
        return PayloadStream(file, self.size, self.claim)

    def part(self, store: LakeStore, start: int, size: int) -> bytes:
        """Bytes of the object or log file. Raises UnreadablePayload if a log does not have them."""
        if not size or self.copied:
            return store.get_range(self.object, start, start + size) if size else b""
        try:
            if is_remote(self.object):
                scheme, _, rest = self.object.partition("://")
                root, _, key = rest.partition("/")
                data = _root(f"{scheme}://{root}").get_range(key, start, start + size)
            else:
                with Path(self.object).open("rb") as file:
                    file.seek(start)
                    data = file.read(size)
        except (ObjectMissing, OSError) as error:
            text = f"{self.object}: {error.strerror}" if isinstance(error, OSError) else str(error)
            raise UnreadablePayload(f"{text}; {_PLACES_ONLY}") from error
        if len(data) != size:
            raise UnreadablePayload(f"{self.object}: the file is shorter than when the lake was built")
        return data


class _Bytes(io.RawIOBase):
    """The bytes of a payload up to ``stop``; seekable."""

    def __init__(self, store: LakeStore, place: PayloadPlace, stop: int) -> None:
        self._store, self._place = store, place
        self._at, self._stop = 0, stop

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._stop}[whence]
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        count = max(0, min(len(buffer), self._stop - self._at))
        buffer[:count] = self._place.part(self._store, self._place.start + self._at, count)
        self._at += count
        return count


@cache
def _root(location: str) -> LakeStore:
    return LakeStore(location)
