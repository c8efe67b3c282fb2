"""Plugins that ask each other, and what they may keep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import InvalidArgument, Plugin, Route
from insight_core.plugin.http.annotations import annotations_of
from insight_core.plugin.http.answers import json_response
from insight_core.plugin.http.asking import ask
from insight_core.plugin.http.cache import cache_directory
from insight_core.web import Host


def _times(request: Request) -> Response:
    if "run" not in request.args:
        raise InvalidArgument("run is missing")
    described = {
        "runs": request.args.getlist("run"),
        "top": request.args.get("top"),
        "same": annotations_of(request) is not None and "HTTP_IF_NONE_MATCH" not in request.environ,
    }
    return json_response(described)


def _broken(request: Request) -> NoReturn:
    raise RuntimeError("secret detail")


def _text(request: Request) -> Response:
    return Response("no JSON")


ASKED = Plugin(
    "profiler",
    "Profiler",
    routes=lambda data: [Route("/times", _times), Route("/broken", _broken), Route("/text", _text)],
)


@pytest.fixture
def asking(host_of: Callable[..., Host]) -> Callable[..., Response]:
    """What a plugin gets that asks the other one."""

    def get(plugin: str, route: str, **parameters: str | int | list[str]) -> Response:
        def view(request: Request) -> Response:
            return json_response(ask(request, plugin, route, **parameters))

        graph = Plugin("graph", "Graphs", routes=lambda data: [Route("/coloured", view)])
        return Client(host_of(graph, ASKED, path_prefix="/logs")).get("/logs/data/plugin/graph/coloured")

    return get


def test_one_plugin_is_told_what_another_knows(asking: Callable[..., Response]) -> None:
    answer = json.loads(asking("profiler", "/times", run=["a&b", "ü"], top=3).data)
    assert answer == {"runs": ["a&b", "ü"], "top": "3", "same": True}


@pytest.mark.parametrize(
    ("plugin", "route", "status", "text"),
    [
        ("absent", "/times", 404, "nothing answers /data/plugin/absent/times"),
        ("profiler", "/nothing", 404, "nothing answers /data/plugin/profiler/nothing"),
        ("profiler", "/times", 400, "run is missing"),
        ("profiler", "/broken", 503, "plugin profiler failed to answer"),
        ("profiler", "/text", 503, "plugin profiler answered /text with 200 OK and text/plain"),
    ],
)
def test_what_cannot_be_told_is_an_error_of_the_one_asked(
    plugin: str, route: str, status: int, text: str, asking: Callable[..., Response]
) -> None:
    answer = asking(plugin, route)
    assert answer.status_code == status
    assert json.loads(answer.data)["error"] == text


@pytest.mark.parametrize("kept", [True, False])
def test_a_plugin_has_a_directory_of_its_own_where_the_host_keeps_things(
    kept: bool, tmp_path: Path, host_of: Callable[..., Host]
) -> None:
    def view(request: Request) -> Response:
        return Response(str(cache_directory(request, "graph")))

    graph = Plugin("graph", "Graphs", routes=lambda data: [Route("/where", view)])
    client = Client(host_of(graph, cache_directory=tmp_path if kept else None))
    expected = str(tmp_path / "plugins" / "graph") if kept else "None"
    assert client.get("/data/plugin/graph/where").text == expected
