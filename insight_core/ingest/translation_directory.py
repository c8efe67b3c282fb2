"""The directory for event files that are made of other trackers' stores."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

from insight_core.ingest.found import FoundStore
from insight_core.ingest.locked_directory import first_locked

_MOST_PROCESSES = 8  # that keep translations of their own in one cache
_UNUSED = 30 * 24 * 3600.0  # seconds after which a translation is deleted
_SOURCE = "source"  # a file with the path of the store; its time is that of the last use


class TranslationDirectory:
    """Gives each store a directory that no other process uses. Thread-safe."""

    def __init__(self, cache_directory: Path | None) -> None:
        """Without ``cache_directory``, or where it cannot be written, everything is deleted by ``close``."""
        self._cache = None if cache_directory is None else cache_directory / "plugins" / "translations"
        self._root: Path | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._descriptor = -1
        self._making = threading.Lock()

    def of(self, found: FoundStore) -> Path:
        """The directory of a store, made if need be. Raises OSError."""
        with self._making:
            root = self._root = self._root or self._opened()
            about = f"{found.format.name}\0{found.format.version}\0{os.path.abspath(found.path)}"
            place = root / hashlib.blake2b(os.fsencode(about), digest_size=15).hexdigest()
            place.mkdir(exist_ok=True)
            (place / _SOURCE).write_bytes(os.fsencode(os.path.abspath(found.path)))
            target = place / "events"
            target.mkdir(exist_ok=True)
            return target

    def close(self) -> None:
        """Deletes what is temporary and lets other processes use the rest."""
        with self._making:
            if self._temporary is not None:
                self._temporary.cleanup()
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._root, self._temporary, self._descriptor = None, None, -1

    def _opened(self) -> Path:
        if self._cache is not None:
            with contextlib.suppress(OSError):
                places = (self._cache / str(number) for number in range(_MOST_PROCESSES))
                if (taken := first_locked(places)) is not None:
                    root, self._descriptor = taken
                    _tidy(root)
                    return root
        self._temporary = tempfile.TemporaryDirectory(
            prefix="insight-host-translations-", ignore_cleanup_errors=True
        )
        return Path(self._temporary.name)


def _tidy(root: Path) -> None:
    """Deletes translations of stores that are gone, or that nobody has looked at for long."""
    for place in root.iterdir():
        if not place.is_dir():
            continue
        try:
            source = (place / _SOURCE).read_bytes()
            is_used = time.time() - (place / _SOURCE).stat().st_mtime < _UNUSED
        except OSError:
            source, is_used = b"", False
        if not is_used or not os.path.exists(source):
            shutil.rmtree(place, ignore_errors=True)
