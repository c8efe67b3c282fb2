"""The directory in which files wait until they are sent; one process at a time sends them."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from insight_record.locks import is_being_written
from insight_record.sending.names import is_sent, path_parts

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOCK = ".sending"
_LOOK = 0.5  # seconds between two looks at what waits
_SPARED = 64 << 20  # bytes that stay free on the disk of the spool


class Spool:
    """Files below a directory, by their paths relative to it, which are those on the host."""

    def __init__(self, directory: Path, size: int | None = None, *, is_ours: bool = True) -> None:
        """``size`` limits the bytes that wait. What is not ours is only read: nothing in it is changed."""
        self.directory = directory
        self.is_ours = is_ours
        self.left_out: dict[str, str] = {}  # why a file is not sent, by path
        self._size = size
        self._looked, self._has_room = 0.0, True
        self._lock = -1

    @classmethod
    def new(cls, above: str | None, size: int) -> Spool:
        """A spool in a new directory. Raises OSError."""
        if above is not None:
            os.makedirs(above, exist_ok=True)
        return cls(Path(tempfile.mkdtemp(prefix="insight_record_", dir=above)), size)

    def claim(self) -> bool:
        """Whether this process alone sends from now on, until it ends; False while another one does."""
        if self._lock < 0 and fcntl is not None:
            descriptor = -1
            try:
                path = self.directory / _LOCK if self.is_ours else self.directory
                flags = os.O_RDWR | os.O_CREAT if self.is_ours else os.O_RDONLY
                descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return False
            except OSError:  # the file system has no locks
                if descriptor < 0:
                    return True
            self._lock = descriptor
        return True

    @property
    def is_claimed(self) -> bool:
        """Whether this process sends."""
        return self._lock >= 0 or fcntl is None

    def forget(self) -> None:
        """Leaves the claim to the process that this one was forked from."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def files(self) -> Iterator[tuple[str, Path]]:
        """The files that may be sent, in the order of their paths; ``left_out`` says what is not, and why."""
        for place, directories, names in os.walk(self.directory):
            directories.sort()
            for name in sorted(names):
                path = Path(place, name)
                relative = path.relative_to(self.directory).as_posix()
                if name == _LOCK or path.is_symlink():
                    continue
                if not is_sent(name):
                    self.left_out.setdefault(relative, "neither an event file nor JSON lines")
                    continue
                try:
                    path_parts(relative)
                except ValueError as error:
                    self.left_out.setdefault(relative, str(error))
                else:
                    yield relative, path

    def has_room(self) -> bool:
        """Whether more may be recorded. Looks at the disk twice a second at most."""
        now = time.monotonic()
        if self._size is not None and now > self._looked + _LOOK:
            self._looked = now
            used = sum(_size_of(path) for _, path in self.files())
            self._has_room = used < self._size and _free(self.directory) > _SPARED
        return self._has_room

    def remove(self, path: Path) -> None:
        """Deletes a file that the host has."""
        with suppress(OSError):
            path.unlink()

    def end(self) -> None:
        """Deletes the directory, unless another process still writes into it."""
        if self.is_ours and self.is_claimed and not any(_is_written(path) for _, path in self.files()):
            shutil.rmtree(self.directory, ignore_errors=True)


def _size_of(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _is_written(path: Path) -> bool:
    with suppress(OSError):
        return is_being_written(path)
    return False


def _free(directory: Path) -> int:
    with suppress(OSError):
        return shutil.disk_usage(directory).free
    return 0
