"""Runs a data server as a child process: starts it, restarts it when it ends, and stops it with the host."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from insight_core.providers.link import Link
from insight_core.providers.locations import Credentials
from insight_core.rpc.tokens import new_token

log = logging.getLogger(__name__)
_POLL = 0.02  # seconds between two reads of the port file
_STARTING = 120.0  # seconds until a server must report its port, on a machine busy with training
_SHORTEST, _LONGEST = 0.5, 10.0  # seconds before a server is started again; doubled while it fails early
_STEADY = 20.0  # seconds after which a server counts as one that works
_LEAVE = 1.0  # seconds until a server that was asked to end is killed
Found = TypeVar("Found")
_MOST = 1 << 16  # bytes of a reason


class ChildLink(Link):
    """Starts a data server as a child process, and restarts it whenever it ends.

    ``command`` is the program with its flags. The link adds ``--port=0``, the file for the chosen port, the
    file for a start error, and ``--die-after-stdin``. The child's standard input is a pipe that only this
    process holds, so the child ends with this process, also after a crash.
    """

    def __init__(self, command: Sequence[str], name: str = "the data server") -> None:
        super().__init__(absent=f"{name} is starting")
        self._command = tuple(command)
        self._name = name
        self._closing = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._supervisor = threading.Thread(
            target=self._keep_alive, name="data-server-supervisor", daemon=True
        )

    @property
    def pid(self) -> int | None:
        """Process id of the running child."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def start(self) -> None:
        """Starts the child process and the thread that supervises it."""
        super().start()
        self._supervisor.start()

    def close(self) -> None:
        """Ends the child, by force after a timeout."""
        self._closing.set()
        super().close()
        child = self._child
        if child is not None:
            _end(child)
        if self._supervisor.ident is not None:
            self._supervisor.join(timeout=_LEAVE)

    def _keep_alive(self) -> None:
        pause = _SHORTEST
        while not self._closing.is_set():
            began = time.monotonic()
            try:
                reason = self._run()
            except OSError as error:
                reason = f"{self._name} could not be started: {error.strerror or error}"
            if self._closing.is_set():
                return
            if time.monotonic() - began > _STEADY:
                pause = _SHORTEST
            log.warning("%s; it is being restarted", reason)
            self.disconnect(f"{reason}; it is being restarted")
            self._closing.wait(pause)
            pause = min(2 * pause, _LONGEST)

    def _run(self) -> str:
        """Runs the server until it ends; returns the reason."""
        place = tempfile.TemporaryDirectory(prefix="insight-host-")
        with place:
            port_file, error_file = Path(place.name, "port"), Path(place.name, "error")
            flags = ["--port=0", f"--port-file={port_file}", f"--error-file={error_file}"]
            with self._running(flags) as child:
                port = self._awaited(child, lambda: _port_in(port_file))
                if port is None:
                    reported = ""
                    with suppress(OSError):
                        reported = error_file.read_text(encoding="utf-8", errors="replace")
                    return self._stillborn(child, reported)
                place.cleanup()  # now: this process may be killed later
                self.connect(f"localhost:{port}")
                child.wait()
        return self._ended(child)

    @contextmanager
    def _running(
        self, flags: Sequence[str], pass_fds: Sequence[int] = ()
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Starts the child, and ends it at the end."""
        child = subprocess.Popen(
            [*self._command, *flags, "--die-after-stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            process_group=0,  # a Ctrl-C in the terminal is for the host, which ends its server itself
            pass_fds=pass_fds,
        )
        self._child = child
        try:
            if self._closing.is_set():  # closed while it was starting
                _end(child)
            yield child
        finally:
            _end(child)

    def _awaited(self, child: subprocess.Popen[bytes], found: Callable[[], Found | None]) -> Found | None:
        """What ``found`` returns once it is true; None if the server ends or times out."""
        until = time.monotonic() + _STARTING
        while child.poll() is None and time.monotonic() < until:
            if result := found():
                return result
            self._closing.wait(_POLL)
        return None

    def _stillborn(self, child: subprocess.Popen[bytes], reported: str) -> str:
        if child.poll() is None:
            return f"{self._name} did not listen within {_STARTING:g} seconds"
        return f"{self._name} could not start: {reported.strip() or _how(child.returncode)}"

    def _ended(self, child: subprocess.Popen[bytes]) -> str:
        return f"{self._name} ended ({_how(child.returncode)})"


def _port_in(file: Path) -> int | None:
    """The port that a server wrote."""
    with suppress(FileNotFoundError):
        text = file.read_text(encoding="ascii", errors="replace")
        if text.endswith("\n") and text.strip().isdecimal():
            return int(text)
    return None


def _end(child: subprocess.Popen[bytes]) -> None:
    """Closes the child's standard input, which asks it to end, and kills it if it does not."""
    if child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


class PrivateChildLink(ChildLink):
    """A child that listens on a unix socket in a directory of mode 0700 and asks for a token.

    The token is new at each start. The child reads it from its standard input, so that neither arguments nor
    environment show it. The child makes the directory and removes it when it ends, also if this process was
    killed; this process removes it if the child was.
    """

    def _run(self) -> str:
        """Runs the server until it ends; returns the reason."""
        directory = Path(tempfile.gettempdir(), f"insight-host-{secrets.token_hex(8)}")
        socket, token = directory / "s", new_token()
        flags = [f"--unix-socket={socket}", "--token-file=-"]
        try:
            with (
                _pipe() as (reading, writing),
                self._running([*flags, f"--error-file=/dev/fd/{writing}"], [writing]) as child,
            ):
                assert child.stdin is not None
                with suppress(OSError, ValueError):  # it has ended, and says why, or it is closed
                    child.stdin.write(f"{token}\n".encode())
                    child.stdin.flush()
                if not self._awaited(child, socket.exists):
                    return self._stillborn(child, _text_in(reading))
                self.connect(f"unix:{socket}", Credentials(lambda: token))
                child.wait()
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        return self._ended(child)


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        yield reading, writing
    finally:
        os.close(reading)
        os.close(writing)


def _text_in(pipe: int) -> str:
    """What was written into a pipe until now."""
    try:
        return os.read(pipe, _MOST).decode("utf-8", errors="replace")
    except BlockingIOError:
        return ""
