"""Discovers, reads and tails log files: newest runs first, then appended data."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from insight_core.formats.batch import Flaw
from insight_core.ingest.beginnings import Beginnings
from insight_core.ingest.claimed_files import NamedFiles
from insight_core.ingest.discover import discover
from insight_core.ingest.fetching import Fetch
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.folding import Folding
from insight_core.ingest.found import Found
from insight_core.ingest.index.writer import IndexWriter
from insight_core.ingest.known_files import KnownFiles
from insight_core.ingest.links import ReportedLinks
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import file_version
from insight_core.ingest.schedule import Reading
from insight_core.ingest.tailer import Tailed
from insight_core.ingest.translation.translations import Translations
from insight_core.plugin.data import Progress
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

if TYPE_CHECKING:  # a host that polls, or has no cache, does not load these
    from insight_core.ingest.index.cache import IndexCache
    from insight_core.ingest.recall import Recall
    from insight_core.ingest.watch import Watcher

log = logging.getLogger(__name__)

_IDLE_SHARE = 10  # walking the logdirs may take one tenth of a processor's time
_POLLING_SHARE = 10  # the same of the time, where nothing reports changes: a file server has other clients
_LOOK_ANYWAY = 30.0  # seconds between two walks while the watcher reports changes
_WAITING = 0.2  # seconds between two checks of files whose log format has not returned yet
_MOST_LOST = 3  # times that lost files are read again
_FOLDING = 1.0  # seconds between two decisions which files are of which runs
_SETTLING = 10.5  # seconds after which a cut-off record of a file that grew is damage


class Loader:
    """Reads log files into a store, in background threads or, with ``load()``, in the caller's thread."""

    def __init__(
        self,
        store: Store,
        logdirs: Sequence[Logdir],
        reload_interval: float,
        *,
        names: FileNames | None = None,
        translations: Translations | None = None,
        cache: IndexCache | None = None,
        follow_symlinks: bool = False,
        folds: bool = True,
        accepts_run: Callable[[str], bool] | None = None,
        while_loading: Callable[[], AbstractContextManager[object]] = nullcontext,
        fetch: Fetch | None = None,
        before_first_walk: Callable[[], None] | None = None,
    ) -> None:
        """``reload_interval`` is in seconds, for file systems that do not report changes; 0 loads once.

        ``names`` are patterns of files that plugins claim, ``translations`` those of other trackers' stores.
        With ``follow_symlinks`` links are followed out of the logdirs, with ``folds`` directories of
        hyperparameters are parts of the runs above them (``Folding``). Only runs whose names ``accepts_run``
        accepts are read. ``while_loading`` is entered for each load, and for each file of the index that is
        written. ``fetch`` is called before files that are mirrors are read, ``before_first_walk`` once, after
        the runs that the index has were listed.
        """
        self._store = store
        self._logdirs = list(logdirs)
        self._names = FileNames() if names is None else names
        self._beginnings = Beginnings(fetch)
        self._named = NamedFiles(store, self._names.checks, fetch)
        self._interval = reload_interval
        self._translations = translations or Translations(None)
        self._cache = cache
        self._follow_symlinks = follow_symlinks
        self._accepts_run = accepts_run
        self._while_loading = while_loading
        self._before_first_walk = before_first_walk
        self._watcher: Watcher | None = None
        self._writer = IndexWriter(cache, lambda: self._is_loading, while_loading) if cache else None
        self._waiting: list[Tailed] = []  # files whose log format has not returned yet
        self._folding = Folding(is_on=folds, fetch=fetch)
        values = self._translations.values
        self._files = KnownFiles(store, cache, fetch, self._lose, values, self._folding)
        self._runs: set[str] = set()
        self._noted: dict[tuple[str, str], Flaw] = {}
        self._links = ReportedLinks()
        self._settling: dict[Tailed, float] = {}  # files that grew recently; until then a cut is not damage
        self._recalled: Recall | None = None  # until the first walk has compared the files
        self._preferred: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._looking = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_loading = False
        self._has_lost = False  # stored points of some file could not be read
        self._loaded_once = False
        self._looked = 0.0  # monotonic seconds
        self._folded_at = 0.0  # likewise
        self._recent: frozenset[str] = frozenset()  # files to look at between two walks, without a watcher
        self._walked = 0.0  # seconds that the last walk took
        self._pause = 0.0  # seconds until the next look, at least

    def start(self, watcher: Watcher | None = None) -> None:
        """Loads in the background and follows the changes that ``watcher`` reports; ``stop`` closes it."""
        self._watcher = watcher
        if self._writer is not None:
            self._writer.start()
        self._translations.start(self._interval, self.follow)
        self._thread = threading.Thread(target=self._run, name="insight-loader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops the threads, closes the watcher, and writes index entries."""
        self._stop.set()
        if self._watcher is not None:
            self._watcher.wake()
        if self._thread is not None:
            self._thread.join(timeout=5)
        self._translations.close()
        if self._watcher is not None:
            self._watcher.close()
        if self._writer is not None:
            self._writer.close()

    def look_again(self) -> None:
        """Walks the logdirs again in another thread, because further file names are claimed."""
        if self._thread is not None and not self._stop.is_set():  # otherwise the first walk is still to come
            threading.Thread(target=self.load, name="insight-loader-again", daemon=True).start()

    def follow(self, changed: frozenset[str] | None) -> None:
        """Reads files that changed, in this thread; None: walks the logdirs."""
        if not self._stop.is_set():
            self.load() if changed is None else self._follow(changed)

    def is_read(self, path: str) -> bool:
        """Whether nothing of the file at a path is still to be read, for now."""
        files = self._files.at(path)
        return not any(tailed.is_new or tailed.is_behind or tailed.is_waiting for tailed in files)

    def prefer(self, runs: frozenset[str]) -> None:
        """Reads these runs before the others, because a client requests them."""
        self._preferred = runs

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """The path of the file with the payloads of a file of a run, by its order; None if unknown."""
        recalled = self._recalled
        path = self._files.path_of(run, order) or self._named.path_of(run, order)
        return recalled.path_of(run, order) if path is None and recalled is not None else path

    def progress(self) -> Progress:
        """Bytes read and bytes known over all files."""
        return Progress(*self._files.read_and_known(), self._loaded_once)

    def _run(self) -> None:
        changed: frozenset[str] | None = None
        first = True
        while not self._stop.is_set():
            try:
                if changed is None:
                    self.load()
                else:
                    self._follow(changed)
            except Exception:  # an error must not end the tailing of all logs
                log.exception("loading failed; it will be retried")
            if self._interval <= 0:
                if not self._waiting:
                    return
                self._stop.wait(_WAITING)
                changed = frozenset()
                continue
            if first:  # the watch begins by listing every directory; first requests are answered meanwhile
                self._stop.wait(self._pause)
            first = False
            changed = self._wait()

    def _wait(self) -> frozenset[str] | None:
        """Waits until there is something to do; returns the changed paths, or None to walk the logdirs."""
        earliest = self._looked + self._pause
        watcher = self._watcher
        if watcher is None or not watcher.follows:
            pause = _WAITING if self._waiting else self._interval
            self._stop.wait(pause) if watcher is None else watcher.wait(pause)
            due = max(earliest, self._looked + max(self._interval, _POLLING_SHARE * self._walked))
            return None if time.monotonic() >= due else self._recent
        due = time.monotonic() + _WAITING if self._waiting else self._looked + _LOOK_ANYWAY
        due = min([due, *self._settling.values(), self._named.next_check])
        changed = watcher.wait(max(0.0, due - time.monotonic()))
        if changed is None or time.monotonic() >= self._looked + _LOOK_ANYWAY:
            self._stop.wait(max(0.0, earliest - time.monotonic()))
            return None
        return changed

    def load(self) -> None:
        """Walks the logdirs once and reads everything that was not read before, or whose points are lost."""
        self._look()
        while self._waiting and self._thread is None and not self._stop.wait(_WAITING):
            self._follow(frozenset())

    def _look(self) -> None:
        with self._looking, self._while_loading():
            if not self._looked:
                self._recall()
                if self._before_first_walk is not None:
                    self._before_first_walk()
            self._looked, worked = time.monotonic(), time.thread_time()
            found = discover(
                self._logdirs, self._names, self._beginnings, follow_symlinks=self._follow_symlinks
            )
            self._translations.reconcile(found.stores)
            if self._thread is None:
                self._translations.finish()
            # only the walk counts: time for reading must not delay the next walk, or live data would wait
            self._walked = time.monotonic() - self._looked
            self._pause = max(self._walked, _IDLE_SHARE * (time.thread_time() - worked))
            self._links.report(found.not_followed)
            self._follow_found(found)
            while self._folding.is_due(self._files.has_points) and not self._stop.is_set():
                self._follow_found(found)
            if self._watcher is None or not self._watcher.follows:
                self._recent = self._files.recent()
            if not self._stop.is_set():
                self._store.set_loaded(self._runs)
                self._named.check(self._stop)
                self._note_loaded()

    def _follow_found(self, found: Found) -> None:
        """Reads what a walk found, each file for the run that it belongs to as far as is known now."""
        self._folded_at = time.monotonic()
        found = self._folding.applied(found, self._files.has_points)
        self._translations.add_to(found)
        if self._accepts_run is not None:
            found = found.of_runs(self._accepts_run)
        self._reconcile(found)
        self._translations.say_damage(self._store, self._runs)
        self._read_with_lost(self._files.all())

    def folded(self, found: Found) -> Found:
        """What a walk found, with directories that are parts of the runs above them."""
        return self._folding.folded(found, self._files.has_points)

    def _stops(self) -> bool:
        """Whether reading is interrupted, now and then because files turned out to be of other runs."""
        is_due = self._folding.is_outdated and time.monotonic() > self._folded_at + _FOLDING
        return is_due or self._stop.is_set()

    def _note_loaded(self) -> None:
        if not self._loaded_once and not self._waiting and self._translations.is_settled:
            self._loaded_once = True
            self._store.touch_runs()

    def _follow(self, changed: frozenset[str]) -> None:
        """Reads files that changed, if they are known and still exist; otherwise walks the logdirs."""
        with self._looking:
            known: list[Tailed] = list(self._waiting)
            for path in changed:
                tailed = self._files.at(path)
                if not tailed and (self._translations.knows(path) or self._named.look_at(path, _SETTLING)):
                    continue
                if not tailed or not self._look_at(path, tailed):
                    break
                known += [each for each in tailed if each not in known]
            else:
                self._read_with_lost(known)
                if not self._folding.is_due(self._files.has_points):
                    self._named.check(self._stop)
                    self._note_loaded()
                    return
        self._look()

    def _look_at(self, path: str, files: list[Tailed]) -> bool:
        try:
            info = os.stat(path)
        except OSError:
            return False
        for tailed in files:
            tailed.found = tailed.found._replace(version=file_version(info))
        return True

    def _reconcile(self, found: Found) -> None:
        self._store.remove_runs(self._runs - found.runs.keys())  # all together: faster than file by file
        for key in self._files.keys() - found.files.keys():
            self._forget(key)
        newest_first = sorted(found.runs, key=found.runs.__getitem__, reverse=True)
        self._store.add_runs(newest_first)
        self._runs = set(found.runs)
        for key, file in found.files.items():
            tailed = self._files.get(key)
            if tailed is not None and (tailed.found.format, tailed.found.order) == (file.format, file.order):
                tailed.found = file
                continue
            if tailed is not None:
                self._forget(key)
            self._files.add(key, file)
        self._named.reconcile(found.named, _SETTLING if self._loaded_once else 0.0)
        for key in {**self._noted, **found.damage}:
            self._store.set_damage(*key, [found.damage[key]] if key in found.damage else ())
        self._noted = found.damage

    def _forget(self, key: tuple[str, str]) -> None:
        tailed = self._files.drop(key)
        self._settling.pop(tailed, None)
        if self._writer is not None:
            self._writer.forget(tailed)

    def _read_with_lost(self, files: Collection[Tailed]) -> None:
        """Reads these files, and all files whose stored points turn out to be lost meanwhile."""
        self._read(files)
        for _ in range(_MOST_LOST):
            if not self._has_lost:
                break
            self._has_lost = False
            lost = {tailed for tailed in self._files.all() if tailed.is_lost}
            self._read(lost.union(files))

    def _lose(self, path: str) -> None:
        """Has a file read again, because its stored points cannot be read."""
        for tailed in self._files.at_real(path):
            tailed.is_lost = self._has_lost = True

    def _read(self, files: Iterable[Tailed]) -> None:
        """Reads the unread part of these files, newest runs first."""
        behind = self._compare([tailed for tailed in files if tailed.is_behind])
        if behind:
            self._is_loading = True
            try:
                read = self._files_read, self._store.set_loaded
                Reading(behind, lambda: self._preferred, self._stops, *read).run()
            finally:
                self._is_loading = False
        self._waiting = [tailed for tailed in behind if tailed.is_waiting]
        self._settle()

    def _recall(self) -> None:
        """Lists the runs that the index has: they are shown before the walk, which compares their files."""
        if self._cache is None:
            return
        from insight_core.ingest.recall import Recall

        recalled = Recall(self._cache, self._logdirs, self._lose, self._folding)
        try:
            self._store.recall(recalled.groups())
        except Exception:  # each file is tried, and reported, by itself
            log.debug("files are restored one by one", exc_info=True)
            self._store.remove_runs(recalled.runs())
            return
        self._recalled = recalled
        self._runs.update(recalled.runs())

    def _compare(self, behind: list[Tailed]) -> list[Tailed]:
        """Compares recalled files with those that were found; returns the files that are still to be read."""
        recalled, self._recalled = self._recalled, None
        if recalled is None or not recalled.runs():
            return behind
        first: dict[str, Tailed] = {}
        parts: dict[str, Tailed] = {}
        for tailed in sorted(behind, key=lambda tailed: tailed.found.order):
            (parts if tailed.found.part else first).setdefault(tailed.found.run, tailed)
        same = {
            run: stored
            for run in recalled.runs()
            if (stored := recalled.unchanged(run, first.get(run), parts.get(run))) is not None
        }
        changed = recalled.runs() - same.keys()
        for run in self._store.compare(same.keys(), changed, recalled.orders):
            own, *of_part = same[run]
            first[run].restored(own)
            for each in of_part:
                parts[run].restored(each)
        left = [tailed for tailed in behind if tailed.is_behind]
        self._store.set_loaded(first.keys() - {tailed.found.run for tailed in left})
        return left

    def _files_read(self, files: Sequence[Tailed]) -> None:
        if self._loaded_once:
            self._settling |= dict.fromkeys(files, time.monotonic() + _SETTLING)
        if self._writer is not None:
            self._writer.changed(files)

    def _settle(self) -> None:
        """Reports truncated records of files that have not grown for a while as damage."""
        now = time.monotonic()
        for tailed in [tailed for tailed, until in self._settling.items() if until <= now]:
            del self._settling[tailed]
            if not tailed.is_behind:
                tailed.say_damage()
