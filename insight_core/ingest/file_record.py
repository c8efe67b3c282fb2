"""How far a file was read: the state of whoever follows it, and what a later start goes on from."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import Self

from attrs import Factory, define, evolve, frozen

from insight_core.formats.batch import Flaw
from insight_core.plugin import Dialect
from insight_core.store.claims import FileState

MOST_FLAWS = 200  # of a file that are listed one by one


@define
class FlawList:
    """The first flaws of a file one by one; of further ones, how many there are and what they cost."""

    named: list[Flaw] = Factory(list)
    more: int = 0
    first_unnamed: int = 0  # offset
    skipped: int = 0  # bytes, by those that are not named

    def extend(self, flaws: Sequence[Flaw]) -> None:
        """Adds flaws; beyond ``MOST_FLAWS`` only their number and bytes are kept."""
        room = max(0, MOST_FLAWS - len(self.named))
        self.named.extend(flaws[:room])
        rest = flaws[room:]
        if rest and not self.more:
            self.first_unnamed = rest[0].offset
        self.more += len(rest)
        self.skipped += sum(flaw.skipped for flaw in rest)

    def entries(self) -> list[Flaw]:
        """The listed flaws, then one entry that sums up the others."""
        if not self.more:
            return list(self.named)
        reason = (
            f"{self.more} more places from here on cannot be read; only the first {MOST_FLAWS} are listed"
        )
        return [*self.named, Flaw(self.first_unnamed, reason, self.skipped)]


@frozen
class Stretch:
    """Some bytes of a file, as they were when they were read: its head, or the end of what was read."""

    start: int = 0
    length: int = 0
    checksum: int = 0

    @classmethod
    def of(cls, descriptor: int, start: int, end: int) -> Self:
        """Reads the bytes from ``start`` to ``end``."""
        data = os.pread(descriptor, end - start, start)
        return cls(start, len(data), zlib.crc32(data))

    def is_in(self, descriptor: int) -> bool:
        """Whether the file still has these bytes at this place."""
        return not self.length or self == self.of(descriptor, self.start, self.start + self.length)


@define
class FileRecord:
    """Which file it is, how far it was read, and what could not be read."""

    dialect: Dialect | None  # of an event file
    inode: int = 0
    size: int = -1  # bytes, at the last look, if all of the file was read then; else -1
    mtime_ns: int = 0  # at that look
    ctime_ns: int = 0
    position: int = 0  # of the first byte that is not part of a record read
    head: Stretch = Stretch()
    end: Stretch = Stretch()  # of what was read
    flaws: FlawList = Factory(FlawList)
    tail: Flaw | None = None  # why nothing more could be read
    state: str = ""  # of a LogFormat: its name and version, and what it goes on from, as JSON

    def copied(self) -> FileRecord:
        """A copy that does not change when the file is read on."""
        return evolve(self, flaws=evolve(self.flaws, named=list(self.flaws.named)))


@frozen(eq=False)
class Entry:
    """A file as the index cache keeps it."""

    file: FileRecord
    content: FileState
