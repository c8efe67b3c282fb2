"""Tokens of clients: makes them, and reads them from files that nobody else may read."""

from __future__ import annotations

import os
import re
import secrets
import stat

from insight_core.errors import InvalidArgument

__all__ = ["random_token", "token_in"]

_BYTES = 32  # of a random token: with 256 bits nobody guesses it, and attempts need no delay
_SHORTEST = 16  # characters of a token from a file
_LONGEST = 1024


def random_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(_BYTES)


def token_in(path: str, flag: str) -> str:
    """The token in a file: its first line. Raises InvalidArgument with the flag, the file and the reason.

    As ssh with private keys: a file of this user that others may read is refused, for they may have read it.
    A file of another user passes, such as a secret mounted into a container: this user cannot change it.
    """
    try:
        with open(os.path.expanduser(path), "rb") as file:
            info = os.fstat(file.fileno())
            mode = stat.S_IMODE(info.st_mode)
            if hasattr(os, "getuid") and info.st_uid == os.getuid() and mode & 0o077:
                raise InvalidArgument(
                    f"{flag} {path}: others may read this file (mode {mode:04o}); "
                    f"`chmod 600` it, and write another token into it if they may have"
                )
            line = file.readline(_LONGEST + 2).strip()
    except OSError as error:
        raise InvalidArgument(f"{flag} {path}: {error.strerror or error}") from error
    if not re.fullmatch(rb"[!-~]{%d,%d}" % (_SHORTEST, _LONGEST), line):
        raise InvalidArgument(
            f"{flag} {path}: the first line must be a token of {_SHORTEST} to {_LONGEST} ASCII characters "
            "without spaces; `python -c 'import secrets; print(secrets.token_urlsafe())'` prints a good one"
        )
    return line.decode("ascii")
