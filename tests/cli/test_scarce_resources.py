"""A host with few descriptors, a small address space or a full disk shows all logs and says what fails."""

from __future__ import annotations

import http.client
import json
import resource
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from insight_core.plugin.testing import EventWriter
from tests.cli.asking import get, got
from tests.cli.conftest import COMMAND, Serving, clean_environment
from tests.waiting import PATIENCE

RUNS, TAGS, STEPS = 30, 5, 2000
CLIENTS = 40
FILE_SIZE = 30_000  # bytes: less than the index, the numbers beyond --max-memory or a few annotations take


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for run in range(RUNS):
        with EventWriter(tmp_path / f"logs/run{run:02d}") as writer:
            writer.scalar_block([f"t{tag}" for tag in range(TAGS)], range(STEPS), expected(run).T)
    return tmp_path


def expected(run: int) -> NDArray[np.float64]:
    """Values by tag and step."""
    return np.asarray(np.arange(STEPS) + 10 * run + np.arange(TAGS)[:, None], np.float64)


@contextmanager
def limited(place: Path, limit: int, value: int, *flags: str) -> Iterator[Serving]:
    """A host whose process has a limit from its start (getrlimit(2)); its own files are below ``place``."""
    own = [f"--{name}-dir={place / name}" for name in ("cache", "state")]
    process = subprocess.Popen(
        [*COMMAND, "--port=0", f"--logdir={place / 'logs'}", *own, "--max-memory=500k", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
        preexec_fn=lambda: resource.setrlimit(limit, (value, value)),
    )
    try:
        yield Serving(process)
    finally:
        process.kill()
        process.communicate()


def messages(serving: Serving) -> list[str]:
    """What the host logged until its end, a line each."""
    serving.process.terminate()
    _, said = serving.process.communicate(timeout=PATIENCE)
    assert serving.process.returncode == 0, said
    return said.splitlines()


def shows_everything(serving: Serving, place: Path) -> None:
    """All values, to more clients than there may be connections, and what comes later."""
    got(f"{serving.url}data/run_table", lambda table: table["progress"]["loaded_once"])
    port = int(serving.url.split(":")[2].strip("/"))
    with ExitStack() as clients:
        for number in range(CLIENTS):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            clients.enter_context(closing(client))
            client.request("GET", "/data/events?since=0" if number < 3 else "/data/run_table")
            answer = clients.enter_context(client.getresponse())
            assert answer.status == 200
            if number >= 3:
                answer.read()
    for tag in range(TAGS):
        answer = get(f"{serving.url}data/plugin/scalar/series?tag=t{tag}")
        shown = {series["run"]: series["values"] for series in answer["series"]}
        assert len(shown) == RUNS
        for run in range(RUNS):
            assert np.array_equal(shown[f"run{run:02d}"], expected(run)[tag])
    with EventWriter(place / "logs/late") as writer:
        writer.scalar("late", 0, 7.0)
    late = got(f"{serving.url}data/plugin/scalar/series?tag=late", lambda answer: answer["series"])
    assert late["series"][0]["values"] == [7.0]


def annotate(serving: Serving, run: str, note: str) -> tuple[int, str]:
    """Status and error of writing a note."""
    token = get(f"{serving.url}data/annotations")["token"]
    request = urllib.request.Request(
        f"{serving.url}data/annotations",
        json.dumps({"run": run, "note": note}).encode(),
        {"Origin": serving.url.rstrip("/"), "X-Insight-Token": token},
        method="PUT",
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)["error"]


def test_sixty_four_file_descriptors(place: Path) -> None:
    with limited(place, resource.RLIMIT_NOFILE, 64) as serving:
        shows_everything(serving, place)
        assert all("connection limit reached" in line for line in messages(serving))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
@pytest.mark.parametrize("load", ["inprocess", "server"])
def test_an_address_space_of_400_megabytes(place: Path, load: str) -> None:
    with limited(place, resource.RLIMIT_AS, 400 << 20, f"--load={load}") as serving:
        shows_everything(serving, place)
        assert messages(serving) == []


def test_a_disk_that_takes_neither_index_nor_columns_nor_notes(place: Path) -> None:
    with limited(place, resource.RLIMIT_FSIZE, FILE_SIZE) as serving:
        shows_everything(serving, place)
        written = {}
        for run in range(RUNS):
            name, note = f"run{run:02d}", f"{run}" * 1500
            status, error = annotate(serving, name, note)
            if status != 200:
                break
            written[name] = note
        assert status == 503
        assert "cannot be written" in error
        assert str(place / "state") in error
        assert len(written) > 3
        lines = messages(serving)
    assert sum("columns" in line for line in lines) == 1
    assert sum("not updated any more" in line for line in lines) == 1
    assert len(lines) == 2
    with limited(place, resource.RLIMIT_FSIZE, 1 << 30) as serving:
        got(f"{serving.url}data/run_table", lambda table: table["progress"]["loaded_once"])
        kept = {run: found["note"] for run, found in get(f"{serving.url}data/annotations")["runs"].items()}
        assert kept == written
        assert annotate(serving, "run00", "again") == (200, "")
