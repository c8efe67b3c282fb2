"""The application of a server that listens already: requests wait until the host is there."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from insight_core.web import Host


class AwaitedHost:
    """A WSGI application. The imports of the host are a third of a start; a server listens before."""

    def __init__(self) -> None:
        self._came = threading.Event()
        self._host: Host | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self._came.wait()
        assert self._host is not None
        return self._host(environ, start_response)

    def come(self, host: Host) -> None:
        """Gives ``host`` the requests, those that wait included."""
        self._host = host
        self._came.set()

    def close(self) -> None:
        """Called when the server stops."""
        if self._host is not None:
            self._host.close()
