"""Advisory locks on event files, which detect other processes that write into a directory.

Every writer locks its event file with an open file description lock (``fcntl(2)``). The kernel drops the
lock when the process ends, so a crash never blocks a restart, and no files are left in the directory.
Network file systems pass the lock to their server. On file systems and platforms without such locks, other
writers are not detected.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FLOCK = struct.Struct("hhqqi")  # type, whence, start, length, pid of struct flock
_EVENT_FILE = re.compile(r".*\.out\.events\.summary\..*|.*tfevents.*", re.DOTALL)
_MOST_FILES = 256  # files checked, the last by name: a directory may have files of a thousand restarts
_TURN = 2.0  # seconds to wait for another process that is starting
_BETWEEN = 0.01  # seconds

_own: set[tuple[int, int]] = set()  # device and inode of the files that this process writes


def lock(descriptor: int) -> None:
    """Locks a new event file as long as it is open."""
    status = os.fstat(descriptor)
    _own.add((status.st_dev, status.st_ino))
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is not None:
        with contextlib.suppress(OSError):  # no locks on this file system
            fcntl.fcntl(descriptor, command, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))


def unlock(descriptor: int) -> None:
    """Must be called before an event file is closed, which releases its lock."""
    status = os.fstat(descriptor)
    _own.discard((status.st_dev, status.st_ino))


def written_elsewhere(directory: Path) -> Path | None:
    """An event file in the directory that another process is writing; None if no process does."""
    command = getattr(fcntl, "F_OFD_GETLK", None)
    if command is None:
        return None
    try:
        names = sorted(filter(_EVENT_FILE.fullmatch, os.listdir(directory)), reverse=True)
    except OSError:
        return None
    for name in names[:_MOST_FILES]:
        with contextlib.suppress(OSError):  # deleted, not readable, or on a file system without locks
            if _is_locked(directory / name, command):
                return directory / name
    return None


def is_being_written(path: Path) -> bool:
    """Whether this process or, where locks are known, another one writes an event file. Raises OSError."""
    status = os.stat(path)
    command = getattr(fcntl, "F_OFD_GETLK", None)
    return (status.st_dev, status.st_ino) in _own or (command is not None and _is_locked(path, command))


def _is_locked(path: Path, command: int) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) in _own:
            return False
        asked = _FLOCK.pack(fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        answer = fcntl.fcntl(descriptor, command, asked)
        return bool(_FLOCK.unpack_from(answer)[0] != fcntl.F_UNLCK)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def one_at_a_time(directory: Path) -> Iterator[None]:
    """Serialises the start of writers in a directory, if the file system supports locks of directories.

    Without it, two processes that start at the same moment detect each other, and both move to other
    directories.
    """
    descriptor = -1
    if fcntl is not None:
        with contextlib.suppress(OSError):
            descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
            _wait_for(descriptor)
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    until = time.monotonic() + _TURN
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return
            time.sleep(_BETWEEN)
        else:
            return
