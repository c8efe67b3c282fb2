"""One store of another tracker: calls its format when watched files change, and holds the result."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from insight_core.formats.batch import Flaw, unreadable
from insight_core.ingest import followed_file
from insight_core.ingest.fetching import Fetch, FilePart
from insight_core.ingest.found import FoundStore
from insight_core.ingest.translation.translating import NotTranslated, TranslateCall
from insight_core.ingest.translation.translation_directory import TranslationDirectory
from insight_core.plugin import FileChanged, Translation
from insight_core.worker.pool import Workers
from insight_record.formats.reason import Reason, ReasonKind

log = logging.getLogger(__name__)

_SMALL = 8 << 20  # bytes; larger files are fetched only if they are watched: models and data sets
_MOST_FILES = 20_000  # of a store
_MOST_NAMED = 3  # directories that a message names
_FULL = (
    "its copy below the cache would take more than --cache-size with those of other stores: "
    "start with a larger one"
)
_TRIES = 3  # calls in a row that take all they may, after which a store is not translated again
_FRESH = 2.0  # seconds after its last change during which a file may change without a trace in its stat
_READER_UNNAMED = ReasonKind(
    "reader_unnamed", "{name} wrote event files that belong to no run: {directories}"
)
_READER_SLOW = ReasonKind("reader_slow", "{name} has not returned for {seconds} s")
_READER_FAILED = ReasonKind("reader_failed", "{name} failed: {cause}")


class TranslatedStore:
    """Used by one thread at a time, but for ``runs``, ``damage``, ``watched``, and what it is (``is_…``)."""

    def __init__(
        self, found: FoundStore, place: TranslationDirectory, workers: Workers, fetch: Fetch | None = None
    ) -> None:
        self.found = found
        self.runs: Mapping[str, str] = {}  # names by directory of event files
        self.damage: Sequence[tuple[str, Flaw]] = ()  # with names of runs
        self.is_pending = True  # until it was translated once, or failed
        self.is_known = False  # whether that has happened; stays so while it is translated again
        self.looked = -math.inf  # monotonic seconds of the last turn
        self._place, self._workers, self._fetch = place, workers, fetch
        self._fetched: dict[str, tuple[int, int]] = {}  # size and time of files of a mirror, by path
        self._target: Path | None = None
        self._tail: Sequence[tuple[str, Flaw]] = ()  # damage that is listed once the store rests
        self._size = -1  # of the file of the store when a call began
        self._grew = -math.inf
        self.watched: tuple[str, ...] = (found.path,)
        self._seen: object = None  # the state of the watched files that was translated
        self._call: TranslateCall | None = None
        self._costly = 0  # calls in a row that took all they may
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
        if self._costly >= _TRIES:
            return False
        if self._call is None:
            state, is_fresh = _state_of(self.watched)
            if state == self._seen:
                self._list_tail()
                return False
            self._state = None if is_fresh else state
            try:
                target = self._target = self._target or self._place.of(self.found)
                if not self._place.has_room(target):
                    self._fail(Reason(_FULL, "translations_full"))
                    self._seen = state
                    return False
                self._note_growth()
                if self._fetch is not None:
                    fetch_store(self._fetch, self.found.path, self.watched, self._fetched)
            except FileChanged:  # it is listed again soon
                self.is_pending = False
                return False
            except OSError as error:
                self._fail(Reason.of(unreadable(error)))
                self._seen = state
                return False
            self._call = TranslateCall(self.found.format, self.found.path, target)
            self.is_pending = True  # until it returns: whoever waits for the store waits for this call
            self._workers.start(self._call)
        if not self._call.done.wait(patience):
            return False
        call, self._call = self._call, None
        try:
            result = call.translation()
        except NotTranslated as error:
            reason = self._reason_of(error)
            self._costly = self._costly + 1 if error.costs else 0
            if error.reason.code == "worker_died" and self._costly < _TRIES:
                return True  # the store need not be the cause: it is called again
            self._seen = self._state
            self._fail(reason)
        else:
            self._costly = 0
            self._apply(result)
        return True

    @property
    def _name(self) -> str:
        return f"the store format {self.found.format.name}"

    def _apply(self, result: Translation) -> None:
        watched = tuple(result.watched) or (self.found.path,)
        self.runs, self.damage = result.runs, result.flaws
        if result.is_done:
            self.damage = [*self.damage, *self._unnamed()]
        # files that were not watched may have changed before
        self.is_pending = not result.is_done or set(watched) != set(self.watched)
        self.is_known |= not self.is_pending
        self._seen = None if self.is_pending else self._state
        self.watched = watched
        self._tail = result.tail
        self._list_tail()

    def _note_growth(self) -> None:
        size = os.stat(self.found.path).st_size
        if not self.is_pending and 0 <= self._size < size:
            self._grew = time.monotonic()
        self._size = size

    def _list_tail(self) -> None:
        """Lists damage at the end of a store that no longer grows."""
        if self._tail and time.monotonic() - self._grew > followed_file.SETTLED:
            self.damage, self._tail = [*self.damage, *self._tail], ()

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
        return [("", Flaw(0, _READER_UNNAMED(name=self._name, directories=places)))]

    def _reason_of(self, error: NotTranslated) -> Reason:
        if error.is_unreadable:
            return error.reason
        name, cause = self._name, error.reason
        log.warning("%s did not translate %s: %s", name, self.found.path, cause)
        if cause.code == "worker_deadline":
            seconds = cause.details["seconds"]
            return _READER_SLOW(name=name, seconds=seconds)
        return _READER_FAILED(name=name, cause=cause)

    def _fail(self, reason: Reason) -> None:
        self.is_pending, self.is_known = False, True
        self._tail = ()
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


def fetch_store(fetch: Fetch, source: str, watched: Sequence[str], seen: dict[str, tuple[int, int]]) -> None:
    """Makes watched files present, and small files below their directories and that of the store.

    ``seen`` are those that were.
    Raises FileChanged and OSError.
    """
    parts, versions = [], {}
    for path, is_watched in _files(os.path.dirname(source), watched):
        try:
            info = os.stat(path)
        except OSError:
            continue
        version = info.st_size, info.st_mtime_ns
        if seen.get(path) != version and (is_watched or info.st_size <= _SMALL):
            parts.append(FilePart(path, grows=is_watched))
            versions[path] = version
    if parts:
        fetch(parts)
        seen |= versions


def _files(directory: str, watched: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Files with whether they are watched."""
    count, directories = 0, {directory}
    for path in watched:
        if os.path.isfile(path):
            yield path, True
            directories.add(os.path.dirname(path))
    walked: list[str] = []
    for top in sorted(directories, key=len):
        if any(top.startswith(os.path.join(one, "")) for one in walked):
            continue
        walked.append(top)
        for place, _, names in os.walk(top):
            for name in names:
                count += 1
                if count > _MOST_FILES:
                    return
                yield os.path.join(place, name), False
