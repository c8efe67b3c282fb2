"""What tools answer, against pandas, the SQL of another library and the rules of the host."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from insight_mcp.calling import Tools
from insight_mcp.protocol import ToolFailed

from insight_core.plugin import Plugin
from insight_core.plugin.data import Progress
from insight_core.plugin.testing import EventWriter, FakeProvider, context_of
from tests.agent_hosts import Call, call_of, cursor_of, opened, rows_of

RUNS, TAGS, STEPS = ["base", "lr 0.1", "sub/lr0.3"], ["acc", "train/loss"], 400


@pytest.fixture(scope="module")
def points() -> pd.DataFrame:
    chance = np.random.default_rng(4)
    keys = [(run, tag, step) for run in RUNS for tag in TAGS for step in range(0, STEPS * 10, 10)]
    frame = pd.DataFrame(keys, columns=["run", "tag", "step"])
    frame["value"] = chance.normal(size=len(frame)).astype(np.float32)
    frame.loc[frame.sample(30, random_state=1).index, "value"] = np.nan
    return frame


@pytest.fixture(scope="module")
def call(points: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    logs = tmp_path_factory.mktemp("tools")
    for run, rows in points.groupby("run"):
        with EventWriter(logs / str(run)) as writer:
            for tag, step, value in zip(rows["tag"], rows["step"], rows["value"], strict=True):
                writer.scalar(tag, step, value)
            writer.text("notes", 3, "first\nsecond " + "long " * 500)
    with opened(logs) as host:
        yield call_of(host.context_of("mcp"))


def test_figures_are_those_of_pandas(call: Call, points: pd.DataFrame) -> None:
    header, *rows = rows_of(call("compare", tags=["/./"], budget=20_000))
    assert header[2:11] == [
        "points", "nonfinite", "first", "last", "min", "min_step", "max", "max_step", "mean",
    ]  # fmt: skip
    assert [(row[0], row[1]) for row in rows] == [(run, tag) for run in RUNS for tag in TAGS]
    for row in rows:
        one = points[(points["run"] == row[0]) & (points["tag"] == row[1])].reset_index(drop=True)
        values = one["value"].astype(np.float64)
        wanted = [
            len(values),
            values.isna().sum(),
            values.iloc[0],
            values.iloc[-1],
            values.min(),
            one["step"].iloc[int(values.argmin())],
            values.max(),
            one["step"].iloc[int(values.argmax())],
            values.mean(),
        ]
        np.testing.assert_allclose(np.array(row[2:11], float), np.array(wanted, float), rtol=1e-6)


def test_some_points_of_a_curve_are_points_of_it(call: Call, points: pd.DataFrame) -> None:
    [row] = rows_of(call("compare", tags=["acc"], runs=["base"], points=11))[1:]
    pairs = [text.split(":") for text in row[-1].split(" ")]
    one = points[(points["run"] == "base") & (points["tag"] == "acc")].set_index("step")["value"]
    assert len(pairs) == 11
    assert [pairs[0][0], pairs[-1][0]] == ["0", str((STEPS - 1) * 10)]
    for step, value in pairs:
        np.testing.assert_allclose(float(value), one[int(step)], rtol=1e-4)
    part = rows_of(call("compare", tags=["acc"], runs=["base"], first_step=100, last_step=190))[1]
    assert part[2] == "10"


@pytest.mark.parametrize("order", ["min", "-max", "-nonfinite", "-run", "tag"])
def test_series_are_sorted_by_figures(call: Call, order: str) -> None:
    header, *rows = rows_of(call("compare", sort=order))
    column = [row[header.index(order.removeprefix("-"))] for row in rows]
    values = column if order.endswith(("run", "tag")) else list(map(float, column))
    assert values == sorted(values, reverse=order.startswith("-"))


def test_series_are_listed_by_plugin_run_and_tag(call: Call) -> None:
    rows = rows_of(call("series", plugin="all"))[1:]
    assert [row[1] for row in rows] == [run for run in RUNS for _ in TAGS] + RUNS
    assert rows[0][:6] == ["scalar", "base", "acc", "400", "0", "3990"]
    assert rows_of(call("series", runs=["base"], tags=["acc"]))[1:] == [rows[0][1:]]


def test_pages_of_a_query_have_its_rows(call: Call, points: pd.DataFrame) -> None:
    found: list[str] = []
    more: dict[str, str] = {}
    for _ in range(3):
        content = call("sql", query="select * from scalars order by all", budget=700, **more)
        found += [row[2] for row in rows_of(content)[1:]]
        more = {"cursor": str(cursor_of(content))}
    wanted = points.sort_values(["run", "tag", "step"])["step"].astype(str).tolist()
    assert found == wanted[: len(found)]
    assert len(found) > 30


def test_sql_says_what_was_read(call: Call) -> None:
    content = call(
        "sql", query="select run, mode(value) m from scalars where tag = 'acc' group by run order by run"
    )
    assert content[0]["text"].startswith(f"3 rows; {3 * STEPS} rows (")
    assert [row[0] for row in rows_of(content)[1:]] == sorted(RUNS)


def test_a_run_is_described_with_all_of_its_texts(call: Call) -> None:
    rows: list[list[str]] = []
    cursor: str | None = None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        content = call("describe", run="lr 0.1", budget=400, **more)
        rows += rows_of(content)[1:]
        cursor = cursor_of(content)
        if cursor is None:
            break
    text = "".join(row[2] for row in rows if row[0] == "text")
    assert text == r"first\nsecond " + "long " * 500
    assert ["series", "scalar", "2"] in rows


def test_the_description_names_what_other_tools_take(call: Call) -> None:
    rows = rows_of(call("describe"))[1:]
    tables = [row[1] for row in rows if row[0] == "sql table"]
    assert {"runs", "series", "scalars", "records", "damage", "hparams", "operators"} <= set(tables)
    assert ["scalar tag", "acc", "3 runs, steps 0 to 3990"] in rows
    columns = ", ".join(row[2] for row in rows if row[0] == "run columns")
    assert {"status", "note", "duration"} <= set(columns.split(", "))


def test_rules_find_the_nan(call: Call) -> None:
    content = call("diagnose", runs=["base"])
    assert "checked in 1 run" in content[0]["text"]
    header, *rows = rows_of(content)
    assert header[:3] == ["severity", "run", "tag"]
    assert {row[1] for row in rows} == {"base"}
    assert any("NaN" in row[4] for row in rows)


def test_a_profile_that_is_not_there_is_an_error(call: Call) -> None:
    assert "no profile" in call("profile", run="base")[0]["text"]
    assert call("profile")[0]["text"].startswith("0 profiles.")


def test_logs_that_are_still_read_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_mcp.calling._LOADING", 0.0)
    data = FakeProvider()
    data.add_scalars("a", "x", [1.0])
    data.set_progress(Progress(25, 100))
    content = call_of(context_of(Plugin("mcp", "MCP"), data))("series")
    assert content[0]["text"].startswith("The logs are still being read (25%)")


def test_another_call_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_mcp.calling._PATIENCE", 0.01)
    tools = Tools(lambda: context_of(Plugin("mcp", "MCP"), FakeProvider()))
    for _ in range(4):
        assert tools._turns.acquire(timeout=1)
    with pytest.raises(ToolFailed) as failure:
        tools.call("series", {})
    assert "other calls are running" in failure.value.content[0]["text"]
    tools._turns.release()
    assert tools.call("series", {}) is not None


def test_tools_answer_about_the_runs_that_match(call: Call, points: pd.DataFrame) -> None:
    """By expressions with the last parts of names, whatever tool."""
    last = points.dropna().groupby(["run", "tag"]).last()["value"].unstack()["train/loss"]
    limit = sorted(last)[1]
    wanted = sorted(last.index[last >= limit])
    where = f"loss >= {limit!r}"
    assert sorted({row[0] for row in rows_of(call("runs", where=where))[1:]}) == wanted
    for tool in ("series", "compare"):
        assert sorted({row[0] for row in rows_of(call(tool, where=where))[1:]}) == wanted
    ordered = [row[0] for row in rows_of(call("runs", sort="-loss", columns=["loss"]))[1:]]
    assert ordered == list(last.sort_values(ascending=False).index)
    assert "No column los. Try: last/train/loss" in call("compare", where="los > 1")[0]["text"]
