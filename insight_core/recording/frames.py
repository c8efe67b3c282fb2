"""Records as event files frame them: length, its checksum, the event, its checksum.

Format: as in ``insight_core.formats.framing``, which reads them. ``Event`` is TensorFlow's event.proto and
MindSpore's mindinsight_summary.proto, which number its time, step, version, graph and summary alike.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.crc32c import crc32c, masked, masked_crc32c, masked_crc32c_rows
from insight_core.recording.fields import Pieces, int_field, message_field, pieces_field, size_of

HEADER, FOOTER = 12, 4  # bytes around an event
LONGEST_VALUE = 2**31 - 2**20  # bytes; protobuf allows an event of less than 2**31
VERSION, GRAPH, SUMMARY = 3, 4, 5  # fields of an event
VALUE = 1  # of a summary

_LENGTH, _CHECKSUM, _TIME = struct.Struct("<Q"), struct.Struct("<I"), struct.Struct("<d")
_TIME_KEY = b"\x09"


def event(step: int, wall_time: float, *body: bytes) -> bytes:
    """An ``Event``. Step 0 is left out, as writers do."""
    step_field = int_field(2, step) if step else b""
    return _TIME_KEY + _TIME.pack(wall_time) + step_field + b"".join(body)


def version_record(version: bytes, wall_time: float) -> bytes:
    """The first record of an event file, which says its dialect."""
    return record(event(0, wall_time, message_field(VERSION, version)))


def summary(values: Pieces) -> Pieces:
    """The ``summary`` field of an event with one value."""
    return pieces_field(SUMMARY, pieces_field(VALUE, values))


def record(payload: bytes) -> bytes:
    """One record around the bytes of an event."""
    return b"".join((header(len(payload)), payload, _CHECKSUM.pack(masked_crc32c(payload))))


def pieces_record(pieces: Pieces) -> Pieces:
    """One record around an event that is not joined."""
    crc = 0
    for piece in pieces:
        crc = crc32c(piece, crc)
    return [header(size_of(pieces)), *pieces, _CHECKSUM.pack(masked(crc))]


def rows_of_records(payload_size: int, count: int) -> NDArray[np.uint8]:
    """uint8[count, record size]: records of one length, with their headers; ``seal`` adds their checksums."""
    rows = np.empty((count, HEADER + payload_size + FOOTER), np.uint8)
    rows[:, :HEADER] = np.frombuffer(header(payload_size), np.uint8)
    return rows


def seal(rows: NDArray[np.uint8]) -> None:
    crcs = masked_crc32c_rows(rows[:, HEADER:-FOOTER])
    rows[:, -FOOTER:] = crcs.astype("<u4").view(np.uint8).reshape(-1, FOOTER)


def header(payload_size: int) -> bytes:
    length = _LENGTH.pack(payload_size)
    return length + _CHECKSUM.pack(masked_crc32c(length))


def whole_records(data: bytes | memoryview) -> int:
    """How many bytes of ``data``, which begins with a record, are whole records."""
    position = 0
    while position + HEADER <= len(data):
        after = position + HEADER + _LENGTH.unpack_from(data, position)[0] + FOOTER
        if after > len(data):
            break
        position = after
    return position
