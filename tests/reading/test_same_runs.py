"""A sweep with ``add_hparams`` has the same runs, columns and status for everybody who asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from werkzeug.test import Client

import insight_host
from insight_core.plugin.testing import EventWriter
from insight_host.command_line import run_command
from tests.agent_hosts import call_of, opened, rows_of
from tests.lineage_samples import write_run
from tests.opened_logs import STORED, opened_as
from tests.support.sweeps import T, write_trial

Rows: TypeAlias = dict[str, dict[str, Any]]  # by run

TRIALS = 6
_EXPECTED: Rows = {
    **{
        f"trial{trial}": {"status": "finished", "duration": 4.0, "lr": 10.0**-trial, "metric/acc": trial / 8}
        for trial in range(TRIALS)
    },
    "cut": {"status": "stopped", "duration": 4.0, "lr": 0.5, "metric/acc": 0.25},
    "real/1.5": {"status": "stopped", "duration": 2.0, "lr": 0.25, "metric/acc": 1.0},
    "real": {"status": "stopped", "duration": 0.0},
}
_OWN, _ADDED = ("status", "duration"), ("lr", "metric/acc")


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """Trials, one that never ended, and a directory that is named like hyperparameters but is a run."""
    logs = tmp_path / "sweep"
    for trial in range(TRIALS):
        write_trial(logs / f"trial{trial}", {"lr": 10.0**-trial}, {"acc": trial / 8})
    write_trial(logs / "cut", {"lr": 0.5}, {"acc": 0.25}, is_finished=False)
    with EventWriter(logs / "real", start_time=T) as writer:
        writer.scalar("loss", 0, 0.5)
    write_run(logs / "real/1.5", {"lr": 0.25}, {"acc": 0.5}, T)
    with EventWriter(logs / "real/1.5", start_time=T) as writer:
        writer.scalar("acc", 2, 1.0)
    return logs


def _rows(table: insight_host.LogTable, names: tuple[str, ...]) -> Rows:
    """The cells that are not empty."""
    return {
        row["run"]: {name: row[name] for name in names if row[name] is not None}
        for row in (dict(zip(table.columns, each, strict=True)) for each in table.rows())
    }


def _only(names: tuple[str, ...]) -> Rows:
    return {run: {name: row[name] for name in names if name in row} for run, row in _EXPECTED.items()}


@contextmanager
def _client(logs: Path) -> Iterator[Client]:
    with opened(logs) as host:
        yield Client(host)


@pytest.mark.parametrize("kind", STORED)
def test_python_has_a_row_for_each_trial(sweep: Path, kind: str) -> None:
    if kind == "lake":
        pytest.importorskip("pyarrow")
    with opened_as(kind, sweep) as logs:
        assert _rows(logs.runs(), _OWN) == _only(_OWN)
        assert {run: row for run, row in _rows(logs.hparams(), _ADDED).items() if row} == {
            run: row for run, row in _only(_ADDED).items() if row
        }


def test_so_has_sql(sweep: Path) -> None:
    pytest.importorskip("duckdb")
    with insight_host.open(sweep) as logs:
        assert _rows(logs.sql("select run, status, duration from runs"), _OWN) == _only(_OWN)
        found = _rows(logs.sql('select run, lr, "metric/acc" from hparams'), _ADDED)
    assert {run: row for run, row in found.items() if row} == {
        run: row for run, row in _only(_ADDED).items() if row
    }


def test_so_has_the_command_line(sweep: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_command("runs", "print the runs", [str(sweep), "--json", "--no-cache"]) == 0
    found = json.loads(capfdbinary.readouterr().out)
    assert {row["run"]: {name: row[name] for name in _OWN} for row in found} == _only(_OWN)
    assert run_command("runs", "print the runs", [str(sweep), "--no-cache", "--no-fold", "--json"]) == 0
    assert len(json.loads(capfdbinary.readouterr().out)) == len(_EXPECTED) + TRIALS + 1
    assert run_command("runs", "print the runs", [str(sweep), "--no-cache"]) == 0
    [line] = [line for line in capfdbinary.readouterr().out.decode().splitlines() if line.startswith("cut ")]
    assert line.split()[-3:] == ["stopped", "4", "s"]


def test_so_has_the_run_table(sweep: Path) -> None:
    names = (*_OWN, *_ADDED)
    with _client(sweep) as client:
        listed = client.get("/data/run_columns").get_json()["columns"]
        keys = [f"{one['plugin']}/{one['name']}" for one in listed if one["name"] in names]
        answer = client.get("/data/run_columns", query_string={"column": keys}).get_json()
    assert not answer["column_errors"]
    found: Rows = {run: {} for run in answer["runs"]}
    for column in answer["columns"]:
        for run, value in zip(answer["runs"], column["values"], strict=True):
            if value is not None and (column["name"] not in _OWN or column["plugin"] == "run"):
                found[run][column["name"]] = value
    assert found == _EXPECTED


def test_so_have_agents(sweep: Path) -> None:
    with opened(sweep) as host:
        call = call_of(host.context_of("scalar"))
        head, *rows = rows_of(call("runs", columns=["status", "duration", "lr", "metric/acc"]))
    assert [name.removesuffix(" (s)") for name in head] == ["run", *_OWN, *_ADDED]
    assert {row[0] for row in rows} == _EXPECTED.keys()
    for run, status, duration, rate, accuracy in rows:
        row = _EXPECTED[run]
        assert (status, float(duration)) == (row["status"], row["duration"])
        if "lr" in row:
            assert (float(rate), float(accuracy)) == (row["lr"], row["metric/acc"])
