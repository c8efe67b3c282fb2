"""Keeps the event files that plugins make of other trackers' stores up to date."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.formats.batch import Flaw
from insight_core.ingest.discover import printable, run_name
from insight_core.ingest.fetching import Fetch
from insight_core.ingest.file_order import by_numbers
from insight_core.ingest.found import Found, FoundFile, FoundStore, StoreFiles
from insight_core.ingest.locked_directory import ValueFiles
from insight_core.ingest.scan_ahead import file_version
from insight_core.plugin import Dialect, StoreFormat
from insight_core.store.store import Store

if TYPE_CHECKING:  # a host without stores does not load them
    from insight_core.ingest.translation.translated_store import TranslatedStore
    from insight_core.ingest.translation.translation_directory import TranslationDirectory
    from insight_core.worker.pool import Workers

log = logging.getLogger(__name__)

_TURN = 1.0  # seconds after which the loader reads what was translated so far
_WAITING = 0.05  # seconds between two looks at calls that have not returned
_IDLE_SHARE = 20  # looking at watched files may take a twentieth of a processor's time
_LONGEST_NAME = 200  # characters of a part of a run's name


class Translations:
    """Translates stores one after the other, in a thread or, with ``finish``, in that of the caller."""

    def __init__(
        self, cache_directory: Path | None, fetch: Fetch | None = None, *, cache_size: int | None = None
    ) -> None:
        """Without ``cache_directory`` the event files are temporary. A store whose translation does not fit
        into its share of ``cache_size`` bytes is damage.

        ``fetch`` is called before stores are read whose files are mirrors of others.
        """
        self.values = ValueFiles(cache_directory)  # of log formats
        self._fetch = fetch
        self._cache_directory = cache_directory
        self._cache_size = cache_size
        self._place: TranslationDirectory | None = None  # until there is a store
        self._stores: dict[tuple[str, StoreFormat], TranslatedStore] = {}
        self._workers: Workers | None = None  # the same
        self._noted: set[tuple[str, str]] = set()  # damage: run and file
        self._woken, self._stopped = threading.Event(), threading.Event()
        self._working = threading.Lock()
        self._follow: Callable[[], None] | None = None  # what the thread does
        self._thread: threading.Thread | None = None  # until there is a store

    @property
    def is_settled(self) -> bool:
        """Whether every store was translated once, or cannot be translated now."""
        return not any(store.is_pending for store in list(self._stores.values()))

    def knows(self, path: str) -> bool:
        """Whether a store is at this path; it is then translated again at once."""
        if not any(path == known for known, _ in list(self._stores)):
            return False
        self._woken.set()
        return True

    def holds(self, path: str) -> bool:
        """Whether an event file is one of a translation, or has values of a log format."""
        return self.values.holds(path) or (self._place is not None and self._place.holds(path))

    def read_files(self) -> StoreFiles:
        """Which files the formats read, as far as stores were translated."""
        stores = list(self._stores.values())
        of_some = [store for store in stores if not store.is_known or store.runs or store.damage]
        files = {path for store in of_some for path in store.watched}
        directories = {
            directory
            for store in of_some
            for path in store.watched
            if not store.found.path.startswith(directory := os.path.join(path, "")) and os.path.isdir(path)
        }
        empty = {store.found.path for store in stores} - {store.found.path for store in of_some}
        return StoreFiles(frozenset(files), tuple(directories), frozenset(empty))

    def start(self, interval: float, changed: Callable[[frozenset[str] | None], None]) -> None:
        """Translates in the background and looks for changes every ``interval`` seconds (0: never).

        ``changed`` is called in the thread with the paths of event files that may have grown, or with None
        if there are other runs or there is other damage. Call it before ``reconcile`` is called in a thread.
        """
        self._follow = partial(self._run, interval, changed)
        self._start_thread()

    def close(self) -> None:
        """Stops the thread, ends translations that are under way, and deletes temporary files."""
        self._stopped.set()
        self._woken.set()
        if self._workers is not None:
            self._workers.close()
        if self._thread is not None:
            self._thread.join(timeout=5)
        if self._place is not None:
            self._place.close()
        self.values.close()

    def reconcile(self, found: Sequence[FoundStore]) -> None:
        """Replaces the list of stores."""
        now: dict[tuple[str, StoreFormat], TranslatedStore] = {}
        for one in found:
            key = one.path, one.format
            store = self._stores.get(key)
            if store is None or store.found != one:
                store = self._opened(one)
            now[key] = store
        if self._place is not None:
            self._place.keep_open([store.found for store in now.values()])
        self._stores = now
        self._woken.set()
        self._start_thread()

    def finish(self) -> None:
        """Translates everything that is there now."""
        self._pass()
        while not self.is_settled and not self._stopped.wait(_WAITING):
            self._pass()

    def add_to(self, found: Found) -> None:
        """Adds the event files that were written, with their runs."""
        for store in list(self._stores.values()):
            for directory, name in store.runs.items():
                run = _run_of(store.found, name)
                for path in store.files_of(directory):
                    try:
                        info = os.stat(path)
                    except OSError:
                        continue
                    shown = f"{store.found.name} ({store.found.format.name})"
                    # several stores may have files of one run
                    order = 0.0, f"{store.found.name}/{directory}/{by_numbers(os.path.basename(path))}"
                    version = file_version(info)
                    file = FoundFile(
                        run, path, shown, order, Dialect.TENSORBOARD, version, is_translated=True
                    )
                    found.files[(run, path)] = file
                    found.runs[run] = max(found.runs.get(run, 0.0), info.st_mtime)
            for run, _ in _damage_of(store):
                found.runs.setdefault(run, 0.0)

    def say_damage(self, store: Store, runs: Collection[str]) -> None:
        """Lists the damage of stores, of these runs."""
        listed: dict[tuple[str, str], list[Flaw]] = {}
        for one in list(self._stores.values()):
            for run, flaw in _damage_of(one):
                if run in runs:
                    listed.setdefault((run, one.found.name), []).append(flaw)
        for run, name in self._noted - listed.keys():
            store.set_damage(run, name, ())
        for (run, name), flaws in listed.items():
            store.set_damage(run, name, flaws)
        self._noted = set(listed)

    def _opened(self, found: FoundStore) -> TranslatedStore:
        from insight_core.ingest.translation.translated_store import TranslatedStore
        from insight_core.ingest.translation.translating import translation_workers
        from insight_core.ingest.translation.translation_directory import TranslationDirectory

        if self._place is None:
            self._place = TranslationDirectory(self._cache_directory, self._cache_size)
        if self._workers is None:
            self._workers = translation_workers()
        return TranslatedStore(found, self._place, self._workers, self._fetch)

    def _start_thread(self) -> None:
        is_running = self._thread is not None and self._thread.is_alive()
        if not self._stores or self._follow is None or is_running or self._stopped.is_set():
            return
        self._thread = threading.Thread(target=self._follow, name="insight-translations", daemon=True)
        self._thread.start()

    def _run(self, interval: float, changed: Callable[[frozenset[str] | None], None]) -> None:
        was_settled = False
        while not self._stopped.is_set():
            self._woken.clear()
            began = time.thread_time()
            try:
                paths = self._pass()
                if paths is None or paths or self.is_settled != was_settled:
                    was_settled = self.is_settled
                    changed(paths)
            except Exception:  # an error must not end the following of all stores
                log.exception("translating failed; it will be retried")
            if interval <= 0 and was_settled:
                return
            pause = max(interval, _IDLE_SHARE * (time.thread_time() - began))
            if not self.is_settled:
                pause = _WAITING
            self._woken.wait(pause if self._stores else None)

    def _pass(self) -> frozenset[str] | None:
        """Gives stores turns for a second in all, those that waited longest first; see ``start``."""
        paths: set[str] = set()
        has_others = False
        until = time.monotonic() + _TURN
        with self._working:
            for store in sorted(self._stores.values(), key=lambda store: store.looked):
                before = store.runs, store.damage
                while store.turn(max(0.0, until - time.monotonic())):
                    paths.update(path for directory in store.runs for path in store.files_of(directory))
                    if self._stopped.is_set() or time.monotonic() >= until or not store.is_pending:
                        break
                has_others |= before != (store.runs, store.damage)
                if self._stopped.is_set() or time.monotonic() >= until:
                    break
        return None if has_others else frozenset(paths)


def _damage_of(store: TranslatedStore) -> list[tuple[str, Flaw]]:
    return [(_run_of(store.found, name), flaw) for name, flaw in store.damage]


def _run_of(found: FoundStore, name: str) -> str:
    """The run of this name in a store. Parts of a name that are directories elsewhere are left out."""
    parts = [part[:_LONGEST_NAME] for part in name.split("/") if part.strip() not in ("", ".", "..")]
    below = printable("/".join([*([found.directory] if found.directory else []), *parts]))
    return run_name(found.prefix, below)
