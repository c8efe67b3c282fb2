"""The lineage routes: rows, their order and groups, what changes while they are looked at."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import insight_lineage
import pytest
from werkzeug.test import Client, TestResponse

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_core.web.state.annotations import AnnotationStore, Place
from tests.lineage_samples import LineageLogs, field

Get = Callable[..., TestResponse]


@pytest.fixture
def written(tmp_path: Path) -> LineageLogs:
    return LineageLogs(tmp_path / "logs")


@pytest.fixture
def provider(written: LineageLogs) -> Iterator[LocalProvider]:
    with written.opened() as provider:
        yield provider


@pytest.fixture
def get(provider: LocalProvider) -> Callable[..., TestResponse]:
    """An answer of the plugin's routes: ``get("runs", sort="-lr")``."""
    client = Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider))

    def ask(path: str, **parameters: Any) -> TestResponse:  # noqa: ANN401
        return client.get(f"/data/plugin/lineage/{path}", query_string=parameters)

    return ask


def _json(answer: TestResponse) -> Any:  # noqa: ANN401
    assert answer.status_code == 200, answer.text
    return json.loads(answer.data, parse_constant=lambda word: pytest.fail(f"bare {word}"))


def _rows(answer: TestResponse) -> dict[str, dict[str, Any]]:
    found = _json(answer)
    names = [column["name"] for column in found["columns"]]
    return {
        run: dict(zip(names, row, strict=True))
        for run, row in zip(found["runs"], zip(*found["values"], strict=True), strict=True)
    }


@pytest.fixture
def three(written: LineageLogs, provider: LocalProvider) -> LineageLogs:
    """Three runs with lineage, one with scalars only."""
    written.file("a", written.trained(3, 0.5) + written.evaluated({"acc": 0.9, "odd": math.nan}))
    written.file("b", written.trained(1, 0.25, "Other") + written.evaluated({"acc": 0.5, "odd": [1, 2]}))
    written.file("c", written.trained(2, 0.125) + written.added(who="x", n=-4, part=0.5))
    written.scalars("d", {"loss": [3.0, 1.0, 2.0], "odd": [math.nan, math.nan]})
    provider.load()
    return written


def test_columns(three: LineageLogs, get: Get) -> None:
    answer = _json(get("columns"))
    assert (answer["runs"], answer["problems"]) == (4, [])
    columns = {
        one["name"]: (one["title"], one["group"], one["type"], one["count"]) for one in answer["columns"]
    }
    assert columns["run"] == ("run", "run", "str", 4)
    assert columns["epoch"] == ("epoch", "hyperparameter", "int", 3)
    assert columns["metric/acc"] == ("acc", "metric", "float", 2)
    assert columns["metric/odd"] == ("odd", "metric", "mixed", 2)
    assert columns["custom/n"] == ("n", "custom", "int", 1)
    assert columns["min/loss"] == ("loss (min)", "scalar", "float", 1)
    groups = [one["group"] for one in answer["columns"]]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index), "groups stand together"


def test_rows_have_values_or_null(three: LineageLogs, get: Get) -> None:
    rows = _rows(get("runs", scalars=["last", "min", "max"]))
    assert rows.keys() == {"a", "b", "c", "d"}
    assert [rows["a"][name] for name in ("learning_rate", "network", "source")] == [0.5, "Net", "mindspore"]
    assert (rows["a"]["metric/odd"], rows["b"]["metric/odd"]) == ("NaN", [1, 2])
    assert (rows["c"]["custom/who"], rows["c"]["custom/n"], rows["c"]["custom/part"]) == ("x", -4, 0.5)
    assert [rows["d"][f"{which}/loss"] for which in ("last", "min", "max")] == [2.0, 1.0, 3.0]
    assert [rows["d"][f"{which}/odd"] for which in ("last", "min", "max")] == ["NaN"] * 3
    assert rows["d"]["epoch"] is rows["a"]["last/loss"] is None


@pytest.mark.parametrize(
    ("parameters", "runs"),
    [
        ({"sort": "epoch"}, "bcad"),
        ({"sort": "-epoch"}, "acbd"),
        ({"sort": ["network", "-epoch"]}, "acbd"),
        ({"sort": "-network"}, "bacd"),
        ({"sort": "metric/odd"}, "badc"),
        ({"sort": "-metric/odd"}, "badc"),
        ({"sort": "+epoch", "offset": 1, "limit": 2}, "ca"),
        ({"sort": "epoch", "where": "epoch >= 2"}, "ca"),
        ({"sort": "epoch", "where": "epoch >= 2", "filter": '{"network": {"eq": "Net"}}', "run": "a"}, "a"),
        ({"sort": "epoch", "run": ["b", "a", "nowhere"]}, "ba"),
        ({"sort": "epoch", "filter": '{"epoch": {"ge": 2, "lt": 3}}'}, "c"),
        ({"sort": "run", "where": "max/loss > 2"}, "d"),
        ({"group": "network", "sort": "epoch"}, "cabd"),
        ({"group": "network", "sort": ["-network", "epoch"]}, "bcad"),
        ({"where": "epoch > 100"}, ""),
        ({"limit": 0}, ""),
        ({"offset": 100}, ""),
    ],
)
def test_which_rows_in_which_order(
    three: LineageLogs, get: Get, parameters: dict[str, Any], runs: str
) -> None:
    assert "".join(_json(get("runs", **parameters))["runs"]) == runs


def test_groups_have_statistics_of_each_column(three: LineageLogs, get: Get) -> None:
    answer = _json(get("runs", group="network", sort="network", columns=["epoch", "network", "metric/odd"]))
    assert (answer["total"], answer["matched"], len(answer["runs"])) == (4, 4, 4)
    assert [(one["values"], one["from"], one["count"]) for one in answer["groups"]] == [
        (["Net"], 0, 2),
        (["Other"], 2, 1),
        ([None], 3, 1),
    ]
    assert answer["groups"][0]["statistics"] == [{"count": 2, "mean": 2.5, "min": 2, "max": 3}, None, None]
    assert answer["groups"][2]["statistics"] == [None, None, None]
    assert _json(get("runs", group=["network", "epoch"]))["groups"][0]["values"] == ["Net", 2]
    assert _json(get("runs", group="network", where="epoch > 100"))["groups"] == []
    groups = [(one["from"], one["statistics"][0]) for one in answer["groups"]]
    pages = {(1, 1): groups[:1], (1, 2): groups[:2], (3, 5): groups[2:], (0, 0): [], (9, 1): []}
    for (offset, limit), shown in pages.items():
        page = {"columns": "epoch", "offset": offset, "limit": limit}
        found = _json(get("runs", group="network", sort="network", **page))["groups"]
        assert [(one["from"], one["statistics"][0]) for one in found] == shown


def test_columns_of_an_answer_have_the_extent_of_what_matched(three: LineageLogs, get: Get) -> None:
    answer = _json(get("runs", columns=["epoch", "metric/odd", "network"], where="epoch <= 2", limit=0))
    assert [(one["count"], one["min"], one["max"]) for one in answer["columns"]] == [
        (2, 1, 2),
        (1, None, None),
        (2, None, None),
    ]


def test_csv(three: LineageLogs, get: Get) -> None:
    answer = get("runs", format="csv", sort="epoch", columns=["epoch", "metric/odd", "custom/who", "run"])
    assert answer.mimetype == "text/csv"
    assert list(csv.reader(io.StringIO(answer.text))) == [
        ["run", "epoch", "metric/odd", "custom/who"],
        ["b", "1", "[1,2]", ""],
        ["c", "2", "", "x"],
        ["a", "3", "NaN", ""],
        ["d", "", "", ""],
    ]


def test_csv_has_no_formulas_of_a_log(written: LineageLogs, provider: LocalProvider, get: Get) -> None:
    said = {"cell": "=1+1", "@x": 'say "hi"\n', "plus": "+x", "number": "-1.5e3", "plain": "a,b", "n": -3}
    written.file("-run", written.added(**said))  # type: ignore[arg-type]
    provider.load()
    answer = get("runs", format="csv", columns=[f"custom/{name}" for name in said])
    [header, row] = csv.reader(io.StringIO(answer.text, newline=""))
    assert header == ["run", *(f"custom/{name}" for name in said)]
    assert row == ["'-run", "'=1+1", 'say "hi"\n', "'+x", "-1.5e3", "a,b", "-3"]


@pytest.mark.parametrize(
    ("path", "parameters", "status", "says"),
    [
        ("runs", {"sort": "nothing"}, 400, "No column nothing"),
        ("runs", {"columns": "last/nothing"}, 400, "No column last/nothing"),
        ("runs", {"group": "min/"}, 400, "No column min/"),
        ("runs", {"scalars": "mean"}, 400, "scalars"),
        ("runs", {"limit": "-1"}, 400, "limit"),
        ("runs", {"limit": "100001"}, 400, "limit"),
        ("runs", {"format": "xml"}, 400, "format"),
        ("runs", {"filter": "{"}, 400, "filter"),
        ("runs", {"filter": '{"nothing": {"eq": 1}}'}, 400, "No column nothing"),
        ("importance", {}, 400, "target"),
        ("importance", {"target": "nothing"}, 400, "No column nothing"),
        ("pipeline", {}, 400, "run"),
        ("pipeline", {"run": "nowhere"}, 404, "'nowhere'"),
    ],
)
def test_refusals(
    three: LineageLogs, get: Get, path: str, parameters: dict[str, Any], status: int, says: str
) -> None:
    answer = get(path, **parameters)
    assert answer.status_code == status
    assert says in (answer.json or {})["error"]


def test_an_expression_names_columns_as_the_page_does(three: LineageLogs, get: Get) -> None:
    """By their titles; a column that is called so itself comes first."""
    assert _json(get("runs", where="acc > 0.6"))["runs"] == ["a"]
    three.file("e", three.trained(3, 0.5) + three.evaluated({"epoch": 7.0}))
    assert set(_json(get("runs", where="epoch = 3"))["runs"]) == {"a"}


def test_a_mistake_in_a_text_says_where(three: LineageLogs, get: Get) -> None:
    for route in ("runs", "importance"):
        for last, code in (("nothing = 2", "unknown_column"), ("= 2", "bad_expression")):
            answer = get(route, target="epoch", where=f"epoch > 1 and {last}")
            said = answer.json or {}
            assert (answer.status_code, said["code"], said["details"]["position"]) == (400, code, 14)


def test_importance_of_few_runs_has_correlations(
    written: LineageLogs, provider: LocalProvider, get: Get
) -> None:
    for epoch, rate in enumerate([1.0, 4.0, 9.0, 2.0], 1):
        metrics = {"acc": epoch / 10, **({"rare": 1} if epoch < 3 else {})}
        content = written.trained(epoch, rate) + written.evaluated(metrics) + written.added(n=1, who="x")
        written.file(f"r{epoch}", content)
    provider.load()
    answer = _json(get("importance", target="metric/acc"))
    said = [answer[name] for name in ("matched", "used", "reason", "goal", "explained")]
    assert said == [4, 4, "too_few", "max", None]
    assert answer["parameters"][0]["name"] == "epoch"
    found = {one["name"]: one["correlation"] for one in answer["parameters"]}
    assert (found["epoch"]["pearson"], found["epoch"]["spearman"]) == (pytest.approx(1), pytest.approx(1))
    of_rate = [found["learning_rate"][name] for name in ("count", "spearman", "pearson")]
    assert of_rate == [4, pytest.approx(0.4), pytest.approx(0.2901, abs=1e-4)]
    assert found["custom/n"]["reason"] == "constant"
    assert found["custom/who"]["reason"] == found["optimizer"]["reason"] == "not_numeric"
    few = _json(get("importance", target="metric/acc", parameter="metric/rare"))["parameters"]
    assert [(one["correlation"]["count"], one["correlation"]["reason"]) for one in few] == [(2, "too_few")]
    same = _json(get("importance", target="custom/n", parameter="epoch"))["parameters"]
    assert same[0]["correlation"]["reason"] == "target_constant"


def test_importance_of_many_runs(written: LineageLogs, provider: LocalProvider, get: Get) -> None:
    for number in range(40):
        metrics = {"acc": 0.9 - 0.01 * (number % 8) ** 2, "n": number}
        written.file(f"r{number}", written.trained(number % 8, 0.1) + written.evaluated(metrics))
    provider.load()
    answer = _json(get("importance", target="metric/acc"))
    epoch = answer["parameters"][0]
    assert (epoch["name"], epoch["sure"], epoch["best"]) == ("epoch", True, {"from": 0.0, "to": 2.0})
    assert epoch["importance"]["share"] > 0.8
    assert [point["count"] for point in epoch["curve"]] == [5] * 8
    assert answer["sure"]
    assert answer["interactions"] == []
    upwards = _json(get("importance", target="metric/acc", goal="min"))["parameters"][0]
    assert upwards["best"] == {"from": 7.0, "to": 7.0}
    narrow = _json(get("importance", target="metric/acc", where='"metric/n" < 20'))
    assert (narrow["matched"], narrow["used"]) == (20, 20)


def test_the_table_follows_the_data(written: LineageLogs, provider: LocalProvider, get: Get) -> None:
    assert _json(get("runs"))["runs"] == []
    assert _json(get("runs", where="run = 'a'", sort="run", group="run"))["groups"] == []
    path = written.file("a", written.trained(1))
    provider.load()
    path.write_bytes(written.trained(2) + written.evaluated({"acc": 1}))
    os.utime(path, (5, 5))
    written.file("a", written.evaluated({"acc": 0.25}), second=2)
    provider.load()
    row = _rows(get("runs"))["a"]
    assert (row["epoch"], row["metric/acc"]) == (2, 0.25)
    written.scalars("z", {"loss": [1.0]})
    provider.load()
    assert _rows(get("runs", scalars=["last", "min"]))["z"]["min/loss"] == 1.0
    with EventWriter(written.root / "z" / "events.out.tfevents.1700000099.host") as writer:
        writer.scalar("loss", 1, -2.0)
    provider.load()
    row = _rows(get("runs", scalars=["last", "min", "max"], run="z"))["z"]
    assert [row[f"{which}/loss"] for which in ("last", "min", "max")] == [-2.0, -2.0, 1.0]
    path.unlink()
    (path.parent / path.name.replace(".1.0.", ".2.0.")).unlink()
    provider.load()
    assert _rows(get("runs")).get("a", {}).get("epoch") is None


def test_runs_come_and_go_without_a_look_at_the_others(
    written: LineageLogs, provider: LocalProvider, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, run in enumerate("bdf"):
        written.file(run, written.trained(number))
        written.scalars(run, {"loss": [float(number), 5.0 + number]})
    provider.load()
    every = {"scalars": ["last", "min", "max"], "sort": "run"}
    before = _rows(get("runs", **every))
    written.file("a", written.trained(7))
    written.scalars("e", {"loss": [-1.0]})
    read = Mock(wraps=provider.scalars)
    monkeypatch.setattr(provider, "scalars", read)
    provider.load()
    now = _rows(get("runs", **every))
    assert list(now) == ["a", "b", "d", "e", "f"]
    assert {run: now[run] for run in "bdf"} == {run: before[run] for run in "bdf"}
    assert (now["a"]["epoch"], now["e"]["min/loss"], now["e"]["epoch"]) == (7, -1.0, None)
    assert {key.run for asked in read.call_args_list for key in asked.args[1]} == {"e"}
    shutil.rmtree(written.root / "b")
    provider.load()
    now = _rows(get("runs", **every))
    assert list(now) == ["a", "d", "e", "f"]
    assert now["d"] == before["d"]


def test_what_cannot_be_read_is_told(written: LineageLogs, provider: LocalProvider, get: Get) -> None:
    written.file("a", written.trained(1) + written.trained(2)[:-9])
    with EventWriter(written.root / "h") as writer:
        writer.scalar("x", 0, 1.0)
    provider.load()
    [problem] = _json(get("columns"))["problems"]
    assert (problem["run"], problem["tag"]) == ("a", "events.out.events.summary.1.0.host_lineage")
    assert "ends within the record" in problem["error"]
    assert _rows(get("runs"))["a"]["epoch"] == 1


def test_the_pipeline_of_a_run(provider: LocalProvider, written: LineageLogs, get: Get) -> None:
    def stage(name: str, *parts: bytes) -> bytes:
        return b"".join(parts) + field(2, field(1, field(1, "op_type") + field(2, name)))

    graph = stage("Zip", field(1, stage("One")), field(1, stage("Two")))
    written.file("a", written.trained() + wire.record(field(9, graph)))
    written.file("b", written.trained() + wire.record(field(9, graph)))
    written.file("c", written.trained())
    provider.load()
    answer = _json(get("pipeline", run="b"))
    assert (answer["run"], answer["mark"]) == ("b", 1)
    nodes = {node["id"]: node["name"] for node in answer["pipeline"]["nodes"]}
    edges = [(nodes[edge["from"]], nodes[edge["to"]]) for edge in answer["pipeline"]["edges"]]
    assert edges == [("One", "Zip"), ("Two", "Zip")]
    assert _json(get("pipeline", run="c")) == {"run": "c", "mark": None, "pipeline": None}
    assert "pipeline/Zip" not in _rows(get("runs"))["a"]
    assert _rows(get("runs", columns="pipeline/Zip"))["a"] == {"pipeline/Zip": ""}


def test_columns_are_in_the_order_in_which_people_count(
    written: LineageLogs, provider: LocalProvider, get: Get
) -> None:
    written.file("a", written.added(p10=1, p9=1, P1=1))
    with EventWriter(written.root / "b") as writer:
        writer.scalar_block(["l10", "l2", "L1"], range(2), [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    provider.load()
    names = [column["name"] for column in _json(get("columns"))["columns"]]
    assert [name for name in names if name.startswith("custom/")] == ["custom/P1", "custom/p9", "custom/p10"]
    assert [name for name in names if name.startswith("last/")] == ["last/L1", "last/l2", "last/l10"]
    assert [column["name"] for column in _json(get("runs", scalars="min"))["columns"]][-1] == "min/l10"


def test_status_and_duration_are_those_of_the_host(
    written: LineageLogs, provider: LocalProvider, get: Get
) -> None:
    written.scalars("old", {"loss": [3.0, 1.0]})
    written.scalars("other", {"loss": [2.0]})
    provider.load()
    host = Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider))
    of_host = _json(host.get("/data/run_columns?column=run/status&column=run/duration&column=run/started"))
    cells = {
        one["name"]: dict(zip(of_host["runs"], one["values"], strict=True)) for one in of_host["columns"]
    }
    listed = {one["name"]: (one["group"], one["count"]) for one in _json(get("columns"))["columns"]}
    assert (listed["run/status"], listed["run/duration"]) == (("run", 2), ("run", 2))
    assert "run/status" not in _rows(get("runs"))["old"], "nobody has asked for it"
    answer = get("runs", columns=["run/status", "run/duration", "start_time"], sort="-run/duration")
    assert answer.headers["Cache-Control"] == "no-store", "silence ends a run without a change of the data"
    rows = _rows(answer)
    assert set(rows) == {"old", "other"}
    for run, row in rows.items():
        assert row["run/status"] == cells["status"][run] == "stopped"
        assert row["run/duration"] == cells["duration"][run]
        assert row["start_time"] == cells["started"][run]
    long = _json(get("runs", filter='{"run/duration": {"gt": 1e9}}'))
    assert (long["total"], long["matched"]) == (2, 0)


def test_annotations_are_columns(three: LineageLogs, provider: LocalProvider, tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path / "state", lambda: [Place("", "/logs")])
    client = Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider, None, store))
    assert "remark" not in _rows(client.get("/data/plugin/lineage/runs"))["a"]
    nobody = _json(client.get("/data/plugin/lineage/runs?where=mark > 2 or note != null&sort=remark"))
    assert (nobody["runs"], nobody["total"]) == ([], 4), "nobody has said anything yet"
    store.annotate("b", {"remark": "best", "mark": 3})
    rows = _rows(client.get("/data/plugin/lineage/runs?sort=-mark"))
    assert next(iter(rows)) == "b"
    assert (rows["b"]["remark"], rows["b"]["mark"], rows["a"]["remark"]) == ("best", 3, None)
    assert _json(client.get("/data/plugin/lineage/runs?where=remark = 'best'"))["runs"] == ["b"]
    store.annotate("b", {"remark": None, "mark": None})
    assert "mark" not in _rows(client.get("/data/plugin/lineage/runs"))["a"]
