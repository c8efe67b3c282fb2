"""Columns of the run table that plugin modules add: cells by run, and what a failing module costs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any

import insight_lineage
import insight_scalar
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.isolation import Limits
from insight_core.plugin import PluginContext, RunColumn, RunColumns
from insight_core.plugin.data import DataProvider
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.own_columns import statuses
from tests.hosts import with_hooks
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
    return with_hooks(run_columns=lambda: columns)


def _client(provider: DataProvider, active: float = 60.0, **modules: object) -> Client:
    registry = Registry.of([(name, lambda one=one: one) for name, one in modules.items()])  # type: ignore[misc]
    return Client(Host(registry, provider, HostSettings(limits=Limits(active=active))))


def _json(client: Client, path: str, **query: object) -> Any:  # noqa: ANN401
    answer = client.get(path, query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def _table(provider: DataProvider, *keys: str, active: float = 60.0, **modules: object) -> Any:  # noqa: ANN401
    """The answer with these columns; without keys with all columns of the modules."""
    client = _client(provider, active, **modules)
    listed = _json(client, "/data/run_columns")
    named = [f"{one['plugin']}/{one['name']}" for one in listed["columns"] if one["plugin"] != "run"]
    answer = _json(client, "/data/run_columns", column=list(keys) or named or ["none"])
    answer["column_errors"] += [one for one in listed["column_errors"] if one not in answer["column_errors"]]
    return answer


def _sizes(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Any]:
    return {run: np.int64(number) for number, run in enumerate(runs)} | {"elsewhere": 3}


SIZE = RunColumn("size", "Size", _sizes, {"zh-CN": "大小"}, "number", "disk")


def test_columns_by_their_keyword_of_the_last_release_work_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="write columns="):
        source = RunColumns(list=lambda ctx: [SIZE], values=lambda ctx, names, runs: {})
    assert source == RunColumns(source.columns, source.values)


def test_a_static_column_has_a_cell_for_each_run_that_is_there(provider: DataProvider) -> None:
    table = _table(provider, m=_module(SIZE))
    assert table["columns"] == [
        {
            "plugin": "m",
            "name": "size",
            "title": "Size",
            "titles": {"zh-CN": "大小"},
            "kind": "number",
            "group": "disk",
            "values": [0, 1],
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
    listed = _json(_client(provider, m=module), "/data/run_columns")["columns"]
    assert [one["name"] for one in listed if one["plugin"] == "m"] == ["x", "y", "a,b"]
    assert not any("values" in one for one in listed)
    assert asked == []
    assert [one["name"] for one in _table(provider, "m/y", "m/z", m=module)["columns"]] == ["y"]
    assert [one["name"] for one in _table(provider, "m/a,b", m=module)["columns"]] == ["a,b"]
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
        (lambda data, runs: {"a": np.zeros(2)}, "a cell of column 'bad' is a ndarray"),
        (lambda data, runs: 7, "int"),
    ],
    ids=["raises", "exits", "hangs", "wrong cell", "array", "no mapping"],
)
def test_a_module_that_fails_costs_its_own_columns(
    provider: DataProvider, values: Values, reason: str
) -> None:
    bad = _module(RunColumn("bad", "Bad", values))
    table = _table(provider, active=2.0 if values is _hangs else 60.0, bad=bad, good=_module(SIZE))
    assert [column["name"] for column in table["columns"]] == ["size"]
    [error] = table["column_errors"]
    assert error["plugin"] == "bad"
    assert reason in error["error"]
    assert table["runs"] == ["a", "b"]


@pytest.mark.parametrize("values", [_raises, _hangs])
def test_a_column_that_fails_leaves_the_other_columns_of_its_module(
    provider: DataProvider, values: Values
) -> None:
    def listed(ctx: PluginContext) -> Sequence[RunColumn]:
        raise RuntimeError("no logs")

    module = _module(
        RunColumn("bad", "Bad", values), SIZE, RunColumns(listed, lambda ctx, names, runs: {}), SIZE
    )
    table = _table(provider, "m/bad", "m/size", active=2.0 if values is _hangs else 60.0, m=module)
    assert [(one["name"], one["values"]) for one in table["columns"]] == [("size", [0, 1])] * 2
    assert len(table["column_errors"]) == 2


def test_a_hook_that_fails_is_an_error_of_its_columns(provider: DataProvider) -> None:
    table = _table(provider, bad=_module(7), good=_module(SIZE))
    assert [column["name"] for column in table["columns"]] == ["size"]
    assert "not a RunColumn or RunColumns" in table["column_errors"][0]["error"]


def test_columns_may_depend_on_the_logs(provider: DataProvider) -> None:
    def listed(ctx: PluginContext) -> Sequence[RunColumn]:
        return [RunColumn(f"of {run.name}", run.name) for run in ctx.data.runs()]

    def values(
        ctx: PluginContext, names: Sequence[str], runs: Sequence[str]
    ) -> Mapping[str, Mapping[str, str]]:
        return {name: dict.fromkeys(runs, name) for name in names}

    table = _table(provider, "m/of b", m=_module(RunColumns(listed, values)))
    assert [(one["name"], one["values"]) for one in table["columns"]] == [("of b", ["of b", "of b"])]


def test_columns_of_the_logs_without_a_mapping_of_cells_cost_only_their_module(
    provider: DataProvider,
) -> None:
    def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Any:  # noqa: ANN401
        return dict.fromkeys(names, 7)

    table = _table(provider, bad=_module(RunColumns(lambda _: [SIZE], values)), good=_module(SIZE))
    assert [(one["plugin"], one["values"]) for one in table["columns"]] == [("good", [0, 1])]
    assert [one["plugin"] for one in table["column_errors"]] == ["bad"]


def test_lineage_adds_hyperparameters_metrics_and_scalars(tmp_path: Path) -> None:
    logs = LineageLogs(tmp_path)
    logs.scalars("one", {"val/loss": [3.0, 1.0, 2.0], "accuracy": [0.1, 0.3, 0.5]})
    logs.file("one", logs.trained(epoch=3) + logs.evaluated({"accuracy": 0.5}))
    logs.file("two", logs.trained(epoch=7))
    plugins = [insight_lineage.insight_plugin(), insight_scalar.insight_plugin()]
    opened = LocalProvider([Logdir(str(tmp_path))], plugins, reload_interval=0)
    opened.load()
    try:
        table = _table(opened, lineage=insight_lineage)
    finally:
        opened.close()
    columns = {column["name"]: column for column in table["columns"]}
    assert columns["epoch"]["values"] == [3, 7]
    assert (columns["epoch"]["group"], columns["epoch"]["kind"]) == ("hyperparameter", "number")
    assert columns["metric/accuracy"]["values"] == [0.5, None]
    assert columns["network"]["values"] == ["Net", "Net"]
    assert columns["network"]["kind"] == "text"
    bounds = [columns[f"{which}/val/loss"]["values"] for which in ("last", "min", "max")]
    assert bounds == [[2.0, None], [1.0, None], [3.0, None]]
    goals = {name: columns[name].get("goal") for name in ("metric/accuracy", "last/val/loss", "epoch")}
    assert goals == {"metric/accuracy": "max", "last/val/loss": "min", "epoch": None}
    told_again = [columns[name].get("at_first", True) for name in ("last/accuracy", "last/val/loss")]
    assert told_again == [False, True]  # the metric is there


def test_runs_match_an_expression_over_columns_of_any_module(provider: DataProvider) -> None:
    widths = RunColumn("deep/width", "Width", lambda _, runs: {"b": 0.5}, kind="number")
    client = _client(provider, m=_module(SIZE, widths))

    def matches(where: str) -> list[str]:
        return list(_json(client, "/data/run_matches", where=where)["runs"])

    assert matches("size < 1") == ["a"]
    assert matches("not size < 1 or name = 'a'") == ["a", "b"]
    assert matches("width > 0 and size = 1") == ["b"]  # by the name without its first part
    assert matches('"m/deep/width" = null') == ["a"]  # by its key
    assert matches("Size = 1") == ["b"]  # by its title


def test_an_expression_that_is_wrong_says_where_and_what_may_be_meant(provider: DataProvider) -> None:
    spaced = RunColumn("last/val acc", "val acc (last)", kind="number")
    client = _client(provider, m=_module(SIZE, spaced))

    def wrong(where: str) -> Any:  # noqa: ANN401
        answer = client.get("/data/run_matches", query_string={"where": where})
        assert answer.status_code == 400
        return answer.get_json()["details"] | {"code": answer.get_json()["code"]}

    assert wrong("size < 1 and siez > 2")["suggestions"] == ["size"]
    assert wrong("size < 1 and siez > 2")["position"] == 13
    assert wrong("size < 1 and siez > 2")["length"] == 4
    assert wrong("val_acc > 1")["suggestions"] == ['"last/val acc"']
    assert wrong("size < 1 and siez > 2")["code"] == "unknown_column"
    assert wrong("size <")["code"] == "bad_expression"


class _Mode(StrEnum):
    FAST = "fast"


class _Level(IntEnum):
    HIGH = 3


def test_cells_of_enumerations_are_compared_by_their_values(provider: DataProvider) -> None:
    mode = RunColumn("mode", "Mode", lambda _, runs: {"a": _Mode.FAST})
    level = RunColumn("level", "Level", lambda _, runs: {"b": _Level.HIGH}, kind="number")
    client = _client(provider, m=_module(mode, level))
    assert _json(client, "/data/run_matches", where="mode = 'fast'")["runs"] == ["a"]
    assert _json(client, "/data/run_matches", where="level > 2")["runs"] == ["b"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [(_raises, "no luck"), (lambda data, runs: {"a": object()}, "a cell of column 'width' is a object")],
)
def test_an_expression_over_a_column_that_fails_names_the_plugin_and_the_cause(
    provider: DataProvider, values: Values, reason: str
) -> None:
    client = _client(provider, m=_module(SIZE, RunColumn("width", "Width", values)))
    answer = client.get("/data/run_matches", query_string={"where": "width > 1"})
    assert (answer.status_code, answer.get_json()["code"]) == (503, "unavailable")
    assert "plugin m: " in answer.get_json()["error"]
    assert reason in answer.get_json()["error"]
    assert _json(client, "/data/run_matches", where="size < 1")["runs"] == ["a"]


def test_an_unknown_column_may_be_one_of_a_plugin_that_fails(provider: DataProvider) -> None:
    def listed(ctx: PluginContext) -> Sequence[RunColumn]:
        raise RuntimeError("no luck")

    client = _client(provider, m=_module(RunColumns(listed, lambda ctx, names, runs: {})), good=_module(SIZE))
    answer = client.get("/data/run_matches", query_string={"where": "depth > 1"})
    assert answer.status_code == 503
    assert "plugin m: RuntimeError: no luck" in answer.get_json()["error"]
    typo = client.get("/data/run_matches", query_string={"where": "siez > 1"}).get_json()
    assert (typo["code"], typo["details"]["suggestions"]) == ("unknown_column", ["size"])


def test_a_status_without_what_the_logs_say_of_the_end_names_the_plugin_that_failed(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "logs" / "a", start_time=100.0) as writer:
        writer.scalar("loss", 0, 1.0, wall_time=100.0)
    opened = LocalProvider([Logdir(str(tmp_path / "logs"))], [], reload_interval=0)
    opened.load()
    try:
        table = _table(opened, "run/status", m=_module(RunColumn("status", "Status", _raises)))
    finally:
        opened.close()
    assert [one["values"] for one in table["columns"]] == [["stopped"]]
    assert table["column_errors"] == [{"plugin": "m", "error": "RuntimeError: no luck"}]


def test_the_status_of_a_run_is_what_its_logs_say_or_how_long_they_are_silent() -> None:
    spans = {
        "said": (0.0, 10.0),
        "broken": (0.0, 999_990.0),
        "fresh": (999_000.0, 999_700.0),
        "silent": (999_000.0, 999_300.0),
        "slow": (0.0, 960_000.0),
    }
    ends = {"said": "success", "broken": "failure", "fresh": "running", "silent": "unknown"}
    assert statuses(spans, ends, 1_000_000.0) == {
        "said": "finished",
        "broken": "failed",
        "fresh": "running",
        "silent": "stopped",
        "slow": "running",  # within 5 % of its duration
    }


def test_the_host_knows_duration_status_and_notes_of_runs(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "logs" / "a", start_time=100.0) as writer:
        writer.scalar("loss", 0, 1.0, wall_time=100.0)
        writer.scalar("loss", 1, 1.0, wall_time=190.0)
    (tmp_path / "logs" / "empty").mkdir()
    opened = LocalProvider([Logdir(str(tmp_path / "logs"))], [], reload_interval=0)
    opened.load()
    ended = RunColumn("status", "Status", lambda _, runs: dict.fromkeys(runs, "failure"))
    try:
        keys = ["run/duration", "run/started", "run/updated", "run/status", "run/note"]
        table = _table(opened, *keys, m=_module(ended))
    finally:
        opened.close()
    found = {one["name"]: one["values"] for one in table["columns"]}
    assert found == {
        "duration": [90.0],
        "started": [100.0],
        "updated": [190.0],
        "status": ["failed"],
        "note": [None],
    }
