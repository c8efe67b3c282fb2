"""Tokens of data servers: making and reading them, and where clients of the same user find them.

A server that listens on a port writes its token to ``<user's state directory>/insight-host/data-servers/
<machine>/<host>:<port>``, mode 0600 in directories of mode 0700. Loopback addresses and those that stand for
all addresses are ``localhost`` there. The server holds a lock on the file while it runs, so that the next one
finds and removes the files of servers that were killed.
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from platformdirs import user_state_path

from insight_core.plugin import InvalidArgument

if sys.platform != "win32":  # clients run there
    import fcntl

_TOKEN = re.compile(r"[!-~]{1,1024}")  # what a header of HTTP can carry
_LONGEST = 4096  # bytes of a file
_STANDARD_INPUT = "-"


def new_token() -> str:
    """A random token of 256 bits."""
    return secrets.token_urlsafe(32)


def read_token(path: str, flag: str = "--token-file") -> str:
    """The first line of a file, or of standard input for ``-``.

    Raises InvalidArgument if it cannot be read, is not a token, or if the file is this user's and others may
    read it (as ssh refuses private keys).
    """
    try:
        if path == _STANDARD_INPUT:
            line = _first_line(0)
        else:
            number = os.open(os.path.expanduser(path), os.O_RDONLY)
            try:
                found = os.fstat(number)
                own = hasattr(os, "geteuid") and found.st_uid == os.geteuid()
                if own and stat.S_IMODE(found.st_mode) & 0o077:
                    raise InvalidArgument(f"{flag} {path}: other users may read it; run chmod 600 on it")
                line = _first_line(number)
            finally:
                os.close(number)
    except OSError as error:
        raise InvalidArgument(f"{flag} {path}: {(error.strerror or str(error)).lower()}") from error
    if not _TOKEN.fullmatch(line):
        raise InvalidArgument(
            f"{flag} {path}: the first line is not a token (1 to 1024 printable ASCII characters, no spaces)"
        )
    return line


class PublishedToken:
    """The file of a token for other programs of this user on this machine."""

    def __init__(self, host: str, port: int, token: str) -> None:
        """Writes the file. Raises OSError."""
        directory = _directory()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
        _remove_abandoned(directory)
        self.path = directory / _name(host, port)
        partial = directory / f".{secrets.token_hex(8)}"
        self._number = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with suppress(OSError):  # not on every network file system
                fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(self._number, f"{token}\n".encode())
            partial.replace(self.path)
        except BaseException:
            partial.unlink(missing_ok=True)
            os.close(self._number)
            raise

    def remove(self) -> None:
        """Removes the file, unless a later server has replaced it."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._number), os.stat(self.path)):
                self.path.unlink()
        os.close(self._number)


def published_token(address: str) -> str | None:
    """The token of the server of this user at ``HOST:PORT`` on this machine; None without one."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        return None
    try:
        return read_token(str(_directory() / _name(host, int(port))))
    except InvalidArgument:
        return None


def _directory() -> Path:
    return user_state_path("insight-host") / "data-servers" / quote(socket.gethostname(), safe="")


def _name(host: str, port: int) -> str:
    bare = host.strip("[]").lower()
    with suppress(ValueError):
        address = ipaddress.ip_address(bare)
        if address.is_loopback or address.is_unspecified:
            bare = "localhost"
    return quote(f"{bare}:{port}", safe=":")


def _remove_abandoned(directory: Path) -> None:
    """Removes files of servers that do not run any more: nobody holds their lock."""
    for path in directory.iterdir():
        with suppress(OSError):
            number = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(number)


def _first_line(number: int) -> str:
    """Reads byte by byte: what follows the line stays unread."""
    line = bytearray()
    while len(line) <= _LONGEST and (byte := os.read(number, 1)) not in (b"", b"\n"):
        line += byte
    return line.decode("utf-8", errors="replace").rstrip("\r")
