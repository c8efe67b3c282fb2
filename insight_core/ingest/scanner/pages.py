"""Long records, which stay on disk: a buffer that fetches what is touched, and checksums piece by piece."""

from __future__ import annotations

import os

from insight_core.formats.batch import CUT_MEANWHILE
from insight_record.formats.crc32c import crc32c, masked
from insight_record.formats.framing import FOOTER_SIZE

_PAGE = 1 << 16
_PIECE = 4 << 20


class Pages:
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
            wanted = min(_PAGE, self._size - index)
            self._page, self._at = os.pread(self._descriptor, wanted, self._start + index), index
            if not self._page:
                raise OSError(CUT_MEANWHILE)
        return self._page[index - self._at]


def is_whole(descriptor: int, start: int, length: int) -> bool:
    """Whether the event of ``length`` bytes at ``start`` has the checksum that follows it."""
    return _is_footer(descriptor, start + length, _checksum(descriptor, start, length, 0))


def read_part(descriptor: int, start: int, length: int, part: tuple[int, int]) -> bytes | None:
    """``part`` (start, size) of the event of ``length`` bytes at ``start``, unless its checksum is wrong.

    Every byte is read once.
    """
    first, size = part
    before = _checksum(descriptor, start, first - start, 0)
    data = os.pread(descriptor, size, first)
    end = first + size
    crc = _checksum(descriptor, end, start + length - end, crc32c(data, before))
    return data if _is_footer(descriptor, start + length, crc) else None


def _checksum(descriptor: int, start: int, length: int, before: int) -> int:
    """That of ``length`` bytes, or of fewer where the file has become shorter."""
    crc, done = before, 0
    while done < length:
        piece = os.pread(descriptor, min(_PIECE, length - done), start + done)
        if not piece:
            break
        crc = crc32c(piece, crc)
        done += len(piece)
    return crc


def _is_footer(descriptor: int, place: int, crc: int) -> bool:
    footer = os.pread(descriptor, FOOTER_SIZE, place)
    return len(footer) == FOOTER_SIZE and masked(crc) == int.from_bytes(footer, "little")
