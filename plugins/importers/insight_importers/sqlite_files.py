"""Reads SQLite databases that others write, without a lock and without a file next to them.

SQLite's own read-only mode takes locks that can make a writer fail, and with a write-ahead log it creates a
file next to the database. So the database is opened as one that never changes (``immutable``), or, where the
newest transactions are in a write-ahead log, a copy of both files is; and what was read counts only if
neither file has changed meanwhile. Sources: https://www.sqlite.org/uri.html,
https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from insight_core.plugin import Flaw, Reason, ReasonKind
from insight_importers.side_files import open_file

MARK = b"SQLite format 3\0"
_MOST_COPIED = 16 << 30  # bytes
LONGEST_VALUE = 16 << 20  # bytes of a cell
MOST_BYTES = 64 << 20  # bytes of the cells that a query gives; one more cell may be there
_PATIENCE = 20.0  # seconds of one query
_OPERATIONS = 100_000  # of SQLite's machine between two looks at the clock
_OLD = 2.0  # seconds
_SQLITE_TABLE = ReasonKind(
    "importers_sqlite_table",
    "the table {table} has more than {most} MiB: only the first {rows} rows are read",
)
_SQLITE_CELL = ReasonKind(
    "importers_sqlite_cell",
    "a row of the table {table} has more than {most} MiB: it and those behind it are not read",
)
_SQLITE = ReasonKind("importers_sqlite", "SQLite: {cause}")


class Changing(Exception):
    """The database was written meanwhile: it has to be read again."""


class Unfinished(ValueError):
    """A transaction is half written."""


def watched(source: str) -> tuple[str, ...]:
    """The files that change with a database."""
    return source, f"{source}-wal", f"{source}-journal"


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
        connection.text_factory = _text
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}")
        # a view could be anything, and take for ever
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        self.tables = frozenset(str(name) for (name,) in rows)

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
def opened(source: str, scratch: Path) -> Iterator[Database]:
    """The database at a path, for one reading; copies, if any, go below ``scratch``.

    Leaving it without an error means that the database did not change. Raises Changing if it did, Unfinished,
    ValueError for a file that is damaged, and OSError.
    """
    before = _versions(source)
    _check_journal(source)
    try:
        if before[1] is not None and before[1][0]:
            path, mode = _copy(source, scratch), "mode=rw"
        else:
            path, mode = source, "immutable=1&mode=ro"
        uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?{mode}"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            yield Database(connection)
    except sqlite3.Error as error:
        if _versions(source) != before:
            raise Changing from None
        cause = str(error)
        raise ValueError(_SQLITE(cause=cause)) from None
    if _versions(source) != before:
        raise Changing


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


def _check_journal(source: str) -> None:
    """Raises Changing or Unfinished if a rollback journal says that a transaction is under way."""
    try:
        with open_file(f"{source}-journal") as file:
            begins = file.read(8)
            age = time.time() - os.fstat(file.fileno()).st_mtime
    except (OSError, ValueError):  # of SQLite it is a regular file
        return
    if not begins.strip(b"\0"):
        return
    if age < _OLD:
        raise Changing
    text = "a transaction is half written: open the database once with its tracker if no training runs"
    raise Unfinished(Reason(text, "importers_sqlite_journal"))


def _copy(source: str, scratch: Path) -> str:
    """Copies a database with its write-ahead log."""
    scratch.mkdir(exist_ok=True)
    copy = scratch / "copy.db"
    info = os.stat(source)
    if info.st_size > _MOST_COPIED:
        raise ValueError(Reason("the database with a write-ahead log is too large", "importers_sqlite_large"))
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{copy}{suffix}").unlink(missing_ok=True)
    shutil.copyfile(source, copy)
    shutil.copyfile(f"{source}-wal", f"{copy}-wal")
    return str(copy)


def _end_of(row: Sequence[Any]) -> list[int]:
    return [row[0], zlib.crc32(repr(row).encode("utf-8", "replace"))]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
