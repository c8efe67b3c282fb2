"""How much was received, in all and by run, against the limits."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import threading
import time
from collections import Counter
from pathlib import Path

from insight_receive.errors import NotReceived

_FRESH = 300.0  # seconds until the directory is counted again: runs may be deleted
_SPARED = 512 << 20  # bytes that stay free on the disk
_MOST_FILES = 100_000  # below the directory
_SIZE = re.compile(r"([0-9]{1,15})\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


def size(text: str) -> int:
    """Bytes out of ``20G``, ``500M`` (powers of 1024) or ``1000000``."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 500M or 20G")
    return int(int(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


class Usage:
    """Counts bytes and files below a directory. Thread-safe."""

    def __init__(self, directory: Path, quota: int, run_quota: int) -> None:
        self._directory, self._quota, self._run_quota = directory, quota, run_quota
        self._lock = threading.Lock()
        self._counted = -_FRESH
        self._files = 0
        self._total = 0
        self._of_run: Counter[str] = Counter()

    def take(self, run: str, more: int) -> None:
        """Counts bytes that are to be written. Raises NotReceived for those beyond a limit."""
        if shutil.disk_usage(self._directory).free - more < _SPARED:
            raise NotReceived("the disk of the host is almost full", 507, "full")
        with self._lock:
            if time.monotonic() >= self._counted + _FRESH:
                self._count()
            if self._files >= _MOST_FILES:
                raise NotReceived(f"{self._files} files were received; delete some", 507, "full")
            for limit, used, flag in (
                (self._quota, self._total, "--receive-quota"),
                (self._run_quota, self._of_run[run], "--receive-run-quota"),
            ):
                if used + more > limit:
                    raise NotReceived(f"there would be more than {limit} bytes ({flag})", 507, "full")
            self._total += more
            self._of_run[run] += more

    def give_back(self, run: str, more: int) -> None:
        """Takes back the count of bytes that were not written."""
        with self._lock:
            self._total -= more
            self._of_run[run] -= more

    def count_file(self) -> None:
        """Counts a file that was made."""
        with self._lock:
            self._files += 1

    def _count(self) -> None:
        self._counted, self._files, self._of_run = time.monotonic(), 0, Counter()
        for place, _, names in os.walk(self._directory):
            run = os.path.relpath(place, self._directory).replace(os.sep, "/")
            for name in names:
                try:
                    self._of_run[run] += os.lstat(os.path.join(place, name)).st_size
                except OSError:  # deleted meanwhile
                    continue
                self._files += 1
        self._total = self._of_run.total()
