"""``insight-host demo``: its logs fill the tabs, one run goes on, and nothing of it stays."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.asking import got
from tests.cli.conftest import COMMAND, clean_environment
from tests.waiting import eventually

Serve = Callable[..., Any]
Run = Callable[..., subprocess.CompletedProcess[str]]

TABS = {"scalar", "image", "histogram", "tensor", "graph", "landscape", "lineage", "profiler", "diagnose"}
TABS |= {"text", "pr_curves", "embeddings", "health"}
RUNS = 24 + 1 + 1 + 1  # a sweep, one that diverges, a profile, a live one


@pytest.fixture
def temporary(tmp_path: Path) -> dict[str, str]:
    """The environment of a demo whose temporary files are looked at."""
    (tmp_path / "tmp").mkdir()
    return {"TMPDIR": str(tmp_path / "tmp")}


def test_every_tab_has_something_and_nothing_stays(serve: Serve, temporary: dict[str, str]) -> None:
    serving = serve("demo", "--port", "0", env=temporary, port=())
    got(f"{serving.url}data/runs", lambda runs: len(runs) == RUNS)
    listed = got(
        f"{serving.url}data/plugins_listing",
        lambda plugins: all(plugins[name]["enabled"] for name in TABS),
    )
    assert listed.keys() >= TABS
    serving.process.send_signal(signal.SIGHUP)
    _, err = serving.process.communicate(timeout=60)
    assert serving.process.returncode == 0, err
    assert not list(Path(temporary["TMPDIR"]).iterdir())


def test_a_live_run_grows_until_the_end(serve: Serve, temporary: dict[str, str]) -> None:
    serving = serve("demo", "--port", "0", env=temporary, port=())
    points = f"{serving.url}data/plugin/scalar/series?run=live&tag=loss"

    def count(answer: Any) -> int:  # noqa: ANN401
        return sum(one["total"] for one in answer["series"])

    few = count(got(points, lambda answer: count(answer) > 2))
    got(points, lambda answer: count(answer) > few)
    serving.process.send_signal(signal.SIGINT)
    _, err = serving.process.communicate(timeout=60)
    assert serving.process.returncode == 0, err
    assert not list(Path(temporary["TMPDIR"]).iterdir())


def test_logs_that_are_kept(serve: Serve, temporary: dict[str, str], tmp_path: Path, run: Run) -> None:
    kept = tmp_path / "kept"
    serving = serve("demo", "--keep", str(kept), "--port", "0", env=temporary, port=())
    serving.process.send_signal(signal.SIGTERM)
    serving.process.communicate(timeout=60)
    assert not list(Path(temporary["TMPDIR"]).iterdir())
    listed = json.loads(run("inspect", "--logdir", str(kept), "--json").stdout)
    assert len(listed["runs"].keys() - {"live"}) == RUNS - 1  # the live run may not have begun
    for told in listed["runs"].values():
        assert told["damage"] == []
        assert not told["unclaimed"]
    again = run("demo", "--keep", str(kept), env=temporary)
    assert (again.returncode, again.stdout) == (1, "")
    assert f"--keep: {kept} is not empty" in again.stderr


def test_a_busy_port_leaves_nothing_behind(run: Run, temporary: dict[str, str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = run("demo", "--port", str(other.getsockname()[1]), env=temporary)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not list(Path(temporary["TMPDIR"]).iterdir())


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_while_it_starts_leaves_nothing_behind(
    temporary: dict[str, str], number: signal.Signals, code: int
) -> None:
    place = Path(temporary["TMPDIR"])
    process = subprocess.Popen(
        [*COMMAND, "demo", "--port", "0"],
        env=clean_environment(temporary),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(lambda: list(place.glob("*/demo/*")), pause=0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:  # whatever failed, it must not go on
        process.kill()
        process.communicate()
    assert process.returncode == (0 if "http://" in out else code), err  # 0: it served already
    assert "Traceback" not in err
    assert not list(place.iterdir())
