"""SQL over the tables of plugins: right rows, from no more data than they need, within limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import insight_query
import numpy as np
import pandas as pd
import pytest
from attrs import evolve
from insight_query.engine import SqlAnswer, run
from insight_query.limits import QueryLimits, QueryTooLarge

from insight_core.plugin import InsightError, InvalidArgument, NotFound, Plugin, PluginContext
from insight_core.plugin.sql import ContributedTable, QueryColumn, QueryTable, Rows, WantedRows
from insight_core.plugin.testing import FakeProvider, context_of

RUNS, TAGS, STEPS = ["a", "b/c", "it's"], ["acc", "loss", "train/loss"], 1000


@pytest.fixture
def points() -> pd.DataFrame:
    """What the logs hold, as a frame of another library."""
    chance = np.random.default_rng(3)
    frame = pd.DataFrame(
        [(name, tag, step) for name in RUNS for tag in TAGS for step in range(STEPS)],
        columns=["run", "tag", "step"],
    )
    frame["value"] = chance.normal(size=len(frame))
    return frame


@pytest.fixture
def data(points: pd.DataFrame) -> FakeProvider:
    provider = FakeProvider()
    for (name, tag), part in points.groupby(["run", "tag"]):
        provider.add_scalars(str(name), str(tag), part["value"].to_numpy())
    return provider


def tables(data: FakeProvider, *more: QueryTable) -> list[ContributedTable]:
    ctx = context_of(Plugin("query", "SQL"), data)
    return [table.within("query", ctx) for table in (*insight_query.insight_tables(), *more)]


def ask(data: FakeProvider, sql: str, **limits: Any) -> SqlAnswer:  # noqa: ANN401
    return run(sql, tables(data), QueryLimits(**limits))


def test_aggregates_are_those_of_the_points(data: FakeProvider, points: pd.DataFrame) -> None:
    answer = ask(
        data,
        "select run, tag, count(*) n, min(value) low, avg(value) mean, arg_min(step, value) lowest"
        " from scalars where step between 100 and 899 group by all order by run, tag",
    )
    part = points[points.step.between(100, 899)]
    grouped = part.groupby(["run", "tag"])["value"]
    expected = grouped.agg(["count", "min", "mean", "idxmin"]).reset_index()
    found = answer.table.to_pandas()
    assert found["run"].tolist() == expected["run"].tolist()
    assert found["tag"].tolist() == expected["tag"].tolist()
    assert found["n"].tolist() == expected["count"].tolist() == [800] * 9
    assert found["low"].tolist() == expected["min"].tolist()
    np.testing.assert_allclose(found["mean"], expected["mean"], rtol=1e-12)
    assert found["lowest"].tolist() == points.loc[expected["idxmin"], "step"].tolist()


@pytest.mark.parametrize(
    ("condition", "runs", "tags"),
    [
        ("tag = 'loss'", RUNS, ["loss"]),
        ("run = 'it''s' and tag in ('acc', 'none')", ["it's"], ["acc"]),
        ("run <> 'a' and tag > 'acc'", ["b/c", "it's"], ["loss", "train/loss"]),
        ("run = 'none'", [], []),
        ("run = 'a' or (run = 'b/c' and value > 0)", ["a", "b/c"], TAGS),
        ("run is null", [], []),
        ("tag like 'train%'", RUNS, ["train/loss"]),
        ("regexp_matches(tag, '^l') or tag = 'acc'", RUNS, ["acc", "loss"]),
    ],
)
def test_conditions_choose_the_rows_that_pandas_chooses(
    data: FakeProvider, points: pd.DataFrame, condition: str, runs: list[str], tags: list[str]
) -> None:
    found = ask(data, f"select run, tag, step, value from scalars where {condition}", rows=None).table
    chosen = points[points.run.isin(runs) & points.tag.isin(tags)]
    if "value" in condition:
        chosen = chosen[(chosen.run == "a") | (chosen.value > 0)]
    expected = {tuple(row) for row in chosen.itertuples(index=False)}
    assert {tuple(row.values()) for row in found.to_pylist()} == expected


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("select avg(value) from scalars where tag = 'loss' and run = 'a'", {("a", "loss")}),
        ("select * from scalars where run in ('a', 'q') and tag < 'b'", {("a", "acc")}),
        ("with s as (select * from scalars) select max(step) from s where tag = 'acc' and run >= 'it'",
         {("it's", "acc")}),
        ("select * from scalars where run = 'nobody'", set()),
        ("select * from runs", set()),
        ("select sum(points) from series where tag = 'loss'", set()),
    ],
)  # fmt: skip
def test_only_the_series_that_a_query_needs_are_read(
    data: FakeProvider, sql: str, keys: set[tuple[str, str]]
) -> None:
    with patch.object(data, "scalars", wraps=data.scalars) as scalars:
        ask(data, sql)
    assert {(key.run, key.tag) for asked in scalars.call_args_list for key in asked.args[1]} == keys


def test_only_the_steps_that_a_query_needs_are_read(data: FakeProvider) -> None:
    with patch.object(data, "scalars", wraps=data.scalars) as scalars:
        answer = ask(data, "select count(*) from scalars where tag = 'loss' and step >= 500 and step < 520")
    assert answer.table.to_pylist() == [{"count_star()": 60}]
    first, last = scalars.call_args.args[2].window
    assert scalars.call_count == 1
    assert first is not None
    assert last is not None
    assert 496 <= first <= 500 <= 519 <= last <= 523
    assert answer.rows_read <= 84


def test_a_limit_ends_the_reading(data: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_query.log_tables._AT_ONCE", STEPS)
    with patch.object(data, "scalars", wraps=data.scalars) as scalars:
        assert len(ask(data, "select * from scalars limit 3").table) == 3
    assert sum(len(asked.args[1]) for asked in scalars.call_args_list) < 9


def test_numbers_that_are_not_finite_stay_so() -> None:
    data = FakeProvider()
    data.add_scalars("a", "loss", [1.0, np.nan, np.inf, -np.inf])
    found = ask(data, "select value from scalars order by step").table["value"].to_pylist()
    np.testing.assert_array_equal(found, [1.0, np.nan, np.inf, -np.inf])
    counted = ask(data, "select count(*) n from scalars where isnan(value)").table.to_pylist()
    assert counted == [{"n": 1}]


def test_names_that_are_not_utf8_are_escaped() -> None:
    data = FakeProvider()
    data.add_scalars("a\udcff", "loss", [1.0])
    assert ask(data, "select run, tag from scalars").table.to_pylist() == [{"run": "a\\udcff", "tag": "loss"}]


def test_more_rows_than_asked_for_are_cut_and_this_is_said(data: FakeProvider) -> None:
    answer = ask(data, "select * from scalars", rows=10)
    assert (len(answer.table), answer.is_cut) == (10, True)
    exact = ask(data, "select * from scalars limit 10", rows=10)
    assert (len(exact.table), exact.is_cut) == (10, False)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("", "write a query"),
        ("-- nothing", "write a query"),
        ("select 1; select 2", "one query"),
        ("create table t (a int)", "only queries"),
        ("insert into runs values ('a')", "only queries"),
        ("set threads = 8", "only queries"),
        ("attach '/tmp/a.db'", "only queries"),
        ("copy (select 1) to '/tmp/copied.csv'", "only queries"),
        ("install httpfs", "only queries"),
        ("pragma database_list", "only queries"),
        ("select * from read_csv('/etc/passwd')", "disabled"),
        ("select * from '/etc/passwd'", "does not exist"),
        ("select * from read_text('/proc/self/environ')", "disabled"),
        ("select * from glob('/*')", "disabled"),
        ("select * from data", "does not exist"),  # a variable of Python
        ("select nothing from runs", "not found"),
        ("selec 1", "syntax error"),
    ],
)
def test_what_is_not_a_query_of_the_tables_is_refused(data: FakeProvider, sql: str, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        ask(data, sql)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        (
            "with recursive t as (select 1 a union all select a + 1 from t) select max(a) from t",
            "after 0.3 s",
        ),
        ("select count(*) from range(100000000000)", "after 0.3 s"),
    ],
)
def test_a_query_without_end_is_ended(data: FakeProvider, sql: str, text: str) -> None:
    with pytest.raises(QueryTooLarge, match=text):
        ask(data, sql, seconds=0.3)


def test_a_query_that_needs_too_much_memory_is_ended(data: FakeProvider) -> None:
    with pytest.raises(QueryTooLarge, match="more than 64 MiB"):
        ask(data, "select list(range) from range(1000000000)", memory=64 << 20)


def test_a_table_of_another_plugin_reads_what_is_wanted() -> None:
    seen: list[tuple[list[str], list[str], tuple[int, int] | None]] = []

    def read(ctx: PluginContext, wanted: WantedRows) -> Iterable[Rows]:
        seen.append(
            (list(wanted.columns), wanted.of("city", ["Bonn", "Oslo", "Rome"]), wanted.span("year", 0, 9999))
        )
        yield {
            "city": ["Bonn", "Oslo", None],
            "year": np.array([1990, 2000, 2010]),
            "big": [True, None, False],
        }

    columns = [QueryColumn("city", "text"), QueryColumn("year", "integer"), QueryColumn("big", "boolean")]
    mine = QueryTable("cities", "a city", lambda ctx: columns, read)
    found = run(
        "select year, big from cities where city in ('Oslo', 'Paris') and year > 1999",
        tables(FakeProvider(), mine),
        QueryLimits(),
    )
    assert found.table.to_pylist() == [{"year": 2000, "big": None}]
    [(columns_read, cities, years)] = seen
    assert (columns_read, cities) == (["city", "year", "big"], ["Oslo"])
    assert years is not None
    assert years[0] >= 1960
    assert years[1] == 9999


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (RuntimeError("no disk"), InsightError, "the plugin query cannot read its table broken: no disk"),
        (NotFound("the run is gone"), NotFound, "the run is gone"),
    ],
)
def test_a_table_that_fails_says_which(error: Exception, kind: type[Exception], text: str) -> None:
    def read(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
        yield {"a": [1]}
        raise error

    broken = QueryTable("broken", "fails", [QueryColumn("a", "integer")], read)
    with pytest.raises(kind, match=text):
        run("select * from broken", tables(FakeProvider(), broken), QueryLimits())


@pytest.fixture
def sweep() -> ContributedTable:
    """A table whose columns have long names, as that of hyperparameters."""
    cells: dict[str, Sequence[object]] = {
        "run": ["a", "b"],
        "metric/hparam/val_acc": [0.9, 0.97],
        "opt/lr": [0.1, 0.3],
        "left/size": [1.0, 2.0],
        "right/size": [3.0, 4.0],
    }

    def rows(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
        yield {name: cells[name] for name in wanted.columns}

    kinds = ["text", *["number"] * 4]
    columns = [QueryColumn(name, kind) for name, kind in zip(cells, kinds, strict=True)]  # type: ignore[arg-type]
    return QueryTable("hparams", "a run", columns, rows).within(
        "plugin", context_of(Plugin("plugin", "P"), FakeProvider())
    )


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("select run from hparams where val_acc > 0.95", [("b",)]),
        ("select max(h.Val_Acc) from hparams h", [(0.97,)]),
        ("select '中文', LR from Hparams order by lr desc", [("中文", 0.3), ("中文", 0.1)]),
        ("select val_acc as val_acc from hparams order by val_acc", [(0.9,), (0.97,)]),
        ("select 'val_acc' /* val_acc */ from hparams where lr < 0.2", [("val_acc",)]),
        ("with best as (select val_acc from hparams) select * from best where val_acc > 0.95", [(0.97,)]),
        ("select lr as size from hparams order by size", [(0.1,), (0.3,)]),  # a name of its own
    ],
)
def test_the_last_part_of_a_name_means_the_column(
    sweep: ContributedTable, query: str, rows: list[tuple[object, ...]]
) -> None:
    found = run(query, [sweep], QueryLimits()).table
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == rows


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("select size from hparams", 'No column size; several end so. Try: "left/size", "right/size"'),
        ("select valacc from hparams", 'No column valacc. Try: "metric/hparam/val_acc"'),
        ('select "val_acc" from hparams', 'No column val_acc. Try: "metric/hparam/val_acc"'),  # exact
    ],
)
def test_a_name_that_means_no_column_is_answered_with_those_that_may_be_meant(
    sweep: ContributedTable, query: str, says: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        run(query, [sweep], QueryLimits())
    assert str(caught.value) == says


def _with_odd_values(data: FakeProvider) -> None:
    data.add_scalars("odd", "loss", np.array([np.nan, 2.0, -np.inf]))
    data.add_scalars("odd", "nan", np.array([np.nan, np.nan]))
    data.add_scalars("odd", "above", np.array([np.inf, 1.0]))


_SUMMARISED = (
    "select count(*) from scalars",
    "select run, count(*) from scalars group by all order by all",
    "select run, tag, count(*) n, min(value), max(value), min(step), max(step) from scalars"
    " group by all order by 1, 2",
    "select tag, max(value) as m from scalars where run <> 'a' and tag like '%o%' group by 1 order by m, tag",
    "select s.run, count(s.value) * 2 from scalars s group by s.run having max(s.step) > 10"
    " order by count(*), s.run",
    "select distinct run, tag from scalars order by run desc, tag",
    "select count(distinct run), max(tag) from scalars where split_part(run, '/', 1) in ('b', 'odd')",
    "select run, max(value) from scalars where run = 'none' group by run",
    "select count(*), max(value) from scalars where run = 'none'",
)
_OF_POINTS = (
    "select run, avg(value) from scalars group by run order by run",
    "select count(*) from scalars where step > 5",
    "select count(*) filter (where value > 0) from scalars",
    "select run from scalars order by run limit 3",
    "select max(value) over () from scalars limit 1",
    "select upper(run) as points, count(*) from scalars where points = 'ODD' group by 1",
    "select count(distinct value) from scalars",
    "select count(*) from scalars, runs",
    "with scalars as (select 'x' as run) select count(run) from scalars",
    "select (select max(value) from scalars)",
)


@pytest.mark.parametrize("sql", [*_SUMMARISED, *_OF_POINTS])
def test_an_answer_from_summaries_is_that_of_the_points(data: FakeProvider, sql: str) -> None:
    _with_odd_values(data)
    with patch("insight_query.engine.summarised", lambda connection, found, sql: found):
        expected = ask(data, sql).table
    found = ask(data, sql).table
    assert found.schema == expected.schema
    assert repr(found.to_pylist()) == repr(expected.to_pylist())  # NaN equals itself as text
    read = {one.table.name: False for one in tables(data)}

    def noted(one: ContributedTable) -> ContributedTable:
        def rows(wanted: WantedRows) -> Iterable[Rows]:
            read[one.table.name] = True
            return one.read(wanted)

        return evolve(one, read=rows)

    run(sql, [noted(one) for one in tables(data)], QueryLimits())
    assert (read["scalars"], read["summaries"]) == (False, sql in _SUMMARISED) or sql in _OF_POINTS
    assert not (sql in _OF_POINTS and read["summaries"])


def test_a_query_that_would_read_too_much_is_refused_before_it_reads(data: FakeProvider) -> None:
    with (
        patch("insight_query.limits.RATE", 10),
        patch.object(data, "scalars", wraps=data.scalars) as scalars,
        pytest.raises(QueryTooLarge, match=r"would read 9,000 rows.* longer than 30 s: add a WHERE"),
    ):
        ask(data, "select avg(value) from scalars")
    assert scalars.call_count == 0
    with patch("insight_query.limits.RATE", 10):
        assert ask(data, "select avg(value) from scalars where tag = 'acc'", seconds=300).rows_read == 3000
        few = "select avg(value) from scalars where step between 100 and 109"
        assert 90 <= ask(data, few).rows_read < 200
