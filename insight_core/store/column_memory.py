"""Allocates columns in memory up to a limit, and beyond it in memory-mapped files."""

from __future__ import annotations

import ctypes
import logging
import math
import mmap
import os
import tempfile
import threading
import weakref
from collections import OrderedDict
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from insight_core.formats.columns import Columns

log = logging.getLogger(__name__)
_SLAB = 16 << 20  # bytes of a spill file that many columns share
_ALIGNMENT = 64
_RECENT = 128 << 20  # bytes of stored columns that were read and are kept for the next look
_FAILED = ctypes.c_void_p(-1).value  # MAP_FAILED


class Sized(Protocol):
    """Something that takes memory."""

    @property
    def size(self) -> int:
        """Bytes."""


class RecentColumns:
    """Keeps what was used last in memory, up to a limit in bytes, and the very last in any case."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[int, Sized] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes in use."""
        return self._size

    def use(self, used: Sized) -> None:
        """Keeps ``used``, and lets go of what was not used for longest."""
        dropped = []  # freed after the lock is
        with self._lock:
            if id(used) not in self._kept:
                self._kept[id(used)] = used
                self._size += used.size
            self._kept.move_to_end(id(used))
            while self._size > self._limit and len(self._kept) > 1:
                dropped.append(self._kept.popitem(last=False)[1])
                self._size -= dropped[-1].size


class _Owner(weakref.ref["NDArray[Any]"]):
    """An array that owns columns which are counted: those of many small files, for instance."""

    __slots__ = ("key", "size")

    key: int
    size: int  # bytes that are counted


class ColumnMemory:
    """Allocates columns and counts the bytes that are in the process's own memory, until they are freed.

    Columns beyond ``limit`` are stored in unnamed files below ``directory``. Their space is reserved before
    they are mapped, and nothing is left behind when the process ends. If that fails, memory is used, with
    one warning.
    """

    def __init__(self, limit: int | None = None, directory: Path | None = None) -> None:
        self._limit = limit
        self.recent = RecentColumns(_RECENT if limit is None else min(limit, _RECENT))  # of stored columns
        self._directory = directory
        self._held = 0
        self._owners: dict[int, _Owner] = {}  # by identity of the array
        self._slab: memoryview | None = None
        self._used = 0  # bytes of the slab
        self._lock = threading.RLock()  # a column may be freed at any moment, in this thread too

    @property
    def held(self) -> int:
        """Bytes of memory in use; 0 without a limit."""
        return self._held

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """An uninitialised column."""
        if self._limit is None:
            return np.empty(shape, dtype)
        size = math.prod(shape) * dtype.itemsize
        if self._held + size > self._limit:
            spilled = self._spill(shape, dtype, size)
            if spilled is not None:
                return spilled
        column = np.empty(shape, dtype)
        self._count(column, size)
        return column

    def adopt(self, columns: Columns) -> Columns:
        """The columns, or copies of them in a file."""
        if self._limit is None:
            return columns
        own = [column for column in columns.arrays() if not _is_mapped(column)]
        if self._held + sum(column.nbytes for column in own) <= self._limit:
            for column in own:
                self._count(column, column.nbytes)
            return columns
        return evolve(
            columns,
            steps=self._copied(columns.steps),
            wall_times=self._copied(columns.wall_times),
            values=None if columns.values is None else self._copied(columns.values),
            places=None if columns.places is None else self._copied(columns.places),
        )

    def _copied(self, column: NDArray[Any]) -> NDArray[Any]:
        if _is_mapped(column):
            return column
        copy = self.allocate(column.shape, column.dtype)
        copy[:] = column
        return copy

    def _count(self, column: NDArray[Any], size: int) -> None:
        """Counts bytes for as long as the array that owns them lives."""
        while isinstance(column.base, np.ndarray):
            column = column.base
        with self._lock:
            self._held += size
            owner = self._owners.get(id(column))
            if owner is None or owner() is not column:
                owner = self._owners[id(column)] = _Owner(column, self._free)
                owner.key, owner.size = id(column), 0
            owner.size += size

    def _free(self, owner: _Owner) -> None:
        with self._lock:
            self._held -= owner.size
            if self._owners.get(owner.key) is owner:
                del self._owners[owner.key]

    def _spill(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> NDArray[Any] | None:
        with self._lock:
            if self._directory is None:
                return None
            count = math.prod(shape)
            try:
                if size > _SLAB // 4:
                    return np.frombuffer(reserve(self._directory, size), dtype, count).reshape(shape)
                if self._slab is None or self._used + size > _SLAB:
                    self._slab, self._used = reserve(self._directory, _SLAB), 0
                column = np.frombuffer(self._slab, dtype, count, self._used).reshape(shape)
                self._used += -(-size // _ALIGNMENT) * _ALIGNMENT
                return column
            except (OSError, ValueError, AttributeError) as error:  # not every system can reserve space
                log.warning("no room for columns below %s (%s): they stay in memory", self._directory, error)
                self._directory = None
                return None


def _is_mapped(column: NDArray[Any]) -> bool:
    """Whether a column is in a mapped file, which the system can page out."""
    base: object = column
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return isinstance(base, mmap.mmap | ctypes.Array)


def reserve(directory: Path, size: int) -> memoryview:
    """The bytes of a new file below ``directory``, all reserved on disk, so that writing to them cannot fail.

    Their space is released with the last reference to them. Raises OSError; AttributeError on systems that
    cannot reserve space.

    ``mmap.mmap`` would keep a descriptor for each file (before Python 3.13), until none is left for logs and
    connections.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=directory, prefix="columns-") as file:
        os.posix_fallocate(file.fileno(), 0, size)
        access = mmap.PROT_READ | mmap.PROT_WRITE
        address = _libc().mmap(None, size, access, mmap.MAP_SHARED, file.fileno(), 0)
    if address == _FAILED:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    mapped = (ctypes.c_ubyte * size).from_address(address)
    weakref.finalize(mapped, _libc().munmap, address, size).atexit = False
    return memoryview(mapped)


@cache
def _libc() -> ctypes.CDLL:
    """mmap(2) and munmap(2)."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    numbers = [ctypes.c_int] * 3
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *numbers, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return libc
