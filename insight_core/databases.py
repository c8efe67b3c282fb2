"""Opens SQLite databases that other programs write, without a lock and without a file next to them.

SQLite's own read-only mode takes locks that can make a writer fail, and with a write-ahead log it creates a
file next to the database. So a database is opened as one that never changes (``immutable``); if its newest
transactions are in a write-ahead log, or one is half written, a copy of it and of its log is opened, where
SQLite may do as it likes. Sources: https://www.sqlite.org/uri.html, https://www.sqlite.org/fileformat2.html,
https://www.sqlite.org/atomiccommit.html
"""

from __future__ import annotations

import io
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias
from urllib.parse import quote

if TYPE_CHECKING:
    import sqlite3

__all__ = ["MARK", "SIDE_FILES", "Changing", "CopyTooLarge", "copy", "opened", "side_file", "tables_of"]

MARK = b"SQLite format 3\0"  # its first bytes
SIDE_FILES = ("-wal", "-journal")  # next to a database: what is not in it yet, or no longer
_HEAD = 100  # bytes of each file that say whether a transaction was written: counters, salts
_TRIES = 5  # to copy a database that is written meanwhile
_PAUSE = 0.05  # seconds before the next: a transaction may be committed
_PIECE = 1 << 20
_TEMPORARY = ("", *SIDE_FILES, "-shm")

# A file of a database by its ending, "" for itself. Raises FileNotFoundError.
OpenPart: TypeAlias = Callable[[str], BinaryIO]


class Changing(Exception):
    """A database was written while it was read: it has to be read again."""


class CopyTooLarge(ValueError):
    """A copy would be larger than allowed."""


@contextmanager
def opened(path: str | os.PathLike[str], *, is_copy: bool) -> Iterator[sqlite3.Connection]:
    """A connection that only reads. A copy may have a log next to it, which SQLite then applies.

    Raises sqlite3.Error.
    """
    import sqlite3  # a start of the host opens no database

    mode = "mode=rw" if is_copy else "mode=ro&immutable=1"
    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?{mode}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}")
        yield connection


def tables_of(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of the tables, without views: a view could be anything, and take for ever."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(str(name) for (name,) in found)


def side_file(database: BinaryIO, ending: str) -> BinaryIO:
    """The log next to an open database as it is now, which a list of the directory may not have yet; to be
    closed. Empty without one, and where the database is a stream from elsewhere."""
    path = getattr(database, "name", None)
    if isinstance(path, str) and path:
        with suppress(OSError):
            descriptor = os.open(
                f"{path}{ending}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
            )
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return open(descriptor, "rb")
            os.close(descriptor)
    return io.BytesIO()


def copy(opener: OpenPart, target: Path, most: int) -> None:
    """Copies a database with its log, as both were at one moment: what is committed is in the copy.

    Tries again if a transaction was written meanwhile. Raises Changing if that goes on,
    CopyTooLarge beyond ``most`` bytes, OSError.
    """
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        before = _heads(opener)
        for ending in _TEMPORARY:
            Path(f"{target}{ending}").unlink(missing_ok=True)
        left = most
        for ending, head in before.items():
            if head:
                left = _copy(opener, ending, target, left)
        if _heads(opener) == before:
            return
    raise Changing


def _heads(opener: OpenPart) -> dict[str, bytes]:
    """The first bytes of each file, none of one that is missing or says nothing: a journal of zeros is one of
    a transaction that is committed."""
    found = {}
    for ending in ("", *SIDE_FILES):
        head = b""
        with suppress(FileNotFoundError), opener(ending) as file:
            head = file.read(_HEAD)
        found[ending] = head if head.strip(b"\0") else b""
    return found


def _copy(opener: OpenPart, ending: str, target: Path, left: int) -> int:
    with suppress(FileNotFoundError), opener(ending) as source, Path(f"{target}{ending}").open("wb") as file:
        while piece := source.read(_PIECE):
            left -= file.write(piece)
            if left < 0:
                raise CopyTooLarge
    return left
