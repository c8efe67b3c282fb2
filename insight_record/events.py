"""Encodes ``Event`` messages, whose field numbers are equal in both dialects.

Source: TensorFlow's event.proto and MindSpore's mindinsight_summary.proto.
"""

from __future__ import annotations

import struct

from insight_record.formats.framing import record
from insight_record.formats.protobuf import Pieces, int_field, message_field, pieces_field

LONGEST_VALUE = 2**31 - 2**20  # bytes; protobuf allows an event of less than 2**31
VERSION, GRAPH, SUMMARY = 3, 4, 5  # fields of an event
VALUE = 1  # of a summary
ERRORS = "_stderr"  # ends the tag of the standard errors of a tag; Metrics draws them (card/bounds.ts)

_TIME = struct.Struct("<d")
_TIME_KEY = b"\x09"


def event(step: int, wall_time: float, *body: bytes) -> bytes:
    """An ``Event``. Step 0 is omitted, as in other writers."""
    step_field = int_field(2, step) if step else b""
    return _TIME_KEY + _TIME.pack(wall_time) + step_field + b"".join(body)


def version_record(version: bytes, wall_time: float) -> bytes:
    """The first record of an event file, which has the version and so the dialect."""
    return record(event(0, wall_time, message_field(VERSION, version)))


def summary(values: Pieces) -> Pieces:
    """The ``summary`` field of an event with one value."""
    return pieces_field(SUMMARY, pieces_field(VALUE, values))
