"""The directory of one mirror, which one process uses at a time."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

from insight_core.plugin.own import first_locked, locked, size_below

log = logging.getLogger(__name__)

_MOST_HOSTS = 16  # with a mirror of their own of one location
_PLACE = "plugins/remote"  # below the cache directory: `cache info` and `cache clear` know it


class MirrorDirectory:
    """Has the directory ``files``, and the file ``state``."""

    def __init__(self, path: Path, lock: int | None) -> None:
        """``lock`` is a descriptor; None: the directory is deleted at the end."""
        self._path, self._lock = path, lock
        self.files, self.state = path / "files", path / "state.json"
        self.files.mkdir(parents=True, exist_ok=True)

    @classmethod
    def of(cls, location: str, cache: Path | None) -> MirrorDirectory:
        """That of a location below a cache directory; a temporary one without a cache.

        Hosts that run at the same time have one each.
        """
        if cache is not None:
            digest = hashlib.sha256(location.encode("utf-8", "surrogateescape")).hexdigest()[:16]
            names = (f"{digest}-{number}" if number else digest for number in range(_MOST_HOSTS))
            if (taken := first_locked(cache / _PLACE / name for name in names)) is not None:
                return cls(*taken)
        return cls(Path(tempfile.mkdtemp(prefix="insight-host-remote-")), None)

    def delete(self, path: str) -> None:
        """Deletes a file below ``files``, and directories that are empty then."""
        with contextlib.suppress(OSError):
            os.unlink(path)
            while (path := os.path.dirname(path)) != str(self.files):
                os.rmdir(path)

    def close(self) -> None:
        """Lets other processes use it."""
        if self._lock is None:
            shutil.rmtree(self._path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):  # the cache was cleared
                os.utime(self._path)
            os.close(self._lock)


def drop_unused(cache: Path, most_bytes: int) -> None:
    """Deletes mirrors that no process uses, the oldest first, until the others have at most so many bytes."""
    mirrors = []
    with contextlib.suppress(OSError):
        mirrors = [path for path in (cache / _PLACE).iterdir() if path.is_dir()]
    sizes = {path: size_below(path) for path in mirrors}
    excess = sum(sizes.values()) - most_bytes
    for path in sorted(mirrors, key=_age):
        if excess <= 0:
            return
        if (lock := locked(path)) is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
            excess -= sizes[path]


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()
