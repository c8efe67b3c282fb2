"""Writes index entries in the background."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from insight_core.ingest.index.alike import can_pack
from insight_core.ingest.tailer import Tailed
from insight_core.store.first_files import LoadedFiles

if TYPE_CHECKING:
    from insight_core.ingest.index.cache import IndexCache

_APART = 30.0  # seconds between two entries of a file that grows
_GROWTH = 4 << 20  # bytes that a file must have grown: the next start reads fewer quickly
_GROWTH_SHARE = 0.25  # likewise, as a share of the last entry: large entries are expensive to write
_PATIENCE = 30.0  # seconds to wait while files are loading: they are read sooner, for less of a processor
_BEFORE_TIDYING = 10.0  # seconds after the start, when first requests have been answered
_LONGEST_CLOSE = 3.0  # seconds
_PAUSE = 0.05  # seconds between two looks whether files are still loading
_SEGMENT = 64 << 20  # bytes of log files that share a segment file, which is in memory before it is written
_LAST_SEGMENT = 32 << 20  # the same at the end: the process may be ended before a larger one is written
_finishing: set[IndexWriter] = set()


def is_finishing() -> bool:
    """Whether entries are being written because the process ends: it takes some seconds at most."""
    return bool(_finishing)


class IndexWriter:
    """Writes entries of files that were read to their end.

    The first entry is written immediately, later ones when the file has grown enough, and the last one when
    the process ends. The loader never waits for it.
    """

    def __init__(
        self,
        cache: IndexCache,
        is_loading: Callable[[], bool],
        while_writing: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """``while_writing`` is entered for each segment file."""
        self._cache = cache
        self._is_loading = is_loading
        self._while_writing = while_writing
        self._changed: dict[Tailed, None] = {}  # since their last entry
        self._woken = threading.Condition()
        self._closing = threading.Event()  # apart from ``_woken``, which each file that is read notifies
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the background thread."""
        self._thread = threading.Thread(target=self._run, name="insight-index-writer", daemon=True)
        self._thread.start()

    def changed(self, files: Iterable[Tailed]) -> None:
        """Called when files were read to their end."""
        changed = [tailed for tailed in files if tailed.kept is None or tailed.kept != tailed.state]
        if changed:
            with self._woken:
                if not self._changed or any(tailed.kept is None for tailed in changed):
                    self._woken.notify()
                self._changed |= dict.fromkeys(changed)

    def forget(self, tailed: Tailed) -> None:
        """Called when a file was deleted."""
        with self._woken:
            self._changed.pop(tailed, None)

    def close(self) -> None:
        """Writes changed entries, for 3 seconds at most; a later start reads the rest and goes on."""
        until = time.monotonic() + _LONGEST_CLOSE
        _finishing.add(self)
        try:
            with self._woken:
                self._closing.set()
                self._woken.notify()
            if self._thread is not None:
                self._thread.join()
            for some in _batches(list(self._changed), _LAST_SEGMENT):
                if time.monotonic() >= until:
                    break
                self._write(some)
        finally:
            _finishing.discard(self)

    def _run(self) -> None:
        tidying = time.monotonic() + _BEFORE_TIDYING
        while not self._closing.is_set():
            with self._woken:
                due = self._due()
                if not due and not self._closing.is_set():
                    self._woken.wait(self._pause(tidying))
            self._let_loading_go_first()
            if time.monotonic() >= tidying and not self._closing.is_set():
                self._cache.tidy()
                tidying = math.inf
            for some in _batches(due, _SEGMENT):
                if self._closing.is_set():
                    return
                self._write(some)

    def _pause(self, tidying: float) -> float | None:
        """Seconds until the next entry may be due; None to wait for a change."""
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
        while self._is_loading() and time.monotonic() < until and not self._closing.wait(_PAUSE):
            pass

    def _write(self, some: Sequence[Tailed]) -> None:
        with self._while_writing():
            self._write_segment(some)

    def _write_segment(self, some: Sequence[Tailed]) -> None:
        entries, size = {}, 0
        alike: dict[LoadedFiles, dict[str, int]] = {}
        for tailed in some:
            if self._closing.is_set() and size >= _LAST_SEGMENT:
                break  # ``close`` writes the others
            size += tailed.found.size
            if self._changed.pop(tailed, self) is self:  # deleted meanwhile
                continue
            with tailed.lock:
                place = tailed.loaded_place()
                if place is not None and (place[0] in alike or can_pack(place[0])):
                    alike.setdefault(place[0], {})[tailed.found.path] = place[1]
                    tailed.note_kept()
                    continue
            entry = tailed.entry()
            if entry is not None:
                entries[tailed.found.path] = entry
        if entries or alike:
            self._cache.save(entries, alike)


def _batches(files: Sequence[Tailed], most: int) -> Iterator[list[Tailed]]:
    """Files that share a segment file: those of about ``most`` bytes."""
    batch: list[Tailed] = []
    size = 0
    for tailed in files:
        batch.append(tailed)
        size += tailed.found.size
        if size >= most:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _has_grown_enough(tailed: Tailed) -> bool:
    covered = tailed.kept.position if tailed.kept else 0
    position = tailed.position
    return position < covered or position - covered >= max(_GROWTH, _GROWTH_SHARE * covered)
