"""What a reader has found, chunk by chunk, and what a profile is derived from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import ArrayLike, NDArray

from insight_profiler.derived.columns import absent, column_types, fitted
from insight_profiler.model import Column, Counter, Device, Note, Source, StepOrigin, Track

_OUT_OF_RANGE = "numbers_out_of_range"


@define(eq=False)
class Collected:
    """The tables, texts and facts of a profile under construction, as readers add them (``Building``)."""

    source: Source
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
    _chunks: dict[str, list[dict[str, Column]]] = field(factory=dict, init=False)
    _rows: dict[str, int] = field(factory=dict, init=False)
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
        return self._rows.get(table, 0)

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
            self._chunks.setdefault(table, []).append(chunk)
            self._rows[table] = first + length
        return first

    def _fitted(self, table: str, name: str, values: ArrayLike, kind: np.dtype[Any]) -> Column:
        column, lost = fitted(values, kind, absent(name, kind))
        if lost:
            self._out_of_range[name] = self._out_of_range.get(name, 0) + lost
            count, names = sum(self._out_of_range.values()), ", ".join(sorted(self._out_of_range))
            self.notes[:] = [note for note in self.notes if note.code != _OUT_OF_RANGE]
            text = f"{count} numbers are out of range and count as unknown ({names})"
            self.note(_OUT_OF_RANGE, text, count=count, columns=names)
        return np.atleast_1d(column)

    def table(self, name: str, *, forgets: bool = False) -> dict[str, Column]:
        """All that was added to a table, every column of it. ``forgets``: there is no second copy of it then,
        and this is the last time that it can be asked for."""
        chunks, types = self._chunks.get(name, []), column_types(name)
        lengths = [len(next(iter(chunk.values()))) for chunk in chunks]
        found = {}
        for column, kind in types.items():
            whole = np.empty(self.rows(name), kind)
            start = 0
            for chunk, length in zip(chunks, lengths, strict=True):
                given = chunk.pop(column, None) if forgets else chunk.get(column)
                whole[start : start + length] = absent(column, kind) if given is None else given
                start += length
            found[column] = whole
        return found

    def table_names(self) -> list[str]:
        """Names of all tables that have rows."""
        return list(self._chunks)
