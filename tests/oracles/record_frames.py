"""Records of a chunk of an event file, and checksums of alike messages, for the scanner in Python."""

from __future__ import annotations

import errno
import os
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from insight_record.formats.crc32c import _BLOCK, _terms
from insight_record.formats.framing import FOOTER_SIZE, HEADER_SIZE, LONGEST_READ, header_is_good

LONGEST_ROW = _BLOCK  # bytes of a message that ``difference`` takes
_HEADER = struct.Struct("<QI")
_SEEK_DATA = getattr(os, "SEEK_DATA", None)  # not on every system


def next_data(descriptor: int, offset: int, size: int) -> int:
    """The first offset from ``offset`` on that is in no hole; ``size`` where only a hole follows."""
    if _SEEK_DATA is None:
        return offset
    try:
        return min(os.lseek(descriptor, offset, _SEEK_DATA), size)
    except OSError as error:
        return size if error.errno == errno.ENXIO else offset


class Frames(NamedTuple):
    """Complete records of a chunk, and where and why the walk ended.

    ``end`` is the offset in the chunk of the first byte not walked. If the record there has a valid header,
    ``wanted`` is its size with header and footer: more than the rest of the chunk, or more than
    ``LONGEST_READ``. Otherwise it is 0.
    """

    starts: NDArray[np.int64]  # of the event, in the chunk
    lengths: NDArray[np.int64]
    end: int
    wanted: int
    header_is_bad: bool


def walk(chunk: bytes, position: int, until: int) -> Frames:
    """Finds the complete records of ``chunk`` that start at ``position`` or later and before ``until``."""
    starts: list[int] = []
    lengths: list[int] = []
    size = len(chunk)
    unpack = _HEADER.unpack_from
    wanted, bad = 0, False
    while position + HEADER_SIZE <= size and position < until:
        length, crc = unpack(chunk, position)
        if not header_is_good(length, crc):
            bad = True
            break
        after = position + length + HEADER_SIZE + FOOTER_SIZE
        if after > size or length > LONGEST_READ:
            wanted = after - position
            break
        starts.append(position + HEADER_SIZE)
        lengths.append(length)
        position = after
    return Frames(np.array(starts, np.int64), np.array(lengths, np.int64), position, wanted, bad)


def difference(
    rows: NDArray[np.uint8], reference: NDArray[np.uint8], columns: NDArray[np.intp], length: int
) -> NDArray[np.uint32]:
    """XOR of the checksums of messages of ``length`` <= 4096 bytes with that of a reference.

    ``rows`` uint8[n, len(columns)] and ``reference`` uint8[len(columns)] hold the bytes at
    ``columns``; all other bytes of the messages are the same.
    """
    terms = _terms()
    result = np.zeros(len(rows), np.uint32)
    for i, column in enumerate(columns.tolist()):
        result ^= terms[length - 1 - column][rows[:, i] ^ reference[i]]
    return result
