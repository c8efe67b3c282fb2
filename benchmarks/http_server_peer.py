"""One WSGI application behind one of several servers: ``python http_server_peer.py SERVER PORT``.

Runs in the environment of the server, without anything of ours unless SERVER is ``ours``. The answer is what
the application was asked; ``/events`` streams a comment each second until the client leaves.
"""

from __future__ import annotations

import importlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

THREADS = 80  # 64 event streams and some requests
_HEAD_TIME = 10.0
_LARGEST = 1 << 24  # bytes of a body
_PIECE = 1 << 16


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/events":
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        return _events()
    size, source = 0, environ["wsgi.input"]
    if environ.get("wsgi.input_terminated") or environ.get("HTTP_TRANSFER_ENCODING"):
        while piece := source.read(_PIECE):
            size += len(piece)
    else:
        left = int(environ.get("CONTENT_LENGTH") or 0)
        while left > 0 and (piece := source.read(min(left, _PIECE))):
            left -= len(piece)
            size += len(piece)
    text = f"seen {environ['REQUEST_METHOD']} {environ['PATH_INFO']} {size}\n".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]


def _events() -> Iterator[bytes]:
    while True:
        yield b": alive\n\n"
        time.sleep(1)


def _ours(port: int) -> None:
    from insight_core.web.http_server import listen

    listen(application, "127.0.0.1", port).serve_forever()


def _cheroot(port: int) -> None:
    wsgi = importlib.import_module("cheroot.wsgi")
    wsgi.Server(("127.0.0.1", port), application, numthreads=THREADS).start()


def _waitress(port: int) -> None:
    importlib.import_module("waitress").serve(application, host="127.0.0.1", port=port, threads=THREADS)


def _gunicorn(port: int) -> None:
    base = importlib.import_module("gunicorn.app.base")

    class App(base.BaseApplication):  # type: ignore[name-defined,misc]
        def load_config(self) -> None:
            self.cfg.set("bind", f"127.0.0.1:{port}")
            self.cfg.set("worker_class", "gthread")
            self.cfg.set("threads", THREADS)
            self.cfg.set("loglevel", "critical")

        def load(self) -> object:
            return application

    App().run()


def _granian(port: int) -> None:
    granian = importlib.import_module("granian")
    granian.Granian(
        "http_server_peer:application",
        address="127.0.0.1",
        port=port,
        interface="wsgi",
        blocking_threads=THREADS,
        log_enabled=False,
    ).serve()


def _h11(port: int) -> None:
    """h11 as the parser, and as thin a layer as bounds it: a thread for each connection, deadlines, sizes."""
    h11 = importlib.import_module("h11")
    with socket.create_server(("127.0.0.1", port), backlog=128) as listener:
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_h11_connection, args=(h11, client), daemon=True).start()


def _h11_connection(h11: Any, client: socket.socket) -> None:  # noqa: ANN401
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_PIECE)
    with client, suppress(OSError):
        while _h11_request(h11, connection, client):
            connection.start_next_cycle()


def _h11_request(h11: Any, connection: Any, client: socket.socket) -> bool:  # noqa: ANN401
    deadline = time.monotonic() + _HEAD_TIME

    def event() -> Any:  # noqa: ANN401
        while (found := connection.next_event()) is h11.NEED_DATA:
            if connection.they_are_waiting_for_100_continue:
                client.sendall(connection.send(h11.InformationalResponse(status_code=100, headers=[])))
            client.settimeout(max(0.001, deadline - time.monotonic()))
            connection.receive_data(client.recv(_PIECE))
        return found

    def answer(status: int, headers: list[tuple[str, str]], body: Iterable[bytes]) -> None:
        client.settimeout(60)
        client.sendall(connection.send(h11.Response(status_code=status, headers=headers)))
        for data in body:
            client.sendall(connection.send(h11.Data(data=data)))
        client.sendall(connection.send(h11.EndOfMessage()))

    try:
        head = event()
        if not isinstance(head, h11.Request):
            return False
        size = 0
        while not isinstance(part := event(), h11.EndOfMessage):
            size += len(part.data)
            if size > _LARGEST:
                answer(413, [("Connection", "close"), ("Content-Length", "0")], [])
                return False
    except TimeoutError:
        return False
    except h11.RemoteProtocolError as error:
        answer(error.error_status_hint, [("Connection", "close"), ("Content-Length", "0")], [])
        return False
    path, method = head.target.decode("latin1").partition("?")[0], head.method.decode()
    if path == "/events":
        answer(200, [("Content-Type", "text/event-stream")], _events())
    else:
        text = f"seen {method} {path} {size}\n".encode()
        answer(200, [("Content-Length", str(len(text)))], [text])
    return bool(connection.our_state is h11.DONE and connection.their_state is h11.DONE)


SERVERS: dict[str, Callable[[int], None]] = {
    "ours": _ours,
    "cheroot": _cheroot,
    "waitress": _waitress,
    "gunicorn": _gunicorn,
    "granian": _granian,
    "h11": _h11,
}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](int(sys.argv[2]))
