"""A command of a plugin from outside reads logs, and has the flags and directories of the plugin."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insight_core.plugin.testing import EventWriter
from tests.tensorboard.installed import install

Run = Callable[..., subprocess.CompletedProcess[str]]

SOURCE = """
import json
from insight_core.plugin import Command, Option, Plugin, hookimpl

@hookimpl
def insight_plugin():
    return Plugin(name="counting", title="Counting")

@hookimpl
def insight_options():
    return [Option("least", "fewest points", type=int, default=0)]

@hookimpl
def insight_commands(host):
    def count(arguments):
        with host.loaded(arguments, "counting") as ctx:
            status = {one.name: one.values for one in ctx.run_columns(["status"])}
            print(json.dumps({
                "points": {info.key.tag: info.points for info in ctx.data.series("scalar")},
                "least": ctx.options["least"],
                "state": str(ctx.state_directory),
                "status": dict(status["status"]),
            }))
        return 0
    return [Command("count points", "count points", count)]
"""


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    site = install(tmp_path / "site", {"counting": "counting"}, "counting", group="insight.plugins")
    (site / "counting.py").write_text(SOURCE)
    return {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}


def _counted(run: Run, installed: dict[str, str], *arguments: str | Path) -> Any:  # noqa: ANN401
    done = run("count", "points", *map(str, arguments), env=installed)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_command_reads_logs_to_their_end_as_routes_of_its_plugin_do(
    run: Run, installed: dict[str, str], tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    with EventWriter(logs / "a") as writer:
        writer.scalar_block(["loss"], range(50_000), [[1.0]] * 50_000)
    flags: list[str | Path] = ["--logdir", logs, "--least", "3", "--state-dir", tmp_path / "state"]
    found = _counted(run, installed, *flags)
    assert found["points"] == {"loss": 50_000}
    assert found["least"] == 3
    assert found["state"] == str(tmp_path / "state/plugins/counting")
    assert found["status"] == {"a": "stopped"}
    assert not (tmp_path / "state").exists()  # nothing is written for a plugin that keeps nothing
    assert _counted(run, installed, *flags, "--read-only")["state"] == "None"


def test_a_plugin_that_is_not_there_and_flags_that_cannot_be_are_errors(
    run: Run, installed: dict[str, str], tmp_path: Path
) -> None:
    done = run("count", "points", "--logdir", str(tmp_path), "--disable-plugin", "nothing", env=installed)
    assert done.returncode == 1
    assert "unknown plugin 'nothing'" in done.stderr
    done = run(
        "count", "points", "--logdir", str(tmp_path), "--state-dir", str(tmp_path / "s"), env=installed
    )
    assert done.returncode == 1
    assert "nothing is written there" in done.stderr
