"""Keeps the columns of long tables in a file instead of in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import frozen

from insight_profiler.model import Column

LONG = 1 << 20  # rows from which on a table is kept in a file


class ColumnFile:
    """A file without a name, to which columns are appended. ``directory``: where it is made, None for that
    of the system. Files are freed with the last table in them."""

    def __init__(self, directory: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 - closed with this object
        self._end = 0

    @classmethod
    def of(cls, directory: Path | None) -> ColumnFile | None:
        """A file in a directory, or in that of the system; None where neither has room for one."""
        for place in dict.fromkeys((directory, None)):
            with suppress(OSError):
                return cls(place)
        return None

    def write(self, column: Column, offset: int | None = None) -> int:
        """Writes a column at a place, or at the end; returns the place. Raises OSError."""
        at = self._end if offset is None else offset
        data = np.ascontiguousarray(column).view(np.uint8).data
        done = 0
        while done < len(data):
            done += os.pwrite(self._file.fileno(), data[done:], at + done)
        self._end = max(self._end, at + len(data))
        return at

    def read(self, offset: int, rows: int, kind: np.dtype[np.generic]) -> Column:
        """A column that was written there. Raises OSError."""
        column = np.empty(rows, kind)
        data = column.view(np.uint8).data
        done = 0
        while done < len(data):
            count = os.preadv(self._file.fileno(), [data[done:]], offset + done)
            if not count:
                raise OSError("the file of columns is cut")
            done += count
        return column

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            self._file.close()


@frozen
class _Place:
    offset: int
    rows: int
    kind: np.dtype[np.generic]


class FiledColumns(MutableMapping[str, Column]):
    """The columns of one table, each of which is read whenever it is asked for.

    What is read is a copy and cannot be written to: a column changes by being set. A column that does not
    go into the file, since the disk is full, stays in memory.
    """

    def __init__(self, file: ColumnFile) -> None:
        self._file = file
        self._columns: dict[str, _Place | Column] = {}

    def __getitem__(self, name: str) -> Column:
        held = self._columns[name]
        if not isinstance(held, _Place):
            return held
        column = self._file.read(held.offset, held.rows, held.kind)
        column.flags.writeable = False
        return column

    def __setitem__(self, name: str, column: Column) -> None:
        before = self._columns.get(name)
        is_same_size = isinstance(before, _Place) and before.rows * before.kind.itemsize == column.nbytes
        try:
            offset = self._file.write(column, before.offset if is_same_size else None)  # type: ignore[union-attr]
        except OSError:
            self._columns[name] = column
        else:
            self._columns[name] = _Place(offset, len(column), column.dtype)

    def __delitem__(self, name: str) -> None:
        del self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
