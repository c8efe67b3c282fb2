"""Whether the client still waits for an answer that takes long."""

from __future__ import annotations

import select

from werkzeug import Request

_GONE = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


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
