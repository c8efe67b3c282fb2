"""Fuzz targets: HTTP as a client sends it, and texts of query parameters."""

from __future__ import annotations

import socket
from collections.abc import Iterator

from insight_core.plugin import InsightError
from insight_core.web.request_head import LARGEST_BODY, RefusedRequest
from insight_core.web.request_reader import ClientGone, RequestReader
from tests.fuzz.target import Target, documented
from tests.web.framing_corpus import MALFORMED


def read_requests(data: bytes) -> None:
    """Requests of one connection, until it is refused or ends."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 18)
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        reader = RequestReader(ours)
        with documented(RefusedRequest, ClientGone):
            for _ in range(len(data) + 1):
                head = reader.head()
                assert not (head.chunked and head.content_length)
                body, size = reader.body(head)
                with body:
                    assert len(body.read()) == size <= min(LARGEST_BODY, len(data))
            raise AssertionError("more requests than bytes")


def _requests() -> Iterator[bytes]:
    yield b"GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    yield b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc"
    yield b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"
    yield b"GET http://[::1]:80/a HTTP/1.0\r\nAccept: */*\r\n\r\n"
    yield from (data for _, data in MALFORMED.values())


def parse_parameters(data: bytes) -> None:
    """Expressions over tags, conditions over columns, and searches, whose texts come from a client."""
    from insight_scalar.expressions import parsed as expression

    from insight_core.filters.expression import parsed as condition
    from insight_core.plugin.http import matcher_of

    text = data.decode("utf-8", "replace")
    with documented(InsightError):
        condition(text)
    with documented(InsightError):
        expression(text, lambda: ["loss", "train/loss"])
    with documented(InsightError):
        matcher_of(text, is_regex=True).rows(["train/loss", "accuracy", "\n", ""])


def _parameters() -> Iterator[bytes]:
    yield b'lr < 0.01 and ("val_acc" >= 0.9 or not name in (\'a\', "b", null))'
    yield b'sqrt("my loss" + 2 * train/loss^2) - cummax(wall, -1e-3)'
    yield rb"^train/(loss|acc[a-z]*)\d{2,5}?$"


TARGETS = [
    Target("http", read_requests, _requests),
    Target("parameters", parse_parameters, _parameters, longest=400),
]
