"""`insight-host runs`, `series`, `get`, `compare`, `export`: what they print, write and refuse."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pyarrow.parquet
import pytest

import insight_host
from insight_core.plugin.testing import EventWriter
from tests.cli.asking import get, got

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Two runs with a restart, numbers that are not finite, and a name that needs quotes."""
    logs = tmp_path / "logs"
    for start, steps in ((1000, range(4)), (2000, range(2, 4))):
        with EventWriter(logs / "a", start_time=start) as writer:
            for step in steps:
                writer.scalar("loss, train", step, float("nan") if step == 1 else start + step)
    with EventWriter(logs / "b") as writer:
        writer.scalar("=sum", 0, float("inf"))
    return logs


def printed(done: CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_runs_and_series_as_json(run: Run, logdir: Path) -> None:
    assert [row["run"] for row in printed(run("runs", "--json", str(logdir)))] == ["a", "b"]
    rows = printed(run("series", "--json", f"--logdir={logdir}", "--run", "a"))
    assert [(row["tag"], row["points"], row["attempts"]) for row in rows] == [("loss, train", 6, 2)]


def test_points_as_csv_keep_every_digit_and_quote_names(run: Run, logdir: Path) -> None:
    done = run("get", "--csv", f"--logdir=x:{logdir}", "--attempts=all")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] == ["run", "tag", "step", "wall_time", "value", "attempt"]
    assert [(row[0], row[1], row[2], row[4], row[5]) for row in rows[1:4]] == [
        ("x/a", "loss, train", "0", "1000.0", "1"),
        ("x/a", "loss, train", "1", "NaN", "1"),
        ("x/a", "loss, train", "2", "1002.0", "1"),
    ]
    assert rows[-1][1:] == ["'=sum", "0", rows[-1][3], "Infinity", "1"]


def test_compare_says_where_the_best_values_are(run: Run, logdir: Path) -> None:
    [row, odd] = printed(run("compare", "--json", env={"INSIGHT_HOST_LOGDIR": str(logdir)}))
    assert row == {
        "run": "a",
        "tag": "loss, train",
        "points": 4,
        "nonfinite": 1,
        "first": 1000.0,
        "last": 2003.0,
        "min": 1000.0,
        "min_step": 0,
        "max": 2003.0,
        "max_step": 3,
        "mean": (1000 + 2002 + 2003) / 3,
    }
    assert (odd["last"], odd["min"], odd["mean"]) == ("Infinity", None, None)
    [row] = printed(run("compare", "--json", str(logdir), "--tag-regex=^loss", "--steps=:1"))
    assert (row["points"], row["last"]) == (2, "NaN")


def test_a_host_and_a_directory_print_the_same(run: Run, serve: Callable[..., Any], logdir: Path) -> None:
    url = serve(f"--logdir={logdir}").url
    for command in (["runs"], ["series"], ["get", "--attempts=all"], ["compare"]):
        wanted = run(*command, "--csv", str(logdir))
        assert wanted.stdout.count("\n") > 2
        assert run(*command, "--csv", url).stdout == wanted.stdout
        assert run(*command, "--csv", f"--data-provider={url}").stdout == wanted.stdout


def test_a_host_shows_the_logs_of_another_host(serve: Callable[..., Any], logdir: Path) -> None:
    first = serve(f"--logdir={logdir}").url
    second = serve(f"--data-provider={first}").url
    assert got(f"{second}data/runs", bool) == get(f"{first}data/runs")
    route = "data/plugin/scalar/series?tag=loss%2C+train&attempts=all"
    assert got(second + route, lambda answer: answer["series"]) == get(first + route)


def test_exported_tables_and_event_files_have_every_point(run: Run, logdir: Path, tmp_path: Path) -> None:
    with insight_host.open(logdir) as logs:
        wanted = list(map(repr, logs.scalars().rows()))
    for form in ("parquet", "csv", "jsonl", "tensorboard"):
        done = run("export", f"--to={form}", f"--logdir={logdir}", str(tmp_path / form))
        assert done.returncode == 0, done.stderr
        assert not list(tmp_path.rglob("*.part"))
    table = pyarrow.parquet.read_table(tmp_path / "parquet/scalars.parquet")
    assert [repr(tuple(row.values())) for row in table.to_pylist()] == wanted
    lines = (tmp_path / "jsonl/scalars.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [0, 1, 2, 3, 0]
    assert (tmp_path / "csv/scalars.csv").read_text().startswith("run,tag,step,wall_time,value\n")
    with insight_host.open(tmp_path / "tensorboard") as logs:
        assert list(map(repr, logs.scalars().rows())) == wanted
    names = {path.name for path in (tmp_path / "csv").iterdir()}
    assert names == {f"{name}.csv" for name in ("runs", "series", "scalars", "hparams", "damage")}


def test_nothing_is_exported_into_logs_or_over_files(run: Run, logdir: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    inside = run("export", "--to=csv", f"--logdir={logdir}", str(logdir / "out"))
    assert (inside.returncode, "lies in the log directory" in inside.stderr) == (1, True)
    full = run("export", "--to=csv", f"--logdir={logdir / 'a'}", str(tmp_path))
    assert (full.returncode, "is not an empty directory" in full.stderr) == (1, True)
    assert sorted(tmp_path.rglob("*")) == before


def test_without_pyarrow_parquet_says_what_to_install(run: Run, logdir: Path, tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/pyarrow.py").write_text("raise ModuleNotFoundError('No module named pyarrow')\n")
    done = run(
        "export",
        "--to=parquet",
        f"--logdir={logdir}",
        str(tmp_path / "out"),
        env={"PYTHONPATH": str(tmp_path / "hidden")},
    )
    assert (done.returncode, "pip install 'insight-host[parquet]'" in done.stderr) == (1, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get"], "no logs"),
        (["get", "no/such/directory"], "no such directory"),
        (["get", ".", "--steps=x"], "FROM:TO"),
        (["get", ".", "--tag-regex=("], "not a regular expression"),
        (["get", ".", "--tag=a", "--tag-regex=b"], "cannot be combined"),
        (["export", "--to=xlsx", "out"], "invalid choice"),
        (["runs", "http://127.0.0.1:1/?token=secret"], "does not answer"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, words: list[str], said: str) -> None:
    done = run(*words)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr
