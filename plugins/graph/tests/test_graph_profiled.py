"""Graphs coloured by what the profiler knows of the same run."""

from __future__ import annotations

from functools import partial
from typing import Any

import insight_graph
import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import Dialect, EventField, NotFound, Plugin, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.graph_samples import small_network
from tests.hosts import module_of

GRAPH = {"run": "ms", "tag": "events.1_MS", "index": "0"}


class _Profiler:
    """A profiler with fixed answers."""

    def __init__(self) -> None:
        self.state = "ready"
        self.asked = 0
        self.times = {"Default/net/a-Dense/MatMul-op3": 4000, "Default/net/b-Dense/MatMul-op6": 500, "x": 9}

    def plugin(self) -> Plugin:
        routes = [Route("/profiles", self.profiles), Route("/operator_times", self.operator_times)]
        return Plugin("profiler", "Profiler", routes=lambda data: routes)

    def profiles(self, request: Request) -> Response:
        runs = request.args.getlist("run") or ["ms", "other"]
        listed = [{"run": run, "profile": "p_ascend_ms", "bytes": 7, "wall_time": 3.5} for run in runs]
        return json_response({"profiles": listed})

    def operator_times(self, request: Request) -> Response:
        self.asked += 1
        if request.args["profile"] != "p_ascend_ms" or request.args["run"] != "ms":
            raise NotFound("no such profile")
        names = self.times if self.state == "ready" else {}
        return json_response(
            {
                "state": self.state,
                "names": list(names),
                "times": list(names.values()),
                "calls": [1] * len(names),
            }
        )


@pytest.fixture
def profiler() -> _Profiler:
    return _Profiler()


def _client(*plugins: Plugin) -> Client:
    fake = FakeProvider()
    claim = EventField(Dialect.MINDSPORE, "graph_def")
    fake.add_records("graph", "ms", "events.1_MS", [small_network()], claim=claim)
    modules = [(plugin.name, partial(module_of, plugin)) for plugin in plugins]
    registry = Registry.of([("graph", lambda: insight_graph), *modules])
    assert not registry.failures
    return Client(Host(registry, fake))


def _get(client: Client, route: str, **query: str) -> Any:  # noqa: ANN401
    return client.get(f"/data/plugin/graph/{route}", query_string=query)


def test_profiles_are_listed_beside_records_with_times(profiler: _Profiler) -> None:
    client = _client(profiler.plugin())
    listed = _get(client, "graphs", run="ms").json["profiles"]
    assert [(one["run"], one["tag"], one["size"]) for one in listed] == [("ms", "profiler:p_ascend_ms", 7)]
    assert len(_get(client, "graphs").json["profiles"]) == 2
    assert _get(_client(), "graphs").json["profiles"] == []


def test_nodes_have_the_times_of_operators_of_their_names(profiler: _Profiler) -> None:
    client = _client(profiler.plugin())
    root = _get(client, "scope", **GRAPH, profile="profiler:p_ascend_ms").json
    assert root["graph"]["timed"]
    assert {node["name"]: node["time"] for node in root["nodes"]}["Default"] == pytest.approx(4.5)
    net = _get(client, "scope", **GRAPH, id="Default/net", profile="profiler:p_ascend_ms").json
    times = {node["name"]: node["time"] for node in net["nodes"]}
    assert (times["a-Dense"], times["b-Dense"]) == (pytest.approx(4.0), pytest.approx(0.5))
    assert profiler.asked == 1  # the second look is at what the first one got
    assert _get(client, "scope", **GRAPH).json["graph"]["timed"] is False


@pytest.mark.parametrize(
    ("state", "profile", "status"),
    [
        ("reading", "p_ascend_ms", 503),
        ("failed", "p_ascend_ms", 422),
        ("ready", "absent", 404),
    ],
)
def test_what_cannot_be_had_now_is_told(profiler: _Profiler, state: str, profile: str, status: int) -> None:
    profiler.state = state
    client = _client(profiler.plugin())
    assert _get(client, "scope", **GRAPH, profile=f"profiler:{profile}").status_code == status
    profiler.state = "ready"
    if profile == "p_ascend_ms":  # and is had when it is there
        assert _get(client, "scope", **GRAPH, profile=f"profiler:{profile}").json["graph"]["timed"]


def test_a_profile_of_other_names_gives_no_times(profiler: _Profiler) -> None:
    profiler.times = {"aten::mm": 5}
    root = _get(_client(profiler.plugin()), "scope", **GRAPH, profile="profiler:p_ascend_ms").json
    assert root["graph"]["timed"] is False
