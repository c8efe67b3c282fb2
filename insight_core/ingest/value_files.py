"""Where the host keeps values of log files that it cannot read from these by their place."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from insight_core.ingest.locked_directory import first_locked

_MOST_PROCESSES = 8  # that have such files in one cache


class ValueFiles:
    """The event files of this process, in a directory that is made when one is needed. Thread-safe."""

    def __init__(self, cache_directory: Path | None = None) -> None:
        """Without ``cache_directory``, or where it cannot be written, the directory is a temporary one."""
        self._cache = None if cache_directory is None else cache_directory / "plugins" / "log_values"
        self._directory: Path | None = None
        self._descriptor = -1  # holds it
        self._numbers = itertools.count()
        self._making = threading.Lock()
        self._is_closed = False

    def new(self) -> str:
        """The path of another event file, which does not exist yet. Raises OSError."""
        with self._making:
            if self._is_closed:
                raise OSError("the files of this process are closed")
            if self._directory is None:
                self._directory = self._made()
            return str(self._directory / f"{next(self._numbers)}.tfevents")

    def holds(self, path: str) -> bool:
        """Whether a file is one of these."""
        directory = self._directory
        return directory is not None and path.startswith(os.path.join(directory, ""))

    def close(self) -> None:
        """Deletes all files."""
        with self._making:
            self._is_closed = True
            if self._directory is not None:
                shutil.rmtree(self._directory, ignore_errors=True)
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._directory, self._descriptor = None, -1

    def _made(self) -> Path:
        if self._cache is not None:
            with suppress(OSError):
                taken = first_locked(self._cache / str(number) for number in range(_MOST_PROCESSES))
                if taken is not None:
                    place, self._descriptor = taken
                    for left in place.glob("*/"):  # of a process that was killed
                        shutil.rmtree(left, ignore_errors=True)
                    return Path(tempfile.mkdtemp(dir=place))
        return Path(tempfile.mkdtemp(prefix="insight-values-"))
