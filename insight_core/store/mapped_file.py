"""Maps an unnamed file into memory without an open file descriptor."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
import weakref
from functools import cache
from pathlib import Path

_FAILED = ctypes.c_void_p(-1).value  # MAP_FAILED


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
