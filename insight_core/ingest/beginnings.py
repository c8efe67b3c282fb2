"""What files begin with, where that tells whether they make a run (``FileName.makes_run``)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import TypeAlias

from insight_core.ingest.scanner.regular_file import opened
from insight_core.plugin import BEGINNING

log = logging.getLogger(__name__)

Tells: TypeAlias = Callable[[bytes], bool]


class Beginnings:
    """Answers about files, kept for as long as these do not change."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, Tells], tuple[int, int, bool]] = {}  # size, mtime in ns, answer
        self._now: dict[tuple[str, Tells], tuple[int, int, bool]] = {}

    def say(self, path: str, info: os.stat_result, tells: Tells) -> bool:
        """What ``tells`` says of the file; False for one that cannot be read."""
        key = path, tells
        known = self._before.get(key)
        if known is None or known[:2] != (info.st_size, info.st_mtime_ns):
            known = info.st_size, info.st_mtime_ns, info.st_size > 0 and _told(path, tells)
        self._now[key] = known
        return known[2]

    def forget_others(self) -> None:
        """Forgets what was not asked for since the last call."""
        self._before, self._now = self._now, {}


def _told(path: str, tells: Tells) -> bool:
    try:
        with opened(path) as file:
            beginning = file.read(BEGINNING)
    except OSError:
        return False
    try:
        return bool(tells(beginning))
    except Exception:  # a fault of a plugin must not end the look at all logs
        log.exception("whether %s makes a run cannot be told", path)
        return False
