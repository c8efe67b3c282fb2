"""Caches whether files make a run, which a plugin decides by their first bytes (``FileName.makes_run``)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_core.plugin import BEGINNING, FileChanged

log = logging.getLogger(__name__)

Tells: TypeAlias = Callable[[bytes], bool]


class Beginnings:
    """Answers of plugins about files, cached until the file changes."""

    def __init__(self, fetch: Fetch | None = None) -> None:
        self._fetch = fetch
        self._before: dict[tuple[str, Tells], tuple[int, int, bool]] = {}  # size, mtime in ns, answer
        self._now: dict[tuple[str, Tells], tuple[int, int, bool]] = {}

    def say(self, path: str, info: os.stat_result, tells: Tells) -> bool:
        """The answer of ``tells`` for the file; False if it cannot be read."""
        key = path, tells
        known = self._before.get(key)
        if known is None or known[:2] != (info.st_size, info.st_mtime_ns):
            if self._fetch is not None and info.st_size > 0:
                try:
                    self._fetch([FilePart(path, 0, BEGINNING)])
                except (OSError, FileChanged):
                    return False  # asked again by the next walk
            known = info.st_size, info.st_mtime_ns, info.st_size > 0 and _told(path, tells)
        self._now[key] = known
        return known[2]

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


def _told(path: str, tells: Tells) -> bool:
    try:
        with opened(path) as file:
            beginning = file.read(BEGINNING)
    except OSError:
        return False
    try:
        return bool(tells(beginning))
    except Exception:  # an error of a plugin must not end the walk
        log.exception("makes_run failed for %s", path)
        return False
