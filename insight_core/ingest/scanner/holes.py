"""Holes of sparse files: zeros that nothing is stored for."""

from __future__ import annotations

import errno
import os

_SEEK_DATA = getattr(os, "SEEK_DATA", None)  # not on every system


def next_data(descriptor: int, offset: int, size: int) -> int:
    """The first offset from ``offset`` on that is in no hole; ``size`` where only a hole follows."""
    if _SEEK_DATA is None:
        return offset
    try:
        return min(os.lseek(descriptor, offset, _SEEK_DATA), size)
    except OSError as error:
        return size if error.errno == errno.ENXIO else offset
