"""Page, command line, Python, agents and alerts give the same findings for the same runs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import insight_diagnose
import insight_lineage
import insight_mcp
import insight_scalar
import numpy as np
import pytest
from insight_alerts.rules import rules_of
from insight_alerts.watch import Watch
from insight_mcp.tools.findings import diagnose
from werkzeug.test import Client

import insight_host
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_host.command_line import run_command

_ALL = '[[rule]]\nname = "any"\nwhen = "finding"\nseverity = "hint"\n'
_Found = set[tuple[str, tuple[str, ...]]]  # rules and runs


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs whose loss diverges, one with NaN, two healthy ones."""
    falling = np.exp(-np.linspace(0, 3, 300))
    diverges, broken = falling.copy(), falling.copy()
    diverges[200:] += np.linspace(0, 9, 100)
    broken[40:] = np.nan
    logs = tmp_path_factory.mktemp("findings") / "logs"
    runs = {"a": diverges, "b": diverges * 2, "broken": broken, "fine": falling, "well": falling * 3}
    for run, values in runs.items():
        with EventWriter(logs / run) as writer:
            for step, value in enumerate(values):
                writer.scalar("train/loss", step, float(value))
    return logs


@pytest.fixture(scope="module")
def host(logdir: Path) -> Iterator[Host]:
    modules = {
        "scalar": insight_scalar,
        "diagnose": insight_diagnose,
        "lineage": insight_lineage,
        "mcp": insight_mcp,
    }
    registry = Registry.of([(name, lambda one=one: one) for name, one in modules.items()])  # type: ignore[misc]
    provider = LocalProvider([Logdir(str(logdir))], registry.plugins.values(), watch=False)
    provider.load()
    opened = Host(registry, provider)
    yield opened
    opened.close()
    provider.close()


@pytest.fixture(scope="module")
def shown(host: Host) -> _Found:
    """What the page shows."""
    answer = Client(host).get("/data/plugin/diagnose/findings").get_json()
    return {(one["rule"], tuple(one["runs"])) for one in answer["findings"]}


def test_the_page_shows_the_planted_faults(shown: _Found) -> None:
    faults = {(rule, tuple(sorted(runs))) for rule, runs in shown if rule in ("divergence", "nonfinite")}
    assert faults == {("divergence", ("a", "b")), ("nonfinite", ("broken",))}


def test_the_command_prints_them(shown: _Found, logdir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command("diagnose", "look for faults", [str(logdir), "--json"]) == 0
    answer = json.loads(capfd.readouterr().out)
    assert {(one["rule"], tuple(one["runs"])) for one in answer["findings"]} == shown
    assert run_command("diagnose", "look for faults", [str(logdir)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert sum(line.startswith(("error: ", "warning: ", "hint: ", "good: ")) for line in lines) == len(shown)
    assert sum(line.startswith("error: ") and "2 of 5 runs" in line for line in lines) == 1


def test_python_has_them(shown: _Found, logdir: Path) -> None:
    with insight_host.open(logdir) as logs:
        table = logs.diagnose()
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    found: dict[int, list[str]] = {}
    rules = {row["finding"]: row["rule"] for row in rows}
    for row in rows:
        found.setdefault(row["finding"], []).append(row["run"])
    of_one_rule = {(rules[place], tuple(runs)) for place, runs in found.items() if rules[place] != "best"}
    assert of_one_rule == {(rule, runs) for rule, runs in shown if rule != "best"}
    assert len(found) == len(shown)


def test_agents_get_them(shown: _Found, host: Host) -> None:
    answer = diagnose(host.context_of("mcp"), {})
    assert answer.rows is not None
    rows = [
        dict(zip(answer.rows.columns, row, strict=True)) for row in answer.rows.read(0, answer.rows.count)
    ]
    assert {(row["rule"], tuple(str(row["runs"]).split(", "))) for row in rows} == shown


def test_alerts_are_about_them(shown: _Found, host: Host) -> None:
    watch = Watch(rules_of(tomllib.loads(_ALL)), host.context_of("mcp").data, host.findings)
    alerts = {(one.subject, one.run) for one in watch.findings()}
    assert alerts >= {("divergence", "a"), ("divergence", "b"), ("nonfinite", "broken")}
    assert {rule for rule, _ in alerts} <= {rule for rule, _ in shown}
