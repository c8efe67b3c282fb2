"""The context of a plugin: other plugins, directory, options, log, and the end of the host."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import InvalidArgument, Option, Plugin, PluginContext, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from tests.hosts import with_hooks


def _times(request: Request) -> Response:
    if "run" not in request.args:
        raise InvalidArgument("run is missing")
    described = {
        "runs": request.args.getlist("run"),
        "top": request.args.get("top"),
        "clean": not any(name.startswith(("insight.", "HTTP_IF_NONE")) for name in request.environ),
    }
    return json_response(described)


def _broken(request: Request) -> NoReturn:
    raise RuntimeError("secret detail")


def _text(request: Request) -> Response:
    return Response("no JSON")


ASKED = Plugin(
    "profiler",
    "Profiler",
    routes=lambda ctx: [Route("/times", _times), Route("/broken", _broken), Route("/text", _text)],
)


@pytest.fixture
def asking(host_of: Callable[..., Host]) -> Callable[..., Response]:
    """What a plugin gets that asks the other one."""

    def get(plugin: str, route: str, **parameters: str | int | list[str]) -> Response:
        def routes(ctx: PluginContext) -> list[Route]:
            return [Route("/coloured", lambda _: json_response(ctx.ask(plugin, route, **parameters)))]

        graph = Plugin("graph", "Graphs", routes=routes)
        return Client(host_of(graph, ASKED, path_prefix="/logs")).get("/logs/data/plugin/graph/coloured")

    return get


def test_one_plugin_is_told_what_another_knows(asking: Callable[..., Response]) -> None:
    answer = json.loads(asking("profiler", "/times", run=["a&b", "ü"], top=3).data)
    assert answer == {"runs": ["a&b", "ü"], "top": "3", "clean": True}


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


def test_a_plugin_reads_what_a_page_can_ask_the_host_for(host_of: Callable[..., Host]) -> None:
    def routes(ctx: PluginContext) -> list[Route]:
        def told(request: Request) -> Response:
            answer = ctx.get(request.args["path"])
            return json_response({"type": answer.media_type, "data": answer.data.decode()})

        return [Route("/told", told)]

    client = Client(host_of(Plugin("graph", "Graphs", routes=routes), ASKED, path_prefix="/logs"))

    def get(path: str) -> Response:
        return client.get("/logs/data/plugin/graph/told", query_string={"path": path})

    assert json.loads(get("/healthz").data) == {"type": "application/json", "data": '{"status":"ok"}'}
    assert json.loads(get("/data/plugin/profiler/text").data) == {"type": "text/plain", "data": "no JSON"}
    assert get("/data/nothing").status_code == 404
    assert get("/static/no-such-file.js").status_code == 404
    assert get("/data/plugin/profiler/broken").status_code == 503


@pytest.mark.parametrize("kept", [True, False])
def test_a_plugin_has_a_directory_of_its_own_where_the_host_keeps_things(
    kept: bool, tmp_path: Path, host_of: Callable[..., Host]
) -> None:
    def routes(ctx: PluginContext) -> list[Route]:
        return [Route("/where", lambda _: Response(str(ctx.cache_directory)))]

    graph = Plugin("graph", "Graphs", routes=routes)
    client = Client(host_of(graph, cache_directory=tmp_path if kept else None))
    expected = str(tmp_path / "plugins" / "graph") if kept else "None"
    assert client.get("/data/plugin/graph/where").text == expected


def test_a_plugin_has_its_options_and_a_log_of_its_own(provider: FakeProvider) -> None:
    def routes(ctx: PluginContext) -> list[Route]:
        found = {"options": dict(ctx.options), "log": ctx.log.name, "name": ctx.name}
        return [Route("/context", lambda _: json_response(found))]

    def module(name: str, *options: Option) -> object:
        plugin = Plugin(name, name, routes=routes)
        return with_hooks(plugin=lambda: plugin, options=lambda: options)

    option = Option("most-of-it", "how much is shown", 3, int)
    registry = Registry.of([("one", lambda: module("one", option)), ("two", lambda: module("two"))])
    registry.take_flags({"most_of_it": 7})
    client = Client(Host(registry, provider, HostSettings()))
    assert [client.get(f"/data/plugin/{name}/context").json for name in ("one", "two")] == [
        {"options": {"most_of_it": 7}, "log": "insight.plugin.one", "name": "one"},
        {"options": {}, "log": "insight.plugin.two", "name": "two"},
    ]


def test_what_plugins_hold_is_closed_with_the_host(host_of: Callable[..., Host]) -> None:
    closed = []

    def routes(ctx: PluginContext) -> list[Route]:
        ctx.on_close(lambda: closed.append(ctx.name))
        return []

    def failing(ctx: PluginContext) -> list[Route]:
        ctx.on_close(lambda: 1 / 0)  # type: ignore[arg-type]
        return []

    host = host_of(Plugin("good", "Good", routes=routes), Plugin("bad", "Bad", routes=failing))
    for name in ("good", "bad"):
        assert Client(host).get(f"/data/plugin/{name}/nothing").status_code == 404
    host.close()
    assert closed == ["good"]
