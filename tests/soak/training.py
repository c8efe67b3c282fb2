"""Trains without end: many runs, of which each gets a value of every tag at every step.

``python -m tests.soak.training LOGDIR RUNS TAGS SECONDS`` appends a step every so many seconds until its
standard input is closed, then ends every file with a whole record and prints how many steps each run has.
"""

from __future__ import annotations

import random
import select
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from insight_authoring.testing.event_writer import START_TIME
from insight_authoring.testing.scalar_block import scalar_events
from insight_core.plugin import Dialect
from insight_core.plugin.testing import EventWriter

_LONGEST_CUT = 60  # bytes of the last record that the next append completes


def run_name(number: int) -> str:
    return f"run{number:03d}"


def tag_name(number: int) -> str:
    return f"train/t{number:02d}"


def values(run: int, tag: int, steps: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a run records under a tag at these steps; no two series have the same."""
    return np.asarray(np.sin(steps * 0.01 + tag) + run + 1 / (1 + steps), np.float32)


class _Run:
    """A run that grows; an append may end within a record, as a writer's buffer does."""

    def __init__(self, logdir: Path, number: int, tags: int) -> None:
        self._number = number
        self._tags = range(tags)
        self._names = [tag_name(tag) for tag in self._tags]
        self._dialect = list(Dialect)[number % len(Dialect)]
        self._random = random.Random(number)
        self._writer = EventWriter(logdir / run_name(number), self._dialect)
        self._writer.flush()
        self._left = b""

    def append(self, step: int) -> None:
        steps = np.array([step])
        matrix = np.array([[values(self._number, tag, steps)[0] for tag in self._tags]])
        data = self._left + scalar_events(
            self._names, steps, matrix, START_TIME + steps, dialect=self._dialect, first=step == 0
        )
        cut = self._random.choice([0, self._random.randrange(_LONGEST_CUT)])
        self._write(data[: len(data) - cut])
        self._left = data[len(data) - cut :]

    def close(self) -> None:
        self._write(self._left)
        self._writer.close()

    def _write(self, data: bytes) -> None:
        self._writer.raw(data)
        self._writer.flush()


def main() -> None:
    logdir, (runs, tags) = Path(sys.argv[1]), map(int, sys.argv[2:4])
    interval = float(sys.argv[4])
    training = [_Run(logdir, number, tags) for number in range(runs)]
    step, due = 0, time.monotonic()
    while not select.select([sys.stdin], [], [], max(0.0, due - time.monotonic()))[0]:
        for run in training:
            run.append(step)
        step, due = step + 1, max(due + interval, time.monotonic())
    for run in training:
        run.close()
    print(step)


if __name__ == "__main__":
    main()
