"""Other engines read a lake by its Delta tables alone: each asks for the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import duckdb
import insight_scalar
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable
from insight_lake.commands import run_command
from insight_lake.delta import existing
from insight_lake.upkeep import compact

from insight_core.plugin import CommandHost, InvalidArgument
from insight_core.plugin.testing import EventWriter
from tests.lakes import LakeBuild


@pytest.fixture
def build(tmp_path: Path) -> LakeBuild:
    """A lake of four runs, one of which was replaced after it had grown."""
    for number in range(4):
        write(tmp_path / f"logs/run{number}", range(100))
    build = LakeBuild([str(tmp_path / "logs")], str(tmp_path / "lake"), [insight_scalar.insight_plugin()])
    build.run(batch=1)
    write(tmp_path / "logs/run2", range(100, 150))
    build.run()
    return build


def write(run: Path, steps: range) -> None:
    with EventWriter(run) as writer:
        for step in steps:
            writer.scalar("loss", step, 1000 - step)
            writer.scalar("accuracy", step, step)


def by_polars(place: str) -> list[tuple[str, int, float]]:
    scalars = pl.scan_delta(f"{place}/scalars").filter(pl.col("shown") & (pl.col("tag") == "loss"))
    found = scalars.group_by("run").agg(pl.len().alias("points"), pl.col("value").min()).sort("run").collect()
    return found.rows()


def by_pandas(place: str) -> list[tuple[str, int, float]]:
    scalars = DeltaTable(f"{place}/scalars").to_pandas(filters=[("tag", "=", "loss"), ("shown", "=", True)])
    found = scalars.groupby("run")["value"].agg(["count", "min"]).sort_index()
    return [tuple(row) for row in found.reset_index().to_numpy().tolist()]


def by_pyarrow(place: str) -> list[tuple[str, int, float]]:
    wanted = (pc.field("tag") == "loss") & pc.field("shown")
    scalars = DeltaTable(f"{place}/scalars").to_pyarrow_dataset().to_table(filter=wanted)
    found = scalars.group_by("run").aggregate([("value", "count"), ("value", "min")]).sort_by("run")
    return [(row["run"], row["value_count"], row["value_min"]) for row in found.to_pylist()]


def by_duckdb(place: str) -> list[tuple[str, int, float]]:
    scalars = DeltaTable(f"{place}/scalars").to_pyarrow_dataset()
    with duckdb.connect() as connection:
        connection.register("scalars", scalars)
        sql = (
            "select run, count(*), min(value) from scalars where shown and tag = 'loss' group by 1 order by 1"
        )
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("engine", [by_polars, by_pandas, by_pyarrow, by_duckdb])
def test_an_engine_reads_every_run_once(
    build: LakeBuild, engine: Callable[[str], list[tuple[str, int, float]]]
) -> None:
    wanted = [("run0", 100, 901), ("run1", 100, 901), ("run2", 150, 851), ("run3", 100, 901)]
    assert engine(build.place) == wanted
    compact(build.store())
    assert engine(build.place) == wanted


def test_an_engine_leaves_out_files_by_the_log(build: LakeBuild) -> None:
    """Each file has the least and greatest run, tag, plugin and step in the log."""
    found = pa.table(DeltaTable(f"{build.place}/scalars").get_add_actions(flatten=True)).to_pylist()
    adds = {row["min.run"]: row for row in found}
    assert adds.keys() == {f"run{number}" for number in range(4)}
    row = adds["run2"]
    assert (row["max.run"], row["min.tag"], row["max.tag"]) == ("run2", "accuracy", "loss")
    assert (row["num_records"], row["min.step"], row["max.step"]) == (300, 0, 149)


@pytest.mark.parametrize(
    ("table", "filters", "rows"),
    [
        ("scalars", [("value", ">", 900), ("plugin", "=", "scalar"), ("attempt", "=", 0)], 400),
        ("scalars", [("wall_time", ">", 0), ("step", ">=", 100)], 100),
        ("scalars", [("run", "=", "run2"), ("tag", "=", "loss"), ("shown", "=", True)], 150),
        ("series", [("kept", "=", 150), ("last_value", ">", 0), ("type", "=", "float32")], 2),
        ("runs", [("fingerprint", "!=", ""), ("read", ">", 0)], 4),
    ],
)
def test_conditions_on_any_column_find_their_rows(
    build: LakeBuild, table: str, filters: list[tuple[str, str, object]], rows: int
) -> None:
    """delta-rs takes bounds that the log does not have for null, and leaves out all rows."""
    found = DeltaTable(f"{build.place}/{table}")
    assert found.to_pyarrow_table(filters=filters).num_rows == rows
    lazy = pl.scan_delta(f"{build.place}/{table}")
    operators = {"=": "__eq__", ">": "__gt__", ">=": "__ge__", "!=": "__ne__"}
    conditions = [getattr(pl.col(name), operators[sign])(value) for name, sign, value in filters]
    assert lazy.filter(*conditions).select(pl.len()).collect().item() == rows


def test_an_earlier_version_is_read_by_time_travel(build: LakeBuild) -> None:
    table = DeltaTable(f"{build.place}/scalars")
    table.load_as_version(table.version() - 1)
    assert table.to_pyarrow_table(filters=[("run", "=", "run2")]).num_rows == 200


@pytest.mark.parametrize("has_tables", [True, False])
def test_a_lake_of_a_format_before_is_refused(build: LakeBuild, has_tables: bool) -> None:
    if has_tables:
        table = DeltaTable(f"{build.place}/runs")
        table.alter.set_table_properties({"insight.lakeFormat": "2"}, raise_if_not_exists=False)
    else:
        place = Path(build.place)
        for log in place.glob("*/_delta_log/*"):
            log.unlink()
        (place / "manifests").mkdir()
        (place / "manifests/000000000001.json").write_text("{}")
    for attempt in (lambda: existing(build.store()), build.run):
        with pytest.raises(InvalidArgument, match=r"earlier insight-host.* build it anew from the logs"):
            attempt()


def test_a_build_that_follows_publishes_what_grows(build: LakeBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small commits one after the other, compacted now and then, until it is ended."""
    from insight_lake import commands

    rounds = 0

    def slept(seconds: float) -> None:
        nonlocal rounds
        rounds += 1
        assert by_polars(build.place)[1][1] == 100 + 10 * (rounds - 1)
        if rounds > 3:
            raise KeyboardInterrupt
        write(Path(build.logdirs[0]) / "run1", range(90 + 10 * rounds, 100 + 10 * rounds))

    monkeypatch.setattr(time, "sleep", slept)
    monkeypatch.setattr(commands, "_COMPACTED", 2)
    with pytest.raises(KeyboardInterrupt):
        run_command(
            cast(CommandHost, build), "build", "builds", [build.logdirs[0], "--to", build.place, "--follow"]
        )
    assert len(existing(build.store()).segments) == 1
