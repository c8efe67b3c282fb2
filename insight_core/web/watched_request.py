"""A request that notices when a view reads from it who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from werkzeug import Request

# Header fields that a view may read: requests that differ in one of them are different questions.
KEYED = frozenset(
    f"HTTP_{name}"
    for name in (
        "ACCEPT",
        "ACCEPT_ENCODING",
        "ACCEPT_LANGUAGE",
        "HOST",
        "IF_MATCH",
        "IF_MODIFIED_SINCE",
        "IF_NONE_MATCH",
        "IF_RANGE",
        "RANGE",
        "SEC_FETCH_DEST",
    )
)
_NEUTRAL = ("wsgi.", "SERVER_", "CONTENT_", "werkzeug.request", "insight.read_only")
_PARTS = ("REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "RAW_URI", "REQUEST_URI")


class WatchedRequest(Request):
    """``says_who_asks``: something was read that may differ between two clients with the same question."""

    def __init__(self, environ: dict[str, Any]) -> None:
        watched = _Watched(environ)
        super().__init__(watched)
        watched.is_watching = True
        self._watched = watched

    @property
    def says_who_asks(self) -> bool:
        """Whether cookies, the user, the address or other personal parts were read so far."""
        return self._watched.was_read

    @property
    def remote_addr(self) -> str | None:
        """The address of the client."""
        address: str | None = self.environ.get("REMOTE_ADDR")
        return address

    @remote_addr.setter
    def remote_addr(self, address: str | None) -> None:
        """Werkzeug sets it when the request is made."""


class _Watched(dict[str, Any]):
    is_watching = False
    was_read = False

    def _note(self, key: object) -> None:
        if self.is_watching and isinstance(key, str) and key not in KEYED:
            self.was_read |= not key.startswith(_NEUTRAL) and key not in _PARTS

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401
        self._note(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401
        self._note(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self.was_read |= self.is_watching
        return super().__iter__()

    def keys(self) -> Any:  # noqa: ANN401
        self.was_read |= self.is_watching
        return super().keys()

    def items(self) -> Any:  # noqa: ANN401
        self.was_read |= self.is_watching
        return super().items()

    def values(self) -> Any:  # noqa: ANN401
        self.was_read |= self.is_watching
        return super().values()

    def copy(self) -> dict[str, Any]:
        self.was_read |= self.is_watching
        return super().copy()

    def pop(self, key: str, *default: Any) -> Any:  # noqa: ANN401
        self._note(key)
        return super().pop(key, *default)

    def setdefault(self, key: str, default: Any = None) -> Any:  # noqa: ANN401
        self._note(key)
        return super().setdefault(key, default)

    def __or__(self, other: Any) -> Any:  # noqa: ANN401
        self.was_read |= self.is_watching
        return super().__or__(other)
