"""Slow clients, many clients, and a process without free descriptors."""

from __future__ import annotations

import errno
import http.client
import itertools
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from insight_core.web import connections, request_reader
from insight_core.web.http_server import Server

DRIBBLES = 400  # pieces that a slow client sends, one each 20 ms, if it is not cut off


class _Held:
    """Answers to ``/held``: ``entered`` counts those that have begun, ``release`` ends them."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.release = threading.Event()


@pytest.fixture
def held() -> Iterator[_Held]:
    answers = _Held()
    yield answers
    answers.release.set()


@pytest.fixture
def server(serve: Callable[[Any], Server], held: _Held) -> Server:
    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/held":
            held.entered.release()
            held.release.wait()
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    return serve(application)


@pytest.fixture
def connect(server: Server) -> Iterator[Callable[[], socket.socket]]:
    with ExitStack() as opened:
        yield lambda: opened.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))


def _get(server: Server) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", "/")
        return connection.getresponse().read()
    finally:
        connection.close()


def _dribble(client: socket.socket, pieces: Iterable[bytes]) -> bytes:
    """Sends pieces slowly; what was answered before the server closed, empty if it took all pieces."""
    client.settimeout(0.02)
    answer = b""
    for piece in itertools.islice(pieces, DRIBBLES):
        with suppress(BrokenPipeError, ConnectionResetError):
            client.send(piece)
        try:
            received = client.recv(65536)
        except TimeoutError:
            continue
        except ConnectionResetError:
            return answer
        if not received:
            return answer
        answer += received
    return b""


def test_a_head_that_comes_slowly_is_given_up(
    connect: Callable[[], socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_reader, "_HEAD_TIME", 0.3)
    client = connect()
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
    assert _dribble(client, itertools.repeat(b"a")).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("field", "pieces"),
    [
        (b"Content-Length: 100000", [b"a"]),
        (b"Transfer-Encoding: chunked", [b"1\r\na\r\n"]),
        (b"Transfer-Encoding: chunked", [b"1", b";", b"e", b"\r\n", b"a\r", b"\n"]),
    ],
)
def test_a_body_that_comes_slowly_is_given_up(
    field: bytes, pieces: list[bytes], connect: Callable[[], socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_reader, "_BODY_TIME", 0.3)
    client = connect()
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n" + field + b"\r\n\r\n")
    assert _dribble(client, itertools.cycle(pieces)).startswith(b"HTTP/1.1 408 ")


def test_a_client_that_sends_nothing_is_closed_without_an_answer(
    connect: Callable[[], socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_reader, "_IDLE_TIME", 0.1)
    assert connect().recv(100) == b""


def test_an_endless_chunked_body_is_cut_off_at_its_limit(
    connect: Callable[[], socket.socket],
) -> None:
    client = connect()
    client.sendall(b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    for _ in range(257):  # one more than 16 MiB
        client.sendall(chunk)
    assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_the_connection_that_waits_longest_gives_way(
    connect: Callable[[], socket.socket],
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(connections, "_SPARED", 0.0)
    limit = server._connections.limit = 4
    idle = [connect() for _ in range(limit)]
    idle[0].sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")  # half a head waits as well
    for _ in range(3):
        idle.append(connect())
        assert _get(server) == b"ok"
    assert idle[0].recv(100) == b""
    assert [record.levelname for record in caplog.records].count("WARNING") == 1


def test_connections_that_are_being_answered_do_not_give_way(
    connect: Callable[[], socket.socket],
    server: Server,
    held: _Held,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "_SPARED", 0.0)
    limit = server._connections.limit = 2
    busy = [connect() for _ in range(limit)]
    for client in busy:
        client.sendall(b"GET /held HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert held.entered.acquire(timeout=60)
    waiting = connect()
    waiting.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    held.release.set()
    for client in [*busy, waiting]:
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")


def test_exhausted_descriptors_do_not_spin_and_recover(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listener, attempts, free = server._connections._listener, [0], threading.Event()

    class Exhausted:
        """The listening socket of a process that has no free descriptor."""

        def accept(self) -> object:
            if free.is_set():
                return listener.accept()
            attempts[0] += 1
            raise OSError(errno.EMFILE, "Too many open files")

        def close(self) -> None:
            listener.close()

    retried = threading.Event()
    monkeypatch.setattr(server._connections, "_listener", Exhausted())
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        retried.wait(1.0)  # in which a loop without a pause would try a hundred thousand times
        free.set()
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
    assert attempts[0] < 50
    warned = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(warned) == 1
