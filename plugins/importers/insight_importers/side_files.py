"""Reads files next to a store: only regular ones, and of a limited size."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from io import BufferedReader

from insight_core.plugin import Reason, ReasonKind

_PIECE = 1 << 20  # bytes
_MOST_ZEROS = 1 << 30  # bytes
_COMPARED = 4096  # bytes
_FILE_LARGE = ReasonKind("importers_file_large", "its file has more than {most} MiB")


def open_file(path: str | os.PathLike[str]) -> BufferedReader:
    """Opens a file to read. Raises OSError, and ValueError for pipes and others that may block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError(Reason("it is not a regular file", "importers_not_regular"))
    return open(descriptor, "rb")


def data_after(file: BufferedReader, offset: int, size: int) -> int:
    """The first offset from ``offset`` on with a byte that is not zero; ``size`` if all are zero.

    Looks through the holes of sparse files at once, and through at most 1 GiB of zeros that are stored.
    """
    looked = 0
    while offset < size and looked < _MOST_ZEROS:
        if hasattr(os, "SEEK_DATA"):
            try:
                offset = os.lseek(file.fileno(), offset, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # only a hole follows
                    return size
        piece = os.pread(file.fileno(), _PIECE, offset)
        if not piece:
            break
        looked += len(piece)
        rest = piece.lstrip(b"\0")
        if rest:
            return offset + len(piece) - len(rest)
        offset += len(piece)
    return size


def mark_before(path: str, offset: int) -> list[int]:
    """Checksums of the first bytes of a file and of the last ones before ``offset``.

    They stay while a log is appended to, and differ for another log, which may have the inode of the first.
    Raises as ``open_file``.
    """
    count = min(offset, _COMPARED)
    with open_file(path) as file:
        return [zlib.crc32(os.pread(file.fileno(), count, place)) for place in (0, offset - count)]


def check_file(path: str, most: int) -> None:
    """Raises OSError, and ValueError for a file that ``content_of`` would not read."""
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise _too_large(most)


def content_of(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a file. Raises OSError, and ValueError beyond ``most`` bytes, which are whole MiB."""
    with open_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(most)
    return data


def _too_large(most: int) -> ValueError:
    shown = most >> 20
    return ValueError(_FILE_LARGE(most=shown))
