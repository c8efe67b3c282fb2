"""Writes logdirs of a known size: ``python -m benchmarks.corpus wide DIR``.

wide    100 runs x 20 tags x 1000 steps, TensorFlow 2's form: what a group's results look like
deep    one run, 4 tags x 2,500,000 steps: one very long training
many    1000 runs x 4 tags x 50 steps: a search over hyper-parameters
mindspore  20 runs x 20 tags x 1000 steps in MindSpore's dialect
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.api import Dialect
from insight_core.testing import EventWriter
from insight_core.testing.scalar_block import Form

_BLOCK = 50_000  # steps written at a time
_START = 1_700_000_000.0


@frozen
class Corpus:
    """``runs`` of ``tags`` series of ``steps`` points each."""

    runs: int
    tags: int
    steps: int
    dialect: Dialect = Dialect.TENSORBOARD
    form: Form = "simple"

    @property
    def points(self) -> int:
        return self.runs * self.tags * self.steps


CORPORA = {
    "wide": Corpus(runs=100, tags=20, steps=1000, form="tensor"),
    "deep": Corpus(runs=1, tags=4, steps=2_500_000),
    "many": Corpus(runs=1000, tags=4, steps=50),
    "mindspore": Corpus(runs=20, tags=20, steps=1000, dialect=Dialect.MINDSPORE),
}


def write_corpus(corpus: Corpus, logdir: Path, *, seed: int = 0) -> int:
    """Writes the corpus below ``logdir`` (made if missing); returns its size in bytes."""
    random = np.random.default_rng(seed)
    tags = tag_names(corpus.tags)
    size = 0
    for number in range(corpus.runs):
        start_time = _START + 100 * number
        with EventWriter(logdir / f"run_{number:04d}", corpus.dialect, start_time=start_time) as writer:
            for first in range(0, corpus.steps, _BLOCK):
                steps = np.arange(first, min(first + _BLOCK, corpus.steps))
                writer.scalar_block(
                    tags, steps, _curves(steps, corpus, random), start_time + steps * 0.25, form=corpus.form
                )
        size += writer.path.stat().st_size
    return size


def tag_names(count: int) -> list[str]:
    """``train/metric_00``, ``validation/metric_01`` and so on: two groups."""
    return [f"{'train' if number % 2 == 0 else 'validation'}/metric_{number:02d}" for number in range(count)]


def _curves(steps: NDArray[np.int64], corpus: Corpus, random: np.random.Generator) -> NDArray[np.float64]:
    """Falling, noisy curves, a little different for every tag."""
    rates = np.linspace(0.2, 0.6, corpus.tags)
    noise = random.normal(0.0, 0.02, (len(steps), corpus.tags))
    curves: NDArray[np.float64] = (1.0 + steps[:, None]) ** -rates + noise
    return curves


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", choices=CORPORA)
    parser.add_argument("logdir", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.logdir.exists() and any(options.logdir.iterdir()):
        parser.error(f"{options.logdir} is not empty")
    corpus, began = CORPORA[options.corpus], time.perf_counter()
    size = write_corpus(corpus, options.logdir, seed=options.seed)
    print(
        f"{corpus.points:,} points in {corpus.runs} runs, {size / 1e6:.1f} MB, "
        f"{time.perf_counter() - began:.1f} s: {options.logdir}"
    )


if __name__ == "__main__":
    main()
