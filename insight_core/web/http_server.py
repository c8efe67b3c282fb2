"""A threaded HTTP server for the WSGI app, for a laptop or behind a proxy."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from insight_core.plugin import InsightError
from insight_core.unix_socket import SocketFile, bind_privately
from insight_core.web.connections import Connections

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from insight_core.web.tls import Certificates

DEFAULT_PORT = 6006  # TensorBoard's
PORTS_TRIED = 100
_BACKLOG = 128  # connections the system holds until they are accepted
_LEAVE = 2.0  # seconds that answers in progress get when the server stops


class Server:
    """A listening socket and its connection threads.

    ``is_of_this_machine_only``: no other machine can connect. ``url`` is the address for browsers; that of a
    unix socket is for a browser at the other end of a tunnel, ``ssh -L 6006:PATH``.
    """

    def __init__(
        self,
        app: WSGIApplication,
        listener: socket.socket,
        host: str,
        prefix: str,
        *,
        certificates: Certificates | None = None,
        socket_file: SocketFile | None = None,
    ) -> None:
        self._app = app
        self._connections = Connections(listener, app, certificates)
        self._serving: threading.Thread | None = None
        self._stopped = threading.Event()
        self.host = host
        self.socket_file = socket_file
        self.port: int = listener.getsockname()[1] if socket_file is None else DEFAULT_PORT
        address = "127.0.0.1" if socket_file is not None else str(listener.getsockname()[0])
        self.is_of_this_machine_only = ipaddress.ip_address(address.partition("%")[0]).is_loopback
        scheme = "http" if certificates is None else "https"
        parts = "".join(f"{part}/" for part in prefix.split("/") if part)
        self.url = f"{scheme}://{_name_for_browser(host)}:{self.port}/{parts}"

    def serve_forever(self) -> None:
        """Serves until ``stop`` is called or the thread is interrupted."""
        self._serving = threading.current_thread()
        if self._stopped.is_set():
            return
        try:
            self._connections.accept()
        except KeyboardInterrupt:
            pass
        finally:
            self._connections.close()

    def stop(self) -> None:
        """Stops listening, ends the event streams and closes every connection."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self.socket_file is not None:
            self.socket_file.remove()
        close: Callable[[], None] | None = getattr(self._app, "close", None)
        if close is not None:
            close()
        self._connections.end_accepting()
        if self._serving is not None and self._serving is not threading.current_thread():
            self._serving.join()
        self._connections.close()
        self._connections.end(_LEAVE)


def listen_at_socket(
    app: WSGIApplication, path: str, *, path_prefix: str = "", certificates: Certificates | None = None
) -> Server:
    """Like ``listen``, at a unix socket that only this user can connect to; ``stop`` removes its file."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def bind(place: str) -> None:
        listener.bind(place)
        listener.listen(_BACKLOG)

    try:
        file = bind_privately(path, bind)
    except OSError as error:
        listener.close()
        raise InsightError(f"cannot listen on the unix socket {path}: {_reason(error)}") from error
    return Server(app, listener, "localhost", path_prefix, certificates=certificates, socket_file=file)


def listen(
    app: WSGIApplication,
    host: str = "127.0.0.1",
    port: int | None = None,
    *,
    path_prefix: str = "",
    certificates: Certificates | None = None,
) -> Server:
    """Binds and listens; requests are answered after ``serve_forever``.

    ``port`` 0 picks any free port, None 6006 or the next free one. ``certificates``: over TLS. Raises
    InsightError if the address is not available.
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
        return Server(app, listener, host, path_prefix, certificates=certificates)
    if port is None:
        last = DEFAULT_PORT + PORTS_TRIED - 1
        raise InsightError(f"no port from {DEFAULT_PORT} to {last} is free on {host}; name one with --port")
    raise InsightError(f"port {port} on {host} is in use; name another one with --port, or 0 for any")


def _bound(host: str, port: int) -> socket.socket:
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    # as bytes, a name is not encoded by a module that takes long to import
    name = bare.encode() if bare.isascii() else bare
    found = socket.getaddrinfo(name or None, port, family, socket.SOCK_STREAM, 0, socket.AI_PASSIVE)
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
