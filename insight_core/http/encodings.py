"""Which compressions a client accepts."""

from __future__ import annotations

from werkzeug import Request


def accepts_gzip(request: Request) -> bool:
    """Whether the client accepts gzip; ``q=0`` refuses it, and so does a missing header."""
    accepted = request.accept_encodings
    named = [quality for coding, quality in accepted if coding.lower() in ("gzip", "x-gzip")]
    if named:
        return max(named) > 0
    return any(coding == "*" and quality > 0 for coding, quality in accepted)
