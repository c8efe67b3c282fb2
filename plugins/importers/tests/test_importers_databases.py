"""Databases of trackers that change, are replaced or are hostile: their runs follow."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from insight_importers import sqlite_files
from insight_importers.sqlite_files import MOST_BYTES

from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

Opened = Callable[..., LocalProvider]


def _values(provider: LocalProvider, run: str, tag: str) -> list[float]:
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])
    return found[key].values.tolist() if key in found else []


def _trackio(path: Path, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
    return database


def _add(database: sqlite3.Connection, step: int, metrics: str = '{"loss": 1}') -> None:
    row = "first", "2026-01-01T00:00:00+00:00", step, metrics
    database.execute("INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)", row)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_database_is_followed_while_it_is_open_and_never_touched(
    tmp_path: Path, mode: str, opened: Opened
) -> None:
    (tmp_path / "logs").mkdir()
    with closing(_trackio(tmp_path / "logs" / "a.db", mode)) as database:
        _add(database, 0)
        provider = opened(tmp_path / "logs")
        assert len(_values(provider, "a/first", "loss")) == 1
        for step in range(1, 4):
            _add(database, step)
            before = {path.name: path.read_bytes() for path in (tmp_path / "logs").iterdir()}
            provider.load()
            assert len(_values(provider, "a/first", "loss")) == step + 1
            assert {path.name: path.read_bytes() for path in (tmp_path / "logs").iterdir()} == before
        database.execute("BEGIN EXCLUSIVE")  # no reader may be in the way, nor see what is not committed
        _add(database, 9)
        provider.load()
        database.execute("COMMIT")
        provider.load()
        assert len(_values(provider, "a/first", "loss")) == 5
        assert provider.damage() == []


def test_rows_that_are_no_json_are_damage_and_other_databases_are_left_alone(
    tmp_path: Path, opened: Opened
) -> None:
    with closing(_trackio(tmp_path / "a.db", "DELETE")) as database:
        _add(database, 0)
        _add(database, 1, "{nonsense")
        _add(database, 2, "[" * 100_000)
        _add(database, 3, '{"loss": 2, "odd": {"_type": "trackio.image"}}')
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE notes (text)")
    with closing(sqlite3.connect(tmp_path / "endless.db")) as database:
        database.execute(
            "CREATE VIEW metrics AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
            "SELECT id, 'r' run_name, 0 timestamp, id step, '{}' metrics FROM n"
        )
    provider = opened(tmp_path)
    assert [run.name for run in provider.runs()] == ["a/first"]
    assert _values(provider, "a/first", "loss") == [1, 2]
    reasons = sorted(damage.reason for damage in provider.damage())
    assert reasons[:2] == [f"row {number} of the metrics is not valid JSON" for number in (2, 3)]
    assert reasons[2].startswith("the media of 'odd' at step 3 cannot be shown")


def test_a_run_that_a_database_has_no_longer_goes_and_a_new_database_is_read_from_its_beginning(
    tmp_path: Path, opened: Opened
) -> None:
    with closing(_trackio(tmp_path / "a.db", "DELETE")) as database:
        for step in range(3):
            _add(database, step)
        provider = opened(tmp_path)
        database.execute("UPDATE metrics SET run_name = 'second' WHERE step = 2")
        _add(database, 5)
        database.execute("DELETE FROM metrics WHERE run_name = 'first' AND step < 5")
        database.execute("DELETE FROM metrics WHERE run_name = 'second'")
        provider.load()
        assert [run.name for run in provider.runs()] == ["a/first"]
        database.execute("DELETE FROM metrics")
        _add(database, 0, '{"loss": 7}')
        provider.load()
        assert _values(provider, "a/first", "loss") == [7]


def _mlflow(path: Path, run: str, rows: int) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE experiments (experiment_id, name); INSERT INTO experiments VALUES (1, 'e');"
            "CREATE TABLE runs (run_uuid, name, status, start_time, end_time, artifact_uri, experiment_id,"
            " lifecycle_stage);"
            "CREATE TABLE params (key, value, run_uuid);"
            "CREATE TABLE metrics (key, value, timestamp, run_uuid, step, is_nan);"
        )
        database.execute("INSERT INTO runs VALUES (?, ?, 'RUNNING', 1, 0, '', 1, 'active')", (run, run))
        database.execute("INSERT INTO params VALUES ('seed', ?, ?)", (str(rows), run))
        database.executemany(
            "INSERT INTO metrics VALUES ('loss', ?, 1, ?, ?, 0)", [(rows, run, step) for step in range(rows)]
        )
        database.commit()


@pytest.mark.parametrize("keeps_inode", [True, False])
def test_a_database_that_another_one_with_more_rows_replaces_is_read_from_its_beginning(
    tmp_path: Path, keeps_inode: bool, opened: Opened
) -> None:
    (tmp_path / "logs").mkdir()
    shown, other = tmp_path / "logs" / "mlflow.db", tmp_path / "other.db"
    _mlflow(shown, "first", 3)
    _mlflow(other, "second", 5)
    provider = opened(tmp_path / "logs")
    assert _values(provider, "mlflow/e/first", "loss") == [3] * 3
    if keeps_inode:
        shown.write_bytes(other.read_bytes())
    else:
        other.replace(shown)
    provider.load()
    assert [run.name for run in provider.runs()] == ["mlflow/e/second"]
    assert _values(provider, "mlflow/e/second", "loss") == [5] * 5
    shown.unlink()
    provider.load()
    assert provider.runs() == []
    _mlflow(shown, "third", 8)  # in the place of the one that was deleted
    provider.load()
    assert [run.name for run in provider.runs()] == ["mlflow/e/third"]
    assert _values(provider, "mlflow/e/third", "loss") == [8] * 8


def test_a_run_of_mlflow_that_was_renamed_has_its_new_name(tmp_path: Path, opened: Opened) -> None:
    _mlflow(tmp_path / "mlflow.db", "first", 3)
    run = tmp_path / "mlruns" / "1" / "abc"
    (run / "metrics").mkdir(parents=True)
    (run / "metrics" / "loss").write_text("1000 5 0\n")
    (run.parent / "meta.yaml").write_text("artifact_location: x\nexperiment_id: '1'\nname: e\n")
    about = "run_id: abc\nrun_name: %s\nstatus: 3\nlifecycle_stage: active\n"
    (run / "meta.yaml").write_text(about % "first")
    provider = opened(tmp_path)
    assert {one.name for one in provider.runs()} == {"mlflow/e/first", "mlruns/e/first"}
    (run / "meta.yaml").write_text(about % "better")
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database:
        database.execute("UPDATE runs SET name = 'better'")
        database.commit()
    provider.load()
    assert {one.name for one in provider.runs()} == {"mlflow/e/better", "mlruns/e/better"}
    assert _values(provider, "mlflow/e/better", "loss") == [3] * 3
    assert _values(provider, "mlruns/e/better", "loss") == [5]


def _with_generated(path: Path, cell: str) -> None:
    """A database of ten points, and of rows of system metrics that take the bytes of ``cell`` each."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "create table metrics(id integer primary key, run_name text, timestamp text, step integer,"
            " metrics text);"
            "create table system_metrics(id integer primary key, run_name text, timestamp text,"
            f" metrics text generated always as ({cell}) virtual);"
            "insert into system_metrics(run_name, timestamp) select 'r', '2026-01-01'"
            " from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)"
            " select i from n);"
        )
        for step in range(10):
            row = ("r", f"2026-01-01T00:00:{step:02d}", step, json.dumps({"good": step / 8}))
            connection.execute("insert into metrics(run_name, timestamp, step, metrics) values(?,?,?,?)", row)
        connection.commit()


def test_rows_that_a_database_makes_large_take_no_memory_and_no_other_table(
    tmp_path: Path, opened: Opened
) -> None:
    _with_generated(tmp_path / "large.db", "hex(zeroblob(20000000))")
    _with_generated(tmp_path / "many.db", "hex(zeroblob(2000000))")  # 160 MB in all
    provider = opened(tmp_path)
    for name in ("large", "many"):
        assert _values(provider, f"{name}/r", "good") == [step / 8 for step in range(10)]
    [flaw] = provider.damage()
    assert (flaw.file, flaw.reason) == (
        "large.db",
        "a row of the table system_metrics has more than 16 MiB: it and those behind it are not read",
    )
    with sqlite_files.opened(str(tmp_path / "many.db"), tmp_path / "scratch") as database:
        rows = database.appended("system_metrics", "id", "metrics", None, 5_000)
        assert (len(rows.rows), rows.is_last) == (MOST_BYTES // 4_000_000 + 1, False)
        assert len(database.rows("system_metrics", "metrics")) == len(rows.rows)
        [cut] = database.flaws
        assert "only the first 17 rows are read" in cut.reason
