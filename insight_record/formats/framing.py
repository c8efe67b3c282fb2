"""Reads and writes the record framing of event files: length, its checksum, content, its checksum.

Layout of a record (TensorFlow's TFRecord, MindSpore's summary files): uint64 length, uint32 masked CRC-32C
of the length, the bytes, uint32 masked CRC-32C of the bytes; all little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from insight_record.formats.crc32c import (
    crc32c,
    masked,
    masked_crc32c,
    masked_crc32c_of_windows,
    masked_crc32c_rows,
)
from insight_record.formats.protobuf import Pieces, size_of
from insight_record.formats.reason import ReasonKind

if TYPE_CHECKING:
    from typing_extensions import Self  # Python 3.10 has it nowhere

HEADER_SIZE = 12  # Bytes of a record before its content: length and checksum.
FOOTER_SIZE = 4
_FIRST_WINDOW = 512  # offsets
LONGEST_EVENT = 2**31 - 1  # bytes; protobuf allows no more, so a longer length is damage
LONGEST_READ = 256 * 1024  # bytes; a longer event without numbers stays on disk and is verified when served

_HEADER = struct.Struct("<QI")
_LENGTH, _CHECKSUM = struct.Struct("<Q"), struct.Struct("<I")
_header_crcs: dict[int, int] = {}
_RECORD_CONTENT = ReasonKind("record_content", "the record whose content begins at byte {offset}: {cause}")
_RECORD_LENGTH_AT = ReasonKind(
    "record_length_at", "the length of the record at byte {offset} does not have its checksum"
)
_RECORD_CUT_AT = ReasonKind("record_cut_at", "the file ends within the record at byte {offset}")
_RECORD_CHECKSUM_AT = ReasonKind(
    "record_checksum_at", "the record at byte {offset} does not have its checksum"
)


def header_is_good(length: int, crc: int) -> bool:
    """Whether a record header has a valid length and checksum."""
    if length > LONGEST_EVENT:
        return False
    known = _header_crcs.get(length)
    if known is None:
        if len(_header_crcs) > 100_000:
            _header_crcs.clear()
        known = _header_crcs[length] = masked_crc32c(length.to_bytes(8, "little"))
    return known == crc


def find_header(chunk: bytes, start: int, known: int) -> tuple[int | None, int | None]:
    """The first valid header from offset ``start`` on whose record ends within ``known`` bytes.

    The second result is the first valid header before it whose record ends later: the file may still grow.
    """
    unfit = None
    window = _FIRST_WINDOW  # the next record is usually near; a long window each time would be quadratic
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
    if not data.any():  # zeros are not a valid header
        return []
    crcs = masked_crc32c_of_windows(data[:-4], 8)
    stored = np.lib.stride_tricks.sliding_window_view(data, 4)[8:].copy().view("<u4")[:, 0]
    alike = (np.flatnonzero(crcs == stored) + start).tolist()
    return [offset for offset in alike if header_is_good(*_HEADER.unpack_from(chunk, offset))]


class RecordProblem(NamedTuple):
    """Why the record at ``offset`` cannot be read, a ``Reason``; ``cut_off``: the file ends within it."""

    offset: int
    text: str
    cut_off: bool = False
    skipped: int = 0  # bytes that hold nothing readable because of it

    @classmethod
    def of_content(cls, start: int, end: int, reason: str) -> Self:
        """The content from ``start`` to ``end`` has its checksum, but cannot be decoded."""
        told = _RECORD_CONTENT(offset=start, cause=reason)
        return cls(start - HEADER_SIZE, told, skipped=HEADER_SIZE + end - start + FOOTER_SIZE)


def contents(data: bytes, problems: list[RecordProblem]) -> Iterator[tuple[int, int]]:
    """Start and end of the content of each record in the bytes of a whole file.

    Appends to ``problems`` what cannot be read: a content with a wrong checksum is left out, and after a
    length with a wrong checksum no record is found. A file that is being written may end anywhere.
    """
    position = 0
    while position < len(data):
        start = position + HEADER_SIZE
        length, checksum = _HEADER.unpack_from(data, position) if start <= len(data) else (0, 0)
        end = start + length
        if start <= len(data) and not header_is_good(length, checksum):
            reason = _RECORD_LENGTH_AT(offset=position)
            problems.append(RecordProblem(position, reason, skipped=len(data) - position))
            return
        if end + FOOTER_SIZE > len(data):
            reason = _RECORD_CUT_AT(offset=position)
            problems.append(RecordProblem(position, reason, cut_off=True, skipped=len(data) - position))
            return
        if _CHECKSUM.unpack_from(data, end)[0] == masked_crc32c(data[start:end]):
            yield start, end
        else:
            reason = _RECORD_CHECKSUM_AT(offset=position)
            problems.append(RecordProblem(position, reason, skipped=end + FOOTER_SIZE - position))
        position = end + FOOTER_SIZE


# --- writing -------------------------------------------------------------------------------------------


def record(payload: bytes) -> bytes:
    """Frames the bytes of an event as a record."""
    return b"".join((header(len(payload)), payload, _CHECKSUM.pack(masked_crc32c(payload))))


def pieces_record(pieces: Pieces) -> Pieces:
    """Frames an event in pieces as a record, without joining them."""
    crc = 0
    for piece in pieces:
        crc = crc32c(piece, crc)
    return [header(size_of(pieces)), *pieces, _CHECKSUM.pack(masked(crc))]


def rows_of_records(payload_size: int, count: int) -> NDArray[np.uint8]:
    """uint8[count, record size]: records of one length, with their headers; ``seal`` adds their checksums."""
    rows = np.empty((count, HEADER_SIZE + payload_size + FOOTER_SIZE), np.uint8)
    rows[:, :HEADER_SIZE] = np.frombuffer(header(payload_size), np.uint8)
    return rows


def seal(rows: NDArray[np.uint8]) -> None:
    """Writes the checksum of the content of each row: uint8[count, record size]."""
    crcs = masked_crc32c_rows(rows[:, HEADER_SIZE:-FOOTER_SIZE])
    rows[:, -FOOTER_SIZE:] = crcs.astype("<u4").view(np.uint8).reshape(-1, FOOTER_SIZE)


def header(payload_size: int) -> bytes:
    """A record header: the length and its checksum."""
    length = _LENGTH.pack(payload_size)
    return length + _CHECKSUM.pack(masked_crc32c(length))


def whole_records(data: bytes | memoryview) -> int:
    """The number of bytes of complete records at the start of ``data``."""
    position = 0
    while position + HEADER_SIZE <= len(data):
        after = position + HEADER_SIZE + _LENGTH.unpack_from(data, position)[0] + FOOTER_SIZE
        if after > len(data):
            break
        position = after
    return position
