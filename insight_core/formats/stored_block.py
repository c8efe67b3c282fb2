"""Blocks in a segment file: a table of their series, and points in checksummed chunks, read on demand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import define, evolve, frozen
from numpy.typing import NDArray

from insight_core.formats.columns import Block, Columns, concatenated
from insight_record.formats.crc32c import crc32c

_CHUNK = 64 << 10  # bytes of points of short series that are read and verified together
_NUMBER, _TIME = np.dtype(np.int64), np.dtype(np.float64)
_SERIES = np.dtype(
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
_CHUNKS = np.dtype([("end", _NUMBER), ("stop", _NUMBER), ("checksum", _NUMBER)])

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
        return cls("" if columns.values is None else columns.values.dtype.char, columns.places is not None)

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


# --- writing --------------------------------------------------------------------------------------


@frozen
class Written:
    """What a reader has to know of a stored block before it reads its tables."""

    chunks: int
    checksum: int  # of both tables
    rests: bool  # every series ascends, has all its points, and is the only one of its tag


def encode_block(blocks: Sequence[Block]) -> tuple[Written, list[bytes | memoryview]]:
    """Several blocks of one form as one. Returns the bytes in pieces; columns are not copied."""
    tables, chunks = [], []
    pieces: list[bytes | memoryview] = []
    points = size = 0
    for block in blocks:
        if any(column.shape[-1:] != (block.ends[-1],) for column in block.columns.arrays()):
            raise ValueError(f"the columns of {block.tags} are not equally long")
        tables.append(_table(block, points))
        points += len(block.columns)
    for end, columns in _chunked(blocks):
        checksum = 0
        for piece in _pieces(columns):
            checksum = crc32c(piece, checksum)
            size += len(piece)
            pieces.append(piece)
        chunks.append((end, size, checksum))
    table = np.concatenate(tables)
    tags = {tag for block in blocks for tag in block.tags}
    rests = (
        len(tags) == len(table)
        and bool(table["ascending"].all())
        and not table["stretch"].any()
        and bool((np.diff(table["end"], prepend=0) == table["total"]).all())
    )
    head = table.tobytes() + np.array(chunks, _CHUNKS).tobytes()
    return Written(len(chunks), crc32c(head), rests), [head, *pieces]


def _table(block: Block, before: int) -> NDArray[Any]:
    counts, columns = block.counts(), block.columns
    table = np.zeros(len(counts), _SERIES)
    table["end"] = block.ends + before
    table["total"] = counts if block.totals is None else block.totals
    table["stretch"] = 0 if block.stretches is None else block.stretches
    table["ascending"] = block.ascending
    if len(columns):  # a series without points gets facts of a neighbour, which are not used
        firsts, lasts = block.ends - counts, block.ends - 1
        table["first_step"] = columns.steps.take(firsts, mode="clip")
        table["last_step"] = columns.steps.take(lasts, mode="clip")
        table["last_wall_time"] = columns.wall_times.take(lasts, mode="clip")
        if columns.values is not None:
            with np.errstate(invalid="ignore"):  # a signalling NaN of float32 becomes a quiet one
                table["last_value"] = columns.values.take(lasts, mode="clip")
    return table


def _chunked(blocks: Sequence[Block]) -> Iterator[tuple[int, list[Columns]]]:
    """Chunks: the index after the last series, and the points. Long series have a chunk of their own."""
    most = _CHUNK // Form.of(blocks[0].columns).size
    held: list[Columns] = []
    series = points = 0
    for block in blocks:
        first = start = 0
        while first < len(block.tags):
            end = max(first + 1, int(np.searchsorted(block.ends, start + most, side="right")))
            stop = int(block.ends[end - 1])
            if held and points + stop - start > most:
                yield series, held
                held, points = [], 0
            held.append(block.columns[start:stop])
            series, points = series + end - first, points + stop - start
            first, start = end, stop
    yield series, held


def _pieces(parts: Sequence[Columns]) -> Iterator[memoryview]:
    columns: list[list[NDArray[Any]]] = [
        [part.steps for part in parts],
        [part.wall_times for part in parts],
        *([part.places[row] for part in parts if part.places is not None] for row in range(3)),
        [part.values for part in parts if part.values is not None],
    ]
    for each in itertools.chain.from_iterable(columns):
        yield np.ascontiguousarray(each).view(np.uint8).data


# --- reading --------------------------------------------------------------------------------------


@define(eq=False)
class StoredBlock:
    """Like ``Block``, of a file that was read by an earlier process. Whatever reads may raise Lost."""

    path: str  # of the log file
    tags: tuple[str, ...]
    form: Form
    rests: bool  # see ``Written``
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
        return len(self.tags) * _SERIES.itemsize + self.chunks * _CHUNKS.itemsize

    def tables(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The tables of series and of chunks."""
        if self._tables is None:
            data = self._verified(self.at, self._head, self.checksum)
            series = np.frombuffer(data, _SERIES, len(self.tags))
            self._tables = series, np.frombuffer(data, _CHUNKS, self.chunks, series.nbytes)
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
