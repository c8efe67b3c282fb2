"""Runs our data server as a child process that only this process can ask."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from insight_core.providers.child import ChildLink
from insight_core.providers.credentials import Credentials
from insight_core.rpc.tokens import new_token

_MOST = 1 << 16  # bytes of a reason


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
