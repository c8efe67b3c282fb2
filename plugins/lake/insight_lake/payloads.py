"""Reads payloads: from log files by their place, and those that were copied into a lake."""

from __future__ import annotations

import io
from functools import cache

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
_SHORTER = "the file is shorter than when the lake was built"


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
    if place.copied or place.record < 0:
        return _part(store, place, place.start, size)
    header = _part(store, place, place.record, HEADER_SIZE)
    length = int.from_bytes(header[:_LENGTH], "little")
    end = place.record + HEADER_SIZE + length
    if not place.record + HEADER_SIZE <= place.start <= place.start + place.size <= end:
        raise UnreadablePayload(f"{place.object}: the file has changed: another record is at this offset")
    if size < place.size:
        return _part(store, place, place.start, size)
    record = header + _part(store, place, place.record + HEADER_SIZE, length + _FOOTER)
    if not list(contents(record, [])):
        raise UnreadablePayload(
            f"{place.object}: the record at byte {place.record} does not have its checksum"
        )
    first = place.start - place.record
    return record[first : first + size]


def open_payload(store: LakeStore, place: PayloadPlace, offset: int, length: int | None) -> PayloadStream:
    """The bytes of a payload, or a part of them, as a stream. Raises UnreadablePayload."""
    stop = place.size if length is None else min(place.size, offset + length)
    file: io.BytesIO | io.BufferedReader
    if length == 0:
        file = io.BytesIO()
    elif not place.copied and place.record >= 0:
        file = io.BytesIO(read_payload(store, place, None)[:stop])
    else:
        if not place.copied:
            _part(store, place, place.start + max(0, place.size - 1), min(1, place.size))  # or an error now
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
        buffer[:count] = _part(self._store, self._place, self._place.start + self._at, count)
        self._at += count
        return count


def _part(store: LakeStore, place: PayloadPlace, start: int, size: int) -> bytes:
    """Bytes of the object or log file of a payload. Raises UnreadablePayload if a log does not have them."""
    if not size:
        return b""
    if place.copied:
        return store.get_range(place.object, start, start + size)
    try:
        if is_remote(place.object):
            scheme, _, rest = place.object.partition("://")
            root, _, key = rest.partition("/")
            data = _root(f"{scheme}://{root}").get_range(key, start, start + size)
        else:
            with open(place.object, "rb") as file:
                file.seek(start)
                data = file.read(size)
    except ObjectMissing as error:
        raise UnreadablePayload(f"{error}; {_PLACES_ONLY}") from error
    except OSError as error:
        raise UnreadablePayload(f"{place.object}: {error.strerror}; {_PLACES_ONLY}") from error
    if len(data) != size:
        raise UnreadablePayload(f"{place.object}: {_SHORTER}")
    return data


@cache
def _root(location: str) -> LakeStore:
    return LakeStore(location)
