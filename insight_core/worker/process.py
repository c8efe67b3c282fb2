"""One worker process as the host sees it: it is given calls one after the other, and what they ask for."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, BinaryIO, cast

from insight_core.plugin import InsightError
from insight_core.worker.job import WorkerFailed, WorkerJob, WorkerLimits, WorkerSource
from insight_core.worker.link import FAILED, HEAD, PIECE
from insight_record.formats.reason import Reason, ReasonKind

COMMAND = (sys.executable, "-P", "-m", "insight_core.worker.child")
_PIPE = 1 << 20  # bytes that a pipe should hold
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Linux has
_LONGEST_LINE = 1 << 20  # bytes of what a worker says
_ENDING = 1.0  # seconds that a process has to end by itself
# address space counts: allocators must not reserve more than they use
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_WORKER_DIED = ReasonKind("worker_died", "the process that read it died: {how}")
_WORKER_DEADLINE = ReasonKind("worker_deadline", "it was ended after {seconds} s")


class WorkerProcess:
    """A process and its pipes. ``serve`` is called by one thread at a time, ``kill`` by any."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        """Starts it. Raises OSError."""
        path = os.pathsep.join(filter(None, sys.path))  # modules are those of the host
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": path},
            process_group=0,  # a Ctrl-C in the terminal is for the host
        )
        self._into = cast(BinaryIO, self._process.stdin)
        self._out = cast(BinaryIO, self._process.stdout)
        if sys.platform == "linux":
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.fcntl(self._into, _SET_PIPE_SIZE, _PIPE)

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Ends it now."""
        self._process.kill()

    def end(self) -> None:
        """Has it end, and waits until it has."""
        with contextlib.suppress(OSError):
            self._into.close()
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._out.close()

    def serve(self, job: WorkerJob, limits: WorkerLimits) -> bool:
        """Has it do a job, and tells the job. Returns whether the process can be given another."""
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self.kill()

        timer = None if limits.deadline is None else threading.Timer(limits.deadline, end)
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            last = self._served(job, limits)
        finally:
            if timer is not None:
                timer.cancel()
        if last is not None and not is_late.is_set():
            return last
        if last is None:
            self.end()
            job.has_failed(_late(limits) if is_late.is_set() else died(_how(self._process.returncode)))
        return False

    def _served(self, job: WorkerJob, limits: WorkerLimits) -> bool | None:
        """None if the process died before it was through, else whether it goes on."""
        streams: dict[int, WorkerSource] = {}
        order = {
            "function": job.function,
            "imports": job.imports,
            "arguments": job.begin(),
            "memory": limits.memory,
            "seconds": limits.seconds + job.more_seconds,
            "answer": limits.answer,
        }
        try:
            self._into.write(json.dumps(order).encode() + b"\n")
            self._into.flush()
            while line := self._out.readline(_LONGEST_LINE):
                message = json.loads(line)
                if "read" in message:
                    self._into.write(_piece(job, streams, message["stream"], message["read"]))
                    self._into.flush()
                elif "close" in message:
                    if stream := streams.pop(message["close"], None):
                        stream.close()
                elif "said" in message:
                    job.has_said(message["said"])
                elif "answer" in message:
                    answer = self._out.read(message["answer"])
                    if len(answer) < message["answer"]:
                        return None
                    job.is_done(answer)
                    return bool(message["stays"])
                else:
                    job.has_failed(_failed(message["failed"]))
                    return bool(message["stays"])
        except (OSError, ValueError):
            pass  # a pipe without another end, or half a line
        finally:
            for stream in streams.values():
                stream.close()
        return None


def died(how: str) -> WorkerFailed:
    """The failure of a process that ended before its answer."""
    return WorkerFailed(_WORKER_DIED(how=how))


def _late(limits: WorkerLimits) -> WorkerFailed:
    seconds = round(limits.deadline or 0)
    return WorkerFailed(_WORKER_DEADLINE(seconds=seconds))


def _failed(told: dict[str, Any]) -> WorkerFailed:
    failure = WorkerFailed(Reason.restored(told["reason"]))
    failure.status = told["status"]
    return failure


def _piece(job: WorkerJob, streams: dict[int, WorkerSource], number: int, name: str) -> bytes:
    try:
        if number not in streams:
            streams[number] = job.open(name)
        data = streams[number].read(PIECE)
        job.has_sent(len(data))
        return len(data).to_bytes(HEAD, "little") + data
    except (InsightError, OSError) as error:
        text = str(error).encode("utf-8", "replace")
        return FAILED.to_bytes(HEAD, "little") + len(text).to_bytes(HEAD, "little") + text


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    is_memory = name in ("SIGABRT", "SIGKILL", "SIGSEGV")
    return f"killed by {name}" + (", as happens when memory runs out" if is_memory else "")
