"""What was made for TensorBoard, seen from the host: asked for what the host itself does not know."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, cast

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.plugin.http import READ_ONLY
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, HostSettings
from tests.hosts import registry_of

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from insight_core.own_hooks import Guests


class _Part:
    """Answers below ``/other`` with where it finds itself."""

    owner = "TensorBoard's application"

    def __init__(self) -> None:
        self.changed: Callable[[], None] = lambda: None
        self.asked: list[str] = []

    def app_for(self, path: str) -> WSGIApplication | None:
        self.asked.append(path)
        return _where if path.startswith("/other") else None

    def is_reading(self, path: str) -> bool:
        return path == "/other/read"

    def listing(self, experimental: Collection[str] = ()) -> Mapping[str, Mapping[str, object]]:
        return {"theirs": {"tab_name": "Theirs"}, "ours": {"tab_name": "not this one"}}

    def follow(self, changed: Callable[[], None]) -> None:
        self.changed = changed


def _where(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps([environ["SCRIPT_NAME"], environ["PATH_INFO"]]).encode()]


def _host(part: _Part) -> Host:
    settings = HostSettings(path_prefix="/a/ü", guests=cast("Guests", part))  # all that a host asks
    return Host(registry_of(Plugin("ours", "Ours")), FakeProvider("logs"), settings)


def test_clients_that_may_not_save_send_only_what_reads() -> None:
    client = Client(_host(_Part()))
    here, guest = {"Host": "localhost"}, {READ_ONLY: True}
    codes = {
        (method, path): client.open(
            f"/a/ü/other/{path}", method=method, headers=here, environ_overrides=guest
        ).status_code
        for method in ("GET", "POST", "PUT")
        for path in ("read", "write")
    }
    refused = {request for request, code in codes.items() if code == 403}
    assert refused == {("POST", "write"), ("PUT", "write")}
    assert client.post("/a/ü/other/write", headers=here).status_code == 200


def test_it_answers_what_the_host_does_not_know() -> None:
    part = _Part()
    client = Client(_host(part))
    answer = client.get("/a/ü/other/ö", headers={"Host": "localhost"})
    prefix, path = answer.json  # type: ignore[misc]
    assert (prefix.encode("latin1").decode(), path.encode("latin1").decode()) == ("/a/ü", "/other/ö")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'self'"  # scripts as they like
    assert client.get("/a/ü/nothing", headers={"Host": "localhost"}).status_code == 404
    assert part.asked == ["/other/ö", "/nothing"]


def test_it_is_not_asked_for_what_the_host_knows_or_refuses() -> None:
    part = _Part()
    client = Client(_host(part))
    assert client.get("/a/ü/data/runs", headers={"Host": "localhost"}).status_code == 200
    assert client.post("/a/ü/data/runs", headers={"Host": "localhost"}).status_code == 405
    assert client.get("/a/ü/other", headers={"Host": "evil.example"}).status_code == 403
    assert client.get("/other", headers={"Host": "localhost"}).status_code == 404  # not below the prefix
    foreign = {"Host": "localhost", "Sec-Fetch-Site": "cross-site"}
    assert client.post("/a/ü/other", headers=foreign).status_code == 403
    assert part.asked == []


def test_its_rows_follow_ours() -> None:
    listing = Client(_host(_Part())).get("/a/ü/data/plugins_listing", headers={"Host": "localhost"}).json
    assert listing is not None
    assert list(listing) == ["ours", "theirs"]
    assert listing["ours"]["tab_name"] == "Ours"


def test_changes_tell_when_the_listing_does() -> None:
    part = _Part()
    client = Client(_host(part))

    def number() -> int:
        changes = client.get("/a/ü/data/changes", headers={"Host": "localhost"}).json
        assert changes is not None
        plugins: int = changes["plugins"]
        return plugins

    before = number()
    part.changed()
    assert number() == before + 1


def test_what_it_raises_is_said_to_be_its_own(caplog: pytest.LogCaptureFixture) -> None:
    def fails(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        raise RuntimeError("no dashboard today")

    part = _Part()
    part.app_for = lambda path: fails  # type: ignore[method-assign]
    answer = Client(_host(part)).get("/a/ü/other", headers={"Host": "localhost"})
    assert answer.status_code == 500
    assert answer.json == {
        "error": "TensorBoard's application failed to answer; the log of the host says why",
        "code": "failed",
        "details": {"who": "TensorBoard's application"},
    }
    assert "no dashboard today" in caplog.text
