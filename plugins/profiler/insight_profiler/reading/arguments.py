"""Reads the arguments of one trace event again, on request.

Nothing of it is kept: the arguments are most of a trace, and few are ever looked at. A column says where in
the unpacked trace the event begins; the trace is read up to there, 1 GB in some seconds if it is packed.
Whoever looks waits no longer than ``SECONDS``.
"""

from __future__ import annotations

import time
from typing import Any, BinaryIO

from insight_profiler.reading.json_mending import loads

SECONDS = 5.0
_PIECE = 1 << 20
_FILE = 48  # bits of an offset below the place of its file
_MOST = 8 << 20  # bytes of an event


def packed_offset(file: int, offset: int) -> int:
    """Where an event is, as the column ``offset`` holds it: in which of several files, and where there."""
    return file << _FILE | offset


def place_of(packed: int) -> tuple[int, int]:
    """The file and the place there."""
    return packed >> _FILE, packed & ((1 << _FILE) - 1)


def arguments_at(stream: BinaryIO, offset: int, size: int) -> dict[str, Any] | None:
    """The arguments of an event of ``size`` bytes, from a stream that is at its beginning.

    None if it has none, if the event does not exist (any more), or on a timeout."""
    until = time.monotonic() + SECONDS
    while offset:
        piece = stream.read(min(offset, _PIECE))
        if not piece or time.monotonic() > until:
            return None
        offset -= len(piece)
    text = stream.read(min(size, _MOST)).decode("utf-8", "replace")
    try:
        event = loads(text)
    except ValueError:
        return None
    found = event.get("args") if isinstance(event, dict) else None
    return found if isinstance(found, dict) else None
