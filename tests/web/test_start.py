"""``/data/start`` gives a page its first answers together, the same as each would be by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin, PluginContext, Route, Unavailable
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host

FIRST = ["data/run_table", "data/plugins_listing", "data/environment"]


CATALOG = "data/catalog?plugin=scalar"


@pytest.fixture
def client(host_of: Callable[..., Host]) -> Client:
    return Client(host_of(Plugin("scalar", "Scalars")))


def _start(client: Client, tab: str) -> dict[str, Any]:
    answer = client.get("/data/start", query_string={"tab": tab})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json or {}
    return found


def test_each_answer_is_what_its_own_path_gives(client: Client) -> None:
    found = _start(client, "scalar")
    assert list(found) == [*FIRST, CATALOG]
    for path, value in found.items():
        assert value == client.get(f"/{path}").json, path
    assert found[CATALOG]["runs"] == ["early", "late"]


@pytest.mark.parametrize("tab", ["", "nothing", "../runs", "scalar/static/x"])
def test_a_tab_that_is_not_there_has_no_catalogue(client: Client, tab: str) -> None:
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


def test_a_plugin_that_takes_its_time_is_not_waited_for(host_of: Callable[..., Host]) -> None:
    known = threading.Event()

    def routes(ctx: PluginContext) -> list[Route]:
        known.wait()
        return []

    client = Client(host_of(Plugin("scalar", "Scalars", routes=routes)))
    try:
        assert list(_start(client, "scalar")) == [*FIRST, CATALOG]
    finally:
        known.set()
