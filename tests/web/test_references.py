"""Functions of plugins that are given by name, and imported when they are first called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

import pytest
from insight_scalar import insight_plugin
from werkzeug.test import Client

from insight_core.isolation import Limits
from insight_core.plugin import (
    Command,
    DataKind,
    FileName,
    LogFormat,
    Option,
    Plugin,
    PluginContext,
    ReasonKind,
    RecordDecoder,
    Route,
    RunColumn,
    RunColumns,
    SummaryPlugin,
)
from insight_core.plugin.findings import Rule
from insight_core.plugin.sql import QueryTable
from insight_core.references import Reference, reference
from insight_core.registry import Registry
from insight_core.web import Host

_ROUTES = """
from werkzeug import Response
from insight_core.plugin import Route

def routes(ctx):
    return [Route("/hello", lambda request: Response(ctx.name))]

def hi(request, name):
    return Response(name)

def is_active(ctx):
    return ctx.name == "named"
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that nothing has imported."""
    (tmp_path / "named_routes.py").write_text(_ROUTES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "named_routes", raising=False)
    return "named_routes"


def test_routes_given_by_name_are_imported_when_the_host_listens(
    host_of: Callable[..., Host], module: str
) -> None:
    host = host_of(Plugin("named", "Named", routes=f"{module}:routes"))
    assert module not in sys.modules
    host.begin()
    assert Client(host).get("/data/plugin/named/hello").data == b"named"
    assert module in sys.modules


def test_routes_are_imported_in_the_order_of_the_tabs_without_a_request(
    host_of: Callable[..., Host],
) -> None:
    asked: SimpleQueue[str] = SimpleQueue()

    def routes(ctx: PluginContext) -> list[Route]:
        asked.put(ctx.name)
        return []

    names = {"last": 30, "first": 10, "second": 20}
    host_of(*(Plugin(name, name, routes=routes, order=order) for name, order in names.items())).begin()
    assert [asked.get(timeout=60) for _ in names] == ["first", "second", "last"]


def test_the_import_of_routes_may_take_as_long_as_an_import(
    host_of: Callable[..., Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than ``routes()`` itself: on a busy machine numpy alone takes seconds."""
    limits = Limits(routes=2.0, imports=60.0)
    slow = f"import time\ntime.sleep({1.2 * limits.routes})\n{_ROUTES}"
    (tmp_path / "slow_to_import.py").write_text(slow, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "slow_to_import", raising=False)
    host = host_of(Plugin("slow", "Slow", routes="slow_to_import:routes"), limits=limits)
    assert Client(host).get("/data/plugin/slow/hello").data == b"slow"


def test_a_request_waits_for_the_routes_of_no_other_plugin(host_of: Callable[..., Host], module: str) -> None:
    released = Event()

    def hanging(ctx: PluginContext) -> list[Route]:
        released.wait(60)
        return []

    before = Plugin("before", "Before", routes=hanging, order=1)
    named = Plugin("named", "Named", routes=f"{module}:routes", order=2)
    host = host_of(before, named, limits=Limits(turn=60, routes=60))
    try:
        host.begin()
        assert Client(host).get("/data/plugin/named/hello").data == b"named"
    finally:
        released.set()


def test_a_view_given_by_name_is_imported_by_its_first_request(
    host_of: Callable[..., Host], module: str
) -> None:
    client = Client(
        host_of(Plugin("named", "Named", routes=lambda ctx: [Route("/hi/<name>", f"{module}:hi")]))
    )
    assert client.get("/data/plugin/named/none").status_code == 404
    assert module not in sys.modules
    assert client.get("/data/plugin/named/hi/Ada").data == b"Ada"


def test_is_active_given_by_name(host_of: Callable[..., Host], module: str) -> None:
    client = Client(host_of(Plugin("named", "Named", is_active=f"{module}:is_active")))
    assert (client.get("/data/plugins_listing").json or {})["named"]["enabled"]


@pytest.mark.parametrize("name", ["no_such_module_here:routes", "insight_scalar:no_such_name"])
def test_a_name_that_does_not_exist_is_an_error_of_its_plugin(
    host_of: Callable[..., Host], name: str
) -> None:
    client = Client(host_of(Plugin("named", "Named", routes=name)))
    assert client.get("/data/plugin/named/hello").status_code == 404
    assert "no_such" in (client.get("/data/plugins_listing").json or {})["named"]["error"]
    assert client.get("/data/plugin/named/tags").status_code == 200


FIELDS: dict[str, Callable[[Any], object]] = {
    "Plugin.routes": lambda f: Plugin("x", "X", routes=f),
    "Plugin.is_active": lambda f: Plugin("x", "X", is_active=f),
    "RecordDecoder.decode": lambda f: RecordDecoder({SummaryPlugin("x")}, decode=f),
    "RecordDecoder.encode": lambda f: RecordDecoder({SummaryPlugin("x")}, encode=f),
    "RecordDecoder.size_of": lambda f: RecordDecoder({SummaryPlugin("x")}, size_of=f),
    "RecordDecoder.check": lambda f: RecordDecoder({SummaryPlugin("x")}, check=f),
    "Route.view": lambda f: Route("/x", f),
    "FileName.makes_run": lambda f: FileName("x", makes_run=f),
    "FileName.begins": lambda f: FileName("x", begins=f),
    "RunColumn.values": lambda f: RunColumn("x", "X", f),
    "RunColumns.columns": lambda f: RunColumns(f, lambda ctx, names, runs: {}),
    "RunColumns.values": lambda f: RunColumns(lambda ctx: [], f),
    "Command.run": lambda f: Command("x", "does x", f),
    "Option.type": lambda f: Option("x", "is x", type=f),
    "Option.split": lambda f: Option("x", "is x", split=f),
    "Rule.check": lambda f: Rule("x", ReasonKind("x", "X"), f),
    "QueryTable.read": lambda f: QueryTable("x", "a row", (), f),
    "LogFormat.read": lambda f: LogFormat("x", FileName("x"), f),
}


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_for_a_function_takes_its_name_and_imports_it_late(field: str, module: str) -> None:
    made = FIELDS[field](f"{module}:is_active")
    assert module not in sys.modules
    function = getattr(made, field.partition(".")[2])
    assert function(type("Context", (), {"name": "named"})) is True
    for wrong in ("no colon", "a.b.c"):
        with pytest.raises(ValueError, match=r"write 'package.module:name'"):
            FIELDS[field](wrong)
    with pytest.raises(TypeError, match="not a function"):
        FIELDS[field](3)


def test_computations_may_be_names_and_nothing_but_functions(module: str) -> None:
    plugin = Plugin("x", "X", computations={"one": f"{module}:hi"})
    assert plugin.computations["one"](None, b"").get_data() == b""  # type: ignore[arg-type, attr-defined]
    with pytest.raises(TypeError, match="not a mapping of functions"):
        Plugin("x", "X", computations={"one": 3})  # type: ignore[dict-item]


def test_a_name_of_something_else_than_a_function_is_said_so(module: str) -> None:
    with pytest.raises(TypeError, match=r"insight_core.plugin:API_VERSION is a int, not a function"):
        Reference("insight_core.plugin:API_VERSION")()


def test_a_function_where_the_kind_of_a_decoder_belongs_is_refused() -> None:
    claims = {SummaryPlugin("x")}
    with pytest.raises(TypeError, match="its kind is a builtin_function_or_method, not a DataKind"):
        RecordDecoder(claims, len)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'number' is not a valid DataKind"):
        RecordDecoder(claims, "number")
    assert RecordDecoder(claims, "scalar").kind is DataKind.SCALAR


def test_a_reference_is_equal_by_its_text() -> None:
    assert reference("a.b:c") == Reference("a.b:c")
    assert insight_plugin() == insight_plugin()
    assert RecordDecoder((), decode="a:b") != RecordDecoder((), decode="a:c")
    with pytest.raises(ValueError, match=r"write 'package\.module:name'"):
        reference("a.b.c")


def test_every_reference_of_the_built_in_plugins_exists() -> None:
    registry = Registry.discover()
    registry.wait_until_loaded()
    found = 0
    for plugin in registry.plugins.values():
        decoder = plugin.decoder
        functions: list[object] = [plugin.routes, plugin.is_active]
        if decoder is not None:
            functions += [decoder.decode, decoder.encode, decoder.size_of, decoder.check]
        for function in functions:
            if isinstance(function, Reference):
                assert callable(function.resolve())
                found += 1
    assert found >= 8


def test_the_limits_of_mindinsight_are_presets_of_the_plugins() -> None:
    presets = {
        name: (plugin.presets["mindinsight"].points, plugin.presets["mindinsight"].series)
        for name, plugin in Registry.discover().plugins.items()
        if "mindinsight" in plugin.presets
    }
    # the limits of MindInsight 2.3.1, datavisual/data_transform/events_data.py and conf/constants.py
    assert presets == {
        "scalar": (1000, 300),
        "image": (10, 300),
        "histogram": (50, 300),
        "tensor": (20, 6),
        "graph": (1, 10),
        "landscape": (500, 300),
    }
