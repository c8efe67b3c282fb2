"""``/data/start`` gives a page its first answers together, the same as each would be by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug import Response
from werkzeug.test import Client

from insight_core.plugin import Plugin, PluginContext, Route, Unavailable
from insight_core.plugin.testing.fake import FakeProvider
from insight_core.web import Host

FIRST = ["data/run_table", "data/plugins_listing", "data/environment"]


def _own_tags(ctx: PluginContext) -> list[Route]:
    return [Route("/tags", lambda request: Response("{}", mimetype="application/json"))]


@pytest.fixture
def host(host_of: Callable[..., Host]) -> Host:
    return host_of(Plugin("scalar", "Scalars"), Plugin("own", "Own", routes=_own_tags))


@pytest.fixture
def client(host: Host) -> Client:
    client = Client(host)
    for name in ("scalar", "own"):
        assert (
            client.get(f"/data/plugin/{name}/tags").status_code == 200
        )  # their routes are known from now on
    return client


def _start(client: Client, tab: str) -> dict[str, Any]:
    answer = client.get("/data/start", query_string={"tab": tab})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json or {}
    return found


def test_each_answer_is_what_its_own_path_gives(client: Client) -> None:
    found = _start(client, "scalar")
    assert list(found) == [*FIRST, "data/plugin/scalar/tags"]
    for path, value in found.items():
        assert value == client.get(f"/{path}").json, path
    assert found["data/plugin/scalar/tags"]["late"]["loss"]["points"] == 2


@pytest.mark.parametrize("tab", ["", "nothing", "own", "../runs", "scalar/static/x"])
def test_a_tab_that_the_host_does_not_answer_for_is_left_out(client: Client, tab: str) -> None:
    """A plugin's own route may take its time, or hang."""
    assert list(_start(client, tab)) == FIRST


def test_it_holds_until_something_changes(client: Client, provider: FakeProvider) -> None:
    tag = client.get("/data/start?tab=scalar").headers["ETag"]
    assert client.get("/data/start?tab=scalar", headers={"If-None-Match": tag}).status_code == 304
    provider.add_scalars("new", "loss", [1.0])
    assert client.get("/data/start?tab=scalar", headers={"If-None-Match": tag}).status_code == 200


def test_data_that_are_away_are_an_error(client: Client, provider: FakeProvider, monkeypatch: Any) -> None:  # noqa: ANN401
    def away() -> None:
        raise Unavailable("the data server does not answer")

    monkeypatch.setattr(provider, "runs", away)
    assert client.get("/data/start?tab=scalar").status_code == 503


def test_a_tab_whose_routes_are_not_known_yet_is_not_waited_for(host_of: Callable[..., Host]) -> None:
    known = threading.Event()

    def routes(ctx: PluginContext) -> list[Route]:
        known.wait()
        return []

    client = Client(host_of(Plugin("scalar", "Scalars", routes=routes)))
    try:
        assert list(_start(client, "scalar")) == FIRST
    finally:
        known.set()
    assert client.get("/data/plugin/scalar/tags").status_code == 200
    assert list(_start(client, "scalar")) == [*FIRST, "data/plugin/scalar/tags"]
