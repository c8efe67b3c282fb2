"""Directories below the cache of which one process uses each at a time; event files of values in one."""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

_LOCK = "lock"  # a file in the directory
_MOST_PROCESSES = 8  # that keep a directory of one kind in one cache
_SUFFIX = ".tfevents"
_UNUSED = 30 * 24 * 3600.0  # seconds after which a file is deleted


class ProcessDirectory:
    """A directory that no other process uses, made when it is needed. Thread-safe.

    It is one of those in ``cache``, kept for later processes after ``tidy`` deleted what nobody needs, or a
    temporary one without ``cache``, or where that cannot be written.
    """

    def __init__(self, cache: Path | None, kind: str, tidy: Callable[[Path], None]) -> None:
        self._cache, self._kind, self._tidy = cache, kind, tidy
        self._directory: Path | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._descriptor = -1  # holds the directory
        self._making = threading.Lock()
        self._is_closed = False

    @property
    def made(self) -> Path | None:
        """The directory, None before it was needed."""
        return self._directory

    def path(self) -> Path:
        """The directory. Raises OSError."""
        with self._making:
            if self._is_closed:
                raise OSError("the files of this process are closed")
            if self._directory is None:
                self._directory = self._opened()
            return self._directory

    def holds(self, path: str) -> bool:
        """Whether a file is below the directory."""
        return self._directory is not None and path.startswith(os.path.join(self._directory, ""))

    def close(self) -> None:
        """Deletes what is temporary and lets other processes use the rest."""
        with self._making:
            self._is_closed = True
            if self._temporary is not None:
                self._temporary.cleanup()
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._directory, self._temporary, self._descriptor = None, None, -1

    def _opened(self) -> Path:
        if self._cache is not None:
            with suppress(OSError):
                taken = first_locked(self._cache / str(number) for number in range(_MOST_PROCESSES))
                if taken is not None:
                    place, self._descriptor = taken
                    self._tidy(place)
                    return place
        self._temporary = tempfile.TemporaryDirectory(
            prefix=f"insight-host-{self._kind}-", ignore_cleanup_errors=True
        )
        return Path(self._temporary.name)


def first_locked(places: Iterable[Path]) -> tuple[Path, int] | None:
    """The first of these directories that no other process uses, made if need be, and a descriptor that holds
    it until it is closed; None if all are used. Raises OSError."""
    for place in places:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (descriptor := locked(place)) is not None:
            return place, descriptor
    return None


def locked(place: Path) -> int | None:
    """A descriptor that holds a directory; None if another process does, or if the file system has no locks.

    Raises OSError.
    """
    descriptor = os.open(place / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


class ValueFiles:
    """Event files of values, in a directory of this process that is made when it is needed. Thread-safe."""

    def __init__(self, cache_directory: Path | None = None) -> None:
        """Without ``cache_directory``, or where it cannot be written, ``close`` deletes all files."""
        cache = None if cache_directory is None else cache_directory / "plugins" / "log_values"
        self._directory = ProcessDirectory(cache, "values", _tidy)
        self._used: set[str] = set()  # names
        self.holds, self.close = self._directory.holds, self._directory.close

    def new(self) -> str:
        """The path of another file, which does not exist yet. Raises OSError."""
        return self._path_of(uuid.uuid4().hex + _SUFFIX)

    def again(self, name: str) -> str | None:
        """The path of a file that an earlier process left; None if it is not here, or used by another log."""
        if name in self._used:
            return None
        path = self._path_of(name)
        try:
            os.utime(path)
        except OSError:
            self._used.discard(name)
            return None
        return path

    def delete(self, path: str) -> None:
        """Deletes a file."""
        self._used.discard(os.path.basename(path))
        with suppress(OSError):
            os.unlink(path)

    def _path_of(self, name: str) -> str:
        path = self._directory.path() / name
        self._used.add(name)
        return str(path)


def _tidy(place: Path) -> None:
    for left in place.glob(f"*{_SUFFIX}"):
        if time.time() - left.stat().st_mtime > _UNUSED:
            left.unlink()
