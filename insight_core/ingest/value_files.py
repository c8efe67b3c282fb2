"""Where the host keeps values of log files that it cannot read from these by their place."""

from __future__ import annotations

import os
import tempfile
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

from insight_core.ingest.locked_directory import first_locked

_MOST_PROCESSES = 8  # that have such files in one cache
_SUFFIX = ".tfevents"
_UNUSED = 30 * 24 * 3600.0  # seconds after which a file is deleted


class ValueFiles:
    """Event files of values, in a directory of this process that is made when it is needed. Thread-safe."""

    def __init__(self, cache_directory: Path | None = None) -> None:
        """Without ``cache_directory``, or where it cannot be written, ``close`` deletes all files."""
        self._cache = None if cache_directory is None else cache_directory / "plugins" / "log_values"
        self._directory: Path | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._descriptor = -1  # holds the directory
        self._used: set[str] = set()  # names
        self._making = threading.Lock()
        self._is_closed = False

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

    def holds(self, path: str) -> bool:
        """Whether a file is one of these."""
        directory = self._directory
        return directory is not None and path.startswith(os.path.join(directory, ""))

    def close(self) -> None:
        """Lets other processes use the files, and deletes what is temporary."""
        with self._making:
            self._is_closed = True
            if self._temporary is not None:
                self._temporary.cleanup()
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._directory, self._temporary, self._descriptor = None, None, -1

    def _path_of(self, name: str) -> str:
        with self._making:
            if self._is_closed:
                raise OSError("the files of this process are closed")
            if self._directory is None:
                self._directory = self._made()
            self._used.add(name)
            return str(self._directory / name)

    def _made(self) -> Path:
        if self._cache is not None:
            with suppress(OSError):
                taken = first_locked(self._cache / str(number) for number in range(_MOST_PROCESSES))
                if taken is not None:
                    place, self._descriptor = taken
                    for left in place.glob(f"*{_SUFFIX}"):
                        if time.time() - left.stat().st_mtime > _UNUSED:
                            left.unlink()
                    return place
        self._temporary = tempfile.TemporaryDirectory(prefix="insight-values-", ignore_cleanup_errors=True)
        return Path(self._temporary.name)
