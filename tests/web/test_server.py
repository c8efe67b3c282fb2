"""The HTTP server: connections, ports, clients that leave."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from insight_core.plugin import InsightError
from insight_core.web import Host, http_server
from insight_core.web.http_server import Server, listen
from tests.waiting import FOR_EVER

BIG = 30_000_000


def _application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/big":
        start_response("200 OK", [("Content-Length", str(BIG))])
        return [b"x" * BIG]
    if path == "/pieces":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return iter([b"one", b"", b"two"])
    if path == "/fails":
        raise RuntimeError("broken application")
    if path == "/breaks":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return (b"%d" % (1 // (1 - number)) for number in range(2))
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


def test_one_connection_takes_many_requests(serve: Callable[[Any], Server]) -> None:
    server = serve(_application)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.connect()
    first = connection.sock
    for path, body in (("/", b"ok"), ("/pieces", b"onetwo"), ("/", b"ok")):
        connection.request("GET", path)
        assert connection.getresponse().read() == body
        assert connection.sock is first
    connection.request("HEAD", "/pieces")
    assert connection.getresponse().read() == b""
    connection.request("GET", "/")
    assert connection.getresponse().read() == b"ok"
    connection.close()


def test_requests_sent_together_are_answered_in_turn(
    serve: Callable[[Any], Server], exchange: Callable[[Server, bytes], bytes]
) -> None:
    one = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert exchange(serve(_application), one + one + last).count(b"200 OK") == 3


def test_a_body_nobody_reads_is_not_the_next_request(serve: Callable[[Any], Server]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", serve(_application).port, timeout=60)
    connection.request("POST", "/", body=b"GET /smuggled HTTP/1.1\r\n\r\n")
    assert connection.getresponse().read() == b"ok"
    first = connection.sock
    connection.request("GET", "/pieces")
    assert connection.getresponse().read() == b"onetwo"
    assert connection.sock is first
    connection.close()


def test_a_large_body_nobody_reads_still_gets_its_answer(serve: Callable[[Any], Server]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", serve(_application).port, timeout=60)
    connection.request("POST", "/", body=b"x" * 5_000_000)
    assert connection.getresponse().read() == b"ok"
    connection.close()


def test_http_1_0_gets_no_chunks(
    serve: Callable[[Any], Server], exchange: Callable[[Server, bytes], bytes]
) -> None:
    answer = exchange(serve(_application), b"GET /pieces HTTP/1.0\r\n\r\n")
    assert answer.endswith(b"\r\n\r\nonetwo")


def test_big_answers_arrive_whole(serve: Callable[[Any], Server]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", serve(_application).port, timeout=60)
    connection.request("GET", "/big")
    assert len(connection.getresponse().read()) == BIG
    connection.close()


def test_a_client_that_leaves_in_the_middle_is_no_event(
    serve: Callable[[Any], Server], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    server = serve(_application)
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
            connection.recv(100)
    server.stop()
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.levelname != "DEBUG"]


def test_idle_connections_block_nobody(
    serve: Callable[[Any], Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(_application)
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(50)]
    for connection in idle:
        connection.sendall(b"GET / HT")
    asking = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    asking.request("GET", "/")
    assert asking.getresponse().read() == b"ok"
    asking.close()
    monkeypatch.setattr(http_server, "_LEAVE", FOR_EVER)  # nothing is in progress
    begin = time.monotonic()
    server.stop()
    assert time.monotonic() - begin < FOR_EVER
    for connection in idle:
        connection.close()


def test_an_application_that_fails(
    serve: Callable[[Any], Server], exchange: Callable[[Server, bytes], bytes]
) -> None:
    server = serve(_application)
    end = b" HTTP/1.1\r\nHost: x\r\n\r\n"
    failed = exchange(server, b"GET /fails" + end)
    assert failed.startswith(b"HTTP/1.1 500")
    assert b"broken application" not in failed
    assert failed.count(b"X-Content-Type-Options: nosniff") == 1
    cut = exchange(server, b"GET /breaks" + end)
    assert b"Transfer-Encoding: chunked" in cut
    assert not cut.endswith(b"0\r\n\r\n")  # the client sees that it is not whole


def test_a_busy_port_is_said_so() -> None:
    first = listen(_application, "127.0.0.1", 0)
    with pytest.raises(InsightError, match=f"port {first.port} on 127.0.0.1 is in use"):
        listen(_application, "127.0.0.1", first.port)
    first.stop()
    again = listen(_application, "127.0.0.1", first.port)  # stopping gave the port back
    again.stop()


def test_the_default_port_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    first = listen(_application, "127.0.0.1", 0)
    monkeypatch.setattr("insight_core.web.http_server.DEFAULT_PORT", first.port)
    second = listen(_application, "127.0.0.1", None)
    assert second.port > first.port
    monkeypatch.setattr("insight_core.web.http_server.PORTS_TRIED", 1)
    with pytest.raises(InsightError, match=r"no port from .* is free"):
        listen(_application, "127.0.0.1", None)
    first.stop()
    second.stop()


@pytest.mark.parametrize(
    ("host", "port"), [("no.such.host.invalid", 0), ("127.0.0.1", 70000), ("203.0.113.7", 0), ("a" * 300, 0)]
)
def test_an_address_that_cannot_be_had(host: str, port: int) -> None:
    with pytest.raises(InsightError):
        listen(_application, host, port)


def test_ipv6() -> None:
    try:
        server = listen(_application, "::1", 0)
    except InsightError as error:
        pytest.skip(f"no IPv6 here: {error}")
    assert server.url == f"http://[::1]:{server.port}/"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    connection = http.client.HTTPConnection("::1", server.port, timeout=60)
    connection.request("GET", "/")
    assert connection.getresponse().read() == b"ok"
    connection.close()
    server.stop()
    thread.join()


@pytest.mark.parametrize("prefix", ["/foo", "foo/", "/foo/"])
def test_the_url_has_the_prefix(prefix: str) -> None:
    server = listen(_application, "0.0.0.0", 0, path_prefix=prefix)
    server.stop()
    assert server.url == f"http://127.0.0.1:{server.port}/foo/"


def test_a_host_is_closed_with_its_server(host_of: Callable[..., Host]) -> None:
    server = listen(host_of(), "127.0.0.1", 0)
    server.stop()
    server.stop()
    server.serve_forever()  # returns
