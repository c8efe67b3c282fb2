"""`logs.sql()` and `insight-host sql`: the same answers from every kind of source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import insight_host
from insight_core.plugin import InvalidArgument, Unavailable
from insight_host.command_line import run_command
from tests.opened_logs import KINDS

Open = Callable[[str, Path], insight_host.Logs]

_BEST = (
    "select tag, count(*) n, min(value) low, arg_min(step, value) lowest from scalars where run like 'torch%'"
    " group by tag order by tag"
)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_about_the_sample_logs_are_the_same(kind: str, open_as: Open, sample_logs: Path) -> None:
    logs = open_as(kind, sample_logs)
    expected: dict[str, list[tuple[float, int]]] = {}
    for run, tag, step, _, value in logs.scalars().rows():
        if run.startswith("torch"):
            expected.setdefault(tag, []).append((value, step))
    finite = {tag: [pair for pair in pairs if np.isfinite(pair[0])] for tag, pairs in expected.items()}
    found = list(logs.sql(_BEST).rows())
    assert [row[0] for row in found] == sorted(expected)
    for tag, count, low, lowest in found:
        assert (count, low) == (len(expected[tag]), min(finite[tag])[0])
        assert (low, lowest) in finite[tag]


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_can_be_read(kind: str, open_as: Open, sample_logs: Path) -> None:
    logs = open_as(kind, sample_logs)
    names = logs.sql("show tables")["name"].tolist()
    assert names == [
        "damage",
        "hparams",
        "operators",
        "profiles",
        "records",
        "runs",
        "scalars",
        "series",
        "summaries",
    ]
    counts = {name: len(logs.sql(f"select * from {name}")) for name in names}
    assert counts["runs"] == len(logs.runs())
    assert counts["series"] == len(logs.series())
    assert counts["scalars"] == len(logs.scalars())
    assert counts["damage"] == len(logs.damage()) == 0
    assert counts["hparams"] == 6
    assert counts["profiles"] == 6
    slowest = logs.sql(
        "select operator, sum(calls) calls from operators where run = 'torch/lr0.02_seed0'"
        " group by 1 order by max(self_ns) desc limit 1"
    )
    assert list(slowest.rows()) == [("aten::convolution_backward", 8.0)]


def test_types_of_sql_become_those_of_tables(open_as: Open, sample_logs: Path) -> None:
    logs = open_as("directory", sample_logs)
    table = logs.sql(
        "select 1 a, 2.5 b, true c, 'x' d, null e, sum(1::bigint) f, [1, 2] g, date '2026-01-02' h, 'y' d,"
        " 7::utinyint i"
    )
    [row] = table.rows()
    assert row == (1, 2.5, True, "x", None, 1, "[1, 2]", "2026-01-02", "y", 7)
    assert table.columns == ["a", "b", "c", "d", "e", "f", "g", "h", "d_2", "i"]
    assert table["a"].dtype == np.int64


def test_what_cannot_be_asked_says_why(
    open_as: Open, sample_logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = open_as("directory", sample_logs)
    with pytest.raises(InvalidArgument, match='column "lose" not found'):
        logs.sql("select lose from scalars")
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    monkeypatch.delitem(__import__("sys").modules, "insight_query.engine")
    with pytest.raises(Unavailable, match=r"pip install 'insight-host\[sql\]'"):
        logs.sql("select 1")


def test_the_command_prints_rows_and_what_was_read(
    capfd: pytest.CaptureFixture[str], sample_logs: Path
) -> None:
    def printed(*arguments: str) -> tuple[str, str]:
        assert run_command("sql", "ask in SQL", arguments) == 0
        return capfd.readouterr()

    out, err = printed("select run from runs order by run", str(sample_logs), "--json", "--rows=2")
    assert [row["run"] for row in json.loads(out)] == ["keras/fit/train", "keras/fit/validation"]
    assert err.startswith("insight-host: 8 rows (")
    assert err.endswith("; there are more than 2\n")
    out, _ = printed("select 1 as one", "--csv", "--seconds=9", str(sample_logs))
    assert out.splitlines() == ["one", "1"]
