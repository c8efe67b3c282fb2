"""Reads files with unread bytes in several threads: newest runs first, in fair turns."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from attrs import define

from insight_core.ingest.listing import SystemWaits
from insight_core.ingest.scanner.small_files import LARGEST
from insight_core.ingest.tailer import Tailed, read_together

_TURN = 2  # batches of one run before the next run has its turn
_TASK = (
    1 << 20
)  # bytes of small files that a thread takes at a time: taking turns costs more than reading one
_MOST_THREADS = 8
_MOST_WAITING = 32  # threads, most of which wait for the disk or network
_LONG = 256 << 10  # bytes; shorter files mostly need the interpreter, which one thread can use at a time
_WORTH_A_THREAD = 4 << 20  # bytes of long files that make another thread worthwhile


@define(eq=False)
class _Unread:
    """Files of one run with unread bytes, in the order of their start times."""

    run: str
    files: list[Tailed]  # mostly one
    size: int = 0  # bytes unread


class Reading:
    """Reads all unread bytes once. One thread at a time reads a run, its files in order."""

    def __init__(
        self,
        behind: Iterable[Tailed],
        preferred: Callable[[], frozenset[str]],
        stops: Callable[[], bool],
        files_read: Callable[[Sequence[Tailed]], None],
        runs_read: Callable[[Sequence[str]], None],
    ) -> None:
        """``behind`` are files with unread bytes; they are read newest runs first.

        ``files_read`` is called in any thread with files that were read, ``runs_read`` with runs.
        """
        self._queue: OrderedDict[str, _Unread] = OrderedDict()
        self._long = self._small = 0  # unread bytes at the start, of long files and of others
        for files in _by_run(behind):
            run, sizes = files[0].found.run, [tailed.unread for tailed in files]
            self._queue[run] = _Unread(run, files, sum(sizes))
            for size in sizes:
                if size >= _LONG:
                    self._long += size
                else:
                    self._small += size
        self._preferred = preferred
        self._served: frozenset[str] = frozenset()  # preferred runs by which the queue is sorted
        self._stops = stops
        self._files_read, self._runs_read = files_read, runs_read
        self._threads: list[threading.Thread] = []
        self._at_work = 1  # threads
        self._worth_it = _processors()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Reads everything, or until ``stops`` returns True."""
        self._share(self._long)
        self._work()
        for thread in self._threads:
            thread.join()

    def _share(self, size: int) -> None:
        """Starts threads as far as worthwhile for this many bytes scanned without the interpreter."""
        self._have_threads(min(_processors(), _MOST_THREADS, 1 + size // _WORTH_A_THREAD))

    def _have_threads(self, count: int) -> None:
        with self._lock:
            for _ in range(min(count - 1 - len(self._threads), len(self._queue) - 1)):
                thread = threading.Thread(target=self._work, name="insight-reader", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system gives no further thread: the others read everything
                    return
                self._threads.append(thread)
                self._at_work += 1

    def _work(self) -> None:
        """Reads runs in turns until nothing is left, or until ``stops`` returns True."""
        try:  # a thread without a task ends: other threads requeue their own runs
            while not self._stops() and (task := self._take()):
                waits = SystemWaits()
                count = sum(len(unread.files) for unread in task)
                self._read_small(task)
                for unread in task:
                    turn = _TURN
                    while turn > 0 and unread.files:
                        batches, more = unread.files[0].read(turn, self._at_work < self._worth_it)
                        turn -= batches
                        if not more:
                            self._files_read([unread.files.pop(0)])
                self._runs_read([unread.run for unread in task if not unread.files])
                self._put_back([unread for unread in task if unread.files])
                if waits.are_long(count):
                    self._have_threads(_MOST_WAITING)
        finally:
            with self._lock:
                self._at_work -= 1

    def _read_small(self, task: list[_Unread]) -> None:
        """Reads the first small files of these runs in bulk, except files with an index entry or damage."""
        size = 0
        fresh: list[Tailed] = []
        done: set[Tailed] = set()
        for unread in task:
            waits = False
            for tailed in unread.files:
                if not tailed.is_new or tailed.reader or tailed.found.size > LARGEST or size >= _TASK:
                    break
                if waits and tailed.is_kept:
                    break  # files of a run are read in order: the first metadata of a tag decides
                size += tailed.found.size
                _, more = tailed.read(0)
                if not more:
                    done.add(tailed)
                elif not tailed.position:
                    fresh.append(tailed)
                    waits = True
                else:
                    break
        if fresh:
            self._share(self._small)
            done.update(read_together(fresh, fresh[0].store.number_plugins))
        if done:
            self._files_read([tailed for unread in task for tailed in unread.files if tailed in done])
            for unread in task:
                unread.files = [tailed for tailed in unread.files if tailed not in done]

    def _take(self) -> list[_Unread]:
        """The next run to read, or several small ones."""
        with self._lock:
            self._sort()
            task: list[_Unread] = []
            size = 0
            while self._queue and size < _TASK:
                _, unread = self._queue.popitem(last=False)
                task.append(unread)
                size += unread.size
            return task

    def _put_back(self, task: list[_Unread]) -> None:
        with self._lock:
            for unread in reversed(task):
                unread.size = sum(tailed.unread for tailed in unread.files)
                self._queue[unread.run] = unread
                if unread.run in self._served:
                    self._queue.move_to_end(unread.run, last=False)

    def _sort(self) -> None:
        """Puts preferred runs first."""
        preferred = self._preferred()
        if preferred is not self._served:
            self._served = preferred
            for run in [run for run in reversed(self._queue) if run in preferred]:
                self._queue.move_to_end(run, last=False)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _by_run(files: Iterable[Tailed]) -> list[list[Tailed]]:
    """Files of the same run together in their order, the run whose file changed last first."""
    runs: dict[str, list[Tailed]] = {}
    newest: dict[str, int] = {}
    for tailed in files:
        run, changed = tailed.found.run, tailed.found.mtime_ns
        known = runs.get(run)
        if known is None:
            runs[run], newest[run] = [tailed], changed
        else:
            known.append(tailed)
            newest[run] = max(newest[run], changed)
    for known in runs.values():
        if len(known) > 1:
            known.sort(key=lambda tailed: tailed.found.order)
    names = sorted(runs)  # a search has many runs that changed at the same time
    names.sort(key=newest.__getitem__, reverse=True)
    return [runs[name] for name in names]
