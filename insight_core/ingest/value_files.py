"""Where the host keeps values of log files that it cannot read from these by their place."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path

from insight_core.ingest.locked_directory import ProcessDirectory

_SUFFIX = ".tfevents"
_UNUSED = 30 * 24 * 3600.0  # seconds after which a file is deleted


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
