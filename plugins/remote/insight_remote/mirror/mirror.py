"""Mirrors one remote location: lists it, and makes local files that have its sizes and times."""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from attrs import evolve, frozen

from insight_core.plugin import FileChanged, RemoteFile
from insight_record.formats.reason import Reason
from insight_remote.mirror import state
from insight_remote.mirror.directory import MirrorDirectory
from insight_remote.mirror.mirrored_file import MirroredFile, is_same
from insight_remote.mirror.requests import ReadFailed, Requests, StoreAway

log = logging.getLogger(__name__)

_LONGEST_PAUSE = 60.0  # seconds between two listings of a location where nothing changes
_BETWEEN_SAVES = 30.0  # seconds
_AFTER_FAILURE = 60.0  # seconds after which a file that could not be fetched is tried again
_AFTER_CHANGE = 1.0  # seconds after which the location is listed when a file is another than listed
_FORGOTTEN = 1.0  # seconds without a file in listings after which it is gone
_UNUSED = 10.0  # seconds since the last use after which content may be evicted
_LONGEST_NAME = 255  # bytes


@frozen
class ListingChange:
    """What a listing changed: local files that have another version, whether files came or went, and whether
    files that could not be fetched are to be tried again."""

    paths: frozenset[str] = frozenset()
    tree: bool = False
    retried: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the store has something else than before."""
        return self.tree or bool(self.paths)

    @property
    def local_files(self) -> frozenset[str] | None:
        """The files to look at; None: all of them."""
        return None if self.tree or self.retried else self.paths


class Mirror:
    """The files of one location, below ``path``. Any thread may fetch."""

    def __init__(self, directory: MirrorDirectory, requests: Requests, pieces: ThreadPoolExecutor) -> None:
        self.location = requests.location
        self.path = str(directory.files)
        self.requests = requests
        self._directory = directory
        self._pieces = pieces
        self._files = state.restored(directory.state, self.path)
        self._listing = threading.Lock()
        self._listed = 0  # listings so far
        self._not_mirrored = 0
        self._saved, self._is_dirty = time.monotonic(), True
        self._wake, self._end = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    # --- the listing ---

    def follow(self, interval: float, changed: Callable[[frozenset[str] | None], None]) -> None:
        """Lists the location again and again, in a thread: after ``interval`` seconds, and while nothing
        changes ever more rarely.

        ``changed`` is called with local files that have other content, None if files came or went, or if
        files that could not be fetched are to be tried again.
        """
        if self._thread is not None:
            return
        self._thread = threading.Thread(
            target=self._follow, args=(interval, changed), name="insight-mirror", daemon=True
        )
        self._thread.start()

    def refresh(self) -> ListingChange:
        """Lists the location once. Raises StoreAway, and OSError if the mirror cannot be written."""
        with self._listing:
            listed, was_away = self.requests.listed()
            changed = self._apply(listed)
            self._listed += 1
            retried = self._retried(all_of_them=was_away)
            return evolve(changed, retried=was_away or retried)

    def notices(self) -> list[Reason]:
        """What users should know: the store is away, or files have names that cannot be files here."""
        found = [] if self.requests.away is None else [self.requests.away]
        if self._not_mirrored:
            text = f"{self._not_mirrored:,} files of {self.location} have names that no file here can have"
            details = {"location": self.location, "count": self._not_mirrored}
            found.append(Reason(text, "remote_names", **details))
        return found

    def _follow(self, interval: float, changed: Callable[[frozenset[str] | None], None]) -> None:
        pause = interval
        while not self._end.is_set():
            if self._wake.wait(pause) and self._end.wait(min(interval, _AFTER_CHANGE)):
                return
            self._wake.clear()
            try:
                found = self.refresh()
            except StoreAway:
                pause = next_pause(pause, interval, is_idle=True)
                continue
            except Exception:
                log.exception("the mirror of %s could not be written; it will be retried", self.location)
                pause = next_pause(pause, interval, is_idle=True)
                continue
            is_sure = not any(map(_is_doubtful, list(self._files.values())))
            pause = next_pause(pause, interval, is_idle=not found.is_new and is_sure)
            if found.is_new or found.retried:
                changed(found.local_files)
            if time.monotonic() - self._saved > _BETWEEN_SAVES:
                self.save()

    def _apply(self, listed: Sequence[RemoteFile]) -> ListingChange:
        if not os.path.isdir(self.path):  # the cache was cleared
            self._files.clear()
        paths: set[str] = set()
        came: list[MirroredFile] = []
        self._not_mirrored = 0
        directories = {directory for file in listed for directory in _directories(file.path)}
        present: set[str] = set()
        for file in listed:
            if not _may_be_file(file.path) or file.path in directories:
                self._not_mirrored += not file.path.endswith("/")  # a marker of a directory
                continue
            present.add(file.path)
            known = self._files.get(file.path)
            if known is None:
                came.append(MirroredFile(os.path.join(self.path, file.path), file))
                continue
            known.missing_since = math.inf
            if file.mtime_ns < known.listed.mtime_ns and known.doubted != file:
                known.doubted = file  # a store may answer from an older state: asked again first
                continue
            known.doubted = None
            if not is_same(known.listed, file) or known.listed.mtime_ns != file.mtime_ns:
                known.take(file)
                paths.add(known.path)
        gone = self._gone(present)
        for new in came:
            new.create()
            self._files[new.listed.path] = new
        self._is_dirty |= bool(paths or came or gone)
        return ListingChange(frozenset(paths), bool(came or gone))

    def _retried(self, *, all_of_them: bool) -> bool:
        """Has files whose last fetch failed fetched again, if it is time; returns whether there are any."""
        now = time.monotonic()
        failed = [file for file in self._files.values() if file.failure is not None]
        due = [file for file in failed if all_of_them or now >= file.retry_at]
        for file in due:
            file.failure = None
        return bool(due)

    def _gone(self, present: set[str]) -> bool:
        """Deletes files that are not listed: at first immediately, later if a second listing agrees."""
        now = time.monotonic()
        gone = [self._files[name] for name in self._files.keys() - present]
        deleted = [file for file in gone if now - file.missing_since >= _FORGOTTEN or not self._listed]
        for file in gone:
            file.missing_since = min(now, file.missing_since)
        for file in deleted:
            with file.lock:
                del self._files[file.listed.path]
                self._directory.delete(file.path)
        return bool(deleted)

    # --- content ---

    def fetch(self, path: str, start: int, end: int, *, grows: bool = False) -> None:
        """Makes bytes of the local file at a path present; returns immediately if they are.

        ``grows``: it is a log, which keeps what was fetched when the remote file becomes longer.
        Raises FileChanged if the remote file changed since it was listed, StoreAway, OSError.
        """
        name = path[len(self.path) + 1 :]
        for is_last in (False, True):
            file = self._files.get(name)
            if file is None:
                raise FileChanged(f"{self.location}: {name} is gone")
            file.grows |= grows
            now = time.monotonic()
            if file.has(start, end):
                file.used = now
                return
            if file.failure is not None and now < file.retry_at:
                raise OSError(*file.failure.args)
            listed, was_away = self._listed, self.requests.away is not None
            try:
                file.fetch(start, end, self.requests, self._together)
                file.failure, self._is_dirty = None, True
                return
            except ReadFailed as error:
                file.failure, file.retry_at = error, now + _AFTER_FAILURE
                raise
            except StoreAway:
                if not was_away:
                    self._wake.set()
                raise
            except FileChanged:
                if self._thread is not None:
                    self._wake.set()
                    raise
                if is_last:
                    raise OSError("it changed again while it was read") from None
                if self._listed == listed:
                    self.refresh()

    def held(self) -> int:
        """Bytes of content on this machine."""
        return sum(file.held for file in list(self._files.values()))

    def evict(self, wanted: int, may_evict: Callable[[str], bool]) -> int:
        """Frees about ``wanted`` bytes, of the files that were used least recently; returns how many."""
        now, freed = time.monotonic(), 0
        chosen: list[MirroredFile] = []
        for file in sorted(self._files.values(), key=lambda file: file.used):
            if freed >= wanted or now - file.used < _UNUSED:
                break
            if file.present and may_evict(file.path) and (bytes := file.forget_content()):
                freed += bytes
                chosen.append(file)
        if chosen:
            self.save(force=True)  # first: after a crash nothing must count as present that is not
        for file in chosen:
            file.free_content()
        return freed

    def _together(self, calls: Sequence[Callable[[], bytes]]) -> Sequence[bytes]:
        if len(calls) == 1:
            return [calls[0]()]
        return list(self._pieces.map(lambda call: call(), calls))

    # --- the end ---

    def save(self, *, force: bool = False, closed: bool = False) -> None:
        """Keeps for the next start what the mirror has."""
        self._saved = time.monotonic()
        if not (self._is_dirty or force or closed):
            return
        self._is_dirty = False
        try:
            state.save(self._directory.state, list(self._files.values()), closed=closed)
        except OSError as error:
            log.warning("the state of %s cannot be kept: %s", self.location, error)

    def close(self) -> None:
        """Ends the thread and requests, and keeps what was fetched."""
        if self._end.is_set():
            return
        self._end.set()
        self._wake.set()
        self.requests.close()
        if self._thread is not None:
            self._thread.join(timeout=5)
        self.save(closed=True)
        self._directory.close()


def next_pause(pause: float, interval: float, *, is_idle: bool) -> float:
    """Seconds until the next listing: ``interval`` after a change, then ever longer, up to a minute."""
    return min(max(interval, _LONGEST_PAUSE), 2 * pause) if is_idle else interval


def _is_doubtful(file: MirroredFile) -> bool:
    """Whether the last listing said something that the next one must confirm."""
    return file.doubted is not None or file.missing_since < math.inf


def _directories(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _may_be_file(path: str) -> bool:
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        return False
    try:
        return all(len(os.fsencode(part)) <= _LONGEST_NAME for part in parts)
    except UnicodeEncodeError:
        return False
