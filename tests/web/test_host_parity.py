"""What TensorBoard's host does with a request, or does wrong: every answer of ours, whoever gave it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.web import Host

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Guests:
    """What was made for TensorBoard: answers below ``/data/plugin/guest/``."""

    owner = "TensorBoard's application"

    def app_for(self, path: str) -> WSGIApplication | None:
        return self._app if path.startswith("/data/plugin/guest/") else None

    def is_reading(self, path: str) -> bool:
        return False

    def listing(self) -> Mapping[str, Mapping[str, object]]:
        return {}

    def follow(self, changed: Callable[[], None]) -> None:
        pass

    def _app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        if request.path.endswith("/fails"):
            raise RuntimeError("out of order")
        answer = Response(
            f"{request.method} {request.root_path} {request.path} " + "x" * 2000, content_type="text/html"
        )
        if request.path.endswith("/policy"):
            answer.headers["Content-Security-Policy"] = "script-src 'self' 'unsafe-eval'"
        return answer(environ, start_response)


@pytest.fixture
def guests(host_of: Callable[..., Host]) -> Client:
    return Client(host_of(Plugin("scalar", "Scalars"), guests=Guests(), path_prefix="/a/b"))


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/a/b/", "localhost", 200),
        ("HEAD", "/a/b/", "localhost", 200),
        ("GET", "/a/b", "localhost", 301),
        ("GET", "/a/bc/", "localhost", 404),
        ("GET", "/", "localhost", 404),
        ("GET", "/a/b/data/runs", "evil.example", 403),
        ("POST", "/a/b/data/runs", "localhost", 405),
        ("GET", "/a/b/data/runs/", "localhost", 200),
        ("GET", "/a/b/static/../../x", "localhost", 404),
        ("GET", "/a/b/static/%2e%2e/%2e%2e/etc/passwd", "localhost", 404),
        ("GET", "/a/b/data/plugin/guest/page", "localhost", 200),
        ("HEAD", "/a/b/data/plugin/guest/page", "localhost", 200),
        ("POST", "/a/b/data/plugin/guest/page", "localhost", 200),
        ("GET", "/a/b/data/plugin/guest/fails", "localhost", 500),
        ("GET", "/a/b/data/plugin/guest/page", "evil.example", 403),
        ("GET", "/a/b/data/plugin/nobody/page", "localhost", 404),
    ],
)
def test_every_answer_is_nosniff(guests: Client, method: str, path: str, host: str, status: int) -> None:
    answer = guests.open(path, method=method, headers={"Host": host})
    assert answer.status_code == status
    assert answer.headers.getlist("X-Content-Type-Options") == ["nosniff"]
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers.getlist("Cross-Origin-Resource-Policy") == ["same-origin"]
    if method == "HEAD":
        assert answer.data == b""
        assert int(answer.headers["Content-Length"]) > 0


def test_a_guest_keeps_its_path_and_its_policy(guests: Client) -> None:
    answer = guests.get("/a/b/data/plugin/guest/policy")
    assert answer.text.startswith("GET /a/b /data/plugin/guest/policy ")
    policy = answer.headers["Content-Security-Policy"]
    assert policy == "script-src 'self' 'unsafe-eval'; frame-ancestors 'self'"
    assert "script-src" not in guests.get("/a/b/data/plugin/guest/page").headers["Content-Security-Policy"]


def test_gzip_is_the_same_each_time(guests: Client) -> None:
    packed = [
        guests.get("/a/b/static/assets/shell-3f2a91bc04de.js", headers={"Accept-Encoding": "gzip"})
        for _ in range(2)
    ]
    assert packed[0].data == packed[1].data
    assert packed[0].headers["Content-Encoding"] == "gzip"
    assert packed[0].data[4:8] == bytes(4)  # no time in it
    assert gzip.decompress(packed[0].data).startswith(b"export {};")
    refused = guests.get("/a/b/static/assets/shell-3f2a91bc04de.js", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


def test_another_site_cannot_make_a_guest_change_anything(guests: Client) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert guests.post("/a/b/data/plugin/guest/page", headers=foreign).status_code == 403
    assert guests.get("/a/b/data/plugin/guest/page", headers=foreign).status_code == 200
