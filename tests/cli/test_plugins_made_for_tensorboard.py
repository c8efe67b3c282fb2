"""``insight-host plugins``, and names of plugins, where some are made for TensorBoard."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from insight_core.plugin.testing import EventWriter
from tests.cli.asking import answered
from tests.cli.conftest import Serving
from tests.tensorboard.installed import install, install_examples

Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
Serve: TypeAlias = Callable[..., Serving]

_LOADERS = """
import sys
import threading
import time

print("hello on stdout")
threading.Thread(target=time.sleep, args=(1000,)).start()  # the interpreter would wait for it

class Nothing:
    def load(self, context):
        return None

class Leaves:
    def load(self, context):
        sys.exit("no")
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = install_examples(tmp_path / "site")
    (site / "loaders.py").write_text(_LOADERS)
    points = {"nothing": "loaders:Nothing", "leaves": "loaders:Leaves"}
    return install(site, points, "of-loaders")


def test_they_are_listed(run: Run, site: Path) -> None:
    done = run("plugins", "--json", env={"PYTHONPATH": str(site)})
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)["plugins"]
    assert [row["made_for"] for row in listed] == sorted((row["made_for"] for row in listed), reverse=True)
    rows = {row["name"]: row for row in listed if row["made_for"] == "TensorBoard"}
    by_tag = rows["scalars_by_tag"]
    assert by_tag == {
        "name": "scalars_by_tag",
        "title": "By tag",
        "made_for": "TensorBoard",
        "version": "1.0",
        "distribution": "example-plugins",
        "hooks": [],
        "claims": ["plugin:scalars"],
        "cache": "",
        "presets": {},
        "decoded_bytes": 0,
        "routes": ["/tags", "/scalars", "/static/*"],
        "state": "ok",
        "reason": "",
    }
    assert (rows["leaves"]["state"], rows["leaves"]["reason"]) == ("failed", "SystemExit: no")
    assert rows["nothing"]["state"] == "absent"
    table = run("plugins", env={"PYTHONPATH": str(site)}).stdout
    assert "leaves: SystemExit: no" in table


def test_they_are_left_out_by_either_name(run: Run, site: Path) -> None:
    for name in ("by_tag", "scalars_by_tag"):  # of the entry point, and of the plugin
        done = run("plugins", "--json", "--disable-plugin", name, env={"PYTHONPATH": str(site)})
        assert done.returncode == 0, done.stderr
        states = {row["name"]: row["state"] for row in json.loads(done.stdout)["plugins"]}
        assert states["by_tag"] == "disabled"
        assert "scalars_by_tag" not in states


def test_a_name_that_nobody_has_is_said_when_all_have_loaded(
    serve: Serve, site: Path, tmp_path: Path
) -> None:
    flags = ("--logdir", str(tmp_path), "--disable-plugin=scalars_by_tg", "--disable-plugin=scalars_by_tag")
    said = serve(*flags, env={"PYTHONPATH": str(site)}).process.stderr
    assert said is not None
    assert any("no plugin is named scalars_by_tg\n" in line for line in said)


_ILL_MANNERED = """
import os, socket, sys, threading

os.chdir("/")
os.environ.clear()
socket.setdefaulttimeout(0.01)
sys.setrecursionlimit(300)
print("hello on stdout")
threading.Thread(target=lambda: 1 / 0).start()

class Plugin:
    plugin_name = "ill_mannered"
    def __init__(self, context):
        pass
    def get_plugin_apps(self):
        return {}
    def is_active(self):
        return True
"""


@pytest.mark.parametrize("load", ["inprocess", "server"])
def test_what_a_plugin_does_to_the_process_stops_nothing(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: str
) -> None:
    (tmp_path / "ill_mannered.py").write_text(_ILL_MANNERED)
    install(tmp_path, {"ill_mannered": "ill_mannered:Plugin"})
    with EventWriter(tmp_path / "logs" / "first") as writer:
        writer.scalar("loss", 0, 1.0)
    monkeypatch.chdir(tmp_path)
    serving = serve("--logdir", "logs", f"--load={load}", env={"PYTHONPATH": str(tmp_path)})
    assert serving.process.stdout is not None
    assert "hello on stdout\n" in iter(serving.process.stdout.readline, "")
    with EventWriter(tmp_path / "logs" / "second") as writer:
        writer.scalar("loss", 0, 1.0)
    expected = {"first": ["loss"], "second": ["loss"]}
    answered(
        f"{serving.url}data/plugin/scalar/tags",
        lambda status, answer: (
            status == 200 and {run: list(tags) for run, tags in answer.items()} == expected
        ),
    )
