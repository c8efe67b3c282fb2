"""Reads tables of SQLite databases as columns, by the columns that a format declares.

A profiler may still be writing its database, on a machine far away: a copy is read, together with the
write-ahead log or rollback journal next to it, so that SQLite sees whole transactions, takes no lock that a
writer would meet, and creates no file next to the original. Of a damaged one come the rows before the damage.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Literal, NamedTuple
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.claims import SIDE_FILES
from insight_profiler.files import Files

_MARK = b"SQLite format 3\0"
_MOST = 8 << 30  # bytes of a database with its log: a copy of both lies on the disk while it is read
_HEADER = 100  # bytes
_PIECE = 1 << 20
_ROWS = 1 << 16  # read at once: cells are objects, which take some 30 bytes each
_LONGEST = 1 << 16  # characters of a text
_MOST_TEXT = 512 << 20  # characters of the texts of a table that others refer to by number
_STRANGE = -(1 << 63)  # stands for a value that is no number

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


# a text that is a number counts as one: columns have been declared as TEXT
_IS_WHOLE = "typeof({0}) = 'text' AND {0} <> '' AND ltrim({0}, '-') NOT GLOB '*[^0-9]*'"
_SQL = {
    "integer": (
        "CASE typeof({0}) WHEN 'integer' THEN {0} WHEN 'null' THEN -1 "
        "WHEN 'real' THEN CAST(round({0}) AS INTEGER) "
        f"ELSE CASE WHEN {_IS_WHOLE} THEN CAST({{0}} AS INTEGER) ELSE {_STRANGE} END END"
    ),
    "number": "CASE WHEN typeof({0}) IN ('integer', 'real') THEN {0} "
    "WHEN typeof({0}) = 'text' AND {0} GLOB '[-+.0-9]*' THEN CAST({0} AS REAL) END",
    # SQLite's own text of a number that is not whole has 15 digits, and times since the epoch have more
    "text": "substr(CASE typeof({0}) WHEN 'real' THEN printf('%!.17g', {0}) ELSE CAST({0} AS TEXT) END, "
    f"1, {_LONGEST})",
}
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
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}")
        # a view could be anything, and take for ever
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.names = frozenset(str(table) for (table,) in found)

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
        cells = ", ".join(
            _SQL[declared[own].kind].format('"' + name.replace('"', '""') + '"')
            for own, name in chosen.items()
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
                column = np.array(cells, _TYPES[kind])
            if kind == "integer" and (column == _STRANGE).any():
                strange[own] = strange.get(own, 0) + int((column == _STRANGE).sum())
                column[column == _STRANGE] = -1
            found[own] = column
        for own, other in declared.items():
            if own not in found:
                found[own] = np.full(len(rows), _ABSENT[other.kind], _TYPES[other.kind])
        return found


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
    with TemporaryDirectory(prefix="insight-host-profile-", dir=files.scratch) as directory:
        copy = Path(directory) / "copy.db"
        left = _MOST
        with files.open(name) as stream:
            mark = stream.read(len(_MARK))
            if not mark:
                raise Unreadable("empty_file", f"{name} is empty", file=name)
            if mark != _MARK:
                raise Unreadable("no_database", f"{name} is not an SQLite database", file=name)
            with copy.open("wb+") as file:
                left -= file.write(mark)
                left = _copy(stream, file, left, name)
                _complete(file, name, building)
        sides = [side for side in SIDE_FILES if files.names().get(name + side)]
        for side in sides:
            with files.open(name + side) as stream, Path(f"{copy}{side}").open("wb") as file:
                left = _copy(stream, file, left, name)
        uri = f"file:{quote(str(copy))}?{'mode=rw' if sides else 'mode=ro&immutable=1'}"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                yield Tables(connection, name, files.names(), building)
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


def _copy(stream: BinaryIO, file: BinaryIO, left: int, name: str) -> int:
    while piece := stream.read(_PIECE):
        left -= file.write(piece)
        if left < 0:
            text = f"{name} is larger than {_MOST >> 30} GiB, and is not read"
            raise Unreadable("large_database", text, file=name, most=_MOST >> 30)
    return left
