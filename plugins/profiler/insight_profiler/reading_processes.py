"""Starts and supervises the processes that read profiles."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from insight_core.plugin import InsightError
from insight_profiler.model import Note
from insight_profiler.worker import FAILED, HEAD, PIECE

AT_ONCE = 2  # processes
IDLE = 30.0  # seconds after which one that has nothing to do ends
_PIPE = 1 << 20  # bytes that a pipe should hold
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Linux has


class Order(Protocol):
    """One profile to be read, and the callbacks to notify. ``begin`` sends the order to the process."""

    def begin(self) -> Mapping[str, object]:
        """The request to the process, as a JSON object."""

    def open(self, name: str) -> BinaryIO:
        """Opens a file of the profile for reading. Raises OSError."""

    def has_sent(self, count: int) -> None:
        """Called when ``count`` bytes of the profile have been sent to the process."""

    def has_look(self, directory: Path) -> None:
        """Called when ``directory`` holds a first, incomplete result."""

    def is_done(self, directory: Path) -> None:
        """Called when ``directory`` holds the complete result."""

    def has_failed(self, note: Note) -> None:
        """Called when the profile cannot be read."""


class ReadingProcesses:
    """A queue of orders, and at most ``at_once`` processes that read."""

    def __init__(self, at_once: int = AT_ONCE, idle: float = IDLE, command: list[str] | None = None) -> None:
        self._at_once = at_once
        self._idle = idle
        self._command = command or [sys.executable, "-P", "-m", "insight_profiler.worker"]
        self._changed = threading.Condition()
        self._queue: deque[Order] = deque()
        self._threads = 0
        self._waiting = 0
        self._running: set[subprocess.Popen[bytes]] = set()

    @property
    def pids(self) -> list[int]:
        """Of processes that are there."""
        return [process.pid for process in list(self._running) if process.poll() is None]

    def close(self) -> None:
        """Ends all processes without waiting; what they read is incomplete."""
        with self._changed:
            self._queue.clear()
        for process in list(self._running):
            process.kill()

    def read(self, order: Order) -> None:
        """Puts a profile in the queue."""
        with self._changed:
            self._queue.append(order)
            if self._waiting >= len(self._queue) or self._threads >= self._at_once:
                self._changed.notify()
                return
            self._threads += 1
        threading.Thread(target=self._work, name="profile-reader", daemon=True).start()

    def _next(self) -> Order | None:
        """None after a while in which there was nothing to do."""
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: bool(self._queue), self._idle)
            self._waiting -= 1
            if self._queue:
                return self._queue.popleft()
            self._threads -= 1
            return None

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        try:
            while (order := self._next()) is not None:
                if process is None or process.poll() is not None:
                    try:
                        process = self._start()
                    except OSError as error:
                        text = f"the process that reads it could not be started: {error}"
                        order.has_failed(Note("reader_died", {"how": str(error)}, text))
                        continue
                if not self._serve(process, order):
                    self._end(process)
                    how = _how(process.returncode)
                    order.has_failed(
                        Note("reader_died", {"how": how}, f"the process that read it died: {how}")
                    )
                    process = None
        finally:
            if process is not None:
                self._end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # a Ctrl-C in the terminal is for the host
        )
        if sys.platform == "linux" and process.stdin is not None:
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.fcntl(process.stdin, _SET_PIPE_SIZE, _PIPE)
        self._running.add(process)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(OSError):
            cast(BinaryIO, process.stdin).close()
        try:
            process.wait(1.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        cast(BinaryIO, process.stdout).close()
        self._running.discard(process)

    def _serve(self, process: subprocess.Popen[bytes], order: Order) -> bool:
        """Gives a process one order, and what it asks for. False if it dies before it is through."""
        into, out = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
        streams: dict[int, BinaryIO] = {}
        try:
            into.write(json.dumps(order.begin()).encode() + b"\n")
            into.flush()
            for line in out:
                message = json.loads(line)
                if "read" in message:
                    piece = _piece(order, streams, message["stream"], message["read"])
                    into.write(piece)
                    into.flush()
                elif "close" in message:
                    if stream := streams.pop(message["close"], None):
                        stream.close()
                elif "look" in message:
                    order.has_look(Path(message["look"]))
                elif "done" in message:
                    order.is_done(Path(message["done"]))
                    return True
                else:
                    order.has_failed(Note(**message["failed"]))
                    return True
        except (OSError, ValueError):
            pass  # a pipe without another end, or half a line
        finally:
            for stream in streams.values():
                stream.close()
        return False


def _piece(order: Order, streams: dict[int, BinaryIO], number: int, name: str) -> bytes:
    try:
        if number not in streams:
            streams[number] = order.open(name)
        data = streams[number].read(PIECE)
        order.has_sent(len(data))
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
    return f"killed by {name}" + (", as happens when memory runs out" if name == "SIGKILL" else "")
