"""Tokens: reads them from files, makes them, and finds the one that a client presents, in constant time."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Sequence

from attrs import field, frozen

from insight_core.plugin import InvalidArgument

_BYTES = 32  # of a random token: with 256 bits nobody guesses it, and attempts need no delay
_SHORTEST = 16  # characters of a token from a file
_LONGEST = 1024


@frozen
class Key:
    """A token, and whether a client that has it may save. ``cookie`` proves that a browser had the token.

    The cookie is derived, so that whoever reads it does not learn the token.
    """

    token: str = field(repr=False)
    may_save: bool
    cookie: str = field(init=False, repr=False)

    @cookie.default
    def _derived(self) -> str:
        return hmac.new(self.token.encode(), b"insight-host cookie", hashlib.sha256).hexdigest()


@frozen
class Keys:
    """The tokens of a host."""

    every: Sequence[Key]

    @property
    def of_guests(self) -> str:
        """The token with which a client may look and save nothing; "" without one."""
        return next((key.token for key in self.every if not key.may_save), "")

    def by_token(self, text: str) -> Key | None:
        """The key with this token; None for any other text."""
        return self._same(text, [key.token for key in self.every])

    def by_cookie(self, text: str) -> Key | None:
        """The key with this cookie; None for any other text."""
        return self._same(text, [key.cookie for key in self.every])

    def _same(self, text: str, expected: Sequence[str]) -> Key | None:
        given = text.encode("utf-8", "surrogateescape")
        same = [secrets.compare_digest(given, each.encode()) for each in expected]
        return next((key for key, is_same in zip(self.every, same, strict=True) if is_same), None)


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
