"""One store of another tracker: calls its format when watched files change, and holds the result."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from insight_core.formats.batch import Flaw, unreadable
from insight_core.ingest.fetching import Fetch
from insight_core.ingest.found import FoundStore
from insight_core.ingest.store_fetching import fetch_store
from insight_core.ingest.translation_directory import TranslationDirectory
from insight_core.isolation import Call, Calls, in_one_line
from insight_core.plugin import FileChanged, Translation
from insight_record.formats.reason import Reason

log = logging.getLogger(__name__)

_DEADLINE = 30.0  # seconds after which a call that has not returned is damage
_MOST_NAMED = 3  # directories that a message names
_FRESH = 2.0  # seconds after its last change during which a file may change without a trace in its stat


class TranslatedStore:
    """Used by one thread at a time, but for ``runs``, ``damage`` and ``is_pending``."""

    def __init__(
        self, found: FoundStore, place: TranslationDirectory, calls: Calls, fetch: Fetch | None = None
    ) -> None:
        self.found = found
        self.runs: Mapping[str, str] = {}  # names by directory of event files
        self.damage: Sequence[tuple[str, Flaw]] = ()  # with names of runs
        self.is_pending = True  # until it was translated once, or failed
        self.looked = -math.inf  # monotonic seconds of the last turn
        self._place, self._calls, self._fetch = place, calls, fetch
        self._fetched: dict[str, tuple[int, int]] = {}  # size and time of files of a mirror, by path
        self._target: Path | None = None
        self._watched: tuple[str, ...] = (found.path,)
        self._seen: object = None  # the state of the watched files that was translated
        self._call: Call[Translation] | None = None
        self._state: object = None  # of the watched files when the call began; None: they just changed

    def files_of(self, directory: str) -> list[str]:
        """Paths of the event files in a directory of the target."""
        if self._target is None:
            return []
        place = os.path.normpath(os.path.join(self._target, directory))
        if os.path.commonpath([place, self._target]) != os.fspath(self._target):
            return []
        try:
            with os.scandir(place) as entries:
                return sorted(entry.path for entry in entries if _is_event_file(entry.name))
        except OSError:
            return []

    def turn(self, patience: float) -> bool:
        """Calls the format if watched files have changed, and waits for it. Returns whether it returned."""
        self.looked = time.monotonic()
        if self._call is None:
            state, is_fresh = _state_of(self._watched)
            if state == self._seen:
                return False
            self._state = None if is_fresh else state
            try:
                target = self._target = self._target or self._place.of(self.found)
                if self._fetch is not None:
                    fetch_store(self._fetch, self.found.path, self._watched, self._fetched)
            except FileChanged:  # it is listed again soon
                self.is_pending = False
                return False
            except OSError as error:
                self._fail(Reason.of(unreadable(error)))
                self._seen = state
                return False
            self._call = self._calls.start(
                f"translating {self.found.path}",
                lambda _: self.found.format.translate(self.found.path, target),
                _DEADLINE,
            )
        call = self._call
        if not call.done.wait(min(patience, call.left())):
            if call.is_overdue:
                seconds = round(call.deadline)
                text = f"{self._name} has not returned for {seconds} s"
                self._fail(Reason(text, "reader_slow", name=self._name, seconds=seconds))
            return False
        self._call = None
        if call.error is None:
            try:
                self._apply(call.value)
            except Exception as error:
                call.error = error
        if call.error is not None:
            self._seen = self._state
            self._fail_by(call.error)
        return True

    @property
    def _name(self) -> str:
        return f"the store format {self.found.format.name}"

    def _apply(self, result: object) -> None:
        if not isinstance(result, Translation):
            raise TypeError(f"it returned a {type(result).__name__}, not a Translation")
        watched = tuple(result.watched) or (self.found.path,)
        damage = [(str(name), Flaw(int(one.offset), Reason.of(one.reason), int(one.skipped)))
                  for name, one in result.flaws]  # fmt: skip
        self.runs = {str(directory): str(name) for directory, name in result.runs.items()}
        if result.is_done:
            damage += self._unnamed()
        self.damage = damage
        # files that were not watched may have changed before
        self.is_pending = not result.is_done or set(watched) != set(self._watched)
        self._seen = None if self.is_pending else self._state
        self._watched = watched

    def _unnamed(self) -> list[tuple[str, Flaw]]:
        """Damage for event files that are not in the directory of a run: the format forgot to name it."""
        assert self._target is not None
        target = os.fspath(self._target)
        named = {os.path.normpath(os.path.join(target, directory)) for directory in self.runs}
        lost = sorted(
            os.path.relpath(place, target)
            for place, _, files in os.walk(target)
            if place not in named and any(_is_event_file(file) for file in files)
        )
        if not lost:
            return []
        places = ", ".join([*lost[:_MOST_NAMED], *(["…"] if len(lost) > _MOST_NAMED else [])])
        text = f"{self._name} wrote event files that belong to no run: {places}"
        return [("", Flaw(0, Reason(text, "reader_unnamed", name=self._name, directories=places)))]

    def _fail_by(self, error: BaseException) -> None:
        if isinstance(error, OSError):
            self._fail(Reason.of(unreadable(error)))
            return
        cause = Reason.of(error if isinstance(error, ValueError) else in_one_line(error))
        if not isinstance(error, ValueError):
            log.error("%s failed to translate %s", self._name, self.found.path, exc_info=error)
        self._fail(Reason(f"{self._name} failed: {cause}", "reader_failed", name=self._name, cause=cause))

    def _fail(self, reason: Reason) -> None:
        self.is_pending = False
        self.damage = [(next(iter(self.runs.values()), ""), Flaw(0, reason))]


def _is_event_file(name: str) -> bool:
    return "tfevents" in name


def _state_of(paths: Sequence[str]) -> tuple[object, bool]:
    """What changes with the files at these paths, and whether one was changed just now."""
    state: list[object] = []
    newest = 0.0
    for path in paths:
        try:
            info = os.stat(path)
        except OSError as error:
            state.append((path, error.errno))
            continue
        state.append((path, info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns))
        newest = max(newest, info.st_mtime)
    return tuple(state), 0 <= time.time() - newest < _FRESH
