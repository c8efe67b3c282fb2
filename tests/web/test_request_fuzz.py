"""Whatever bytes a client sends: no traceback, no answer after a refusal, no request that is not there."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_core.web.connection import Connection

Request = tuple[str, str, bytes]
METHODS = ("GET", "HEAD", "POST", "PUT", "OPTIONS", "BREW")
_STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3}) [^\r\n]*\r\nServer: insight-host\r\n")

bodies = st.one_of(st.binary(max_size=40), st.just(b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"))
targets = st.text("abc/%?.~+*&=", max_size=10).map(lambda text: f"/{text}")
extra_fields = st.lists(
    st.sampled_from(
        [b"Accept: */*", b"X: a, b", b"Content_Length: 3", b"x-y:", b"X:\t\xe6\x97\xa5 ", b"Cookie: a=b"]
    ),
    max_size=4,
)
# each makes a request malformed, wherever among its fields it stands
BROKEN = (
    b"Content-Length : 5",
    b"Transfer-Encoding : chunked",
    b"nonsense",
    b" folded: 5",
    b"Content-Length: 1\r\nContent-Length: 2",
    b"Content-Length: 3\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: \x0bchunked",
    b"Content-Length: -1",
    b"Content-Length: 0x1",
    b"Host: y\r\nHost: z",
    b"X: a\rY: b",
    b"X: \0",
    b"X: a\nContent-Length: 5",
)


def exchange(data: bytes) -> tuple[list[Request], list[int]]:
    """Give *data* to a connection, as if a client had sent it and closed its side.

    Returns the requests that the application got, and the statuses of all answers. The sockets are a pair,
    as a machine that drops one of a thousand connections through a port would fail the test.
    """
    requests: list[Request] = []

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        assert environ["wsgi.input"].read() == b""
        requests.append((environ["REQUEST_METHOD"], environ["RAW_URI"], body))
        start_response("200 OK", [("Content-Length", "0")])
        return []

    client, accepted = socket.socketpair()
    with client:
        client.settimeout(60)
        with accepted:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            Connection(accepted, ("127.0.0.1", 0), application).serve()
        answers = b""
        with contextlib.suppress(ConnectionResetError):  # it was closed with bytes that it had not read
            while received := client.recv(1 << 16):
                answers += received
    return requests, [int(status) for status in _STATUS.findall(answers)]


@st.composite
def sound_requests(draw: st.DrawFn, broken: bytes | None = None) -> tuple[bytes, Request]:
    """A request as bytes and as it must be read; with ``broken`` among its fields it must be refused."""
    method, target, body = draw(st.sampled_from(METHODS)), draw(targets), draw(bodies)
    fields = [b"Host: x", *draw(extra_fields)]
    framing = draw(st.sampled_from(["none", "length", "chunks"])) if broken is None else "none"
    if framing == "length":
        fields.append(b"Content-Length: %d" % len(body))
    elif framing == "chunks":
        fields.append(b"Transfer-Encoding: chunked")
        cut = draw(st.integers(0, len(body)))
        pieces = [piece for piece in (body[:cut], body[cut:]) if piece]
        encoded = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    fields = draw(st.permutations(fields))
    if broken is not None:
        fields.insert(draw(st.integers(0, len(fields))), broken)
    head = b"\r\n".join([f"{method} {target} HTTP/1.1".encode(), *fields, b"", b""])
    sent = {"none": b"", "length": body, "chunks": encoded if framing == "chunks" else b""}[framing]
    return head + sent, (method, target, body if framing != "none" else b"")


@given(st.lists(sound_requests(), min_size=1, max_size=4))
@settings(deadline=None, max_examples=100)
def test_requests_sent_together_are_read_as_they_are(sent: list[tuple[bytes, Request]]) -> None:
    requests, statuses = exchange(b"".join(data for data, _ in sent))
    assert requests == [request for _, request in sent]
    assert statuses == [200] * len(sent)


@given(sound_requests(), st.sampled_from(BROKEN).flatmap(lambda broken: sound_requests(broken)), bodies)
@settings(deadline=None, max_examples=200)
def test_nothing_is_answered_after_a_malformed_request(
    first: tuple[bytes, Request],
    malformed: tuple[bytes, Request],
    rest: bytes,
) -> None:
    requests, statuses = exchange(first[0] + malformed[0] + rest)
    assert requests == [first[1]]
    assert len(statuses) == 2
    assert statuses[1] in (400, 501)


@given(st.lists(sound_requests(), min_size=1, max_size=3), st.data())
@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_bytes_end_in_one_refusal_at_most_and_no_traceback(
    sent: list[tuple[bytes, Request]], data: st.DataObject
) -> None:
    whole = bytearray(b"".join(request for request, _ in sent))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(whole) - 1, 0)))
        insert = data.draw(
            st.sampled_from([b"", b"\r", b"\n", b" ", b"\t", b":", b"\0", b"0", b"\xff", b"\r\n", b","])
        )
        whole[at : at + data.draw(st.integers(0, 3))] = insert
    requests, statuses = exchange(bytes(whole))  # raises what the connection raises
    assert len(statuses) in (len(requests), len(requests) + 1)
    assert statuses[: len(requests)] == [200] * len(requests)
    assert 500 not in statuses


@given(st.binary(max_size=200))
@settings(deadline=None, max_examples=200)
def test_any_bytes_are_refused_or_wait_for_more(data: bytes) -> None:
    requests, statuses = exchange(data)
    assert requests == []
    assert statuses in ([], [400], [501], [505])
