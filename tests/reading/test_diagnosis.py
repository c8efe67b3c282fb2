"""`logs.diagnose()` and `insight-host diagnose`: the same findings from every kind of source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import insight_host
from insight_core.plugin.testing import EventWriter
from insight_host.command_line import run_command
from tests.opened_logs import KINDS

Open = Callable[[str, Path], insight_host.Logs]


@pytest.fixture
def logdir(tmp_path: Path) -> Iterator[Path]:
    """A run whose loss diverges from step 200 on, one whose loss is NaN, a healthy one."""
    falling = np.exp(-np.linspace(0, 3, 300))
    diverges, broken = falling.copy(), falling.copy()
    diverges[200:] += np.linspace(0, 9, 100)
    broken[40:] = np.nan
    logs = tmp_path / "logs"
    for run, values in (("diverges", diverges), ("broken\u202e", broken), ("fine", falling)):
        with EventWriter(logs / run) as writer:
            for step, value in enumerate(values):
                writer.scalar("energy" if run == "diverges" else "train/loss", step, float(value))
    before = sorted((path, path.stat().st_size) for path in logs.rglob("*"))
    yield logs
    assert sorted((path, path.stat().st_size) for path in logs.rglob("*")) == before


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_source_gives_the_same_findings(kind: str, open_as: Open, logdir: Path) -> None:
    logs = open_as(kind, logdir)
    table = logs.diagnose(roles={"energy": "loss"})
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    found = {(row["run"], row["rule"]): row for row in rows}
    assert set(found) == {("broken\u202e", "nonfinite"), ("diverges", "divergence")}
    broken, diverges = found["broken\u202e", "nonfinite"], found["diverges", "divergence"]
    assert (broken["severity"], broken["tag"], broken["last_step"]) == ("error", "train/loss", 299)
    assert "step 40" in broken["saw"]
    assert abs(diverges["first_step"] - 199) <= 6


def test_what_was_looked_for_is_listed_with_the_reason(open_as: Open, logdir: Path) -> None:
    table = open_as("directory", logdir).checked_rules(runs="fine")
    rows = {row[2]: (row[3], row[4], row[5]) for row in table.rows()}
    assert rows["divergence"] == ("checked", 0, None)
    assert rows["unchanged_layer"] == ("unchecked", 0, "no series is named as weight of layers")
    assert rows["overfitting"] == ("unchecked", 0, "no tag has the role val_loss")


def _printed(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command("diagnose", "look for faults in runs", arguments) == 0
    return capfd.readouterr().out


def test_the_command_prints_a_report(capfd: pytest.CaptureFixture[str], logdir: Path) -> None:
    text = _printed(capfd, str(logdir))
    title, saw, change, checked, left = text.splitlines()
    assert title == "error: NaN or infinite values from step 40"
    assert saw.startswith("    broken\\u202e: train/loss is NaN first at step 40")
    assert change.startswith("    change: Look at the data")
    assert checked.startswith("1 problem found in 3 runs: ")
    assert left.startswith("Not checked: ")
    listed = _printed(capfd, str(logdir), "--rules")
    assert "    not checked in 3 runs: no tag has the role val_loss" in listed
    assert "Nothing wrong found in 1 run" in _printed(capfd, str(logdir), "--run", "fine")


def test_the_command_prints_json_and_takes_roles(capfd: pytest.CaptureFixture[str], logdir: Path) -> None:
    found = json.loads(_printed(capfd, str(logdir), "--json", "--role", "loss=energy", "--run-regex", "^d"))
    [one] = found["findings"]
    assert (one["runs"], one["rule"], one["place"]["tag"]) == (["diverges"], "divergence", "energy")
    assert json.loads(_printed(capfd, str(logdir), "--json", "--run", "fine"))["findings"] == []
    states = json.loads(_printed(capfd, str(logdir), "--json", "--rules", "--run", "fine"))
    assert {row["state"] for row in states} == {"checked", "unchecked"}


def test_a_role_that_does_not_exist_is_refused(capfd: pytest.CaptureFixture[str], logdir: Path) -> None:
    with pytest.raises(SystemExit):
        run_command("diagnose", "look", [str(logdir), "--role", "cost=energy"])
    assert "ROLE=TAG with one of loss, val_loss" in capfd.readouterr().err
