"""Programs under measurement: started, watched by what the kernel counts, and ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from attrs import frozen

_PATIENCE = 5.0  # seconds that a program has to end by itself

os.environ.setdefault("INSIGHT_HOST_TOKEN", "0")  # hosts under measurement are asked without a token


class Failed(RuntimeError):
    """A program ended, or did not do in time what was waited for."""


class Log:
    """What a program writes to stderr, taken by a thread that sleeps until there is something."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._text = b""
        self._ended = False
        self._grew = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def __str__(self) -> str:
        return self._text.decode(errors="replace")

    def await_text(self, wanted: str, patience: float) -> float:
        """Returns when (perf_counter) ``wanted`` was written. Raises Failed."""
        with self._grew:
            self._grew.wait_for(lambda: wanted in str(self) or self._ended, patience)
            now = time.perf_counter()
        if wanted not in str(self):
            raise Failed(f"{wanted!r} was not written: {str(self)[-2000:]}")
        return now

    def close(self) -> None:
        self._thread.join(_PATIENCE)

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while piece := os.read(stream.fileno(), 1 << 16):
                with self._grew:
                    self._text += piece
                    self._grew.notify_all()
        with self._grew:
            self._ended = True
            self._grew.notify_all()


@frozen
class Program:
    """A running program with all that it started."""

    process: subprocess.Popen[bytes]
    log: Log
    began: float  # perf_counter just before it was started
    port: int = 0

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def processor_time(self) -> float:
        """Seconds of user and system time of its processes that live, threads that ended included."""
        return _processor_time(self._processes())

    def children_processor_time(self) -> float:
        """The same, without the first process."""
        return _processor_time(self._processes()[1:])

    def peak_memory(self) -> float:
        """Megabytes: the sum of the largest resident sizes that its processes ever had."""
        children = self._processes()[1:]
        total = peak_memory(self.process.pid)
        for number in children:
            with suppress(Failed):  # a child that has ended meanwhile holds nothing
                total += peak_memory(number)
        return total

    def children(self) -> list[int]:
        """Its processes but the first."""
        return self._processes()[1:]

    def wait(self, done: Callable[[], bool], *, pause: float, patience: float) -> float:
        """Seconds from the start until ``done`` says so, asked every ``pause`` seconds. Raises Failed."""
        while not done():
            if self.process.poll() is not None:
                self.log.close()  # what it said last may still be on its way
                raise Failed(f"ended with {self.process.returncode}: {str(self.log)[-2000:]}")
            if self.elapsed() > patience:
                raise Failed(f"not done after {patience:.0f} s: {str(self.log)[-2000:]}")
            time.sleep(pause)
        return self.elapsed()

    def _processes(self) -> list[int]:
        found, pending = [], [self.process.pid]
        while pending:
            number = pending.pop()
            found.append(number)
            for task in Path(f"/proc/{number}/task").glob("*/children"):
                pending += map(int, task.read_text().split())
        return found


def _processor_time(processes: Sequence[int]) -> float:
    try:
        return sum(time.clock_gettime(_processor_clock(number)) for number in processes)
    except OSError as error:
        raise Failed("one of its processes has ended") from error


def _processor_clock(process: int) -> int:
    """The id of the clock that counts a process's processor time: include/linux/posix-timers.h."""
    return ~process << 3 | 2


def peak_memory(process: int | str = "self") -> float:
    """Megabytes (VmHWM) of one process."""
    with suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    raise Failed(f"process {process} has ended")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(
    command: Sequence[str], *, port: int = 0, environment: Mapping[str, str] | None = None
) -> Iterator[Program]:
    """Runs a program in a process group of its own, all of which is ended with the block."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,  # stays open: a data server may end when it closes
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=_with_bytecode(os.environ if environment is None else environment),
        start_new_session=True,
    )
    assert process.stderr is not None
    log = Log(process.stderr)
    try:
        yield Program(process, log, began, port)
    finally:
        _end(process)
        log.close()


def _with_bytecode(environment: Mapping[str, str]) -> dict[str, str]:
    """An installer compiles what it installs; a source tree must be allowed to keep what is compiled."""
    return {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # and whom it left behind
    process.wait()
    if process.stdin:
        process.stdin.close()


def peer_environment(workspace: Path) -> dict[str, str]:
    """What a peer's own Python needs: none of ours."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "HOME": str(workspace), "MINDINSIGHT_WORKSPACE": str(workspace)}
