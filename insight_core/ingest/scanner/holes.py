"""Zeros in event files: holes of sparse files, and pages whose bytes may still arrive."""

from __future__ import annotations

import errno
import os
import struct

from insight_record.formats.framing import HEADER_SIZE, header_is_good

_SEEK_DATA = getattr(os, "SEEK_DATA", None)  # not on every system
MOST_RETRIED = 16 << 20  # bytes of a file that are searched again for records when it changes


def next_data(descriptor: int, offset: int, size: int) -> int:
    """The first offset from ``offset`` on that is in no hole; ``size`` where only a hole follows."""
    if _SEEK_DATA is None:
        return offset
    try:
        return min(os.lseek(descriptor, offset, _SEEK_DATA), size)
    except OSError as error:
        return size if error.errno == errno.ENXIO else offset


def has_header(descriptor: int, offset: int) -> bool:
    """Whether a record begins at an offset. Raises OSError."""
    header = os.pread(descriptor, HEADER_SIZE, offset)
    return len(header) == HEADER_SIZE and header_is_good(*struct.unpack("<QI", header))
