"""Where the records of a file are: length, its checksum, the event, its checksum.

Layout of a record (TensorFlow's TFRecord, MindSpore's summary files): uint64 length, uint32 masked
CRC-32C of the length, the bytes, uint32 masked CRC-32C of the bytes; all little-endian.
"""

from __future__ import annotations

import struct

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.formats.crc32c import masked_crc32c, masked_crc32c_of_windows

HEADER_SIZE = 12
FOOTER_SIZE = 4
_FIRST_WINDOW = 512  # offsets
LONGEST_EVENT = 2**31 - 1  # bytes; protobuf allows no more, so a longer length is damage
LONGEST_READ = 256 * 1024  # bytes; a longer event without numbers stays on disk and is verified when served

_HEADER = struct.Struct("<QI")
_header_crcs: dict[int, int] = {}


def header_is_good(length: int, crc: int) -> bool:
    if length > LONGEST_EVENT:
        return False
    known = _header_crcs.get(length)
    if known is None:
        if len(_header_crcs) > 100_000:
            _header_crcs.clear()
        known = _header_crcs[length] = masked_crc32c(length.to_bytes(8, "little"))
    return known == crc


@frozen(eq=False)
class Frames:
    """Complete records of a chunk, and where and why the walk ended.

    ``end`` is the offset in the chunk of the first byte not walked. ``wanted`` is the size of the
    record there, header and footer included, when its header is whole and good; else 0. It is
    longer than the rest of the chunk, or so long that it is not read with the others.
    """

    starts: NDArray[np.int64]  # of the event, in the chunk
    lengths: NDArray[np.int64]
    end: int
    wanted: int
    header_is_bad: bool


def walk(chunk: bytes, position: int, until: int) -> Frames:
    """The complete records of ``chunk`` that begin at ``position`` or later and before ``until``."""
    starts: list[int] = []
    lengths: list[int] = []
    size = len(chunk)
    unpack, known = _HEADER.unpack_from, _header_crcs
    wanted, bad = 0, False
    while position + HEADER_SIZE <= size and position < until:
        length, crc = unpack(chunk, position)
        if known.get(length) != crc and not header_is_good(length, crc):
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


def find_header(chunk: bytes, start: int, known: int) -> tuple[int | None, int | None]:
    """The first good header from offset ``start`` on whose record lies within ``known`` bytes.

    The second is the first good one before it whose record does not: it may be going to.
    """
    unfit = None
    window = _FIRST_WINDOW  # mostly the next record is near: a long look ahead each time would be quadratic
    while len(chunk) - start >= HEADER_SIZE:
        for offset in _good_headers(chunk, start, min(len(chunk), start + window + HEADER_SIZE - 1)):
            if offset + _HEADER.unpack_from(chunk, offset)[0] + HEADER_SIZE + FOOTER_SIZE <= known:
                return offset, unfit
            unfit = offset if unfit is None else unfit
        start += window
        window *= 8
    return None, unfit


def _good_headers(chunk: bytes, start: int, end: int) -> list[int]:
    data = np.frombuffer(chunk, np.uint8)[start:end]
    crcs = masked_crc32c_of_windows(data[:-4], 8)
    stored = np.lib.stride_tricks.sliding_window_view(data, 4)[8:].copy().view("<u4")[:, 0]
    alike = (np.flatnonzero(crcs == stored) + start).tolist()
    return [offset for offset in alike if header_is_good(*_HEADER.unpack_from(chunk, offset))]
