"""Builders that are killed at random moments, alone and two at a time, leave a lake without flaws."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import insight_scalar
import pytest
from insight_lake.delta import newest, opened_table
from insight_lake.upkeep import delete_unused

from insight_core.plugin.testing import EventWriter
from tests.lakes import LakeBuild

ROUNDS = 6
RUNS = 5


def build_of(place: Path, name: str = "lake") -> LakeBuild:
    return LakeBuild([str(place / "logs")], str(place / name), [insight_scalar.insight_plugin()])


def grow(place: Path, number: int) -> None:
    for run in range(RUNS):
        with EventWriter(place / f"logs/run{run}", start_time=1000 + number * 100) as writer:
            for step in range(10 * number, 10 * number + 10):
                writer.scalar("loss", step, run + step)


def killed_builders(place: Path, shares: list[float]) -> None:
    """Starts builders, each of which kills itself after a share of the calls that a whole build makes."""
    total = calls_of(lambda: build_of(place, "counted").run(batch=1))
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    program = "import os, sys; sys.path[:0] = sys.argv[3].split(os.pathsep)\n"
    program += "from test_lake_kill import build_and_die\nbuild_and_die(sys.argv[1], int(sys.argv[2]))"
    commands = [
        [sys.executable, "-c", program, str(place), str(int(share * total)), paths] for share in shares
    ]
    for child in [subprocess.Popen(command) for command in commands]:
        assert child.wait() in (0, -signal.SIGKILL)


def build_and_die(place: str, calls: int) -> None:
    """Builds, and is gone after so many calls."""

    def count(*_: object) -> None:
        nonlocal calls
        calls -= 1
        if calls <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    build_of(Path(place), f"warm{os.getpid()}").run(batch=1)  # imports make calls as well
    sys.setprofile(count)
    build_of(Path(place)).run(batch=1)


def calls_of(run: object) -> int:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    run()  # type: ignore[operator]
    sys.setprofile(None)
    return calls


def whole_runs(build: LakeBuild, rounds: int) -> None:
    """What other engines read: each table has every run once, and as a round left it."""
    for name in ("scalars", "series", "runs"):
        rows = opened_table(build.store(), name).to_pyarrow_table(columns=["run"])["run"].value_counts()
        counts = {row["values"]: row["counts"] for row in rows.to_pylist()}
        allowed = {10 * number for number in range(1, rounds + 1)} if name == "scalars" else {1}
        assert set(counts.values()) <= allowed, (name, counts)


def test_killed_builders_leave_a_lake_that_is_right(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A round: logs grow, one or two builders are killed, and what they leave is checked."""
    rounds = request.config.getoption("--kill-rounds") or ROUNDS
    chance = random.Random(request.config.getoption("--kill-seed"))
    published = 0
    for number in range(rounds):
        grow(tmp_path, number)
        killed_builders(tmp_path, [chance.uniform(0, 1.1) for _ in range(1 + number % 2)])
        build = build_of(tmp_path)
        published = len(newest(build.store()).segments)
        if published:
            build.content()
            whole_runs(build, number + 1)
        if number % 3 == 2:
            delete_unused(build.store(), 0)
            assert not published or build.content()
    build_of(tmp_path).run()
    build_of(tmp_path, "whole").run()
    build = build_of(tmp_path)
    assert build.content() == build_of(tmp_path, "whole").content() == build.logged()
    assert published > 0, "no builder published anything before it was killed"
    whole_runs(build, rounds)
    lake = build.opened()
    assert sum(info.points for info in lake.series("scalar")) == RUNS * 10 * rounds
    lake.close()
