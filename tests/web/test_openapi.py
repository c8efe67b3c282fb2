"""``/openapi.json``: what it says of a view is what its route declares and what the view gets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from openapi_spec_validator import validate
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.own_page import BODY, body_of
from insight_core.plugin import NotFound, Plugin, PluginContext, ReasonKind, Route
from insight_core.plugin.data import RecordPlace, SeriesKey
from insight_core.plugin.http import (
    choice,
    flag,
    json_response,
    number,
    record_of,
    series_keys,
    text,
    texts,
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

    def rows(self, request: Request, *, form: str, size: int, low: float | None, first: int) -> Response:
        """The rows of a table.

        As JSON, or as safetensors.
        """
        if size == first:
            raise NotFound(_NO_ROW(row=first))
        return json_response([form, size, low, first])

    def named(self, request: Request, **values: object) -> Response:
        return json_response(values)

    def record(self, request: Request, *, place: RecordPlace) -> Response:
        return json_response(place.step)

    def series(self, request: Request, *, keys: Sequence[SeriesKey], per: str) -> Response:
        return json_response([[key.run, per] for key in keys])

    def whole(self, request: Request, *, place: int) -> Response:
        return json_response(place)

    def write(self, request: Request) -> Response:
        self.ctx.own_page.require(request)
        return json_response(body_of(request, 100))


def _old(request: Request) -> Response:
    """Reads by itself, as views of older plugins do."""
    return json_response([request.args.get("by"), choice(request, "per", ("step", "epoch"))])


_ROWS = [
    choice("format", ("json", "safetensors")).named("form"),
    whole_number("size", 1, 50, 10),
    number("low"),
    whole_number("first", -1, 1 << 10, required=True),
]


def _routes(ctx: PluginContext) -> list[Route]:
    views = _Views(ctx)
    both = ["application/json", "application/octet-stream"]
    named = [text("the_tag", required=True), text("the_run", required=True), texts("by"), flag("wide")]
    series = [series_keys(ctx.data, ctx.name), choice("per", ("step", "epoch"))]
    return [
        Route("/rows", views.rows, reads=_ROWS, answers=both, codes={404: ["no_row", "no_name"]}),
        Route("/named", views.named, reads=named),
        Route("/record", views.record, reads=[record_of(ctx.data, ctx.name)]),
        Route("/record_perhaps", views.named, also_reads=[record_of(ctx.data, ctx.name).optional()]),
        Route("/series", views.series, reads=series),
        Route("/whole/<int:place>", views.whole, also_reads=[text("text", required=True)]),
        Route("/write", views.write, methods=("PUT",), also_reads=[ctx.own_page.required, BODY]),
        Route("/old", _old),
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


def test_types_bounds_and_defaults_are_those_that_are_read_with(described: dict[str, Any]) -> None:
    assert _parameters(described, "rows") == {
        "format": {"type": "string", "enum": ["json", "safetensors"], "default": "json"},
        "size": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "low": {"type": "number"},
        "first*": {"type": "integer", "minimum": -1, "maximum": 1024},
    }


def test_what_has_to_be_given_is_required(described: dict[str, Any]) -> None:
    many = {"type": "array", "items": {"type": "string"}}
    assert _parameters(described, "named") == {
        "the_tag*": {"type": "string"},
        "the_run*": {"type": "string"},
        "by": many,
        "wide": {"type": "string", "enum": ["0", "1"], "default": "0"},
    }
    assert _parameters(described, "series").keys() == {"tag*", "run", "per"}
    record = _parameters(described, "record")
    assert record.keys() == {"run*", "tag*", "index*", "attempts", "step", "wall_time"}
    assert _parameters(described, "record_perhaps").keys() == {name.rstrip("*") for name in record}


def test_what_a_view_reads_by_itself_is_described_if_it_says_so(described: dict[str, Any]) -> None:
    assert "text*" in _parameters(described, "whole/{place}")
    path = described["paths"]["/data/plugin/x/whole/{place}"]
    assert [(each["name"], each["in"]) for each in path["parameters"]] == [("place", "path")]
    assert _parameters(described, "old") == {}


def test_a_view_that_declares_nothing_works_as_in_the_last_release(host_of: HostOf) -> None:
    client = Client(host_of(Plugin("x", "X", routes=_routes)))
    assert client.get("/data/plugin/x/old?by=a&per=epoch").get_json() == ["a", "epoch"]
    assert client.get("/data/plugin/x/old?per=day").get_json()["code"] == "not_allowed"


def test_a_view_gets_the_values_that_its_route_reads(host_of: HostOf) -> None:
    client = Client(host_of(Plugin("x", "X", routes=_routes)))
    assert client.get("/data/plugin/x/rows?first=7&low=0.5").get_json() == ["json", 10, 0.5, 7]
    named = client.get("/data/plugin/x/named?the_tag=a&the_run=&by=1&by=2&wide=1").get_json()
    assert named == {"the_tag": "a", "the_run": "", "by": ["1", "2"], "wide": True}
    refused = client.get("/data/plugin/x/rows?low=0.5")
    assert (refused.status_code, refused.get_json()["code"]) == (400, "missing_parameter")
    assert client.get("/data/plugin/x/rows?first=2000").get_json()["code"] == "not_whole"
    body = client.post("/data/plugin/x/rows", json={"first": 3, "format": "safetensors"})
    assert body.get_json() == ["safetensors", 10, None, 3]


def test_answers_and_errors_are_those_that_are_declared(described: dict[str, Any]) -> None:
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


def test_a_view_that_needs_a_package_that_is_missing_is_described(
    host_of: HostOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    package = tmp_path / "with_extra"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "engine.py").write_text("import a_package_that_is_not_installed\n")
    lost = Route("/lost", "with_extra.engine:view", reads=[text("sql", required=True)])
    monkeypatch.syspath_prepend(tmp_path)
    client = Client(host_of(Plugin("x", "X", routes=lambda _: [lost])))
    paths = client.get("/openapi.json").get_json()["paths"]
    assert [one["name"] for one in paths["/data/plugin/x/lost"]["get"]["parameters"]] == ["sql"]
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
