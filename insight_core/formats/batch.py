"""The result of scanning a part of an event file: blocks of points, metadata, damage, and the end offset."""

from __future__ import annotations

from attrs import Factory, define, frozen

from insight_core.formats.alike_files import AlikeFiles
from insight_core.formats.columns import Block
from insight_core.formats.dialects import Dialect
from insight_core.formats.event import Metadata
from insight_record.formats.reason import Reason, ReasonKind, system_reason

BAD_DATA = Reason("the checksum of the record's data is wrong", "record_checksum")
BAD_HEADER = Reason("the checksum of a record's length is wrong", "record_length")
CUT_MEANWHILE = Reason("the file was cut while it was read", "file_cut")
EMPTY = Reason("the file is empty", "file_empty")
_RECORD_CUT = ReasonKind("record_cut", "a record is cut off: {read} of {size} bytes")
_MALFORMED_EVENT = ReasonKind("malformed_event", "malformed event: {cause}")
_UNREADABLE = ReasonKind("unreadable", "cannot be read: {cause}")


@frozen
class Flaw:
    """A damaged place of a file. The page shows its reason in the user's language if it is a ``Reason``."""

    offset: int  # bytes from the start of the file
    reason: str
    skipped: int = 0  # unreadable bytes


class DamagedRecord(ValueError):
    """Raised for a record with a wrong checksum; ``flaw`` is its place."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.reason)
        self.flaw = flaw


@define
class Batch:
    """The records of a part of a file, up to ``end``.

    A session that begins after values ends the batch: ``session_step`` comes before all values of a batch.

    The file is read as far as possible if ``end`` is its size or ``tail`` is set, the reason why the rest
    cannot be read (yet). Otherwise scanning continues at ``end``, even if this batch is empty.
    """

    end: int
    dialect: Dialect
    blocks: list[Block] = Factory(list)  # a tag whose values change their form has several, in order
    metadata: dict[str, Metadata] = Factory(dict)  # by tag, see ``Metadata.continued``
    flaws: list[Flaw] = Factory(list)  # by offset
    first_wall_time: float | None = None  # smallest finite one
    tail: Flaw | None = None
    session_step: int | None = None  # at which a session began before the values; the smallest of several


@define(eq=False)
class SmallFile:
    """A file that was read completely, without changes during the read and without damage.

    Files that have points alone, in the order of their steps, are among others that are ``alike``.
    """

    version: tuple[int, int, int, int, int]  # device, inode, size in bytes, mtime and ctime in ns
    head_checksum: int  # CRC-32C of its first bytes, as many as the caller asked for
    tail_checksum: int  # and of its last ones
    dialect: Dialect
    _batch: Batch | None = None  # of a file that is not ``alike``
    alike: AlikeFiles | None = None
    number: int = 0  # among the files that are alike

    @property
    def has_points(self) -> bool:
        """Whether it has any values."""
        return bool(self.batch.blocks if self.alike is None else self.alike.kinds)

    @property
    def batch(self) -> Batch:
        """All that it has."""
        if self._batch is not None:
            return self._batch
        assert self.alike is not None
        found, number = self.alike, self.number
        blocks, first = found.blocks(number), found.start_time(number)
        return Batch(self.version[2], self.dialect, blocks, first_wall_time=first)


def header_cut_off(end: int, size: int) -> Flaw:
    """The damage of a file of ``size`` bytes that ends within the record header at ``end``."""
    return Flaw(end, Reason("the header of a record is cut off", "record_header_cut"), size - end)


def record_cut_off(end: int, size: int, wanted: int) -> Flaw:
    """The damage of a file of ``size`` bytes that ends within the record of ``wanted`` bytes at ``end``."""
    return Flaw(end, _RECORD_CUT(read=size - end, size=wanted), size - end)


def malformed_event(error: ValueError) -> Reason:
    """The reason of a record with its checksum whose event cannot be parsed."""
    return _MALFORMED_EVENT(cause=Reason.of(error))


def unreadable(error: OSError) -> Reason:
    """The reason of a file that the system does not let us read."""
    cause = system_reason(error)
    return _UNREADABLE(cause=cause)
