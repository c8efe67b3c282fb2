"""Reads blocks in a segment file: a table of their series, and points in checksummed chunks, on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import define, evolve, frozen
from numpy.typing import NDArray

from insight_core.formats.columns import Block, Columns, concatenated
from insight_record.formats.crc32c import crc32c

_NUMBER, _TIME = np.dtype(np.int64), np.dtype(np.float64)
SERIES = np.dtype(
    [
        ("end", _NUMBER),  # index after the last point, among the points of the block
        ("total", _NUMBER),  # points that were recorded
        ("stretch", _NUMBER),
        ("ascending", _NUMBER),
        ("first_step", _NUMBER),
        ("last_step", _NUMBER),
        ("last_wall_time", _TIME),
        ("last_value", _TIME),
    ]
)
# of a chunk: index after its last series, bytes of chunks up to its end, CRC-32C
CHUNKS = np.dtype([("end", _NUMBER), ("stop", _NUMBER), ("checksum", _NUMBER)])

Read: TypeAlias = Callable[[int, int], bytes]  # offset, bytes; raises OSError


class Lost(Exception):
    """Stored points cannot be read, so the log file at ``path`` has to be read again."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"the stored points of {path} cannot be read: {reason}")
        self.path = path


@frozen
class Form:
    """The columns of a stored block: the type of the values (empty: none), and whether there are places."""

    values: str  # the character of the type: None would equal float64
    has_places: bool

    @classmethod
    def of(cls, columns: Columns) -> Form:
        """The form of ``columns``."""
        values = "" if columns.values is None else columns.values.dtype.char
        has_places = columns.places is not None
        return _KNOWN.get((values, has_places)) or cls(values, has_places)

    @property
    def number(self) -> int:
        """A number that ``numbered`` turns back into the form. Raises ValueError for other types."""
        return _FORMS.index(self)

    @classmethod
    def numbered(cls, number: int) -> Form:
        """The form of this number. Raises IndexError."""
        return _FORMS[number]

    @property
    def size(self) -> int:
        """Bytes of a point."""
        return 16 + 24 * self.has_places + (np.dtype(self.values).itemsize if self.values else 0)


_FORMS = [Form(values, places) for places in (False, True) for values in ("", "f", "d")]
_KNOWN = {(form.values, form.has_places): form for form in _FORMS}


@define(eq=False)
class StoredBlock:
    """Like ``Block``, of a file that was read by an earlier process. Whatever reads may raise Lost."""

    path: str  # of the log file
    tags: tuple[str, ...]
    form: Form
    rests: bool  # every series ascends, has all its points, and is the only one of its tag
    read: Read
    lose: Callable[[str], None]  # called before Lost is raised
    at: int  # offset of the tables
    chunks: int
    checksum: int  # of the tables
    _tables: tuple[NDArray[Any], NDArray[Any]] | None = None

    @property
    def layout(self) -> tuple[bool, bool]:
        """See ``Columns.layout``."""
        return bool(self.form.values), self.form.has_places

    @property
    def _head(self) -> int:
        return len(self.tags) * SERIES.itemsize + self.chunks * CHUNKS.itemsize

    def tables(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The tables of series and of chunks."""
        if self._tables is None:
            data = self._verified(self.at, self._head, self.checksum)
            series = np.frombuffer(data, SERIES, len(self.tags))
            self._tables = series, np.frombuffer(data, CHUNKS, self.chunks, series.nbytes)
        return self._tables

    def _verified(self, offset: int, size: int, checksum: int) -> bytes:
        try:
            data = self.read(offset, size)
            reason = "" if len(data) == size and crc32c(data) == checksum else "a checksum is wrong"
        except OSError as error:
            reason = error.strerror or str(error)
        if reason:
            self.lose(self.path)
            raise Lost(self.path, reason)
        return data

    @property
    def ends(self) -> NDArray[np.int64]:
        """See ``Block``."""
        return np.ascontiguousarray(self.tables()[0]["end"])

    @property
    def totals(self) -> NDArray[np.int64] | None:
        """See ``Block``."""
        series = self.tables()[0]
        complete = np.array_equal(np.diff(series["end"], prepend=0), series["total"])
        return None if complete else np.ascontiguousarray(series["total"])

    @property
    def stretches(self) -> NDArray[np.int64]:
        """See ``Block``."""
        return np.ascontiguousarray(self.tables()[0]["stretch"])

    @property
    def ascending(self) -> NDArray[np.bool_]:
        """See ``Block``."""
        return self.tables()[0]["ascending"].astype(np.bool_)

    def columns_of(self, place: int) -> StoredColumns:
        """The columns of the tag at this index, not read yet."""
        return StoredColumns(self, place, self.form.has_places)

    def loaded(self) -> Block:
        """The block in memory."""
        chunks = [self._columns(number) for number in range(self.chunks)]
        return Block(
            "",
            self.tags,
            self.ends,
            self.ascending,
            concatenated(chunks),
            self.totals,
            self.stretches,
        )

    def points_of(self, place: int) -> Columns:
        """The points of the tag at this index, in memory of their own."""
        series, chunks = self.tables()
        number = int(np.searchsorted(chunks["end"], place, side="right"))
        first = int(chunks["end"][number - 1]) if number else 0
        before = int(series["end"][first - 1]) if first else 0
        columns = self._columns(number)
        if int(chunks["end"][number]) - first == 1:
            return columns
        start = int(series["end"][place - 1]) if place else 0
        return columns[np.arange(start - before, int(series["end"][place]) - before)]

    def _columns(self, number: int) -> Columns:
        """The points of a chunk."""
        _, chunks = self.tables()
        start = int(chunks["stop"][number - 1]) if number else 0
        size = int(chunks["stop"][number]) - start
        data = self._verified(self.at + self._head + start, size, int(chunks["checksum"][number]))
        points = size // self.form.size
        columns = Columns(
            np.frombuffer(data, _NUMBER, points), np.frombuffer(data, _TIME, points, 8 * points)
        )
        at = 16 * points
        if self.form.has_places:
            columns.places = np.frombuffer(data, _NUMBER, 3 * points, at).reshape(3, points)
            at += 24 * points
        if self.form.values:
            columns.values = np.frombuffer(data, np.dtype(self.form.values), points, at)
        return columns


@define(eq=False)
class StoredColumns:
    """Like ``Columns``, of one series of a stored block."""

    block: StoredBlock
    place: int
    has_places: bool

    def __len__(self) -> int:
        series, _ = self.block.tables()
        return int(series["end"][self.place]) - (int(series["end"][self.place - 1]) if self.place else 0)

    @property
    def layout(self) -> tuple[bool, bool]:
        """See ``Columns.layout``."""
        return bool(self.block.form.values), self.has_places

    def fact(self, name: str) -> float:
        """``first_step``, ``last_step``, ``last_wall_time`` or ``last_value``."""
        number: float = self.block.tables()[0][name][self.place].item()
        return number

    def without_places(self) -> StoredColumns:
        """The same, without places."""
        return evolve(self, has_places=False)

    def loaded(self) -> Columns:
        """The columns in memory; the array that owns the memory holds nothing else."""
        columns = self.block.points_of(self.place)
        return columns if self.has_places else columns.without_places()


AnyColumns: TypeAlias = Columns | StoredColumns
AnyBlock: TypeAlias = Block | StoredBlock
