"""Columns of the run table that plugin modules add: cells by run, and what a failing module costs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import insight_lineage
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.ingest.discover import Logdir
from insight_core.isolation import Limits
from insight_core.plugin import DataProvider, PluginContext, RunColumn, RunColumns, hookimpl
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from tests.lineage_samples import LineageLogs

Values = Callable[[DataProvider, Sequence[str]], Any]


@pytest.fixture
def provider(tmp_path: Path) -> Any:  # noqa: ANN401
    for name in ("a", "b"):
        with EventWriter(tmp_path / name) as writer:
            writer.text("t", 0, "")
    opened = LocalProvider([Logdir(str(tmp_path))], [], reload_interval=0)
    opened.load()
    yield opened
    opened.close()


def _module(*columns: object) -> object:
    def insight_run_columns() -> Sequence[object]:
        return columns

    return SimpleNamespace(insight_run_columns=hookimpl(insight_run_columns))


def _table(provider: DataProvider, columns: str, active: float = 60.0, **modules: object) -> Any:  # noqa: ANN401
    registry = Registry.of([(name, lambda one=one: one) for name, one in modules.items()])  # type: ignore[misc]
    client = Client(Host(registry, provider, HostSettings(limits=Limits(active=active))))
    answer = client.get("/data/run_table", query_string={"columns": columns} if columns else {})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def _sizes(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Any]:
    return {run: np.int64(number) for number, run in enumerate(runs)} | {"elsewhere": 3}


SIZE = RunColumn("size", "Size", _sizes, {"zh-CN": "大小"}, "number", "disk")


def test_a_static_column_has_a_cell_for_each_run_that_is_there(provider: DataProvider) -> None:
    table = _table(provider, "all", m=_module(SIZE))
    assert table["columns"] == [
        {
            "plugin": "m",
            "name": "size",
            "title": "Size",
            "titles": {"zh-CN": "大小"},
            "kind": "number",
            "group": "disk",
            "values": {"a": 0, "b": 1},
        }
    ]
    assert table["column_errors"] == []


def test_columns_are_answered_only_when_asked_for(provider: DataProvider) -> None:
    asked: list[str] = []

    def column(name: str) -> RunColumn:
        def values(data: DataProvider, runs: Sequence[str]) -> Mapping[str, str]:
            asked.append(name)
            return {}

        return RunColumn(name, name, values)

    module = _module(column("x"), column("y"), column("a,b"))
    assert "columns" not in _table(provider, "", m=module)
    assert [one["name"] for one in _table(provider, "y,z", m=module)["columns"]] == ["y"]
    assert [one["name"] for one in _table(provider, "a,b", m=module)["columns"]] == ["a,b"]
    assert asked == ["y", "a,b"]


def _raises(data: DataProvider, runs: Sequence[str]) -> Any:  # noqa: ANN401
    raise RuntimeError("no luck")


def _exits(data: DataProvider, runs: Sequence[str]) -> Any:  # noqa: ANN401
    raise SystemExit(3)


def _hangs(data: DataProvider, runs: Sequence[str]) -> Any:  # noqa: ANN401
    threading.Event().wait()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (_raises, "RuntimeError: no luck"),
        (_exits, "SystemExit: 3"),
        (_hangs, "has not returned for 2 s"),
        (lambda data, runs: {"a": object()}, "a cell of column 'bad' is a object"),
        (lambda data, runs: 7, "int"),
    ],
    ids=["raises", "exits", "hangs", "wrong cell", "no mapping"],
)
def test_a_module_that_fails_costs_its_own_columns(
    provider: DataProvider, values: Values, reason: str
) -> None:
    bad = _module(RunColumn("bad", "Bad", values))
    table = _table(provider, "all", 2.0 if values is _hangs else 60.0, bad=bad, good=_module(SIZE))
    assert [column["name"] for column in table["columns"]] == ["size"]
    [error] = table["column_errors"]
    assert error["plugin"] == "bad"
    assert reason in error["error"]
    assert [run["name"] for run in table["runs"]] == ["a", "b"]


def test_a_hook_that_fails_is_an_error_of_its_columns(provider: DataProvider) -> None:
    table = _table(provider, "all", bad=_module(7), good=_module(SIZE))
    assert [column["name"] for column in table["columns"]] == ["size"]
    assert "not a RunColumn or RunColumns" in table["column_errors"][0]["error"]


def test_columns_may_depend_on_the_logs(provider: DataProvider) -> None:
    def listed(ctx: PluginContext) -> Sequence[RunColumn]:
        return [RunColumn(f"of {run.name}", run.name) for run in ctx.data.runs()]

    def values(
        ctx: PluginContext, names: Sequence[str], runs: Sequence[str]
    ) -> Mapping[str, Mapping[str, str]]:
        return {name: dict.fromkeys(runs, name) for name in names}

    table = _table(provider, "of b", m=_module(RunColumns(listed, values)))
    assert [(one["name"], one["values"]) for one in table["columns"]] == [
        ("of b", {"a": "of b", "b": "of b"})
    ]


def test_lineage_adds_hyperparameters_and_metrics(tmp_path: Path) -> None:
    logs = LineageLogs(tmp_path)
    logs.file("one", logs.trained(epoch=3) + logs.evaluated({"accuracy": 0.5}))
    logs.file("two", logs.trained(epoch=7))
    opened = LocalProvider([Logdir(str(tmp_path))], [insight_lineage.insight_plugin()], reload_interval=0)
    opened.load()
    try:
        table = _table(opened, "all", lineage=insight_lineage)
    finally:
        opened.close()
    columns = {column["name"]: column for column in table["columns"]}
    assert columns["epoch"]["values"] == {"one": 3, "two": 7}
    assert (columns["epoch"]["group"], columns["epoch"]["kind"]) == ("hyperparameter", "number")
    assert columns["metric/accuracy"]["values"] == {"one": 0.5}
    assert columns["network"]["values"] == {"one": "Net", "two": "Net"}
    assert columns["network"]["kind"] == "text"
