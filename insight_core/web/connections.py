"""Accepts connections and runs each in a thread, up to a limit that leaves file descriptors for logs."""

from __future__ import annotations

import errno
import logging
import math
import resource
import select
import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from insight_core.web.connection import Connection

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from insight_core.web.tls import Certificates

log = logging.getLogger(__name__)

_MOST = 256  # connections at a time
_SHARE = 4  # or this share of the process's file descriptor limit
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_RETRY = 0.5  # seconds until a connection is accepted after one could not be, if none ends before
_WARNED_EVERY = 60.0  # seconds
_SPARED = 1.0  # seconds that a connection may be idle before it is closed for another


class Connections:
    """Runs each connection in a thread, so that a slow client does not block others.

    Beyond the limit, the connection that has been idle longest is closed; if none is idle, new connections
    wait in the system's queue.
    """

    def __init__(
        self, listener: socket.socket, app: WSGIApplication, certificates: Certificates | None = None
    ) -> None:
        self.limit = most_connections()
        self._listener = listener
        self._app = app
        self._certificates = certificates
        self._lock = threading.Lock()
        self._open: dict[Connection, threading.Thread] = {}
        self._ending = False
        self._full = False  # a connection that ends wakes the thread that accepts
        self._warned = -math.inf
        self._alarm, self._bell = socket.socketpair()
        for end in (listener, self._alarm, self._bell):  # a client may disconnect before it is accepted
            end.setblocking(False)

    def accept(self) -> None:
        """Accepts connections until ``end_accepting`` is called."""
        ready = select.poll()
        ready.register(self._listener, select.POLLIN)
        ready.register(self._alarm, select.POLLIN)
        while not self._ending:
            ready.poll()
            self._silence()
            if self._ending:
                return
            if len(self._open) < self.limit and self._accept_one():
                self._full = False
            else:
                self._make_room()

    def end_accepting(self) -> None:
        """Stops accepting connections."""
        self._ending = True
        self._ring()

    def close(self) -> None:
        """Closes every connection."""
        self._listener.close()
        self._alarm.close()
        self._bell.close()

    def end(self, wait: float) -> None:
        """Gives running answers ``wait`` seconds to end; closes idle connections immediately."""
        until = time.monotonic() + wait
        with self._lock:
            left = dict(self._open)
        for connection in left:
            connection.shut_down(socket.SHUT_RD)  # no further request
        for thread in left.values():
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        for connection in left:
            connection.shut_down()

    def _accept_one(self) -> bool:
        """Returns False if the system has no resources for another connection."""
        try:
            client, address = self._listener.accept()
            if address:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # head and body are two writes
            else:
                address = "", ""  # a client of a unix socket has none
            handshake = None
            if self._certificates is not None:
                client, handshake = self._certificates.wrap(client), self._certificates.handshake
        except OSError as error:  # otherwise it disconnected before it was accepted
            return error.errno not in _EXHAUSTED
        connection = Connection(client, address, self._app, handshake)
        thread = threading.Thread(
            target=self._serve, args=(connection, client), name=f"connection of {address[0]}", daemon=True
        )
        with self._lock:
            self._open[connection] = thread
        try:
            thread.start()
        except RuntimeError:  # no more threads
            self._forget(connection, client)
            return False
        return True

    def _serve(self, connection: Connection, client: socket.socket) -> None:
        try:
            connection.serve()
        except Exception:
            log.exception("connection failed")
        finally:
            self._forget(connection, client)

    def _forget(self, connection: Connection, client: socket.socket) -> None:
        with self._lock:
            self._open.pop(connection, None)
        client.close()
        if self._full:
            self._ring()

    def _make_room(self) -> None:
        """Closes the connection that has been idle longest, and waits briefly until one has ended."""
        if time.monotonic() - self._warned > _WARNED_EVERY:
            self._warned = time.monotonic()
            log.warning("connection limit reached: %d connections are open", len(self._open))
        self._full = True
        with self._lock:
            idle = [
                (since, number, one) for number, one in enumerate(self._open) if (since := one.waiting_since)
            ]
        if idle and time.monotonic() - min(idle)[0] > _SPARED:
            min(idle)[2].shut_down()
        ended = select.poll()
        ended.register(self._alarm, select.POLLIN)
        ended.poll(_RETRY * 1000)

    def _ring(self) -> None:
        with suppress(OSError):  # rung enough, or closed
            self._bell.send(b"!")

    def _silence(self) -> None:
        with suppress(OSError):
            self._alarm.recv(1 << 12)


def most_connections() -> int:
    """Maximum number of open connections."""
    files: Any = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST if files == resource.RLIM_INFINITY else max(16, min(_MOST, files // _SHARE))
