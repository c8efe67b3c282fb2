"""The page learns which saved view to open, and which logs it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin, Unavailable
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, HostSettings
from insight_core.web.state.saved import SavedStore, view_state
from tests.hosts import registry_of


@pytest.fixture
def host_of_store(provider: FakeProvider, page_directory: Path) -> Callable[[SavedStore], Host]:
    def make(store: SavedStore) -> Host:
        registry = registry_of(Plugin("mine", "Mine"))
        return Host(registry, provider, HostSettings(page=page_directory), None, store)

    return make


def _start(host: Host) -> dict[str, object]:
    found = re.search(r'id="start">(.*?)</script>', Client(host).get("/").text)
    assert found
    start: dict[str, object] = json.loads(found[1])
    return start


def _store(state: Path, logdir: str) -> SavedStore:
    return SavedStore(state, lambda: [logdir])


def test_the_page_holds_the_default_view_of_its_own_logs(
    host_of_store: Callable[[SavedStore], Host], tmp_path: Path
) -> None:
    store = _store(tmp_path, "/logs")
    host = host_of_store(store)
    assert list(_start(host)) == ["logs"]
    state = {"tab": "mine", "runs": "</script><script>alert(1)</script>"}
    store.write("page", "view/two", {"state": state}, None)
    assert list(_start(host)) == ["logs"], "a view is not the default because it is there"
    store.write("page", "default view", "two", None)
    assert _start(host)["view"] == {"name": "two", "state": state}
    assert "alert" not in re.sub(r'id="start">.*', "", Client(host).get("/").text)
    other = _start(host_of_store(_store(tmp_path, "/others")))
    assert list(other) == ["logs"]
    assert other["logs"] != _start(host)["logs"]


@pytest.mark.parametrize(
    ("view", "default"),
    [(None, "two"), ({"state": {"tab": 1}}, "two"), ({"state": []}, "two"), ([], "two"), ({"state": {}}, 2)],
)
def test_entries_that_are_no_views_open_nothing(
    host_of_store: Callable[[SavedStore], Host], tmp_path: Path, view: object, default: object
) -> None:
    store = _store(tmp_path, "/logs")
    store.write("page", "default view", default, None)
    if view is not None:
        store.write("page", "view/two", view, None)
    assert list(_start(host_of_store(store))) == ["logs"]


def test_a_page_is_served_while_nobody_knows_where_the_logs_lie(
    host_of_store: Callable[[SavedStore], Host], tmp_path: Path
) -> None:
    def away() -> list[str]:
        raise Unavailable("the data server is away")

    assert _start(host_of_store(SavedStore(tmp_path, away))) == {"logs": ""}


def test_views_are_read_by_name(tmp_path: Path) -> None:
    store = _store(tmp_path, "/logs")
    store.write("page", "view/b", {"state": {"tab": "x"}}, None)
    store.write("page", "view/a", {"state": {}}, None)
    store.write("page", "other", 1, None)
    assert view_state(store.now(), "a") == {}
    assert view_state(store.now(), "b") == {"tab": "x"}
    assert view_state(store.now(), "c") is None
