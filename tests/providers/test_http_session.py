"""A client of a host: what it sends, and errors of the host and of other servers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import insight_scalar
import pytest
from insight_remote.host_client.provider import HttpProvider
from insight_remote.host_client.session import Address, HttpSession
from werkzeug import Request, Response

from insight_core.plugin import (
    InsightError,
    InvalidArgument,
    NotFound,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.testing import FakeProvider
from tests.hosts import listening, served
from tests.waiting import eventually

Open = Callable[[Callable[[Request], Response], str], HttpSession]


@pytest.fixture
def session_of() -> Iterator[Open]:
    """Opens a session with a server that answers every request with a function."""
    with ExitStack() as opened:

        def open_(answer: Callable[[Request], Response], more: str = "") -> HttpSession:
            url = opened.enter_context(listening(Request.application(answer)))
            session = HttpSession(Address.of(url + more))
            opened.callback(session.close)
            return session

        yield open_


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, InvalidArgument), (404, NotFound), (413, TooLarge), (422, Undecodable), (503, Unavailable)],
)
def test_errors_keep_kind_text_code_and_details(
    session_of: Open, status: int, kind: type[InsightError]
) -> None:
    said = {"error": "events.1: bad CRC", "code": "undecodable_record", "details": {"run": "a", "step": 3}}
    session = session_of(lambda request: Response(json.dumps(said), status), "")
    with pytest.raises(kind, match=r"^events\.1: bad CRC$") as raised:
        session.json("data/runs")
    assert type(raised.value) is kind
    assert (raised.value.code, raised.value.details) == ("undecodable_record", {"run": "a", "step": 3})


def test_the_token_of_the_url_is_sent_as_a_header_and_never_shown(session_of: Open) -> None:
    seen: list[tuple[str, str | None]] = []

    def answer(request: Request) -> Response:
        seen.append((request.full_path, request.headers.get("Authorization")))
        return Response(status=403)

    session = session_of(answer, "?token=secret#tab=scalar")
    with pytest.raises(InsightError, match="token") as raised:
        session.json("data/runs", [("a", "b c")])
    assert seen == [("/data/runs?a=b+c", "Bearer secret")]
    assert "secret" not in f"{raised.value}{session.address!r}{session.address}"


def test_gzip_is_asked_for_and_decoded(session_of: Open) -> None:
    def answer(request: Request) -> Response:
        assert "gzip" in request.headers["Accept-Encoding"]
        return Response(gzip.compress(b"[1]"), headers={"Content-Encoding": "gzip"})

    assert session_of(answer, "").json("data/runs") == [1]


def test_a_server_that_is_no_host_is_named(session_of: Open) -> None:
    session = session_of(lambda request: Response("<html>"), "")
    with pytest.raises(Unavailable, match=r"http://127\.0\.0\.1:.* is it an insight-host"):
        session.json("data/runs")


def test_a_host_that_ended_is_unavailable_without_delay() -> None:
    with listening(Request.application(lambda request: Response("[]"))) as url:
        session = HttpSession(Address.of(url))
        assert session.json("data/runs") == []
    with pytest.raises(Unavailable, match="does not answer"):
        session.json("data/runs")
    session.close()
    with pytest.raises(Unavailable, match="closed"):
        session.json("data/runs")


def test_a_host_that_goes_away_is_reported_as_a_change() -> None:
    with served(FakeProvider(), [insight_scalar.insight_plugin()]) as url:
        provider = HttpProvider(Address.of(url), interval=0.02)
        provider.start()
        eventually(provider.generation)
        before = provider.generation()
    try:
        eventually(lambda: provider.changes(before).runs)
        with pytest.raises(Unavailable):
            provider.runs()
    finally:
        provider.close()


@pytest.mark.parametrize("url", ["ftp://a/", "http://", "http://a:x/", "http://user:word@a/?token=secret"])
def test_what_is_no_address_of_a_host_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        Address.of(url)
    assert "secret" not in str(refused.value)
