"""Which Host headers are answered."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable

import pytest
from werkzeug.test import Client

from insight_core.web import Host
from insight_core.web.host_names import HostNames
from insight_core.web.http_server import listen


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


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "box"])
def test_of_addresses_only_the_one_that_was_connected_to_is_answered(bound: str) -> None:
    names = HostNames(bound)
    assert names.allow("192.168.1.5:6006", "192.168.1.5")
    assert names.allow("192.168.1.5", "::ffff:192.168.1.5")  # IPv4 at a socket of IPv6
    assert names.allow("[fe80::1]:6006", "fe80::1%eth0")
    assert not names.allow("192.168.1.6:6006", "192.168.1.5")
    assert not names.allow("203.0.113.7", "127.0.0.1")
    assert not names.allow("192.168.1.5")
    assert not names.allow("evil.example", "evil.example")


def test_a_host_bound_everywhere_knows_where_a_connection_arrived(host_of: Callable[..., Host]) -> None:
    server = listen(host_of(bound_host="0.0.0.0"), "0.0.0.0", 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        for name, status in (
            ("127.0.0.1", 200),
            ("localhost", 200),
            ("203.0.113.7", 403),
            ("evil.example", 403),
        ):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", "/data/runs", headers={"Host": f"{name}:{server.port}"})
            assert connection.getresponse().status == status
            connection.close()
    finally:
        server.stop()
        thread.join()


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
