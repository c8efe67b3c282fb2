"""Where annotations are kept, and that they are there after a restart."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from insight_core.plugin.testing import EventWriter


class Started(Protocol):
    url: str
    process: subprocess.Popen[str]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "a") as writer:
        writer.scalar("loss", 0, 1.0)
    return tmp_path / "logs"


def _annotations(serving: Started) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(f"{serving.url}data/annotations") as answer:
        return json.load(answer)


def _annotate(serving: Started, body: dict[str, object]) -> int:
    headers = {"Origin": serving.url.rstrip("/"), "X-Insight-Token": _annotations(serving)["token"] or ""}
    request = urllib.request.Request(
        f"{serving.url}data/annotations", json.dumps(body).encode(), headers, method="PUT"
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def _until_there(serving: Started, run: str) -> None:
    while True:
        try:
            with urllib.request.urlopen(f"{serving.url}data/runs") as answer:
                if run in json.load(answer):
                    return
        except urllib.error.HTTPError as error:  # its data server is not there yet
            error.close()


def _end(serving: Started) -> None:
    serving.process.terminate()
    serving.process.communicate(timeout=60)


def test_annotations_outlive_the_host(tmp_path: Path, logdir: Path, serve: Callable[..., Started]) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "home"), "INSIGHT_HOST_STATE_DIR": ""}
    first = serve("--logdir", str(logdir), env=state)
    _until_there(first, "a")
    assert _annotate(first, {"run": "a", "display_name": "最好"}) == 200
    _end(first)
    assert (tmp_path / "home/insight-host/annotations.jsonl").stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link"
    link.symlink_to(logdir)
    second = serve("--logdir", str(link), "--read-only", env=state)
    assert _annotations(second)["runs"] == {"a": {"display_name": "最好"}}
    _until_there(second, "a")
    assert _annotate(second, {"run": "a", "mark": 1}) == 405
    third = serve("--logdir", str(logdir / "a"), "--load", "server", env=state)
    _until_there(third, ".")
    assert _annotations(third)["runs"] == {".": {"display_name": "最好"}}
    assert [path.name for path in logdir.rglob("*") if path.suffix == ".jsonl"] == []


def test_a_state_directory_in_a_logdir_is_refused(
    logdir: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    answer = run("--logdir", str(logdir), "--port", "0", "--state-dir", str(logdir / "state"))
    assert answer.returncode == 1
    assert "--state-dir" in answer.stderr
    assert "lies in the log directory" in answer.stderr


def test_the_default_place_in_a_logdir_is_not_written(logdir: Path, serve: Callable[..., Started]) -> None:
    serving = serve(
        "--logdir", str(logdir), env={"XDG_STATE_HOME": str(logdir / "s"), "INSIGHT_HOST_STATE_DIR": ""}
    )
    answer = _annotations(serving)
    assert answer["writable"] is False
    assert "lies in the log directory" in answer["reason"]
    _until_there(serving, "a")
    assert _annotate(serving, {"run": "a", "mark": 1}) == 503
    assert not (logdir / "s").exists()
