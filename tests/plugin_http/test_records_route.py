"""The records of a series, and which one a request names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load
from werkzeug import Request, Response
from werkzeug.test import Client, TestResponse

from insight_core.plugin import DataProvider, Dialect, EventField, Plugin, RecordDecoder, Route, hookimpl
from insight_core.plugin.http.answers import json_response
from insight_core.plugin.http.records import is_pinned, record_of, records_route
from insight_core.plugin.testing.fake import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

CLAIM = EventField(Dialect.TENSORBOARD, "audio")


def _routes(data: DataProvider) -> Sequence[Route]:
    def one(request: Request) -> Response:
        place = record_of(request, data, "sounds")
        return json_response([place.index, place.step, place.size, place.attempts, is_pinned(request)])

    return [records_route(data, "sounds"), Route("/one", one)]


class _Sounds:
    @hookimpl
    def insight_plugin(self) -> Plugin:
        return Plugin(name="sounds", title="Sounds", decoder=RecordDecoder({CLAIM}), routes=_routes)


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    fake.add_records(
        "sounds",
        "a",
        "voice",
        [b"", b"x", b"xx", b"xxx"],
        claim=CLAIM,
        steps=[1, 2, 2, 3],
        wall_times=[0.1, np.nan, 0.3, 0.4],
    )
    registry = Registry.of([("sounds", _Sounds)])
    assert not registry.failures
    return Client(Host(registry, fake))


def _get(client: Client, route: str, **query: Any) -> TestResponse:  # noqa: ANN401
    return client.get(f"/data/plugin/sounds{route}", query_string={"run": "a", "tag": "voice", **query})


def test_every_record(client: Client) -> None:
    whole = json.loads(_get(client, "/records", attempts="all").data)
    assert whole == {
        "run": "a",
        "tag": "voice",
        "points": 4,
        "kept": 4,
        "hidden": 0,
        "steps": [1, 2, 2, 3],
        "wall_times": [0.1, "NaN", 0.3, 0.4],
        "sizes": [0, 1, 2, 3],
    }
    columns = load(_get(client, "/records", format="safetensors", attempts="all").data)
    assert {name: column.dtype.name for name, column in columns.items()} == {
        "steps": "int64",
        "wall_times": "float64",
        "sizes": "int64",
    }


def test_the_records_after_those_that_are_known(client: Client) -> None:
    tail = json.loads(_get(client, "/records", attempts="all", skip=3).data)
    assert (tail["steps"], tail["wall_times"], tail["sizes"]) == ([3], [0.4], [3])
    assert (tail["points"], tail["kept"], tail["hidden"]) == (4, 4, 0)
    columns = load(_get(client, "/records", format="safetensors", attempts="all", skip=9).data)
    assert [len(columns[name]) for name in ("steps", "wall_times", "sizes")] == [0, 0, 0]
    assert _get(client, "/records", skip=-1).status_code == 400


def test_the_record_that_a_request_names(client: Client) -> None:
    assert json.loads(_get(client, "/one", index=3).data) == [3, 3, 3, "last", False]
    pinned = _get(client, "/one", index=0, step=1, wall_time="0.1", attempts="all")
    assert json.loads(pinned.data) == [0, 1, 0, "all", True]
    assert _get(client, "/one", index=1, wall_time="NaN", attempts="all").status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        ({}, 400, "index is missing"),
        ({"index": "-1"}, 400, "index must be a whole number"),
        ({"index": "4", "attempts": "all"}, 404, "has no record 4: there are 4"),
        ({"index": "0", "wall_time": "0.2"}, 404, "record 0 of 'voice' of run 'a' is no longer there"),
        ({"index": "0", "wall_time": "0.1", "step": "2"}, 404, "record 0 of 'voice' of run 'a' is no longer"),
        ({"index": "0", "step": "one"}, 400, "step must be a finite number"),
        ({"index": "0", "wall_time": "early"}, 400, "wall_time must be a number, not 'early'"),
        ({"index": "0", "run": "b"}, 404, "'b'"),
    ],
)
def test_a_record_that_is_not_there(client: Client, query: dict[str, str], status: int, text: str) -> None:
    answer = _get(client, "/one", **query)
    assert answer.status_code == status
    assert text in json.loads(answer.data)["error"]
