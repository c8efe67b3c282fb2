"""Where the host keeps values of log files that it cannot read from these by their place."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading


class ValueFiles:
    """A temporary directory for the event files of this process, made when one is needed. Thread-safe."""

    def __init__(self) -> None:
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._numbers = itertools.count()
        self._making = threading.Lock()

    def new(self) -> str:
        """The path of another event file, which does not exist yet. Raises OSError."""
        with self._making:
            if self._directory is None:
                self._directory = tempfile.TemporaryDirectory(prefix="insight-values-")
            return os.path.join(self._directory.name, f"{next(self._numbers)}.tfevents")

    def holds(self, path: str) -> bool:
        """Whether a file is one of these."""
        directory = self._directory
        return directory is not None and path.startswith(os.path.join(directory.name, ""))

    def close(self) -> None:
        """Deletes all files."""
        with self._making:
            if self._directory is not None:
                self._directory.cleanup()
                self._directory = None
