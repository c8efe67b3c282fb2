"""What waits to be written, and the thread that writes it."""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import SupportsIndex

from insight_core.summary.dialects import Value
from insight_core.summary.files import EventFiles
from insight_core.summary.waiting import Waiting

_ENDING_SECONDS = 30.0


class RecordWriter:
    """Takes values and records from any thread.

    Whoever has to wait for the files writes what waits himself: the thread is for those who need not. After
    an error nothing more is written, and every call raises it.
    """

    def __init__(self, files: EventFiles, queue_size: int, drops: bool, flush_seconds: float) -> None:
        self.error: Exception | None = None
        self.closed = False
        self.dropped = 0
        self._files = files
        self._queue_size = queue_size
        self._half = queue_size / 2
        self._drops = drops
        self._flush_seconds = flush_seconds
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()  # guards these three
        self._waiting = Waiting()
        self._names: list[str] = []  # of the scalars of the next record
        self._others: list[Value] = []  # of the next record
        self._writing = threading.Lock()  # guards the files
        self._some, self._many = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def begin_in_child(self) -> None:
        """In a process that was forked: what waits is written by the parent, into the parent's file."""
        self._begin()
        self._files.close()

    def add_number(self, name: str, number: float) -> None:
        with self._lock:
            self._names.append(name)
            self._waiting.numbers.append(number)

    def add(self, values: list[Value]) -> None:
        with self._lock:
            self._others += values

    def record(self, step: SupportsIndex, wall_time: float) -> None:
        """Raises TypeError for a step that is no integer, OverflowError for one of more than 64 bits."""
        while True:
            with self._lock:
                waiting = self._waiting
                if waiting.load < self._queue_size:
                    if self._names or self._others:
                        waiting.add(step, wall_time, self._names, self._others)
                        self._names = []
                        if self._others:
                            self._others = []
                        if len(waiting.steps) == 1:
                            self._wake()
                        if waiting.load >= self._half and not self._many.is_set():
                            self._many.set()
                    return
                if self._drops:
                    self.dropped += 1
                    waiting.without_last(len(self._names))
                    self._names, self._others = [], []
                    return
            self.drain()

    def drain(self) -> None:
        """Writes all that waits now. Raises what went wrong, now or before."""
        with self._writing:
            with self._lock:
                waiting = self._waiting
                self._waiting = waiting.without_last(len(self._names))
            if len(waiting) and self.error is None:
                try:
                    self._files.write(waiting)
                except Exception as error:
                    self.error = error
        self.check()

    def flush(self) -> None:
        """Returns when all that waited outlives a crash of the machine."""
        self.drain()
        with self._writing:
            try:
                self._files.sync()
            except OSError as error:
                self.error = error
        self.check()

    def check(self) -> None:
        """Raises what went wrong in writing."""
        error = self.error
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, error.filename) from error
        if error is not None:
            raise RuntimeError(f"summaries cannot be written: {error}") from error

    def close(self) -> None:
        """Writes what waits and ends the thread."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
        self._some.set()
        self._many.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(_ENDING_SECONDS)
        try:
            self.flush()
        finally:
            self._files.close()

    def _wake(self) -> None:
        self._some.set()
        if self._thread is not None:
            return
        processes = sys.modules.get("multiprocessing.process")
        if processes is not None and processes.parent_process() is not None:
            util = sys.modules["multiprocessing.util"]  # such a process may run no exit functions but these
            util.Finalize(None, self.close, exitpriority=0)
        self._thread = threading.Thread(target=self._run, name="summary writer", daemon=True)
        with contextlib.suppress(RuntimeError):  # at exit there are no new threads: close() writes
            self._thread.start()

    def _run(self) -> None:
        while not self.closed:
            self._some.wait()
            self._many.wait(self._flush_seconds)
            self._some.clear()
            self._many.clear()
            with contextlib.suppress(Exception):  # it is kept, and raised at the next call
                self.drain()
