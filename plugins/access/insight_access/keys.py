"""The tokens of a host: finds the one that a client presents, in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

from attrs import field, frozen


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
