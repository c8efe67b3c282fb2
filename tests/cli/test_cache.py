"""``--cache-dir``, ``--no-cache``, ``insight-host cache info`` and ``cache clear``."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from insight_core.plugin.testing import EventWriter

if TYPE_CHECKING:
    from tests.cli.conftest import Serving

Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., "Serving"]
POINTS = 2500  # of each series: a shorter file is not kept


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for run in ("a", "b"):
        with EventWriter(tmp_path / "logs" / run) as writer:
            for step in range(POINTS):
                writer.scalar("loss", step, 1.0 / (1 + step))
    return tmp_path / "logs"


def info(run: Run, cache: Path) -> dict[str, Any]:
    answer = run("cache", "info", "--json", "--cache-dir", str(cache))
    assert answer.returncode == 0, answer.stderr
    report: dict[str, Any] = json.loads(answer.stdout)
    return report


def points(serving: Serving) -> list[int]:
    """Of each series, once everything is loaded."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"{serving.url}data/plugin/scalar/tags") as answer:
            found = [tag["points"] for tags in json.load(answer).values() for tag in tags.values()]
        if len(found) == 2:
            return found
        time.sleep(0.02)
    pytest.fail("not loaded in time")


def ended(serving: Serving) -> str:
    """Ends the host, and returns what it said on stderr."""
    serving.process.send_signal(signal.SIGTERM)
    said: str = serving.process.communicate(timeout=60)[1]
    return said


def test_what_was_read_is_kept_and_used(tmp_path: Path, logdir: Path, run: Run, serve: Serve) -> None:
    cache = tmp_path / "cache"
    for _ in range(2):
        serving = serve("--logdir", str(logdir), "--cache-dir", str(cache))
        assert points(serving) == [POINTS, POINTS]
        ended(serving)
        report = info(run, cache)
        assert (report["entries"], report["existing"], report["unusable"]) == (2, 2, 0)
        assert report["bytes"] > 1000
    for path in cache.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1])
    serving = serve("--logdir", str(logdir), "--cache-dir", str(cache))
    assert points(serving) == [POINTS, POINTS]
    ended(serving)
    assert info(run, cache)["entries"] == 2
    assert sorted(path.name for path in logdir.rglob("*")) == sorted(
        [*"ab", *["events.out.tfevents.1700000000.test.0"] * 2]
    )


def test_what_was_kept_under_other_policies_is_not_used(
    tmp_path: Path, logdir: Path, run: Run, serve: Serve
) -> None:
    cache = tmp_path / "cache"
    serving = serve("--logdir", str(logdir), "--cache-dir", str(cache), "--samples-per-plugin", "scalar=5")
    assert points(serving) == [POINTS, POINTS]
    ended(serving)
    assert info(run, cache)["entries"] == 2
    serving = serve("--logdir", str(logdir), "--cache-dir", str(cache))
    assert points(serving) == [POINTS, POINTS]
    ended(serving)
    assert info(run, cache)["entries"] == 2


def test_nothing_is_kept_without_a_cache(tmp_path: Path, logdir: Path, serve: Serve) -> None:
    cache = tmp_path / "cache"
    serving = serve("--logdir", str(logdir), "--no-cache", env={"INSIGHT_HOST_CACHE_DIR": str(cache)})
    assert points(serving) == [POINTS, POINTS]
    ended(serving)
    assert not cache.exists()


def test_a_cache_directory_in_a_logdir_is_refused(logdir: Path, run: Run) -> None:
    for place in (logdir, logdir / "a", logdir / "new" / "cache"):
        answer = run("--logdir", str(logdir), "--port", "0", "--cache-dir", str(place))
        assert answer.returncode == 1
        assert "--cache-dir" in answer.stderr
        assert "lies in the log directory" in answer.stderr
    link = logdir.parent / "link"
    link.symlink_to(logdir / "a")
    answer = run("--logdir", str(logdir), "--port", "0", env={"INSIGHT_HOST_CACHE_DIR": str(link)})
    assert answer.returncode == 1
    assert "INSIGHT_HOST_CACHE_DIR" in answer.stderr


def test_the_default_place_in_a_logdir_is_not_used(tmp_path: Path, logdir: Path, serve: Serve) -> None:
    home = {"XDG_CACHE_HOME": str(logdir / "cache"), "INSIGHT_HOST_CACHE_DIR": ""}
    serving = serve("--logdir", str(logdir), env=home)
    assert points(serving) == [POINTS, POINTS]
    assert "lies in the log directory" in ended(serving)
    assert not (logdir / "cache").exists()


def test_the_default_place_is_the_user_s_cache_directory(
    tmp_path: Path, logdir: Path, run: Run, serve: Serve
) -> None:
    home = {"XDG_CACHE_HOME": str(tmp_path / "home"), "INSIGHT_HOST_CACHE_DIR": ""}
    serving = serve("--logdir", str(logdir), env=home)
    assert points(serving) == [POINTS, POINTS]
    ended(serving)
    report = json.loads(run("cache", "info", "--json", env=home).stdout)
    assert report["directory"] == str(tmp_path / "home" / "insight-host")
    assert report["entries"] == 2


def test_a_cache_directory_that_cannot_be_written_is_said_once(
    tmp_path: Path, logdir: Path, serve: Serve
) -> None:
    (tmp_path / "file").touch()
    serving = serve("--logdir", str(logdir), "--cache-dir", str(tmp_path / "file" / "cache"))
    assert points(serving) == [POINTS, POINTS]
    time.sleep(0.1)
    assert ended(serving).count("is not updated any more") == 1


def test_info_and_clear(tmp_path: Path, logdir: Path, run: Run, serve: Serve) -> None:
    cache = tmp_path / "cache"
    assert info(run, cache) == {
        "directory": str(cache),
        "entries": 0,
        "bytes": 0,
        "existing": 0,
        "unusable": 0,
        "oldest_use": None,
        "plugins": {},
    }
    serving = serve("--logdir", str(logdir), "--cache-dir", str(cache))
    assert points(serving) == [POINTS, POINTS]
    ended(serving)
    (cache / "other").write_text("another program's")
    next((logdir / "a").iterdir()).unlink()
    said = run("cache", "info", "--cache-dir", str(cache)).stdout
    assert str(cache) in said
    assert "2, 1 of them of event files that exist" in said
    cleared = run("cache", "clear", "--cache-dir", str(cache))
    assert cleared.returncode == 0
    assert cleared.stdout.startswith("removed 2 entries")
    assert [path.name for path in cache.iterdir()] == ["other"]
    again = json.loads(run("cache", "clear", "--json", "--cache-dir", str(cache)).stdout)
    assert again == {"directory": str(cache), "entries": 0, "bytes": 0}


def test_what_plugins_keep_is_counted_and_cleared(tmp_path: Path, run: Run) -> None:
    cache = tmp_path / "cache"
    kept = cache / "plugins/profiler/0123/slices.safetensors"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(bytes(3_000_000))
    assert info(run, cache)["plugins"] == {"profiler": 3_000_000}
    assert "of plugins   profiler 3" in run("cache", "info", "--cache-dir", str(cache)).stdout
    cleared = json.loads(run("cache", "clear", "--json", "--cache-dir", str(cache)).stdout)
    assert cleared["bytes"] == 3_000_000
    assert not kept.exists()
    assert info(run, cache)["plugins"] == {}
