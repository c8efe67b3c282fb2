"""Requests that are malformed, ambiguous or too large: one refusal, then the connection is closed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from insight_core.web.http_server import Server
from insight_core.web.request_head import LARGEST_BODY
from tests.web.framing_corpus import LAST, MALFORMED, NEXT, SOUND, post


class _Recorder:
    """Answers everything with what it was sent, and remembers the requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, bytes]] = []

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        self.requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"], body))
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]


@pytest.fixture
def recorder() -> _Recorder:
    return _Recorder()


@pytest.fixture
def send(
    recorder: _Recorder, serve: Callable[[Any], Server], exchange: Callable[[Server, bytes], bytes]
) -> Callable[[bytes], bytes]:
    """Sends bytes and returns all answers; fails if the server does not close the connection."""
    server = serve(recorder)
    return lambda request: exchange(server, request)


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_request_is_refused_once_and_the_connection_closed(
    name: str, send: Callable[[bytes], bytes], recorder: _Recorder
) -> None:
    status, request = MALFORMED[name]
    answer = send(request + NEXT)
    head, _, _ = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), answer
    assert len(re.findall(rb"HTTP/1\.1 [0-9]{3} ", answer)) == 1
    for line in (
        b"Connection: close",
        b"X-Content-Type-Options: nosniff",
        b"Cross-Origin-Resource-Policy: same-origin",
    ):
        assert head.count(line) == 1
    assert recorder.requests == []


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_request_is_answered_and_so_is_the_next(
    name: str, send: Callable[[bytes], bytes], recorder: _Recorder
) -> None:
    request, read = SOUND[name]
    assert send(request + LAST).count(b"HTTP/1.1 200 OK\r\n") == 2
    assert recorder.requests == [read, ("GET", "/last", b"")]


def test_an_absolute_target_replaces_the_host_field(
    serve: Callable[[Any], Server], exchange: Callable[[Server, bytes], bytes]
) -> None:
    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [environ["HTTP_HOST"].encode()]

    answer = exchange(serve(application), b"GET http://x:1/ HTTP/1.0\r\nHost: y\r\n\r\n")
    assert answer.endswith(b"\r\n\r\nx:1")


def test_a_field_whose_name_has_an_underscore_never_reaches_the_application(
    serve: Callable[[Any], Server], exchange: Callable[[Server, bytes], bytes]
) -> None:
    seen: list[dict[str, Any]] = []

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        seen.append(environ)
        start_response("200 OK", [("Content-Length", "0")])
        return [environ["wsgi.input"].read()]

    fields = (b"Content_Length: 5", b"X_Token: a", b"Transfer_Encoding: chunked", b"X-Token: b")
    exchange(serve(application), post(*fields, b"Connection: close"))
    assert seen[0]["HTTP_X_TOKEN"] == "b"
    assert {"CONTENT_LENGTH", "HTTP_CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"}.isdisjoint(seen[0])


def test_the_body_is_asked_for_once(send: Callable[[bytes], bytes]) -> None:
    expecting = b"Host: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
    answer = send(b"POST / HTTP/1.1\r\n" + expecting + b"Content-Length: 2\r\n\r\nab")
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert answer.count(b" 100 ") == 1
    without_body = send(b"POST / HTTP/1.1\r\n" + expecting + b"\r\n")
    assert without_body.startswith(b"HTTP/1.1 200 OK\r\n")
    too_large = send(b"POST / HTTP/1.1\r\n" + expecting + b"Content-Length: %d\r\n\r\n" % (LARGEST_BODY + 1))
    assert too_large.startswith(b"HTTP/1.1 413 ")


def test_http_1_0_hears_that_it_is_kept_alive(send: Callable[[bytes], bytes]) -> None:
    kept = send(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n")
    first, second = kept.split(b"HTTP/1.1 ")[1:]
    assert b"Connection: keep-alive\r\n" in first
    assert b"Connection: close\r\n" in second
