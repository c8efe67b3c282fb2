"""A queue of calls and the processes that work on it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from insight_core.worker.job import WaitedJob, WorkerFailed, WorkerJob, WorkerLimits, WorkerSource
from insight_core.worker.process import COMMAND, WorkerProcess, died
from insight_record.formats.reason import ReasonKind

log = logging.getLogger(__name__)

AT_ONCE = min(8, max(2, os.cpu_count() or 1))  # processes
IDLE = 30.0  # seconds after which one that has nothing to do ends
_CLOSING = 0.6  # seconds that closing waits; a host gives plugins 0.8
_OWN_MEMORY = 128 << 20  # bytes of a process that works, besides what its job says
_WORKER_NOT_STARTED = ReasonKind(
    "worker_not_started", "the process that reads it could not be started: {how}"
)


class Workers:
    """A queue of jobs, and at most ``at_once`` processes that do them. For any thread.

    Parameters
    ----------
    limits : WorkerLimits
        What a job may take.
    at_once : int
        Processes. They are started when there is something to do and end after ``idle`` seconds without.
    memory : int or None
        Bytes that the jobs under way may take together, by their own estimates; one alone is always begun.
    """

    def __init__(
        self,
        limits: WorkerLimits,
        at_once: int = AT_ONCE,
        *,
        idle: float = IDLE,
        memory: int | None = None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.limits = limits
        self._at_once = at_once
        self._idle = idle
        self._command = command
        self._memory = memory
        self._changed = threading.Condition()
        self._urgent: deque[WorkerJob] = deque()  # before all in the queue
        self._queue: deque[WorkerJob] = deque()
        self._threads = 0
        self._waiting = 0
        self._reserved: dict[int, int] = {}  # bytes, by the job that is being done
        self._running: set[WorkerProcess] = set()
        self._workers: set[threading.Thread] = set()
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """Of processes that are there."""
        return [process.pid for process in list(self._running) if process.is_running]

    def close(self) -> None:
        """Kills all processes and waits until their jobs have failed, so that nothing of these is left on
        disk. A job that waits long for its files is left behind, and later jobs fail."""
        with self._changed:
            self._is_closed = True
            left = [*self._urgent, *self._queue]
            self._urgent.clear()
            self._queue.clear()
            for process in self._running:
                process.kill()
            workers = list(self._workers)
            self._changed.notify_all()
        for job in left:
            job.has_failed(_closed())
        end = time.monotonic() + _CLOSING
        for worker in workers:
            worker.join(max(0.0, end - time.monotonic()))

    def call(
        self,
        function: str,
        arguments: Mapping[str, object],
        opener: Callable[[str], WorkerSource] | None = None,
    ) -> bytes:
        """The answer of ``function``, ``"package.module:name"``, which gets a ``WorkerLink`` and the
        arguments. ``opener`` opens what the function asks for by name. Raises WorkerFailed.
        """
        job = WaitedJob(function, arguments, opener)
        self.start(job)
        return job.result()

    def start(self, job: WorkerJob, *, is_urgent: bool = True) -> None:
        """Puts a job in the queue; an urgent one, which a user waits for, before those that are not."""
        with self._changed:
            is_closed = self._is_closed
            if not is_closed:
                (self._urgent if is_urgent else self._queue).append(job)
                if self._waiting >= self._count() or self._threads >= self._at_once:
                    self._changed.notify()
                    return
                self._threads += 1
                worker = threading.Thread(target=self._work, name="worker", daemon=True)
                self._workers.add(worker)
                worker.start()
        if is_closed:
            job.has_failed(_closed())

    def hurry(self, job: WorkerJob) -> None:
        """Moves a job that is still in the queue before all that are not urgent."""
        with self._changed:
            if job in self._queue:
                self._queue.remove(job)
                self._urgent.append(job)

    def _count(self) -> int:
        return len(self._urgent) + len(self._queue)

    def _fits(self) -> bool:
        """Whether there is a job, and memory for it."""
        queue = self._urgent or self._queue
        if not queue or self._memory is None:
            return bool(queue)
        reserved = sum(self._reserved.values())
        return not reserved or reserved + _OWN_MEMORY + queue[0].memory <= self._memory

    def _next(self) -> WorkerJob | None:
        """None after a while in which there was nothing to do, and once all is closed."""
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: self._is_closed or self._fits(), self._idle)
            self._waiting -= 1
            if self._fits():
                job = (self._urgent or self._queue).popleft()
                self._reserved[id(job)] = _OWN_MEMORY + job.memory
                return job
            self._threads -= 1
            return None

    def _work(self) -> None:
        process: WorkerProcess | None = None
        try:
            while (job := self._next()) is not None:
                try:
                    process = self._done_by(process, job)
                except Exception as error:  # of the job itself, which must not wait for ever
                    process = None
                    log.exception("a job of a worker failed in the host")
                    job.has_failed(WorkerFailed(str(error), reason=str(error)))
                finally:
                    with self._changed:
                        self._reserved.pop(id(job), None)
                        self._changed.notify_all()
        finally:
            if process is not None:
                self._end(process)
            with self._changed:
                self._workers.discard(threading.current_thread())

    def _done_by(self, process: WorkerProcess | None, job: WorkerJob) -> WorkerProcess | None:
        """Gives a job to the process, or to a new one if that has ended. Returns the process for the next
        job; None if it could not be started or must not go on."""
        if process is not None and not process.is_running:
            self._end(process)
            process = None
        if process is None:
            try:
                process = WorkerProcess(self._command)
            except OSError as error:
                job.has_failed(WorkerFailed(_WORKER_NOT_STARTED(how=str(error))))
                return None
            with self._changed:
                self._running.add(process)
                if self._is_closed:
                    process.kill()
        goes_on = False
        try:
            goes_on = process.serve(job, self.limits)
        finally:
            if not goes_on:
                self._end(process)
        return process if goes_on else None

    def _end(self, process: WorkerProcess) -> None:
        process.end()
        with self._changed:
            self._running.discard(process)


def _closed() -> WorkerFailed:
    return died("the host ends")
