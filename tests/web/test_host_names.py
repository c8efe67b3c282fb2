"""Which Host headers are answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import Client

from insight_core.web import Host
from insight_core.web.host_names import HostNames


@pytest.mark.parametrize(
    "header",
    [
        "localhost",
        "LOCALHOST:80",
        "localhost.",
        "127.0.0.1:6006",
        "127.8.9.1",
        "[::1]:6006",
        "[::1]",
        "box:1",
        None,
    ],
)
def test_loopback_and_the_bound_host_are_answered(header: str | None) -> None:
    assert HostNames("box").allow(header)


@pytest.mark.parametrize(
    "header",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        ":80",
        "a,localhost",
        "10.0.0.1",
        "localhost:80:80",
        "[::1]x",
        "[::1",
        "localhost:http",
        "localhost@evil.example",
        "[::2]",
        "0x7f.1",
    ],
)
def test_other_names_are_not(header: str) -> None:
    assert not HostNames("127.0.0.1").allow(header)


def test_further_names_can_be_allowed() -> None:
    names = HostNames("127.0.0.1", ["Train.Example:443", "::5"])
    assert names.allow("train.example:6006")
    assert names.allow("[::5]:1")
    assert not names.allow("other.example")
    assert HostNames("127.0.0.1", ["*"]).allow("anything.example:1")


def test_bound_everywhere_takes_addresses_but_not_names() -> None:
    names = HostNames("0.0.0.0")
    assert names.allow("192.168.1.5:6006")
    assert not names.allow("evil.example")


def test_a_foreign_host_gets_403_on_every_path(host_of: Callable[..., Host]) -> None:
    client = Client(host_of(allowed_hosts=("good.example",)))
    for path in ("/", "/data/runs", "/healthz", "/nothing"):
        answer = client.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 403
        assert "error" in (answer.json or {})
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get("/data/runs", headers={"Host": "good.example:99"}).status_code == 200


def test_another_site_cannot_post(client: Client) -> None:
    assert client.post("/data/runs", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
