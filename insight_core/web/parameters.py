"""Query parameters of the host's own routes."""

from __future__ import annotations

from werkzeug import Request

from insight_core.plugin import InvalidArgument


def generation_of(text: str, boot: str) -> int | None:
    """The generation of a cursor; None for a cursor of an earlier process of this host.

    A cursor is a generation, or ``<boot>-<generation>`` as the ids of events are. Raises
    InvalidArgument for anything else.
    """
    start, dash, number = text.rpartition("-")
    if not (number.isascii() and number.isdecimal() and len(number) <= 18) or (dash and not start):
        raise InvalidArgument(f"since must be a generation (a whole number, 0 or more), not {text!r}")
    return int(number) if not dash or start == boot else None


def since_of(request: Request, boot: str, default: int) -> int | None:
    """The cursor of a request: Last-Event-ID of a stream that reconnects, else ``since``."""
    text = request.headers.get("Last-Event-ID") or request.args.get("since")
    return default if text is None else generation_of(text, boot)
