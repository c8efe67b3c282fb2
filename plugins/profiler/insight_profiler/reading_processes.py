"""Starts and supervises the processes that read profiles."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from insight_core.plugin import InsightError
from insight_profiler.model import Note
from insight_profiler.worker import FAILED, HEAD, PIECE

AT_ONCE = min(8, max(2, os.cpu_count() or 1))  # processes
MEMORY = 2 << 30  # bytes that all of them may take together
_OWN_MEMORY = 128 << 20  # bytes of a process that reads, besides the file: about as much as its columns take
IDLE = 30.0  # seconds after which one that has nothing to do ends
_CLOSING = 0.6  # seconds that closing waits; a host gives plugins 0.8
_PIPE = 1 << 20  # bytes that a pipe should hold
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Linux has


class Order(Protocol):
    """One profile to be read, and the callbacks to notify. ``begin`` sends the order to the process."""

    @property
    def memory(self) -> int:
        """Bytes that the columns of the profile take, estimated."""

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
    """A queue of orders, and at most ``at_once`` processes that read, within ``memory`` bytes together."""

    def __init__(
        self,
        at_once: int = AT_ONCE,
        idle: float = IDLE,
        command: list[str] | None = None,
        memory: int = MEMORY,
    ) -> None:
        self._at_once = at_once
        self._idle = idle
        self._command = command or [sys.executable, "-P", "-m", "insight_profiler.worker"]
        self._memory = memory
        self._changed = threading.Condition()
        self._urgent: deque[Order] = deque()  # before all in the queue
        self._queue: deque[Order] = deque()
        self._threads = 0
        self._waiting = 0
        self._reserved: dict[int, int] = {}  # bytes, by the order that is being read
        self._running: set[subprocess.Popen[bytes]] = set()
        self._readers: set[threading.Thread] = set()
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """Of processes that are there."""
        return [process.pid for process in list(self._running) if process.poll() is None]

    def close(self) -> None:
        """Kills all processes and waits until their orders have failed, so that nothing of these is left on
        disk. An order that waits long for its files is left behind, and later orders are ignored."""
        with self._changed:
            self._is_closed = True
            self._urgent.clear()
            self._queue.clear()
            for process in self._running:
                process.kill()
            readers = list(self._readers)
            self._changed.notify_all()
        end = time.monotonic() + _CLOSING
        for reader in readers:
            reader.join(max(0.0, end - time.monotonic()))

    def read(self, order: Order, *, is_urgent: bool = True) -> None:
        """Puts a profile in the queue; an urgent one, which a user looks at, before those that are not."""
        with self._changed:
            if self._is_closed:
                return
            (self._urgent if is_urgent else self._queue).append(order)
            if self._waiting >= self._count() or self._threads >= self._at_once:
                self._changed.notify()
                return
            self._threads += 1
            reader = threading.Thread(target=self._work, name="profile-reader", daemon=True)
            self._readers.add(reader)
            reader.start()

    def hurry(self, order: Order) -> None:
        """Moves an order that is still in the queue before all that are not urgent."""
        with self._changed:
            if order in self._queue:
                self._queue.remove(order)
                self._urgent.append(order)

    def _count(self) -> int:
        return len(self._urgent) + len(self._queue)

    def _fits(self) -> bool:
        """Whether there is an order, and memory for it; one alone is always read."""
        queue = self._urgent or self._queue
        reserved = sum(self._reserved.values())
        return bool(queue) and (not reserved or reserved + _OWN_MEMORY + queue[0].memory <= self._memory)

    def _next(self) -> Order | None:
        """None after a while in which there was nothing to do, and once all is closed."""
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: self._is_closed or self._fits(), self._idle)
            self._waiting -= 1
            if self._fits():
                order = (self._urgent or self._queue).popleft()
                self._reserved[id(order)] = _OWN_MEMORY + order.memory
                return order
            self._threads -= 1
            return None

    def _is_through(self, order: Order) -> None:
        with self._changed:
            self._reserved.pop(id(order), None)
            self._changed.notify_all()

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        try:
            while (order := self._next()) is not None:
                try:
                    process = self._read_by(process, order)
                finally:
                    self._is_through(order)
        finally:
            if process is not None:
                self._end(process)
            with self._changed:
                self._readers.discard(threading.current_thread())

    def _read_by(
        self, process: subprocess.Popen[bytes] | None, order: Order
    ) -> subprocess.Popen[bytes] | None:
        """Sends an order to the process, or to a new one if that has ended. Returns the process for the next
        order; None if it could not be started or died."""
        if process is None or process.poll() is not None:
            try:
                process = self._start()
            except OSError as error:
                text = f"the process that reads it could not be started: {error}"
                order.has_failed(Note("reader_died", {"how": str(error)}, text))
                return None
        if self._serve(process, order):
            return process
        self._end(process)
        how = _how(process.returncode)
        order.has_failed(Note("reader_died", {"how": how}, f"the process that read it died: {how}"))
        return None

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
        with self._changed:
            self._running.add(process)
            if self._is_closed:
                process.kill()
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
        with self._changed:
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
