"""Whatever is killed at whatever moment, the next start shows what the files hold, no more and no less."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest

from insight_core.ingest.index.upkeep import kept_files
from tests.killing import PROGRAMS, Training, catch_up, differences, loaded, start, wait_for_a_save

_ROUNDS = {"loader": 9, "data server": 3, "host": 3}


@pytest.mark.parametrize("name", PROGRAMS)
def test_killed_at_any_moment(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = request.config.getoption("--kill-rounds") or _ROUNDS[name]
    seed = request.config.getoption("--kill-seed")
    program = PROGRAMS[name]
    draw = random.Random(seed)
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    training = Training(logdir, seed)
    training.start()
    try:
        for number in range(rounds):
            where = f"round {number} of seed {seed}"
            before = set(kept_files(cache))
            running = start(program, logdir, cache, tmp_path / "place")
            try:
                if draw.random() < 0.3:  # it comes to live, and to show everything
                    with training.paused():
                        expected = loaded(logdir, None)
                        del expected["damage"]
                        assert catch_up(program, running, expected) == [], where
                if draw.random() < 0.7:  # however slow the machine: it is killed while it saves, too
                    wait_for_a_save(cache, before)
                    time.sleep(draw.uniform(0, 0.1))
                else:
                    time.sleep(draw.uniform(0, 1.0))
                assert running.process.poll() is None, (running.place / "output").read_text()
            finally:
                running.kill()
            if draw.random() < 0.5:
                time.sleep(draw.uniform(0, 0.1))  # training goes on while nobody looks
            with training.paused():
                copy = tmp_path / "copy"  # which the check may write to
                shutil.rmtree(copy, ignore_errors=True)
                if cache.exists():
                    shutil.copytree(cache, copy)
                assert differences(loaded(logdir, copy), loaded(logdir, None)) == [], where
    finally:
        training.close()
