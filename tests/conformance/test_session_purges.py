"""What sessions purge, as TensorBoard's Python loader (EventAccumulator, purge_orphaned_data) does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from insight_core.plugin.testing import EventWriter

Scalars = dict[str, dict[str, list[list[Any]]]]
Read = Callable[..., Scalars]
T = 1_700_000_000


def write_run(directory: Path, random: Random) -> None:
    """Sessions of a training: each goes on at a step that an earlier one reached, or before, or after."""
    reached, number = 0, 0
    writer = EventWriter(directory, start_time=T)
    for session in range(random.randint(2, 6)):
        if session and random.random() < 0.5:
            writer.close()
            number += 1
            writer = EventWriter(directory, start_time=T + 10 * number)
        begin = random.randint(0, reached + 3) if session else 0
        if session or random.random() < 0.5:
            writer.session_start(begin)
        reached = begin + random.randint(0, 12)
        for step in range(begin, reached):
            for tag in ("each", "some"):
                if tag == "each" or random.random() < 0.3:
                    writer.scalar(tag, step, 100 * session + step)
    writer.close()


def test_sessions_purge_what_tensorboard_purges(tmp_path: Path, insight: Read, tensorboard: Read) -> None:
    random = Random(7)
    for number in range(60):
        write_run(tmp_path / f"run{number}", random)
    ours, theirs = insight(tmp_path), tensorboard(tmp_path)
    for run, tags in theirs.items():
        assert ours[run] == tags, run


def test_tensors_are_purged_as_other_values(tmp_path: Path, insight: Read, tensorboard: Read) -> None:
    """EventAccumulator keeps them; TensorBoard's page purges them, but ignores the first session."""
    with EventWriter(tmp_path, start_time=T) as writer:
        for step in range(10):
            writer.scalars_tf2("loss", step, step)
        writer.session_start(5)
    steps = [[step for step, *_ in read(tmp_path)["."]["loss"]] for read in (insight, tensorboard)]
    assert steps == [[0, 1, 2, 3, 4], [*range(10)]]


def test_the_case_of_a_run_that_goes_on_from_a_checkpoint(
    tmp_path: Path, insight: Read, tensorboard: Read
) -> None:
    with EventWriter(tmp_path, start_time=T) as writer:
        for step in range(0, 101, 10):
            for tag in ("again", "rare", "shifted", "never"):
                writer.scalar(tag, step, step)
    with EventWriter(tmp_path, start_time=T + 10) as writer:
        writer.session_start(50)
        for tag, steps in (("again", range(50, 200, 10)), ("rare", [150]), ("shifted", range(75, 200, 25))):
            for step in steps:
                writer.scalar(tag, step, 1000 + step)
    ours = insight(tmp_path)
    assert ours == tensorboard(tmp_path)
    assert [step for step, *_ in ours["."]["never"]] == [0, 10, 20, 30, 40]


def test_tensorboard_does_not_purge_runs_of_add_scalars(
    tmp_path: Path, insight: Read, tensorboard: Read
) -> None:
    """They are directories in which no session is recorded; we purge them with the run above."""
    with EventWriter(tmp_path / "a" / "loss_train", start_time=T) as writer:
        for step in range(10):
            writer.scalar("loss", step, step)
    with EventWriter(tmp_path / "a", start_time=T + 10) as writer:
        writer.session_start(5)
        writer.scalar("lr", 5, 0.1)
    steps = [[step for step, *_ in read(tmp_path)["a/loss_train"]["loss"]] for read in (insight, tensorboard)]
    assert steps == [[0, 1, 2, 3, 4], [*range(10)]]
