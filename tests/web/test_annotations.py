"""``/data/annotations``: who may write, what, and who hears of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client, TestResponse

from insight_core.plugin import Plugin, PluginContext, Route
from insight_core.plugin.annotations import Annotation
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.state.annotations import AnnotationStore, Place
from tests.hosts import registry_of


@pytest.fixture
def store(tmp_path: Path) -> AnnotationStore:
    return AnnotationStore(tmp_path / "state", lambda: [Place("", "/logs")])


@pytest.fixture
def host(store: AnnotationStore, provider: FakeProvider, page_directory: Path) -> Host:
    return Host(Registry.of([]), provider, HostSettings(page=page_directory), store)


@pytest.fixture
def asked(host: Host) -> Client:
    return Client(host)


def _put(client: Client, body: object) -> TestResponse:
    headers = {"Origin": "http://localhost", "X-Insight-Token": _read(client)["token"]}
    data = body if isinstance(body, bytes | str) else json.dumps(body)
    return client.put("/data/annotations", data=data, headers=headers)


def _read(client: Client) -> Any:  # noqa: ANN401
    return client.get("/data/annotations").json


def test_what_is_written_is_read(asked: Client) -> None:
    empty = _read(asked)
    assert (empty["writable"], empty["reason"], empty["runs"]) == (True, None, {})
    answer = _put(asked, {"run": "early", "remark": "gut", "mark": 4})
    assert answer.status_code == 200
    assert answer.json is not None
    assert answer.json["annotation"] == {"remark": "gut", "mark": 4}
    assert _put(asked, {"run": "early", "mark": 0, "note": "n"}).status_code == 200
    now = _read(asked)
    assert now["runs"] == {"early": {"remark": "gut", "note": "n"}}
    assert now["generation"] > empty["generation"]


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        (b"", 400, "JSON"),
        ("nonsense", 400, "JSON"),
        ("[" * 100_000, 400, "JSON"),
        ([1], 400, "object"),
        ({}, 400, "run"),
        ({"run": 5, "mark": 1}, 400, "run"),
        ({"run": "early"}, 400, "field"),
        ({"run": "early", "mark": 11}, 400, "mark"),
        ({"run": "early", "mark": 1, "colour": "red"}, 400, "colour"),
        ({"run": "early", "remark": {"a": 1}}, 400, "remark"),
        ({"run": "early", "note": "x" * 300_000}, 413, "bytes"),
        ({"run": "nowhere", "mark": 1}, 404, "nowhere"),
        ({"run": "../early", "mark": 1}, 404, "early"),
    ],
)
def test_a_body_that_is_refused(asked: Client, body: object, status: int, named: str) -> None:
    answer = _put(asked, body)
    assert answer.status_code == status
    assert named in (answer.json or {})["error"]
    assert _read(asked)["runs"] == {}


def test_read_only(tmp_path: Path, provider: FakeProvider, page_directory: Path) -> None:
    AnnotationStore(tmp_path, lambda: [Place("", "/logs")]).annotate("early", {"mark": 2})
    store = AnnotationStore(tmp_path, lambda: [Place("", "/logs")], read_only=True)
    client = Client(Host(Registry.of([]), provider, HostSettings(page=page_directory), store))
    answer = _read(client)
    assert (answer["writable"], answer["runs"]) == (False, {"early": {"mark": 2}})
    assert "--read-only" in answer["reason"]


def test_a_host_without_state_says_so(client: Client) -> None:
    answer = _read(client)
    assert (answer["writable"], answer["runs"]) == (False, {})
    assert _put(client, {"run": "early", "mark": 1}).status_code == 503


def test_a_directory_that_was_replaced_is_not_writable(asked: Client, tmp_path: Path) -> None:
    assert _put(asked, {"run": "early", "mark": 2}).status_code == 200
    (tmp_path / "state").rename(tmp_path / "away")
    (tmp_path / "state").write_text("a file in its place")
    answer = _read(asked)
    assert answer["writable"] is False
    assert "Not a directory" in answer["reason"]
    assert _put(asked, {"run": "early", "mark": 3}).status_code == 503


def test_routes_of_plugins_see_annotations_and_their_etag_follows(
    store: AnnotationStore, provider: FakeProvider, page_directory: Path
) -> None:
    def routes(ctx: PluginContext) -> list[Route]:
        def said(request: Request) -> Response:
            found = ctx.annotations().runs.get("early", Annotation())
            return Response(json.dumps(found.said()), mimetype="application/json")

        return [Route("/said", said)]

    plugin = Plugin("said", "Said", routes=routes)
    client = Client(Host(registry_of(plugin), provider, HostSettings(page=page_directory), store))
    first = client.get("/data/plugin/said/said")
    assert first.json == {}
    tag = {"If-None-Match": first.headers["ETag"]}
    assert client.get("/data/plugin/said/said", headers=tag).status_code == 304
    store.annotate("early", {"remark": "x"})
    second = client.get("/data/plugin/said/said", headers=tag)
    assert (second.status_code, second.json) == (200, {"remark": "x"})


def test_a_run_is_archived_and_taken_out_again(asked: Client) -> None:
    assert _put(asked, {"run": "early", "archived": True}).status_code == 200
    assert asked.get("/data/annotations").json["runs"]["early"] == {"archived": True}  # type: ignore[index]
    answer = _put(asked, {"run": "early", "archived": False})
    assert answer.json is not None
    assert answer.json["annotation"] == {}
    assert _put(asked, {"run": "early", "archived": 1}).status_code == 400
