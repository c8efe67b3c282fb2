"""Allocates columns in memory up to a limit, and beyond it in memory-mapped files."""

from __future__ import annotations

import logging
import mmap
import os
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

Column: TypeAlias = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.float32] | NDArray[np.uint8]

_SLAB = 16 << 20  # bytes of a spill file that many columns share
_ALIGNMENT = 64


class ColumnMemory:
    """Allocates columns and counts the bytes that are in the process's own memory.

    Columns beyond ``limit`` are stored in unnamed files below ``directory``. Their space is reserved before
    they are mapped, and nothing is left behind when the process ends. If that fails, memory is used, with
    one warning.
    """

    def __init__(self, limit: int | None = None, directory: Path | None = None) -> None:
        self._limit = limit
        self._directory = directory
        self._held = 0
        self._slab: mmap.mmap | None = None
        self._used = 0  # bytes of the slab
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Bytes of memory in use; 0 without a limit."""
        return self._held

    def allocate(self, count: int, dtype: np.dtype[Any]) -> tuple[Column, int]:
        """An uninitialised column of ``count`` values, and the bytes of it that count as memory."""
        size = count * dtype.itemsize
        if self._limit is None:
            return np.empty(count, dtype), 0
        with self._lock:
            if self._held + size > self._limit:
                spilled = self._spill(count, dtype, size)
                if spilled is not None:
                    return spilled, 0
            self._held += size
        return np.empty(count, dtype), size

    def adopt(self, columns: Mapping[str, Column]) -> tuple[Mapping[str, Column], int]:
        """The columns, or copies of them in a file, and the bytes that count as memory."""
        if self._limit is None:
            return columns, 0
        size = sum(0 if _is_mapped(column) else column.nbytes for column in columns.values())
        with self._lock:
            if self._held + size <= self._limit:
                self._held += size
                return columns, size
        kept, counted = {}, 0
        for name, column in columns.items():
            if _is_mapped(column):
                kept[name] = column
                continue
            kept[name], size = self.allocate(len(column), column.dtype)
            kept[name][:] = column
            counted += size
        return kept, counted

    def release(self, size: int) -> None:
        """Subtracts ``size`` bytes from the memory in use."""
        if size:
            with self._lock:
                self._held -= size

    def _spill(self, count: int, dtype: np.dtype[Any], size: int) -> Column | None:
        if self._directory is None:
            return None
        try:
            if size > _SLAB // 4:
                return np.frombuffer(_reserve(self._directory, size), dtype, count)
            if self._slab is None or self._used + size > _SLAB:
                self._slab, self._used = _reserve(self._directory, _SLAB), 0
            column: Column = np.frombuffer(self._slab, dtype, count, self._used)
            self._used += -(-size // _ALIGNMENT) * _ALIGNMENT
            return column
        except (OSError, ValueError, AttributeError) as error:  # not every system can reserve space
            log.warning("no room for columns below %s (%s): they stay in memory", self._directory, error)
            self._directory = None
            return None


def _is_mapped(column: Column) -> bool:
    """Whether a column is in a mapped file, which the system can page out."""
    base: object = column
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return isinstance(base, mmap.mmap)


def _reserve(directory: Path, size: int) -> mmap.mmap:
    """An unnamed mapped file with all bytes reserved, so that writing to it cannot fail."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=directory, prefix="columns-") as file:
        os.posix_fallocate(file.fileno(), 0, size)
        return mmap.mmap(file.fileno(), size)
