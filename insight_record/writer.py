"""The queue of recorded values, and the background thread that writes it."""

from __future__ import annotations

import _thread
import contextlib
import sys
import threading
from _thread import LockType
from collections import deque
from operator import index
from queue import Empty, SimpleQueue
from typing import Literal, NamedTuple, SupportsIndex

from insight_record.argument_checks import INT64
from insight_record.encoders.encoder import EncodedValue
from insight_record.queued_records import Recorded, Scalars, columns, load
from insight_record.rotating_files import EventFiles

_LOOK = 1.0  # seconds between checks whether the thread still runs, while waiting for it


class _Call(NamedTuple):
    """A request to the thread; ``done`` is released when it was processed."""

    what: Literal["some wait", "many wait", "write", "sync", "end"]
    done: LockType | None = None


_SOME, _MANY, _END = _Call("some wait"), _Call("many wait"), _Call("end")


class Closed(Exception):
    """The record is closed."""


class RecordWriter:
    """Accepts values and records from any thread and writes them in a background thread.

    Ctrl-C, a signal handler or the garbage collector may run between any two lines, and a handler may
    record, flush and close. Therefore the queue changes by one atomic operation of the interpreter at a
    time; the lock is reentrant, and the writing thread does not need it; and threads start, communicate and
    end only through primitives implemented in C: ``Event`` and ``Thread.start`` stay locked if an exception
    is raised inside them.

    After an error nothing more is written, and every call raises it.
    """

    def __init__(self, files: EventFiles, queue_size: int, drops: bool, flush_seconds: float) -> None:
        self.error: Exception | None = None
        self.closed = False
        self.dropped = 0
        self._files = files
        self._queue_size = queue_size
        self._half = (queue_size + 1) // 2
        self._drops = drops
        self._flush_seconds = flush_seconds
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.RLock()  # guards the attributes set by recording threads
        self._scalars: Scalars = []  # of the next record
        self._others: list[EncodedValue] = []  # of the next record
        self._taken = 0  # the load of all records so far
        self._told = 0  # of those that the thread was told of
        self._thread: LockType | None = None  # locked while there is one
        self._own: set[int] = set()  # threads that write: more than one where a start was interrupted
        self._records: deque[Recorded] = deque()
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._writing = threading.Lock()  # guards the files and the attributes set by the writing thread
        self._begun = 0  # the load of all records that have been written, or are just now
        self._ended = False

    def begin_in_child(self) -> None:
        """Resets the writer in a forked child: the parent writes the queue into its own file."""
        self._begin()
        self._files.close()

    def add_number(self, name: str, number: float) -> None:
        """Adds a scalar to the next record, without checking it."""
        with self._lock:
            self._scalars += (name, number)

    def add(self, values: list[EncodedValue]) -> None:
        """Adds values that were checked to the next record."""
        with self._lock:
            self._others += values

    def record(self, step: SupportsIndex, wall_time: float) -> None:
        """Raises Closed, TypeError for a non-integer step, OverflowError for a step beyond 64 bits."""
        number = index(step)
        if number not in INT64:
            raise OverflowError
        while True:
            with self._lock:
                if self.closed:  # another thread may have drained the queue
                    raise Closed
                waits = self._taken - self._begun
                if waits < self._queue_size:
                    if self._scalars or self._others:
                        scalars, others, self._scalars, self._others = self._scalars, self._others, [], []
                        record = (number, wall_time, others or None, *scalars)
                        self._records.append(record)
                        self._tell(waits, load(record))
                    return
                if self._drops:
                    self._scalars, self._others = [], []
                    self.dropped += 1
                    return
            self._call("write")

    def put(self, record: Recorded) -> None:
        """Queues a whole record, apart from values that were added. Raises Closed."""
        while True:
            with self._lock:
                if self.closed:
                    raise Closed
                waits = self._taken - self._begun
                if waits < self._queue_size:
                    self._records.append(record)
                    self._tell(waits, load(record))
                    return
                if self._drops:
                    self.dropped += 1
                    return
            self._call("write")

    def flush(self) -> None:
        """Returns when everything queued survives a crash of the machine."""
        self._call("sync")

    def check(self) -> None:
        """Raises the error of an earlier write."""
        error = self.error
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, error.filename) from error
        if error is not None:
            raise RuntimeError(f"summaries cannot be written: {error}") from error

    def close(self) -> None:
        """Writes the queue and ends the thread. Can be called again after an interruption."""
        with self._lock:
            self.closed = True
        if self._ended:
            return
        self._calls.put(_END)
        if threading.get_ident() in self._own:
            return  # the garbage collector closes, in the thread itself: it ends by itself
        if self._thread is not None:
            with self._thread:
                pass
        if not self._ended:
            self._do([_END])
        self.check()

    def _tell(self, waits: int, more: int) -> None:
        """Wakes the thread, if necessary."""
        self._taken += more
        if self._told <= self._begun:
            self._start()
            self._calls.put(_SOME)
            self._told = self._taken
        if waits < self._half <= waits + more:
            self._calls.put(_MANY)

    def _start(self) -> None:
        if self._thread is not None and self._thread.locked():
            return
        processes = sys.modules.get("multiprocessing.process")
        if processes is not None and processes.parent_process() is not None:
            util = sys.modules["multiprocessing.util"]  # such a process may run no exit functions but these
            util.Finalize(None, self.close, exitpriority=0)
        runs = threading.Lock()
        runs.acquire()
        with contextlib.suppress(RuntimeError):  # no new threads at exit: close() writes
            _thread.start_new_thread(self._run, (runs,))
            self._thread = runs  # not earlier: the start may be interrupted

    def _call(self, what: Literal["write", "sync"]) -> None:
        """Lets the thread write the queue, and returns when done. Raises current and earlier errors."""
        thread = self._thread
        done = threading.Lock()
        done.acquire()
        if thread is None or not thread.locked():
            self._do([_Call(what)])
        elif threading.get_ident() not in self._own:  # a destructor may run in this thread and cannot wait
            self._calls.put(_Call(what, done))
            while not done.acquire(timeout=_LOOK):
                if not thread.locked():
                    self._do([_Call(what)])
                    break
        self.check()

    def _run(self, runs: LockType) -> None:
        self._own.add(threading.get_ident())
        calls: list[_Call] = []
        while _END not in calls:
            calls = [self._calls.get()]
            if calls == [_SOME]:
                with contextlib.suppress(Empty):
                    calls.append(self._calls.get(timeout=self._flush_seconds))
            self._do(calls)
        self._calls.put(_END)  # for another thread, whose start was interrupted
        self._own.remove(threading.get_ident())
        runs.release()

    def _do(self, calls: list[_Call]) -> None:
        """Writes everything queued now. An error is kept and raised at the next call."""
        with self._writing:
            self._begun = self._taken
            records = [self._records.popleft() for _ in range(len(self._records))]
            try:
                if records and self.error is None:
                    if self._files.has_room():
                        self._files.write(columns(records))
                    else:
                        self.dropped += len(records)
                if any(call.what in ("sync", "end") for call in calls) and self.error is None:
                    self._files.sync()
            except Exception as error:
                self.error = error
            if _END in calls:
                self._files.close()
                self._ended = True
        for call in calls:
            if call.done is not None:
                call.done.release()
