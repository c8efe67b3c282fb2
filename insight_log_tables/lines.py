"""Whole lines of a file that may grow, some MiB at a time."""

from __future__ import annotations

import errno
import os
from typing import BinaryIO

import numpy as np
from attrs import frozen

from insight_core.plugin import Flaw
from insight_log_tables.beginnings import BOM
from insight_record.formats.reason import ReasonKind

_PIECE = 4 << 20  # bytes
_LONGEST = 16 << 20  # bytes of a line, and of what is read at once
_LINE_UNFINISHED = ReasonKind("table_line_unfinished", "line {line} is not finished")
_LINE_TOO_LONG = ReasonKind("table_line_too_long", "line {line} is longer than {most} MiB")


@frozen
class Lines:
    """Some whole lines; ``flaws`` say what of the file was left out around them."""

    data: bytes  # empty, or with a line end at its end
    offset: int  # of ``data`` in the file
    flaws: tuple[Flaw, ...] = ()

    def offset_of(self, line: int) -> int:
        """Returns the offset in the file at which a line begins; lines count from 0."""
        if not line:
            return self.offset
        ends = np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\n"))
        return self.offset + int(ends[min(line, len(ends)) - 1]) + 1


def next_lines(stream: BinaryIO, number: int, *, quoted: bool = False, expected: int = 0) -> Lines:
    """The next whole lines, of which the first is the one of this number.

    Leaves the stream at the end of them. ``quoted``: lines may end within quotes, which are not cut apart.
    ``expected`` bytes are worth reading at once, if they are not too many.
    """
    start = stream.tell()
    data = stream.read(min(max(expected, _PIECE), _LONGEST))
    cut = _cut(data, quoted=quoted)
    while not cut and len(data) < _LONGEST and (more := stream.read(_PIECE)):
        data += more
        cut = _cut(data, quoted=quoted)
    if not cut and len(data) < _LONGEST:
        stream.seek(start)
        if not data:
            return Lines(b"", start)
        reason = _LINE_UNFINISHED(line=number)
        return Lines(b"", start, (Flaw(start, reason, len(data)),))
    if not cut:
        return Lines(b"", start, (_skip(stream, start, number),))
    stream.seek(start + cut)
    skipped = len(BOM) if start == 0 and data.startswith(BOM) else 0
    return Lines(data[skipped:cut], start + skipped)


def _cut(data: bytes, *, quoted: bool) -> int:
    """Returns the end of the last whole line; 0 without one."""
    cut = data.rfind(b"\n") + 1
    while quoted and data.count(b'"', 0, cut) % 2:
        cut = data.rfind(b"\n", 0, data.rfind(b'"', 0, cut)) + 1  # the last quote is open
    return cut


def _next_data(stream: BinaryIO, offset: int) -> int:
    """The first offset from ``offset`` on that is in no hole of a sparse file, or its end."""
    descriptor = stream.fileno()
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        return os.lseek(descriptor, offset, getattr(os, "SEEK_DATA", os.SEEK_SET))
    except OSError as error:
        return os.fstat(descriptor).st_size if error.errno == errno.ENXIO else offset
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)


def _skip(stream: BinaryIO, start: int, number: int) -> Flaw:
    """Goes to the end of a line that is too long."""
    end = stream.tell()
    while piece := stream.read(_PIECE):
        place = piece.find(b"\n")
        if place >= 0:
            end += place + 1
            break
        end += len(piece)
        if not piece.strip(b"\0"):
            end = _next_data(stream, end)
            stream.seek(end)
    stream.seek(end)
    most = _LONGEST >> 20
    return Flaw(start, _LINE_TOO_LONG(line=number, most=most), end - start)
