"""Keeps the store abreast of the files: newest runs first, then what is appended."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from attrs import define

from insight_core.api import Progress
from insight_core.loading.event_file import EventFile, Replaced
from insight_core.loading.index_entry import Entry
from insight_core.loading.logdir import Found, FoundFile, Logdir, discover
from insight_core.records.batch import Flaw
from insight_core.store.series import FileOrder
from insight_core.store.store import Store

log = logging.getLogger(__name__)

_TURN = 2  # chunks of one file before the next file has its turn
_IDLE_SHARE = 10  # a look at the logdirs may take one part in this many of a processor's time


class IndexCache(Protocol):
    """Keeps what was read of event files for the next start. Neither call raises."""

    def load(self, path: str) -> Entry | None: ...  # None: nothing usable is kept
    def save(self, path: str, entry: Entry) -> None: ...


class Watcher(Protocol):
    """Says which paths below the logdirs changed, named as the loader names them."""

    @property
    def follows(self) -> bool: ...  # False: changes cannot be told, the loader has to look by itself
    def wait(self, timeout: float) -> frozenset[str] | None: ...  # changed since the last call; None: any
    def wake(self) -> None: ...  # ends a wait, from any thread
    def close(self) -> None: ...


@define
class _Tailed:
    """An event file with the place it has in the store."""

    found: FoundFile
    file: EventFile
    failure: str = ""  # of the last try


class Loader:
    """Reads event files into a store, in its own thread or, with load(), in the caller's."""

    def __init__(
        self,
        store: Store,
        logdirs: Sequence[Logdir],
        reload_interval: float,
        *,
        cache: IndexCache | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self._store = store
        self._logdirs = list(logdirs)
        self._interval = reload_interval
        self._cache = cache
        self._watcher = watcher
        self._files: dict[tuple[str, str], _Tailed] = {}  # by run and path
        self._runs: set[str] = set()
        self._noted: dict[tuple[str, str], Flaw] = {}
        self._preferred: frozenset[str] = frozenset()
        self._served: frozenset[str] | None = None  # preferred runs of which nothing is left to read
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._loaded_once = False
        self._pause = 0.0  # seconds until the next look, at least

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="insight-loader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def prefer(self, runs: frozenset[str]) -> None:
        """Somebody looks at these runs: they are read before the others."""
        self._preferred = runs

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """Where the event file of a run lies that has this place among its files."""
        for tailed in list(self._files.values()):
            if tailed.found.run == run and tailed.found.order == order:
                return tailed.found.path
        return None

    def progress(self) -> Progress:
        files = list(self._files.values())
        total = sum(max(t.found.size, t.file.position) for t in files)
        read = sum(
            t.file.position if self._is_behind(t) else max(t.found.size, t.file.position) for t in files
        )
        return Progress(read, total, self._loaded_once)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.load()
            except Exception:  # a fault here must not end the tailing of all logs
                log.exception("loading failed; it is tried again")
            if self._interval <= 0:
                return
            self._stop.wait(max(self._interval, self._pause))

    def load(self) -> None:
        """One look at the logdirs, and everything in them that was not read before."""
        began, worked = time.monotonic(), time.thread_time()
        found = discover(self._logdirs)
        # reading and waiting for other threads are no reason to look less often: live data is due
        self._pause = max(time.monotonic() - began, _IDLE_SHARE * (time.thread_time() - worked))
        self._reconcile(found)
        behind = deque(self._behind())
        self._served = None
        while behind and not self._stop.is_set():
            tailed = self._next(behind)
            if self._read_turn(tailed):
                behind.append(tailed)
        if not self._stop.is_set():
            self._settle()
            if not self._loaded_once:
                self._loaded_once = True
                self._store.touch_runs()

    def _reconcile(self, found: Found) -> None:
        for key in [key for key in self._files if key not in found.files]:
            tailed = self._files.pop(key)
            self._store.drop_file(tailed.found.run, tailed.found.name, tailed.found.order)
        for run in self._runs - found.runs.keys():
            self._store.remove_run(run)
        newest_first = sorted(found.runs, key=lambda run: -found.runs[run])
        for run in newest_first:
            if run not in self._runs:
                self._store.add_run(run)
        self._runs = set(found.runs)
        for key, file in found.files.items():
            if key in self._files:
                self._files[key].found = file
            else:
                self._files[key] = _Tailed(file, EventFile(file.path, file.dialect))
        for run, name in self._noted.keys() - found.damage.keys():
            self._store.set_damage(run, name, ())
        for (run, name), flaw in found.damage.items():
            self._store.set_damage(run, name, [flaw])
        self._noted = found.damage

    def _is_behind(self, tailed: _Tailed) -> bool:
        return not tailed.file.is_unchanged(tailed.found.size, tailed.found.mtime_ns)

    def _behind(self) -> list[_Tailed]:
        """Files with something to read, those of the newest runs first."""
        newest: dict[str, int] = {}
        for tailed in self._files.values():
            run = tailed.found.run
            newest[run] = max(newest.get(run, 0), tailed.found.mtime_ns)
        behind = [tailed for tailed in self._files.values() if self._is_behind(tailed)]
        return sorted(behind, key=lambda t: (-newest[t.found.run], t.found.run, t.found.order))

    def _next(self, behind: deque[_Tailed]) -> _Tailed:
        preferred = self._preferred
        if preferred is not self._served:
            for index, tailed in enumerate(behind):
                if tailed.found.run in preferred:
                    del behind[index]
                    return tailed
            self._served = preferred  # looked for once: a search for every turn would be quadratic
        return behind.popleft()

    def _read_turn(self, tailed: _Tailed) -> bool:
        """Reads some chunks; returns whether there is more."""
        found, file = tailed.found, tailed.file
        try:
            for _ in range(_TURN):
                batch = file.read()
                if batch is None:
                    self._store.set_damage(found.run, found.name, file.flaws())
                    return False
                self._store.append(found.run, found.name, found.order, file.dialect, batch)
        except Replaced:
            self._store.drop_file(found.run, found.name, found.order)
            tailed.file = EventFile(found.path, found.dialect)
            return True
        except FileNotFoundError:
            return False  # the next look finds it gone
        except OSError as error:
            flaw = Flaw(file.position, f"cannot be read: {error.strerror or error}")
            self._store.set_damage(found.run, found.name, [*file.flaws(), flaw])
            return False
        except Exception as error:  # one file must not keep the others from being read
            reason = f"reading failed: {str(error) or type(error).__name__}"
            if reason != tailed.failure:  # it is tried again at every look, and told once
                log.exception("reading %s failed", found.path)
                tailed.failure = reason
            flaw = Flaw(file.position, reason)
            self._store.set_damage(found.run, found.name, [*file.flaws(), flaw])
            return False
        return True

    def _settle(self) -> None:
        """Every file is read to its end: runs are complete, and old cut-off tails are damage."""
        for tailed in self._files.values():
            if tailed.file.is_unchanged(tailed.found.size, tailed.found.mtime_ns):
                self._store.set_damage(tailed.found.run, tailed.found.name, tailed.file.flaws())
        for run in self._runs:
            self._store.set_loading(run, False)
