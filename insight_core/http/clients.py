"""Who sends a request, what the client accepts, and whether it still waits for the answer."""

from __future__ import annotations

import select

from werkzeug import Request

READ_ONLY = "insight.read_only"  # Key of the environ. True: this client may look, and change nothing.
_GONE = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def may_save(request: Request) -> bool:
    """Whether this client may change something, if the host is not read-only itself."""
    return not request.environ.get(READ_ONLY, False)


def user_of(request: Request) -> str | None:
    """The name of the user: REMOTE_USER of the environ, UTF-8 in latin-1 (PEP 3333). None if unknown."""
    name = request.environ.get("REMOTE_USER") or ""
    return name.encode("latin1", "replace").decode("utf-8", "replace") or None


def accepts_gzip(request: Request) -> bool:
    """Whether the client accepts gzip; ``q=0`` refuses it, and so does a missing header."""
    accepted = request.accept_encodings
    named = [quality for coding, quality in accepted if coding.lower() in ("gzip", "x-gzip")]
    if named:
        return max(named) > 0
    return any(coding == "*" and quality > 0 for coding, quality in accepted)


def is_gone(request: Request) -> bool:
    """Whether the client has closed its end. False where that cannot be known: under a server that does not
    set ``werkzeug.socket``, as werkzeug's and the host's do."""
    client = request.environ.get("werkzeug.socket")
    if client is None:
        return False
    number = client.fileno()
    if number < 0:
        return True
    poll = select.poll()
    poll.register(number, _GONE)
    return bool(poll.poll(0))
