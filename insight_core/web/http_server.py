"""A threaded HTTP server for the host, for a laptop or behind a proxy."""

from __future__ import annotations

import errno
import logging
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any

from werkzeug.serving import BaseWSGIServer

from insight_core.plugin import InsightError
from insight_core.web.connection import Connection

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger(__name__)

DEFAULT_PORT = 6006  # TensorBoard's
PORTS_TRIED = 100
_BACKLOG = 128  # connections the system holds until they are accepted
_LEAVE = 2.0  # seconds that answers in progress get when the server stops


class Server:
    """A listening socket and the threads behind it. ``url`` is where a browser finds it."""

    def __init__(self, app: WSGIApplication, listener: socket.socket, host: str, prefix: str) -> None:
        self._app = app
        self._inner = _ThreadedServer(host, app, listener)
        self._serving: threading.Thread | None = None
        self._stopped = threading.Event()
        self.host = host
        self.port: int = self._inner.port
        parts = "".join(f"{part}/" for part in prefix.split("/") if part)
        self.url = f"http://{_name_for_browser(host)}:{self.port}/{parts}"

    def serve_forever(self) -> None:
        """Serves until ``stop`` is called or the thread is interrupted."""
        self._serving = threading.current_thread()
        if self._stopped.is_set():
            return
        try:
            self._inner.accept_connections()
        except KeyboardInterrupt:
            pass
        finally:
            self._inner.close()

    def stop(self) -> None:
        """Stops listening, ends the streams of the host and closes every connection."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        close: Callable[[], None] | None = getattr(self._app, "close", None)
        if close is not None:
            close()
        self._inner.end_accepting()
        if self._serving is not None and self._serving is not threading.current_thread():
            self._serving.join()
        self._inner.close()
        self._inner.end_connections(_LEAVE)


def listen(
    app: WSGIApplication, host: str = "127.0.0.1", port: int | None = None, *, path_prefix: str = ""
) -> Server:
    """Binds and listens; nothing is answered before ``serve_forever``.

    ``port`` 0 takes any free one, None 6006 or the next free one. Raises InsightError when the
    address cannot be had.
    """
    if port is not None and not 0 <= port <= 65535:
        raise InsightError(f"a port is a number from 0 to 65535, not {port}")
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else [port]
    for candidate in ports:
        try:
            listener = _bound(host, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise InsightError(f"cannot listen on {host} port {candidate}: {_reason(error)}") from error
            continue
        except UnicodeError as error:
            raise InsightError(f"{host!r} is not the name of a host") from error
        return Server(app, listener, host, path_prefix)
    if port is None:
        last = DEFAULT_PORT + PORTS_TRIED - 1
        raise InsightError(f"no port from {DEFAULT_PORT} to {last} is free on {host}; name one with --port")
    raise InsightError(f"port {port} on {host} is in use; name another one with --port, or 0 for any")


def _bound(host: str, port: int) -> socket.socket:
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    found = socket.getaddrinfo(bare or None, port, family, socket.SOCK_STREAM, 0, socket.AI_PASSIVE)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if bare == "::":
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)  # IPv4 as well
        listener.bind(found[0][4])
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _name_for_browser(host: str) -> str:
    bare = host.strip("[]")
    if bare in ("", "0.0.0.0"):
        return "127.0.0.1"
    if bare == "::":
        return "[::1]"
    return f"[{bare}]" if ":" in bare else bare


class _ThreadedServer(ThreadingMixIn, BaseWSGIServer):
    """A thread for each connection, so that a slow client costs the others nothing."""

    multithread = True
    daemon_threads = True
    timeout = 0  # seconds for which handle_request waits for a connection

    def __init__(self, host: str, app: WSGIApplication, listener: socket.socket) -> None:
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        port = listener.getsockname()[1]
        with listener:  # werkzeug goes on with a duplicate of the descriptor
            super().__init__(host.strip("[]"), port, app, Connection, fd=listener.fileno())
        self.socket.setblocking(False)  # a connection may be gone before it is accepted
        self._ending = False
        self._alarm, self._bell = socket.socketpair()

    def accept_connections(self) -> None:
        """Until ``end_accepting``. socketserver's own loop wakes ten times a second to look for its end."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.socket, selectors.EVENT_READ)
            ready.register(self._alarm, selectors.EVENT_READ)
            while not self._ending:
                ready.select()
                if not self._ending:
                    self.handle_request()

    def end_accepting(self) -> None:
        self._ending = True
        with suppress(OSError):  # it has ended by itself
            self._bell.send(b"!")

    def close(self) -> None:
        self.server_close()
        self._alarm.close()
        self._bell.close()

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        with self._lock:
            self._open[request] = threading.current_thread()
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.pop(request, None)

    def end_connections(self, wait: float) -> None:
        """Lets answers in progress end within ``wait`` seconds; an idle connection ends at once."""
        until = time.monotonic() + wait
        with self._lock:
            left = dict(self._open)
        for connection in left:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)  # no further request
        for thread in left.values():
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        for connection in left:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        log.debug("connection of %s failed", client_address, exc_info=True)

    def log(self, type: str, message: str, *args: object) -> None:
        log.debug(message, *args)
