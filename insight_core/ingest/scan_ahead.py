"""Scans a part of a long file in another thread, while the part before it is being scanned.

The start of its first record is a guess: the first valid header after some offset, which may lie within a
payload. The result is used only if the scan of the part before ends exactly there; otherwise it is dropped.
So the result is the same as that of scanning in order, whatever the bytes are.
"""

from __future__ import annotations

import os
import threading
from typing import TypeAlias

from insight_core.formats.batch import BAD_HEADER, Batch
from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.ingest.scanner.scanner import CHUNK, Scanner, open_scanner

PAUSE = 16 << 20  # bytes that are read in order after a wrong guess, or after a batch longer than this
OWN = CHUNK // 2  # bytes that the file's own thread scans; it also puts all records into the store
AHEAD = CHUNK * 7 // 8  # bytes that the other thread scans: one scan, of about CHUNK, reaches their end
LEAST = 2 * OWN  # unread bytes from which on scanning ahead is worthwhile
_WINDOW = 64 << 10  # bytes in which a record has to begin

FileVersion: TypeAlias = tuple[int, int, int, int, int]  # device, inode, size, mtime_ns, ctime_ns


def file_version(info: os.stat_result) -> FileVersion:
    """Identity and version of a file: device, inode, size, mtime and ctime in ns."""
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


class ScanAhead:
    """Scans AHEAD bytes from about ``start`` on, in a thread that ends with them."""

    def __init__(self, scanner: Scanner, path: str, version: FileVersion, start: int) -> None:
        """``scanner`` must not be used by another thread meanwhile."""
        self.start = start
        self._scanner = scanner
        self._path = path
        self._version = version
        self._first = -1  # offset of the record that was taken for the first one
        self._batch: Batch | None = None
        self._thread = threading.Thread(target=self._run, name="insight-scan-ahead", daemon=True)
        self._thread.start()

    def batch(self, position: int, version: FileVersion) -> Batch | None:
        """The scanned records from ``position`` on; None if they do not begin there."""
        self._thread.join()
        return self._batch if (self._first, self._version) == (position, version) else None

    def _run(self) -> None:
        try:
            descriptor = open_regular(self._path)
        except OSError:
            return  # reading in order reports the error
        try:
            if file_version(os.fstat(descriptor)) == self._version:
                self._scan(descriptor, self._version[2])
        except OSError:
            return
        finally:
            os.close(descriptor)

    def _scan(self, descriptor: int, size: int) -> None:
        begins = open_scanner(self._scanner.dialect, _WINDOW).scan(
            descriptor, self.start, size, self.start + 1
        )
        if begins.end > self.start:
            skips = begins.flaws and begins.flaws[0].reason == BAD_HEADER
            self._first = self.start + (begins.flaws[0].skipped if skips else 0)
            self._batch = self._scanner.scan(descriptor, self._first, size, self.start + AHEAD)
