"""Reads tables of SQLite databases that trackers write, as they were at one moment, within limits."""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from attrs import Factory, define

from insight_core.plugin import Flaw, Reason, ReasonKind, databases
from insight_importers.side_files import open_file

_MOST_COPIED = 16 << 30  # bytes
LONGEST_VALUE = 16 << 20  # bytes of a cell
MOST_BYTES = 64 << 20  # bytes of the cells that a query gives; one more cell may be there
_PATIENCE = 20.0  # seconds of one query
_OPERATIONS = 100_000  # of SQLite's machine between two looks at the clock
_SQLITE_TABLE = ReasonKind(
    "importers_sqlite_table",
    "the table {table} has more than {most} MiB: only the first {rows} rows are read",
)
_SQLITE_CELL = ReasonKind(
    "importers_sqlite_cell",
    "a row of the table {table} has more than {most} MiB: it and those behind it are not read",
)
_SQLITE = ReasonKind("importers_sqlite", "SQLite: {cause}")


def watched(source: str) -> tuple[str, ...]:
    """The files that change with a database."""
    return source, *(f"{source}{side}" for side in databases.SIDE_FILES)


@define
class TrackerRows:
    """What one call read of a database. Each tracker adds what its tables hold."""

    is_last: bool = True  # no more rows are there
    is_other: bool = False  # the database was replaced: it has to be read from its beginning
    watched: Sequence[str] = ()  # files next to the database that change with it
    flaws: list[tuple[str, Flaw]] = Factory(list)  # by name of run: of files that are read in each call


class AppendedRows(NamedTuple):
    """Rows of a table to which a tracker appends."""

    rows: list[Any]
    is_other: bool  # the table was replaced: the last row that was read is not in it
    is_last: bool  # no more rows are there
    end: list[int]  # number and checksum of the last row that was read


class Database:
    """A database of another program, as it was at one moment. ``flaws`` are of tables of which a query could
    not give all rows."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._began = time.monotonic()
        self.flaws: list[Flaw] = []
        connection.set_progress_handler(lambda: time.monotonic() > self._began + _PATIENCE, _OPERATIONS)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        self.tables = databases.tables_of(connection)

    def columns(self, table: str) -> list[str]:
        """The columns of a table; empty if the table is missing."""
        if table not in self.tables:
            return []
        return [str(row[1]) for row in self._connection.execute(f'PRAGMA table_info("{table}")')]

    def rows(self, table: str, columns: str, rest: str = "", arguments: Sequence[object] = ()) -> list[Any]:
        """``columns`` of rows of a table: all, or as many as fit into MOST_BYTES and a flaw.

        Raises sqlite3.Error.
        """
        rows, is_whole = self._some_rows(table, f"SELECT {columns} FROM {table} {rest}", arguments)
        if not is_whole:
            most = MOST_BYTES >> 20
            reason = _SQLITE_TABLE(table=table, most=most, rows=len(rows))
            self.flaws.append(Flaw(0, reason))
        return rows

    def appended(
        self, table: str, number: str, columns: str, end: Sequence[int] | None, most: int
    ) -> AppendedRows:
        """At most ``most`` rows behind ``end``, which an earlier call returned: the column ``number`` and
        ``columns``. Raises sqlite3.Error."""
        query = f"SELECT {number}, {columns} FROM {table} WHERE {number}"
        last, is_other = 0, False
        if end:
            last = end[0]
            found, _ = self._some_rows(table, f"{query} = ?", (last,))
            is_other = [_end_of(row) for row in found] != [[*end]]
        rows, is_whole = self._some_rows(table, f"{query} > ? ORDER BY {number} LIMIT {most}", (last,))
        now = _end_of(rows[-1]) if rows else [*(end or ())]
        return AppendedRows(rows, is_other, is_whole and len(rows) < most, now)

    def _some_rows(self, table: str, query: str, arguments: Sequence[object]) -> tuple[list[Any], bool]:
        """The first rows of a query, and whether these are all. A row with a cell that is too long ends them,
        and is a flaw."""
        self._began = time.monotonic()
        rows: list[Any] = []
        size = 0
        try:
            for row in self._connection.execute(query, arguments):
                if size > MOST_BYTES:
                    return rows, False
                rows.append(row)
                size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        except sqlite3.DataError:
            most = LONGEST_VALUE >> 20
            self.flaws.append(Flaw(0, _SQLITE_CELL(table=table, most=most)))
        return rows, True


@contextmanager
def opened(source: str, scratch: Path, *, copies: bool = False) -> Iterator[Database]:
    """The database at a path, for one reading; a copy, if one is needed or asked for, goes below ``scratch``.

    Leaving it without an error means that what was read was the database at one moment. Raises
    databases.Changing if it was not, ValueError for a file that is damaged or too large, and OSError.
    """
    before = _versions(source)
    copies = copies or any(_has_content(f"{source}{side}") for side in databases.SIDE_FILES)
    path = source
    try:
        if copies:
            scratch.mkdir(exist_ok=True)
            path = str(scratch / "copy.db")
            databases.copy(lambda ending: open_file(f"{source}{ending}"), Path(path), _MOST_COPIED)
        with databases.opened(path, is_copy=copies) as connection:
            yield Database(connection)
    except databases.CopyTooLarge:
        text = "the database with a write-ahead log is too large"
        raise ValueError(Reason(text, "importers_sqlite_large")) from None
    except sqlite3.Error as error:
        if _versions(source) != before:
            raise databases.Changing from None
        raise ValueError(_SQLITE(cause=str(error))) from None
    if not copies and _versions(source) != before:
        raise databases.Changing


def _has_content(path: str) -> bool:
    """Whether a log has transactions: one of zeros is what is left of one that is committed."""
    try:
        with open_file(path) as file:
            return bool(file.read(8).strip(b"\0"))
    except (OSError, ValueError):  # of SQLite it is a regular file
        return False


def _versions(source: str) -> tuple[tuple[int, ...] | None, ...]:
    """Size, times and inode of the files of a database; None for one that is missing."""
    found: list[tuple[int, ...] | None] = []
    for path in watched(source):
        try:
            info = os.stat(path)
        except OSError:
            found.append(None)
        else:
            found.append((info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino))
    return tuple(found)


def _end_of(row: Sequence[Any]) -> list[int]:
    return [row[0], zlib.crc32(repr(row).encode("utf-8", "replace"))]
