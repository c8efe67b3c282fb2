"""Who asks: whether somebody still waits for an answer that takes long."""

from __future__ import annotations

import select

from werkzeug import Request

_GONE = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def is_gone(request: Request) -> bool:
    """Whether the client has closed its end. False where that cannot be known: a server that is not the
    host's own."""
    client = request.environ.get("insight.client")
    if client is None:
        return False
    number = client.fileno()
    if number < 0:
        return True
    poll = select.poll()
    poll.register(number, _GONE)
    return bool(poll.poll(0))
