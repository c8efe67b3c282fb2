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
from insight_lake.checking import CheckReport, check_lake
from insight_lake.contents import lake_content
from insight_lake.manifest import newest
from insight_lake.rewriting import open_whole
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
    """Forks builders, and kills each once it has made a share of the calls that a whole build makes."""
    total = calls_of(lambda: build_of(place, "counted").run(batch=1))
    children = []
    for share in shares:
        child = os.fork()
        if child == 0:
            try:
                left = int(share * total)

                def count(*_: object) -> None:
                    nonlocal left
                    left -= 1
                    if left <= 0:
                        os.kill(os.getpid(), signal.SIGKILL)

                sys.setprofile(count)
                build_of(place).run(batch=1)
            finally:
                os._exit(1)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def calls_of(run: object) -> int:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    run()  # type: ignore[operator]
    sys.setprofile(None)
    return calls


def content(build: LakeBuild) -> str:
    report = CheckReport()
    found = check_lake(build.store(), newest(build.store()), report, lambda text: None)
    assert report.problems == [], report.problems
    return lake_content(found)


def kill_again_and_again(place: Path, rounds: int, seed: int) -> None:
    """A round: logs grow, one or two builders are killed, and what they leave is checked."""
    chance = random.Random(seed)
    versions = []
    for number in range(rounds):
        grow(place, number)
        killed_builders(place, [chance.uniform(0, 1.1) for _ in range(1 + number % 2)])
        build = build_of(place)
        content(build)
        versions.append(newest(build.store()).version)
        if number % 3 == 2:
            delete_unused(build.store(), 0)
            content(build)
    build_of(place).run()
    build_of(place, "whole").run()
    assert content(build_of(place)) == content(build_of(place, "whole"))
    assert versions[-1] > 0, "no builder published anything before it was killed"
    lake = open_whole(build_of(place).store(), newest(build_of(place).store()))
    assert sum(info.points for info in lake.series("scalar")) == RUNS * 10 * rounds
    lake.close()


def test_killed_builders_leave_a_lake_that_is_right(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = request.config.getoption("--kill-rounds") or ROUNDS
    seed = request.config.getoption("--kill-seed")
    # in a process without threads, which may fork
    program = "import sys; sys.path[:0] = sys.argv[4].split(':')\nfrom pathlib import Path\n"
    program += "from test_lake_kill import kill_again_and_again\n"
    program += "kill_again_and_again(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))"
    paths = ":".join([str(Path(__file__).parent), *filter(None, sys.path)])
    command = [sys.executable, "-c", program, str(tmp_path), str(rounds), str(seed), paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
