"""``--follow-symlinks``: whatever reads the logs follows links that lead out of the logdirs, on request."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from insight_core.plugin.testing import EventWriter
from tests.cli.asking import got


class Started(Protocol):
    url: str


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """A run, and a link to another one that is not directly in the logdir."""
    for place in ("logs/own", "elsewhere/run"):
        with EventWriter(tmp_path / place) as writer:
            writer.scalar("loss", 0, 1.0)
    (tmp_path / "logs/group").mkdir()
    (tmp_path / "logs/group/linked").symlink_to(tmp_path / "elsewhere/run")
    return tmp_path / "logs"


def test_without_the_flag_links_are_named_and_not_followed(
    logdir: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = run("inspect", "--logdir", str(logdir), "--json")
    report = json.loads(done.stdout)["runs"]
    assert set(report) == {"own", "group"}
    assert [entry["file"] for entry in report["group"]["damage"]] == ["group/linked"]
    [line] = done.stderr.splitlines()
    assert str(logdir / "group/linked") in line
    assert "--follow-symlinks" in line


def test_inspect_follows_them(logdir: Path, run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run("inspect", "--logdir", str(logdir), "--json", "--follow-symlinks")
    assert set(json.loads(done.stdout)["runs"]) == {"own", "group/linked"}
    assert done.stderr == ""


@pytest.mark.parametrize("mode", ["inprocess", "server"])
def test_a_host_and_its_data_server_follow_them(
    logdir: Path, serve: Callable[..., Started], mode: str
) -> None:
    serving = serve("--logdir", str(logdir), "--load", mode, "--follow-symlinks")
    got(f"{serving.url}data/runs", lambda runs: set(runs) == {"own", "group/linked"})
