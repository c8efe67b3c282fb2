"""Reads payloads: from log files by their place, and those that were copied into a lake."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import BinaryIO, TypeAlias

from attrs import frozen

from insight_core.plugin import Claim, FileName, InsightError
from insight_core.plugin.data import PayloadStream
from insight_core.plugin.payloads import contents
from insight_lake.sources import is_remote
from insight_lake.store import LakeStore, ObjectMissing
from insight_record.formats.framing import HEADER_SIZE

_LENGTH = struct.Struct("<Q")
_FOOTER = 4  # bytes of the checksum after the content of a record
_PIECE = 4 << 20  # bytes of a request
_PLACES_ONLY = "the lake has only the places of payloads in the logs, unless it is built with --with-payloads"
_SHORTER = "the file is shorter than when the lake was built"

_Part: TypeAlias = Callable[[int, int], bytes]  # of a log file: offset and number of bytes


@frozen
class PayloadPlace:
    """A payload: in the object of a lake if it was ``copied``, else in a log file."""

    object: str  # a key, or a path
    copied: bool
    record: int  # offset of the framed record; -1: the payload is in none
    start: int
    size: int
    claim: Claim


class UnreadablePayload(InsightError):
    """Why the bytes of a payload cannot be given."""

    status = 422
    code = "undecodable"


def read_payload(store: LakeStore, place: PayloadPlace, limit: int | None) -> bytes:
    """The bytes of a payload, or its first ones. Raises UnreadablePayload."""
    size = place.size if limit is None else min(limit, place.size)
    if place.copied:
        return store.get_range(place.object, place.start, place.start + size) if size else b""
    with _log_file(place) as part:
        if place.record < 0:
            return part(place.start, size)
        header = part(place.record, HEADER_SIZE)
        length = _LENGTH.unpack_from(header)[0]
        end = place.record + HEADER_SIZE + length
        if not place.record + HEADER_SIZE <= place.start <= place.start + place.size <= end:
            raise UnreadablePayload(f"{place.object}: the file has changed: another record is at this offset")
        if size < place.size:
            return part(place.start, size)
        record = header + part(place.record + HEADER_SIZE, length + _FOOTER)
        if not list(contents(record, [])):
            raise UnreadablePayload(
                f"{place.object}: the record at byte {place.record} does not have its checksum"
            )
        first = place.start - place.record
        return record[first : first + size]


def open_payload(store: LakeStore, place: PayloadPlace, offset: int, length: int | None) -> PayloadStream:
    """The bytes of a payload, or a part of them, as a stream. Raises UnreadablePayload."""
    stop = place.size if length is None else min(place.size, offset + length)
    if length == 0:
        return PayloadStream(io.BytesIO(), place.size, place.claim)
    if not place.copied and place.record >= 0:
        data = io.BytesIO(read_payload(store, place, None)[:stop])
        data.seek(offset)
        return PayloadStream(data, place.size, place.claim)
    if not place.copied:
        with _log_file(place):  # an error is reported now
            pass
    file = io.BufferedReader(_Bytes(store, place, stop), _PIECE)
    file.seek(min(offset, stop))
    return PayloadStream(file, place.size, place.claim)


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
        if count and self._place.copied:
            start = self._place.start + self._at
            buffer[:count] = self._store.get_range(self._place.object, start, start + count)
        elif count:
            with _log_file(self._place) as part:
                buffer[:count] = part(self._at, count)
        self._at += count
        return count


@contextmanager
def _log_file(place: PayloadPlace) -> Iterator[_Part]:
    """Reads parts of the log file of a payload."""
    if is_remote(place.object):
        yield partial(_part_of_object, place)
        return
    try:
        file = open(place.object, "rb", buffering=0)  # noqa: SIM115  # closed below; only opening may fail here
    except OSError as error:
        raise UnreadablePayload(f"{place.object}: {error.strerror}; {_PLACES_ONLY}") from error
    with file:
        size = os.fstat(file.fileno()).st_size
        if isinstance(place.claim, FileName) and size < place.start + place.size:
            raise UnreadablePayload(f"{place.object}: {_SHORTER}")
        yield partial(_part_of_file, file, place)


def _part_of_file(file: BinaryIO, place: PayloadPlace, start: int, size: int) -> bytes:
    parts = []
    while size:
        data = os.pread(file.fileno(), size, start)
        if not data:
            raise UnreadablePayload(f"{place.object}: {_SHORTER}")
        parts.append(data)
        start, size = start + len(data), size - len(data)
    return b"".join(parts)


def _part_of_object(place: PayloadPlace, start: int, size: int) -> bytes:
    scheme, _, rest = place.object.partition("://")
    root, _, key = rest.partition("/")
    try:
        data = _root(f"{scheme}://{root}").get_range(key, start, start + size) if size else b""
    except ObjectMissing as error:
        raise UnreadablePayload(f"{error}; {_PLACES_ONLY}") from error
    if len(data) != size:
        raise UnreadablePayload(f"{place.object}: {_SHORTER}")
    return data


@cache
def _root(location: str) -> LakeStore:
    return LakeStore(location)
