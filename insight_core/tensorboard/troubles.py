"""What the routes of a plugin did wrong, until they work again."""

from __future__ import annotations

import threading

_MOST = 8  # requests that are remembered


class Troubles:
    """The last requests that failed, each with how, in one line."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[str, str] = {}

    def __call__(self) -> list[str]:
        """The newest first."""
        with self._lock:
            return list(reversed(self._texts.values()))

    def note(self, request: str, text: str) -> bool:
        """Whether that is news."""
        with self._lock:
            before = self._texts.pop(request, None)
            self._texts[request] = text
            while len(self._texts) > _MOST:
                del self._texts[next(iter(self._texts))]
        return before != text

    def forget(self, request: str) -> bool:
        """Called when the request has worked: whether it was remembered."""
        with self._lock:
            return self._texts.pop(request, None) is not None
