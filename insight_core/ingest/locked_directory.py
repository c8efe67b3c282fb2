"""Directories below the cache of which one process uses each at a time: others take the next."""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

_LOCK = "lock"  # a file in the directory
_MOST_PROCESSES = 8  # that keep a directory of one kind in one cache


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
