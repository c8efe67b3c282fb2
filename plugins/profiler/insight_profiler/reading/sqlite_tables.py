"""Reads tables of SQLite databases as columns, by the columns that a format declares.

A profiler may still be writing its database, on a machine far away: a copy is read, as it was at one moment.
Of a damaged one come the rows before the damage.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import databases
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files

_MOST = 8 << 30  # bytes of a database with its log: a copy of both lies on the disk while it is read
_HEADER = 100  # bytes
_ROWS = 1 << 16  # read at once: cells are objects, which take some 30 bytes each
_LONGEST = 1 << 16  # characters of a text
_MOST_TEXT = 512 << 20  # characters of the texts of a table that others refer to by number
_FAR = 1 << 62

Integers = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]


class Declared(NamedTuple):
    """A column: the names that versions of a format gave it, and what it holds. One that is missing, and a
    cell that is NULL or no number, is -1, NaN or an empty text."""

    kind: Literal["integer", "number", "text"]
    names: tuple[str, ...]


def integers(*names: str) -> Declared:
    """A column of int64."""
    return Declared("integer", names)


def numbers(*names: str) -> Declared:
    """A column of float64."""
    return Declared("number", names)


def texts(*names: str) -> Declared:
    """A column of texts: an array of objects."""
    return Declared("text", names)


_NUMBER = re.compile(r"-?\d{1,19}")
# SQLite's own text of a number that is not whole has 15 digits, and times since the epoch have more
_TEXT = (
    "substr(CASE typeof({0}) WHEN 'real' THEN printf('%!.17g', {0}) ELSE CAST({0} AS TEXT) END, "
    f"1, {_LONGEST})"
)
_ABSENT: Mapping[str, object] = {"integer": -1, "number": np.nan, "text": ""}
_TYPES = {"integer": np.int64, "number": np.float64, "text": object}


class Tables:
    """The tables of one database of a profile, whose other files are ``others``. Notes what is strange."""

    def __init__(
        self, connection: sqlite3.Connection, name: str, others: Collection[str], building: Building
    ) -> None:
        self._connection = connection
        self._building = building
        self.name = name
        self.others = others
        self.names = databases.tables_of(connection)

    def __contains__(self, table: str) -> bool:
        return table in self.names

    def chunks(self, table: str, declared: Mapping[str, Declared]) -> Iterator[Columns]:
        """The rows of a table, some at a time, in the order in which they were written: a column for each
        that is declared. Nothing for a table that is missing or has none of the columns."""
        if table not in self.names:
            return
        quoted = '"' + table.replace('"', '""') + '"'
        there = {
            str(row[1]).lower(): str(row[1])
            for row in self._connection.execute(f"PRAGMA table_info({quoted})")
        }
        chosen = {
            own: next(there[name.lower()] for name in column.names if name.lower() in there)
            for own, column in declared.items()
            if any(name.lower() in there for name in column.names)
        }
        if not chosen:
            return
        named = {own: '"' + name.replace('"', '""') + '"' for own, name in chosen.items()}
        cells = ", ".join(
            _TEXT.format(name) if declared[own].kind == "text" else name for own, name in named.items()
        )
        strange: dict[str, int] = {}
        damage: sqlite3.Error | None = None
        cursor: Iterable[tuple[Any, ...]] | None = None
        while damage is None:
            rows: list[tuple[Any, ...]] = []
            try:
                cursor = cursor or self._connection.execute(f"SELECT {cells} FROM {quoted}")
                rows.extend(islice(cursor, _ROWS))
            except sqlite3.Error as error:  # the rows before it are there
                damage = error
            if not rows:
                break
            yield self._columns(rows, declared, list(chosen), strange)
        if damage is not None:
            text = f"{self.name} is damaged: rows of {table} are missing ({damage})"
            reason = f"{table}: {damage}"
            self._building.note("truncated", text, file=self.name, reason=reason)
        if strange:
            self._building.note(
                "cells_without_value",
                f"{sum(strange.values())} cells of {self.name} hold no number and are taken for absent",
                file=f"{self.name} ({table})",
                count=sum(strange.values()),
                columns=", ".join(f"{column} ({count})" for column, count in strange.items()),
            )

    def table(self, table: str, declared: Mapping[str, Declared]) -> Columns:
        """All rows of a table."""
        chunks = list(self.chunks(table, declared))
        return {
            own: np.concatenate([chunk[own] for chunk in chunks])
            if chunks
            else np.empty(0, _TYPES[column.kind])
            for own, column in declared.items()
        }

    def texts_by_id(self, table: str, number: str = "id", text: str = "value") -> TextsById:
        """The texts of a table that others refer to by number."""
        found: dict[int, str] = {}
        size = 0
        for chunk in self.chunks(table, {"number": integers(number), "text": texts(text)}):
            size += sum(map(len, chunk["text"]))
            if size > _MOST_TEXT:
                self._building.note(
                    "truncated",
                    f"{self.name}: {table} has too much text; the rest is not read",
                    file=self.name,
                    reason=f"{table} > {_MOST_TEXT >> 20} MiB",
                )
                break
            found.update(zip(chunk["number"].tolist(), chunk["text"], strict=True))
        return TextsById(found, self._building)

    def _columns(
        self,
        rows: Sequence[tuple[Any, ...]],
        declared: Mapping[str, Declared],
        chosen: Sequence[str],
        strange: dict[str, int],
    ) -> Columns:
        found: Columns = {}
        for own, cells in zip(chosen, zip(*rows, strict=True), strict=True):
            kind = declared[own].kind
            if kind == "text":
                column = np.empty(len(rows), object)
                column[:] = [cell or "" for cell in cells]
            else:
                column, odd = _whole_numbers(cells) if kind == "integer" else _real_numbers(cells)
                if odd:
                    strange[own] = strange.get(own, 0) + odd
            found[own] = column
        for own, other in declared.items():
            if own not in found:
                found[own] = np.full(len(rows), _ABSENT[other.kind], _TYPES[other.kind])
        return found


def _whole_numbers(cells: Sequence[Any]) -> tuple[Integers, int]:
    """Cells as int64, and how many hold something that is no number. A text that is one counts: columns have
    been declared as TEXT."""
    column = np.array(cells) if None not in cells else np.empty(0, object)
    if column.dtype == np.int64:
        return column, 0
    found, odd = np.full(len(cells), -1), 0
    for place, cell in enumerate(cells):  # of columns with NULL, or with values of another type
        if isinstance(cell, int):
            found[place] = cell
        elif isinstance(cell, float) and abs(cell) < _FAR:
            found[place] = round(cell)
        elif isinstance(cell, str) and _NUMBER.fullmatch(cell) and abs(int(cell)) < _FAR:
            found[place] = int(cell)
        else:
            odd += cell is not None
    return found, odd


def _real_numbers(cells: Sequence[Any]) -> tuple[NDArray[np.float64], int]:
    try:
        return np.array(cells, np.float64), 0
    except (TypeError, ValueError):
        numbers, odd = np.full(len(cells), np.nan), 0
        for place, cell in enumerate(cells):
            try:
                numbers[place] = np.nan if cell is None else float(cell)
            except (TypeError, ValueError):
                odd += 1
        return numbers, odd


class TextsById:
    """Texts that columns name by number."""

    def __init__(self, texts: Mapping[int, str], building: Building) -> None:
        self._texts = texts
        self._building = building

    def of(self, number: int) -> str:
        """The text of a number; empty for one that is not known."""
        return self._texts.get(number, "")

    def mapped(self, numbers: Integers, value: Callable[[str], int]) -> Integers:
        """What a function says of the texts of a column, of each text once."""
        distinct, places = np.unique(numbers, return_inverse=True)
        return np.array([value(self.of(number)) for number in distinct.tolist()], np.int64)[places]

    def places(self, numbers: Integers) -> Integers:
        """Where the building has the texts of a column; -1: none."""
        return self.mapped(numbers, self._building.text)


@contextmanager
def opened(files: Files, name: str, building: Building) -> Iterator[Tables]:
    """A database of a profile.

    Raises Unreadable for a file that is no database, or one of which not even the names of the tables can be
    read, and OSError.
    """
    mark = files.peek(name, len(databases.MARK))
    if not mark:
        raise Unreadable("empty_file", f"{name} is empty", file=name)
    if mark != databases.MARK:
        raise Unreadable("no_database", f"{name} is not an SQLite database", file=name)

    with TemporaryDirectory(prefix="insight-host-profile-", dir=files.scratch) as directory:
        copy = Path(directory) / "copy.db"
        try:
            databases.copy(lambda ending: files.open_now(name + ending), copy, _MOST)
            with copy.open("rb+") as file:
                _complete(file, name, building)
            with databases.opened(copy, is_copy=True) as connection:
                yield Tables(connection, name, files.names(), building)
        except databases.CopyTooLarge:
            text = f"{name} is larger than {_MOST >> 30} GiB, and is not read"
            raise Unreadable("large_database", text, file=name, most=_MOST >> 30) from None
        except databases.Changing:
            text = f"{name} is being written: it is read when it rests"
            raise Unreadable("database_changing", text, file=name) from None
        except sqlite3.Error as error:
            text = f"{name} is a damaged database, or was being written: {error}"
            raise Unreadable("broken_database", text, file=name, reason=str(error)) from error


def _complete(file: BinaryIO, name: str, building: Building) -> None:
    """Adds empty pages in the place of those that are missing: SQLite opens no database that is too short."""
    length = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(_HEADER)
    if len(head) < _HEADER or head[24:28] != head[92:96]:  # it does not say its size
        return
    page = int.from_bytes(head[16:18], "big")
    expected = (1 << 16 if page == 1 else page) * int.from_bytes(head[28:32], "big")
    if length < expected <= _MOST:
        file.truncate(expected)
        text = f"{name} ends after {length} of {expected} bytes; what is there was read"
        building.note("truncated", text, file=name, reason=f"{length} < {expected}")
