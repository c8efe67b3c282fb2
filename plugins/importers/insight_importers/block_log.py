"""Reads a log of records in blocks of 32 KiB, LevelDB's log format, as W&B and SwanLab write it.

A record, or a part of one, has a header of 7 bytes: CRC-32 of type and data, length, type (1 whole, 2 first,
3 middle, 4 last). No header crosses the end of a block; what is left of a block is zero. The checksum is
zlib's and not masked, unlike LevelDB's.
Source: https://github.com/google/leveldb/blob/main/doc/log_format.md
"""

from __future__ import annotations

import struct
import zlib

from attrs import Factory, define

from insight_core.plugin import Flaw, Reason

BLOCK = 32 * 1024
_HEADER = struct.Struct("<IHB")
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_LONGEST = 256 << 20  # bytes of a record
CUT = Reason("the file ends within a record", "importers_cut")
ZEROS = Reason("there are zeros where records should be", "importers_record_zeros")


def checksum(kind: int, data: bytes) -> int:
    """CRC-32 of type and data of a part."""
    return zlib.crc32(data, zlib.crc32(bytes((kind,))))


@define
class Records:
    """Whole records of a part of a file. ``end`` is behind the last of them, and reading goes on there.

    A flaw at or behind ``end`` may vanish when the file grows. ``is_cut``: the data ends within a record.
    """

    end: int
    records: list[bytes] = Factory(list)
    flaws: list[Flaw] = Factory(list)
    is_cut: bool = False


def records_of(data: bytes, offset: int, beginning: int = 0) -> Records:
    """The records in ``data``, which begins at ``offset`` of the file, where a record begins.

    Blocks count from the start of the file; the ``beginning`` bytes of a file are not records.
    """
    found = Records(offset)
    position, size = 0, len(data)
    if offset < beginning:
        position = beginning - offset
        found.end = beginning
    parts: list[bytes] = []
    begun = position  # of the record that is not whole yet
    skips = False  # after damage, until a record begins
    while True:
        left = BLOCK - (offset + position) % BLOCK
        if left < _HEADER.size:
            position += left
            if not parts:
                begun = position
                found.end = min(offset + position, offset + size)
            continue
        if position + _HEADER.size > size:
            found.is_cut = position < size or bool(parts)
            return found
        crc, length, kind = _HEADER.unpack_from(data, position)
        after = position + _HEADER.size + length
        if kind == 0 and length == 0 and crc == 0 and not any(data[position : position + left]):
            if position + left >= size:  # room that the writer has not used yet
                found.is_cut = True
                return found
            _note_zeros(found, offset + position, left)
            position += left
            continue
        problem = ""
        if not _WHOLE <= kind <= _LAST or _HEADER.size + length > left:
            problem = "header"
        elif after > size:
            found.is_cut = True
            return found
        else:
            part = data[position + _HEADER.size : after]
            if checksum(kind, part) != crc:
                problem = "checksum"
            elif (kind in (_WHOLE, _FIRST)) == bool(parts) or sum(map(len, parts)) > _LONGEST:
                problem = "order"
        if problem == "order":
            if parts:  # the last record was not finished by its writer
                _note(found, offset + begun, position - begun, problem)
                parts, begun = [], position
            else:  # the end of a record of which the beginning is missing
                if not skips:
                    _note(found, offset + position, after - position, problem)
                position = begun = after
            found.end = offset + position
            continue
        if problem:
            _note(found, offset + begun, min(position + left, size) - begun, problem)
            if position + left > size:  # the rest of the block is still to come
                return found
            parts, position, begun, skips = [], position + left, position + left, True
            found.end = offset + position
            continue
        skips = False
        parts.append(part)
        position = after
        if kind in (_WHOLE, _LAST):
            found.records.append(parts[0] if len(parts) == 1 else b"".join(parts))
            parts, begun = [], position
            found.end = offset + position


def _note_zeros(found: Records, offset: int, skipped: int) -> None:
    """Adds a block of zeros, to those before it if it follows them."""
    last = found.flaws[-1] if found.flaws else None
    if last is not None and last.reason is ZEROS and last.offset + last.skipped == offset:
        found.flaws[-1] = Flaw(last.offset, ZEROS, last.skipped + skipped)
    else:
        found.flaws.append(Flaw(offset, ZEROS, skipped))


def _note(found: Records, offset: int, skipped: int, problem: str) -> None:
    texts = {
        "header": "a record has an invalid header",
        "checksum": "the checksum of a record is wrong",
        "order": "a part of a record is missing",
    }
    found.flaws.append(Flaw(offset, Reason(texts[problem], f"importers_record_{problem}"), skipped))
