"""Who sends a request, and whether they may change anything, as middleware says in the WSGI environ."""

from __future__ import annotations

from werkzeug import Request

READ_ONLY = "insight.read_only"  # Key of the environ. True: this client may look, and change nothing.


def may_save(request: Request) -> bool:
    """Whether this client may change something, if the host is not read-only itself."""
    return not request.environ.get(READ_ONLY, False)


def user_of(request: Request) -> str | None:
    """The name of the user: REMOTE_USER of the environ, UTF-8 in latin-1 (PEP 3333). None if unknown."""
    name = request.environ.get("REMOTE_USER") or ""
    return name.encode("latin1", "replace").decode("utf-8", "replace") or None
