"""Caches what the first bytes of files say: whether they make a run (``FileName.makes_run``), and a time."""

from __future__ import annotations

import logging
import math
import os
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from insight_core.databases import MARK
from insight_core.ingest.database_schema import schema_of
from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_core.ingest.scan_ahead import FileVersion
from insight_core.plugin import BEGINNING, FileChanged
from insight_record.formats.framing import HEADER_SIZE

log = logging.getLogger(__name__)

Tells: TypeAlias = Callable[[bytes], bool]

_TIME = struct.Struct(f"<{HEADER_SIZE}xBd")  # a record begins with the key and the value of its wall time
_TIME_KEY = 0x09


class Beginnings:
    """Answers about files, cached until the file changes, or for ever what never changes."""

    def __init__(self, fetch: Fetch | None = None) -> None:
        self._fetch = fetch
        self._before: dict[tuple[str, Tells], tuple[int, int, bool]] = {}  # size, mtime in ns, answer
        self._now: dict[tuple[str, Tells], tuple[int, int, bool]] = {}
        self._times_before: dict[tuple[str, int, int], float] = {}  # by path, device and inode
        self._times: dict[tuple[str, int, int], float] = {}
        self.is_limited = False  # that some files are not looked into was logged

    def say(self, path: str, info: os.stat_result, tells: Tells) -> bool:
        """The answer of ``tells`` for the file; False if it cannot be read."""
        key = path, tells
        known = self._before.get(key)
        if known is None or known[:2] != (info.st_size, info.st_mtime_ns):
            if info.st_size > 0 and not self._fetched(path, BEGINNING):
                return False  # asked again by the next walk
            known = info.st_size, info.st_mtime_ns, info.st_size > 0 and _told(path, tells, self._fetch)
        self._now[key] = known
        return known[2]

    def first_time(self, path: str, version: FileVersion) -> float:
        """The wall time of the first record of an event file, in seconds; 0 without one."""
        key = path, *version[:2]
        time = self._times_before.get(key)
        if time is None and (version[2] < _TIME.size or not self._fetched(path, _TIME.size)):
            return 0.0
        if time is None:
            try:
                with opened(path) as file:
                    kind, time = _TIME.unpack(file.read(_TIME.size))
            except (OSError, struct.error):
                return 0.0
            if kind != _TIME_KEY or not 0 < time < math.inf:
                time = 0.0
        self._times[key] = time
        return time

    def _fetched(self, path: str, count: int) -> bool:
        """Has the first bytes of a file fetched; returns whether they are there."""
        if self._fetch is not None:
            try:
                self._fetch([FilePart(path, 0, count)])
            except (OSError, FileChanged):
                return False
        return True

    @property
    def are_fetched(self) -> bool:
        """Whether the files come from elsewhere, perhaps."""
        return self._fetch is not None

    def fetch_ahead(self, paths: Sequence[str]) -> None:
        """Has the beginnings of these files fetched together; what fails is tried again by ``say``."""
        if self._fetch is not None and len(paths) > 1:
            with suppress(OSError, FileChanged):
                self._fetch([FilePart(path, 0, BEGINNING) for path in paths])

    def forget_others(self) -> None:
        """Drops answers that were not requested since the last call."""
        self._before, self._now = self._now, {}
        self._times_before, self._times = self._times, {}


def _told(path: str, tells: Tells, fetch: Fetch | None) -> bool:
    try:
        with opened(path) as file:
            beginning = file.read(BEGINNING)
        if beginning.startswith(MARK):
            with opened(path, fetch) as file:
                beginning += schema_of(file, beginning)
    except OSError:
        return False
    try:
        return bool(tells(beginning))
    except Exception:  # an error of a plugin must not end the walk
        log.exception("makes_run failed for %s", path)
        return False
