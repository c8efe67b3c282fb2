"""Zeros in event files: pages whose bytes may still arrive."""

from __future__ import annotations

import os
import struct

from insight_record.formats.framing import HEADER_SIZE, header_is_good

MOST_RETRIED = 16 << 20  # bytes of a file that are searched again for records when it changes


def has_header(descriptor: int, offset: int) -> bool:
    """Whether a record begins at an offset. Raises OSError."""
    header = os.pread(descriptor, HEADER_SIZE, offset)
    return len(header) == HEADER_SIZE and header_is_good(*struct.unpack("<QI", header))
