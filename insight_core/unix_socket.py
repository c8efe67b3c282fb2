"""Creates unix sockets that only their owner can connect to, and removes them."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress

_LONGEST = 103  # bytes of a path: macOS; Linux accepts 107
_PATIENCE = 1.0  # seconds until a server accepts the connection that tells whether it still runs


class SocketFile:
    """The file of a socket that this process has bound."""

    def __init__(self, path: str, made: str | None) -> None:
        self.path = path
        self._made = made  # the directory, if it was created for the socket
        self._identity = _identity(path)

    def remove(self) -> None:
        """Removes the file, and its directory if it was created for it. Another server's file stays."""
        with suppress(OSError):
            if _identity(self.path) == self._identity:
                os.unlink(self.path)
        if self._made is not None:
            with suppress(OSError):
                os.rmdir(self._made)


def bind_privately(path: str, bind: Callable[[str], object]) -> SocketFile:
    """Calls ``bind`` with the path of a socket to create, and moves it to ``path``, mode 0600.

    The socket is created in a directory that no other user can enter, so that nobody can connect before its
    mode is set. A missing directory of ``path`` is created with mode 0700. A socket that a server left behind
    is replaced. Raises OSError, also if a server still listens there or ``path`` is another kind of file.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise OSError("this system has no unix sockets")
    path = os.path.abspath(os.path.expanduser(path))
    parent = os.path.dirname(path)
    made = None
    if not os.path.isdir(parent):
        os.mkdir(parent, 0o700)
        made = parent
    try:
        _check_free(path)
        private = tempfile.mkdtemp(prefix=".", dir=parent)
        created = os.path.join(private, "s")
        try:
            longest = max(path, created, key=lambda name: len(os.fsencode(name)))
            if len(os.fsencode(longest)) > _LONGEST:
                most = _LONGEST - len(os.fsencode(created)) + len(os.fsencode(parent))
                raise OSError(f"the path is too long for a socket: its directory may have {most} bytes")
            bind(created)
            os.chmod(created, 0o600)
            os.replace(created, path)
        finally:
            with suppress(OSError):
                os.unlink(created)
            os.rmdir(private)
        return SocketFile(path, made)
    except BaseException:
        if made is not None:
            with suppress(OSError):
                os.rmdir(made)
        raise


def _check_free(path: str) -> None:
    """Raises OSError for any file but a socket at which no server listens."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise FileExistsError("a file that is not a socket is there")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.settimeout(_PATIENCE)
        try:
            trial.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return
        except TimeoutError:  # its queue is full: a server is there
            pass
    raise FileExistsError("a server already listens there")


def _identity(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino
