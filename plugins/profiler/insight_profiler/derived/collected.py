"""What a reader has found, chunk by chunk, and what a profile is derived from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import ArrayLike, NDArray

from insight_profiler.derived.columns import Columns, absent, column_types, fitted
from insight_profiler.derived.filed_columns import LONG, ColumnFile, FiledColumns
from insight_profiler.model import Column, Counter, Device, Note, Source, StepOrigin, Track

_OUT_OF_RANGE = "numbers_out_of_range"


@define
class _Chunks:
    """What was added to one table: in pieces, and those before ``loose`` packed into few long ones."""

    rows: int = 0
    pieces: list[tuple[int, Mapping[str, Column]]] = field(factory=list)  # rows, columns
    loose: int = 0  # the first piece that is not packed
    loose_rows: int = 0


@define(eq=False)
class Collected:
    """The tables, texts and facts of a profile under construction, as readers add them (``Building``).

    Tables of ``LONG`` rows or more are kept in a file in the directory ``scratch``, so that memory does not
    grow with the log; where there is no room for one, in memory.
    """

    source: Source
    scratch: Path | None = field(default=None, kw_only=True)
    host: str = ""
    worker: str = ""
    rank: int = -1
    world_size: int = 0
    platform: str = ""
    facts: dict[str, Any] = field(factory=dict)
    documents: dict[str, Any] = field(factory=dict)
    start_ns: int = 0
    step_origin: StepOrigin = StepOrigin.NONE
    tracks: list[Track] = field(factory=list, init=False)
    counters: list[Counter] = field(factory=list, init=False)
    devices: list[Device] = field(factory=list, init=False)
    notes: list[Note] = field(factory=list, init=False)
    _texts: dict[str, int] = field(factory=dict, init=False)
    _chunks: dict[str, _Chunks] = field(factory=dict, init=False)
    _file: ColumnFile | None = field(default=None, init=False)
    _out_of_range: dict[str, int] = field(factory=dict, init=False)  # numbers by column

    def text(self, text: str) -> int:
        """The place of a text; -1 for an empty one."""
        if not text:
            return -1
        return self._texts.setdefault(text, len(self._texts))

    def texts(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """int32: the number of each text in the shared table of texts."""
        return np.fromiter(map(self.text, texts), np.int32)

    def all_texts(self) -> tuple[str, ...]:
        """The shared table of texts, indexed by number."""
        return tuple(self._texts)

    def track(self, track: Track) -> int:
        """Adds a track and returns its number."""
        self.tracks.append(track)
        return len(self.tracks) - 1

    def counter(self, counter: Counter) -> int:
        """Adds a counter and returns its number."""
        self.counters.append(counter)
        return len(self.counters) - 1

    def device(self, device: Device) -> int:
        """Adds a device and returns its number."""
        self.devices.append(device)
        return len(self.devices) - 1

    def note(self, code: str, text: str, **values: object) -> None:
        """Reports omitted or inferred content: ``text`` in English, ``values`` for translations."""
        self.notes.append(Note(code, values, text))

    def rows(self, table: str) -> int:
        """How many were added."""
        return self._chunks[table].rows if table in self._chunks else 0

    def add(self, table: str, /, **columns: ArrayLike) -> int:
        """Adds a chunk, and returns the row of its first. Numbers that a column cannot hold count as
        unknown, with a note. Raises ValueError for a column that there is not, and for columns of different
        lengths."""
        types = column_types(table)
        if unknown := columns.keys() - types.keys():
            raise ValueError(f"{table} has no column {', '.join(sorted(unknown))}")
        chunk = {name: self._fitted(table, name, column, types[name]) for name, column in columns.items()}
        lengths = {len(column) for column in chunk.values()}
        if len(lengths) != 1:
            raise ValueError(f"columns of {table} are not of one length: {sorted(lengths)}")
        first = self.rows(table)
        (length,) = lengths
        if length:
            chunks = self._chunks.setdefault(table, _Chunks())
            chunks.pieces.append((length, chunk))
            chunks.rows += length
            chunks.loose_rows += length
            if chunks.rows >= LONG and chunks.loose_rows >= LONG // 4:
                self._pack(chunks)
        return first

    def _pack(self, chunks: _Chunks) -> None:
        """Makes one piece of those that are loose, in the file."""
        self._file = self._file or ColumnFile.of(self.scratch)
        if self._file is None:
            return
        loose = chunks.pieces[chunks.loose :]
        packed = FiledColumns(self._file)
        for name in dict.fromkeys(name for _, piece in loose for name in piece):
            packed[name] = _joined(loose, name)
        chunks.pieces[chunks.loose :] = [(chunks.loose_rows, packed)]
        chunks.loose, chunks.loose_rows = len(chunks.pieces), 0

    def _fitted(self, table: str, name: str, values: ArrayLike, kind: np.dtype[Any]) -> Column:
        column, lost = fitted(values, kind, absent(name, kind))
        if lost:
            self._out_of_range[name] = self._out_of_range.get(name, 0) + lost
            count, names = sum(self._out_of_range.values()), ", ".join(sorted(self._out_of_range))
            self.notes[:] = [note for note in self.notes if note.code != _OUT_OF_RANGE]
            text = f"{count} numbers are out of range and count as unknown ({names})"
            self.note(_OUT_OF_RANGE, text, count=count, columns=names)
        return np.atleast_1d(column)

    def table(self, name: str) -> Columns:
        """All that was added to a table, every column of it."""
        pieces = self._chunks[name].pieces if name in self._chunks else []
        file = ColumnFile.of(self.scratch) if self.rows(name) >= LONG else None
        found: Columns = {} if file is None else FiledColumns(file)
        for column, kind in column_types(name).items():
            found[column] = _joined(pieces, column, kind)
        return found

    def table_names(self) -> list[str]:
        """Names of all tables that have rows."""
        return list(self._chunks)


def _joined(
    pieces: Sequence[tuple[int, Mapping[str, Column]]], name: str, kind: np.dtype[Any] | None = None
) -> Column:
    """One column of all pieces; ``kind``: its type, None for that of the pieces that have it."""
    kind = kind or next(piece[name].dtype for _, piece in pieces if name in piece)
    whole = np.empty(sum(rows for rows, _ in pieces), kind)
    start = 0
    for rows, piece in pieces:
        whole[start : start + rows] = piece[name] if name in piece else absent(name, kind)
        start += rows
    return whole
