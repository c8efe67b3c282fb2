"""Identity, position and damage of a file that is read; saved, so that a later start can resume."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, Self

from attrs import Factory, define

from insight_core.formats.batch import Flaw
from insight_core.plugin import Dialect
from insight_core.store.claims import FileState
from insight_record.formats.crc32c import crc32c
from insight_record.formats.reason import ReasonKind

MOST_FLAWS = 200  # of a file that are listed one by one
_MORE_DAMAGE = ReasonKind(
    "more_damage", "{more} more places from here on cannot be read; only the first {most} are listed"
)


@define
class FlawList:
    """The first flaws of a file, and the number and bytes of all further ones."""

    named: list[Flaw] = Factory(list)
    more: int = 0
    first_unnamed: int = 0  # offset
    skipped: int = 0  # bytes, of the flaws that are not named

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
        reason = _MORE_DAMAGE(more=self.more, most=MOST_FLAWS)
        return [*self.named, Flaw(self.first_unnamed, reason, self.skipped)]


class Stretch(NamedTuple):
    """Position and checksum of some bytes of a file: its head, or the last bytes that were read."""

    start: int = 0
    length: int = 0
    checksum: int = 0

    @classmethod
    def of(cls, descriptor: int, start: int, end: int) -> Self:
        """Reads the bytes from ``start`` to ``end``."""
        data = os.pread(descriptor, end - start, start)
        return cls(start, len(data), crc32c(data))

    def is_in(self, descriptor: int) -> bool:
        """Whether the file still has these bytes at this place."""
        return not self.length or self == self.of(descriptor, self.start, self.start + self.length)


_NOTHING = Stretch()


@define
class FileRecord:
    """Identity of a file, the position up to which it was read, and its damage."""

    dialect: Dialect | None  # of an event file
    inode: int = 0
    size: int = -1  # bytes when the file was last read to its end; -1 while bytes are unread
    mtime_ns: int = 0  # at that time
    ctime_ns: int = 0
    position: int = 0  # of the first byte that is not part of a record read
    head: Stretch = _NOTHING
    end: Stretch = _NOTHING  # the last bytes that were read
    flaws: FlawList = Factory(FlawList)
    tail: Flaw | None = None  # why the rest could not be read
    state: str = ""  # of a LogFormat: its name and version, and the JSON state from which it resumes

    def copied(self) -> FileRecord:
        """A copy that does not change when the file is read on."""
        flaws = self.flaws
        return FileRecord(  # a start copies one for each file: ``evolve`` takes several times as long
            self.dialect, self.inode, self.size, self.mtime_ns, self.ctime_ns, self.position,
            self.head, self.end,
            FlawList(list(flaws.named), flaws.more, flaws.first_unnamed, flaws.skipped),
            self.tail, self.state,
        )  # fmt: skip


class Entry(NamedTuple):
    """A file as the index cache keeps it."""

    file: FileRecord
    content: FileState
