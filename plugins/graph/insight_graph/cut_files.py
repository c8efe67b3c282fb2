"""Files that end before a field of theirs does."""

from __future__ import annotations

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.lab import Malformed, varint
from insight_core.plugin.payloads import LENGTH_DELIMITED

EMPTY = Reason("the file is empty", "graph_file_empty")
_FILE_ENDS = ReasonKind("graph_file_ends", "the file ends after {read:,} of at least {size:,} bytes")


@frozen
class CutField:
    """A field with its content from ``start`` to ``end``, where the message states that it ends."""

    number: int
    start: int
    end: int


def cut_field(data: bytes, position: int) -> CutField | None:
    """The field that begins at ``position`` and ends beyond the bytes; None for anything else."""
    try:
        key, at = varint(data, position, len(data))
        size, start = varint(data, at, len(data))
    except Malformed:
        return None
    is_cut = key & 7 == LENGTH_DELIMITED and start + size > len(data)
    return CutField(key >> 3, start, start + size) if is_cut else None


def file_ends(read: int, size: int) -> Reason:
    """Why a file is shown in part: it should have ``size`` bytes at least and has ``read``."""
    return _FILE_ENDS(read=read, size=size)
