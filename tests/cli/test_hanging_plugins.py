"""Programs with installed plugins that hang: one while it is imported, one in routes(), one in a view."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from insight_core.plugin.testing import EventWriter
from tests.cli.asking import answered
from tests.cli.conftest import COMMAND, Serving, clean_environment
from tests.tensorboard.installed import install

Serve: TypeAlias = Callable[..., Serving]

_IMPORT = "import time\ntime.sleep(1000)\n"
_ROUTES = """
import time
from insight_core.plugin import Plugin, hookimpl

@hookimpl
def insight_plugin():
    return Plugin("silent", "Silent", routes=lambda data: time.sleep(1000))
"""
_VIEW = """
import time
from insight_core.plugin import Plugin, Route, hookimpl

@hookimpl
def insight_plugin():
    return Plugin("stuck", "Stuck", routes=lambda data: [Route("/x", lambda request: time.sleep(1000))])
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory of installed packages."""
    sources = {"asleep": _IMPORT, "silent": _ROUTES, "stuck": _VIEW}
    points = {name: f"hanging_{name}" for name in sources}
    site = install(tmp_path / "site", points, "hanging", group="insight.plugins")
    for name, source in sources.items():
        (site / f"hanging_{name}.py").write_text(source)
    return site


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "run") as writer:
        writer.scalar("loss", 1, 0.5)
    return tmp_path / "logs"


@pytest.mark.parametrize("load", ["inprocess", "server"])
def test_a_host_listens_shows_its_tabs_and_ends(serve: Serve, site: Path, logdir: Path, load: str) -> None:
    serving = serve("--logdir", str(logdir), f"--load={load}", env={"PYTHONPATH": str(site)})
    answered(f"{serving.url}healthz", lambda status, answer: answer == {"status": "ok"})
    answered(
        f"{serving.url}data/plugin/scalar/tags",
        lambda status, answer: status == 200 and list(answer) == ["run"],
    )
    listing = answered(
        f"{serving.url}data/plugins_listing",
        lambda status, answer: "error" in answer.get("silent", {}),
    )
    assert listing["silent"]["error"].startswith("routes() has not returned for 5 s, since ")
    assert "error" not in listing["stuck"]
    serving.process.send_signal(signal.SIGINT)
    assert serving.process.wait(timeout=60) == 0


def test_ctrl_c_ends_a_host_that_waits_for_an_import(site: Path, logdir: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    source = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(1000)\n"
    (site / "hanging_asleep.py").write_text(source)
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", "--logdir", str(logdir)],
        env=clean_environment({"PYTHONPATH": str(site)}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not begun.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode in (0, 130)  # it may listen by then
    assert "Traceback" not in said


_LISTS = """
import sys
from insight_core.cli.options import read_options
from insight_core.cli.plugins import plugins
from insight_core.isolation import Limits

sys.exit(plugins(read_options(["plugins", "--json"]), Limits(imports=3.0, routes=1.0)))
"""


def test_plugins_are_listed_with_what_hangs_and_since_when(site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LISTS],
        env=clean_environment({"PYTHONPATH": os.pathsep.join([str(site), *sys.path[1:]])}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["plugins"]}
    assert rows["scalar"]["state"] == "ok"
    assert "/series" in " ".join(rows["scalar"]["routes"])
    assert rows["asleep"]["reason"].startswith("its import (asleep) has not returned for 3 s, since ")
    assert rows["silent"]["reason"].startswith("routes() has not returned for 1 s, since ")
    assert [rows[name]["state"] for name in ("asleep", "silent", "stuck")] == ["failed", "failed", "ok"]
