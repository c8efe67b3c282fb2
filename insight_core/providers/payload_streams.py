"""Streams of payloads: received in chunks, from memory, or from a file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from insight_core.formats.batch import unreadable
from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_core.plugin import InsightError, InvalidArgument
from insight_core.plugin.data import MOST_AT_ONCE, Payload, PayloadStream

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from insight_core.plugin import Claim

_PIECE = 1 << 20  # bytes


class _PieceReader(io.RawIOBase):
    """A file object over chunks of bytes; bytes after ``size`` are dropped."""

    def __init__(self, pieces: Iterator[bytes], size: int, close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")
        self._size = self._left = size
        self._close = close

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._left:
            return 0
        while not self._piece:
            piece = next(self._pieces, None)
            if piece is None:
                read = self._size - self._left
                raise InsightError(f"a payload ended after {read:,} of {self._size:,} bytes")
            self._piece = memoryview(piece)
        into = memoryview(buffer).cast("B")
        count = min(len(into), len(self._piece), self._left)
        into[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        self._left -= count
        return count

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()


def stream_of_pieces(
    pieces: Iterator[bytes], size: int, whole: int, claim: Claim, close: Callable[[], None]
) -> PayloadStream:
    """A stream of ``size`` bytes of a payload of ``whole`` bytes; ``close`` is called exactly once, at the
    latest when the stream is garbage-collected.
    """
    return PayloadStream(io.BufferedReader(_PieceReader(pieces, size, close)), whole, claim)


def stream_of_payload(payload: Payload, offset: int = 0, length: int | None = None) -> PayloadStream:
    """A stream of bytes in memory, or of a part of them."""
    data = payload.data
    file = io.BytesIO(data if length is None else data[: offset + length])
    file.seek(offset)
    return PayloadStream(file, len(data), payload.claim)


class _FileReader(io.RawIOBase):
    """A file from ``offset`` up to the size that it has now, or ``length`` bytes of it; seekable. ``name`` is
    its path, empty where other files of its directory are not here."""

    def __init__(self, file: io.FileIO, name: str, offset: int, length: int | None) -> None:
        self._file = file
        self.name = name
        self.whole = os.fstat(file.fileno()).st_size
        self._end = self.whole if length is None else min(self.whole, offset + length)
        file.seek(offset)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: WriteableBuffer) -> int:
        at = self._file.tell()
        into = memoryview(buffer).cast("B")[: max(0, self._end - at)]
        try:
            count = self._file.readinto(into)
        except OSError as error:
            raise InsightError(unreadable(error)) from error
        if len(into) and not count:
            raise InsightError(f"a payload ended after {at:,} of {self.whole:,} bytes")
        return count or 0

    def close(self) -> None:
        self._file.close()
        super().close()


def stream_of_file(
    path: str, claim: Claim, offset: int = 0, length: int | None = None, *, fetch: Fetch | None = None
) -> PayloadStream:
    """A stream of the file, or of a part of it, as it is now; seekable. Raises OSError."""
    reader = _FileReader(opened(path, fetch), path if fetch is None else "", offset, length)
    return PayloadStream(io.BufferedReader(reader, _PIECE), reader.whole, claim)


def payload_of_file(path: str, claim: Claim, limit: int | None, *, fetch: Fetch | None = None) -> Payload:
    """The current content of a file, or its first bytes. Raises OSError, and InvalidArgument if the file is
    too large.
    """
    with io.BufferedReader(opened(path)) as file:
        size = os.fstat(file.fileno()).st_size
        if limit is None:
            check_size(size, claim)
        if fetch is not None:
            fetch([FilePart(path, 0, size if limit is None else min(limit, size))])
        return Payload(file.read(size if limit is None else min(limit, size)), claim)


def check_size(size: int, claim: Claim) -> None:
    """Raises InvalidArgument for a file that is too large for one answer."""
    if size > MOST_AT_ONCE:
        raise InvalidArgument(
            f"the file claimed by {claim} has {size:,} bytes: more than {MOST_AT_ONCE:,} are read in pieces"
        )
