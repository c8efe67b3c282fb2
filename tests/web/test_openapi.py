"""``/openapi.json``: what it says of a view is what the view does, without a second declaration."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from openapi_spec_validator import validate
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.own_page import body_of
from insight_core.plugin import InvalidArgument, NotFound, Plugin, PluginContext, ReasonKind, Route
from insight_core.plugin.data import DataProvider, compute
from insight_core.plugin.http import (
    choice,
    json_response,
    number,
    required_text,
    required_whole_number,
    safetensors_response,
    whole_number,
)
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings

HostOf = Callable[..., Host]
_TABS = (
    "diagnose",
    "graph",
    "histogram",
    "image",
    "landscape",
    "lineage",
    "profiler",
    "query",
    "scalar",
    "tensor",
)
_OF_RECORDS = ("run", "tag", "index", "attempts", "step", "wall_time", "skip", "format")
_MORE = ("alerts", "audio", "reports", "text", "trash", "mcp")  # not in the list of tabs

_NO_ROW = ReasonKind("no_row", "there is no row {row}")


@frozen
class _Views:
    ctx: PluginContext
    most: int

    def rows(self, request: Request) -> Response:
        """The rows of a table.

        As JSON, or as safetensors.
        """
        form = choice(request, "format", ("json", "safetensors"))
        size = whole_number(request, "size", 1, self.most, min(10, self.most))
        low = number(request, _prefixed("low"))
        if "quick" in request.args:
            return json_response([])
        first = required_whole_number(request, "first", -1, 1 << 10)
        if request.args.get("name") == "":
            raise NotFound("nobody", code="no_name")
        if size == first:
            raise NotFound(_NO_ROW(row=first))
        if form == "json":
            return json_response([size, low, first])
        return safetensors_response({}, "rows", [])

    def named(self, request: Request) -> Response:
        names = [required_text(request, f"the_{name}") for name in ("tag", "run")]
        return json_response([names, *request.args.getlist("by")])

    def record(self, request: Request) -> Response:
        return json_response(self.ctx.own.place(request).step)

    def series(self, request: Request) -> Response:
        keys = self.ctx.own.keys(request)
        return json_response([list(self._per(request, key.run)) for key in keys])

    def _per(self, request: Request, run: str) -> tuple[str, str]:
        return run, choice(request, "per", ("step", "epoch"))

    def computed(self, request: Request) -> Response:
        return json_response(list(compute(self.ctx.data, "x", "c", request.query_string, _computation)))

    def write(self, request: Request) -> Response:
        self.ctx.own_page.require(request)
        return json_response(body_of(request, 100))


def _prefixed(name: str) -> str:
    return name


def _request_of(query: bytes) -> Request:
    return Request({"QUERY_STRING": query.decode("latin1")})


def _computation(data: DataProvider, query: bytes) -> Any:  # noqa: ANN401
    yield required_text(_request_of(query), "text").encode()


def _routes(ctx: PluginContext) -> list[Route]:
    views = _Views(ctx, 50)

    def around(name: str) -> Callable[[Request], Response]:
        def view(request: Request) -> Response:
            if request.args.get(name) is None:
                raise InvalidArgument(f"{name} is missing", code="missing_parameter", name=name)
            return getattr(views, "rows")(request)  # type: ignore[no-any-return]  # noqa: B009

        return view

    return [
        *(Route(f"/{name}", getattr(views, name)) for name in ("rows", "named", "record", "series")),
        Route("/computed/<int:place>", views.computed),
        Route("/write", views.write, methods=("PUT",)),
        Route("/around", around("centre")),
    ]


@pytest.fixture
def described(host_of: HostOf) -> dict[str, Any]:
    client = Client(host_of(Plugin("x", "X", routes=_routes)))
    found: dict[str, Any] = client.get("/openapi.json").get_json()
    return found


def _parameters(described: dict[str, Any], path: str, method: str = "get") -> dict[str, Any]:
    """Schemas by name, of one that is required with a star."""
    found = described["paths"][f"/data/plugin/x/{path}"][method]["parameters"]
    return {each["name"] + "*" * each.get("required", False): each["schema"] for each in found}


def test_types_bounds_and_defaults_are_those_that_the_view_reads_with(described: dict[str, Any]) -> None:
    assert _parameters(described, "rows") == {
        "format": {"type": "string", "enum": ["json", "safetensors"], "default": "json"},
        "size": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "first": {"type": "integer", "minimum": -1, "maximum": 1024},
        "quick": {"type": "string"},
        "name": {"type": "string"},
    }


def test_a_parameter_is_required_where_no_request_gets_on_without_it(described: dict[str, Any]) -> None:
    texts = {"type": "array", "items": {"type": "string"}}
    assert _parameters(described, "named") == {
        "the_tag*": {"type": "string"},
        "the_run*": {"type": "string"},
        "by": texts,
    }
    assert _parameters(described, "series").keys() == {"tag*", "run", "per"}
    assert "centre*" in _parameters(described, "around")
    record = _parameters(described, "record")
    assert record.keys() == {"run*", "tag*", "index*", "attempts", "step", "wall_time"}


def test_what_a_computation_reads_is_read_by_its_view(described: dict[str, Any]) -> None:
    assert "text*" in _parameters(described, "computed/{place}")
    path = described["paths"]["/data/plugin/x/computed/{place}"]
    assert [(each["name"], each["in"]) for each in path["parameters"]] == [("place", "path")]


def test_answers_and_errors_are_those_in_the_source(described: dict[str, Any]) -> None:
    rows = described["paths"]["/data/plugin/x/rows"]["get"]
    assert rows["summary"] == "The rows of a table."
    assert set(rows["responses"]["200"]["content"]) == {"application/json", "application/octet-stream"}
    assert "`no_name`" in rows["responses"]["404"]["description"]
    assert "`no_row`" in rows["responses"]["404"]["description"]
    assert "`plugin_hangs`" in rows["responses"]["504"]["description"]
    write = described["paths"]["/data/plugin/x/write"]["put"]
    assert set(write["requestBody"]["content"]) == {"application/json"}
    assert {each["name"] for each in write["parameters"]} == {"Origin", "X-Insight-Token"}
    assert {"`read_only`", "`forbidden`"} <= set(write["responses"]["403"]["description"].split(", "))


def test_a_get_that_also_answers_post_is_described_with_a_body(described: dict[str, Any]) -> None:
    path = described["paths"]["/data/plugin/x/named"]
    assert path["post"]["requestBody"]["content"].keys() == {
        "application/json",
        "application/x-www-form-urlencoded",
    }
    assert "post" not in described["paths"]["/data/plugin/x/write"]


def test_the_description_is_made_once_until_the_urls_change(host_of: HostOf) -> None:
    host = host_of(Plugin("x", "X", routes=_routes))
    client = Client(host)
    first = client.get("/openapi.json")
    assert client.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    host._plugins.add([Plugin("y", "Y")])
    assert "/data/plugin/y/tags" in client.get("/openapi.json").get_json()["paths"]


def test_a_plugin_whose_routes_fail_leaves_those_of_the_others(host_of: HostOf) -> None:
    def fail(ctx: PluginContext) -> list[Route]:
        raise RuntimeError("no routes")

    client = Client(host_of(Plugin("x", "X", routes=_routes), Plugin("bad", "Bad", routes=fail)))
    paths = client.get("/openapi.json").get_json()["paths"]
    assert {"/data/plugin/x/rows", "/data/plugin/bad/tags"} <= paths.keys()


def test_a_view_that_needs_a_package_that_is_missing_is_described_without_it(
    host_of: HostOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    package = tmp_path / "with_extra"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "engine.py").write_text("import a_package_that_is_not_installed\n")
    (package / "views.py").write_text(
        "from insight_core.plugin.http import json_response, required_text\n"
        "def view(request):\n"
        "    from with_extra.engine import run\n"
        "    return json_response(run(required_text(request, 'sql')))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    named = [Route("/sql", "with_extra.views:view"), Route("/lost", "with_extra.engine:view")]
    client = Client(host_of(Plugin("x", "X", routes=lambda _: named)))
    paths = client.get("/openapi.json").get_json()["paths"]
    assert [one["name"] for one in paths["/data/plugin/x/sql"]["get"]["parameters"]] == ["sql"]
    assert "/data/plugin/x/lost" in paths
    assert not caplog.records


# --- the host and the plugins of this repository ---


@pytest.fixture(scope="module")
def every() -> dict[str, Any]:
    modules = [import_module(f"insight_{name}") for name in (*_TABS, *_MORE)]
    registry = Registry.of([(module.__name__, partial(_given, module)) for module in modules])
    assert not registry.failures
    host = Host(registry, FakeProvider(), HostSettings())
    try:
        found: dict[str, Any] = Client(host).get("/openapi.json").get_json()
    finally:
        host.close()
    return found


def _given(module: object) -> object:
    return module


def test_the_description_of_the_host_is_valid_openapi(every: dict[str, Any]) -> None:
    validate(every)
    ids = [op["operationId"] for path in every["paths"].values() for op in path.values() if "tags" in op]
    assert len(ids) == len(set(ids)) > 100


def _page_of(path: str, repository: Path) -> str:
    """Where a route is described: a plugin that is a distribution of its own does so itself."""
    owner = path.removeprefix("/data/plugin/").partition("/")[0]
    file = f"plugins/{owner}/README.md" if owner in _MORE else "docs/http_api.md"
    return (repository / file).read_text(encoding="utf-8")


def test_the_reference_pages_name_every_route_and_parameter(every: dict[str, Any], repository: Path) -> None:
    missing = []
    for path, item in every["paths"].items():
        if path.endswith("/static/{name}") or path.startswith("/data/saved/"):
            continue
        parameters = [
            each["name"] for method in item if method != "parameters" for each in item[method]["parameters"]
        ]
        words = {path.rpartition("/")[2], *parameters} - {"Origin", "X-Insight-Token"}
        given = {"tags", "records", "blob", "value", *_OF_RECORDS}  # of every plugin
        page = _page_of(path, repository)
        missing += [
            f"{path}: {word}"
            for word in words - given
            if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", page)
        ]
    assert missing == []


def test_the_reference_page_names_no_route_that_is_not_there(every: dict[str, Any], repository: Path) -> None:
    text = (repository / "docs/http_api.md").read_text(encoding="utf-8")
    known = {re.sub(r"\{\w+\}", "<>", path) for path in every["paths"]}
    known |= {re.sub(r"/plugin/\w+/", "/plugin/<>/", path) for path in known}
    named = set(re.findall(r"`(?:GET|PUT|POST|DELETE) (/[^`?\s]*)", text))
    for owner in ("page", "plugin/<name>"):
        named |= {path.replace("<owner>", owner) for path in named}
    forms = {re.sub(r"<\w+>|…", "<>", path) for path in named if "<owner>" not in path}
    assert forms - known == set()
