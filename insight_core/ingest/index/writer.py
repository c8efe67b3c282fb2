"""Writes what was read of event files to the index cache, beside loading and at leisure."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from insight_core.ingest.tailer import Tailed

if TYPE_CHECKING:
    from insight_core.ingest.index.cache import IndexCache

_APART = 30.0  # seconds between two entries of a file that grows
_GROWTH = 4 << 20  # bytes by which it has to grow until then; the next start reads so much in no time
_GROWTH_SHARE = 0.25  # likewise, of what the last entry covers: long entries are not written for little
_PATIENCE = 2.0  # seconds for which loading has the processors for itself
_BEFORE_TIDYING = 10.0  # seconds from the start: its first questions are answered by then
_LONGEST_CLOSE = 3.0  # seconds
_NICENESS = 10


class IndexWriter:
    """Writes entries of files that were read to their end, unless they are short: at once for the first
    time, then when they have grown enough, and when the process ends. The loader never waits for it."""

    def __init__(self, cache: IndexCache, is_loading: Callable[[], bool]) -> None:
        self._cache = cache
        self._is_loading = is_loading
        self._changed: dict[Tailed, None] = {}  # since their last entry
        self._woken = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="insight-index-writer", daemon=True)
        self._thread.start()

    def changed(self, tailed: Tailed) -> None:
        """A file was read to its end."""
        if tailed.kept != tailed.state and tailed.is_worth_keeping:
            with self._woken:
                if not self._changed or tailed.kept is None:
                    self._woken.notify()
                self._changed[tailed] = None

    def forget(self, tailed: Tailed) -> None:
        """A file is gone."""
        with self._woken:
            self._changed.pop(tailed, None)

    def close(self) -> None:
        """Writes what changed, for some seconds at most: a later start reads what is missing."""
        with self._woken:
            self._closed = True
            self._woken.notify()
        if self._thread is not None:
            self._thread.join()
        until = time.monotonic() + _LONGEST_CLOSE
        for tailed in list(self._changed):
            if time.monotonic() < until:
                self._write(tailed)

    def _run(self) -> None:
        with suppress(OSError, AttributeError):  # not on every system
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        tidying = time.monotonic() + _BEFORE_TIDYING
        while not self._closed:
            with self._woken:
                due = self._due()
                if not due and not self._closed:
                    self._woken.wait(self._pause(tidying))
            self._let_loading_go_first()
            if time.monotonic() >= tidying and not self._closed:
                self._cache.tidy()
                tidying = math.inf
            for tailed in due:
                if self._closed:
                    return
                began = time.monotonic()
                self._write(tailed)
                time.sleep(time.monotonic() - began)  # half of the time is left to others

    def _pause(self, tidying: float) -> float | None:
        """Seconds until there may be something to do; None: until something changes."""
        until_tidying = max(0.0, tidying - time.monotonic())
        pause = min(_APART, until_tidying) if self._changed else until_tidying
        return None if math.isinf(pause) else pause

    def _due(self) -> list[Tailed]:
        now = time.monotonic()
        return [
            tailed
            for tailed in self._changed
            if tailed.kept is None or (now - tailed.kept_at >= _APART and _has_grown_enough(tailed))
        ]

    def _let_loading_go_first(self) -> None:
        until = time.monotonic() + _PATIENCE
        with self._woken:
            while not self._closed and self._is_loading() and time.monotonic() < until:
                self._woken.wait(0.05)

    def _write(self, tailed: Tailed) -> None:
        with self._woken:
            if self._changed.pop(tailed, self) is self:  # gone meanwhile
                return
        entry = tailed.entry()
        if entry is not None:
            self._cache.save(tailed.found.path, entry)


def _has_grown_enough(tailed: Tailed) -> bool:
    covered = tailed.kept.position if tailed.kept else 0
    position = tailed.file.position
    return position < covered or position - covered >= max(_GROWTH, _GROWTH_SHARE * covered)
