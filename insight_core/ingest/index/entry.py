"""What is known of one file, put together so that a later start can go on from there."""

from __future__ import annotations

from attrs import frozen

from insight_core.formats.batch import Flaw
from insight_core.plugin import Dialect
from insight_core.store.claims import FileState


@frozen
class FileRecord:
    """The state of a FollowedFile: which file it is, how far it was read and what could not be read."""

    inode: int
    size: int  # bytes, at the last complete look
    mtime_ns: int
    ctime_ns: int
    position: int  # of the first byte that is not part of a record read
    head_length: int
    head_checksum: int
    tail_length: int  # of the bytes just before ``position``
    tail_checksum: int
    dialect: Dialect | None  # of an event file
    flaws: tuple[Flaw, ...] = ()  # named one by one
    more_flaws: int = 0
    first_unnamed_flaw: int = 0  # offset
    unnamed_skipped: int = 0  # bytes
    tail: Flaw | None = None  # why nothing more could be read
    state: str = ""  # of a LogFormat: its name and version, and what it goes on from, as JSON


@frozen(eq=False)
class Entry:
    """A file as the index cache keeps it."""

    file: FileRecord
    content: FileState
