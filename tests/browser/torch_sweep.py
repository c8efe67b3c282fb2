"""A sweep of 60 runs as torch's ``SummaryWriter`` leaves it, with the answers to questions about it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from attrs import frozen

from insight_core.plugin.testing import EventWriter
from tests.lineage_samples import Hparams, write_run

STEPS = np.arange(0, 1000, 5)
EPOCHS = np.arange(50, 1001, 50)
RATES = (0.3, 0.03, 0.01, 0.003, 0.001)
WIDTHS = (64, 256)
OPTIMIZERS = ("adam", "sgd")
SEEDS = (0, 1, 2)
BEST_RATE = 0.01
NAN_RUN, NAN_STEP = "lr0.3_w64_sgd_s1", 305


@frozen
class Trial:
    """One run; ``accuracy`` is what it reaches on held-out data in the end."""

    rate: float
    width: int
    optimizer: str
    seed: int
    accuracy: float

    @property
    def name(self) -> str:
        return f"lr{self.rate:g}_w{self.width}_{self.optimizer}_s{self.seed}"

    @property
    def configuration(self) -> tuple[float, int, str]:
        """What it shares with the runs of other seeds."""
        return self.rate, self.width, self.optimizer


def _trials() -> Iterator[Trial]:
    """The learning rate decides most, then the width; runs with the largest rate learn nothing."""
    random = np.random.default_rng(60)
    for rate, width, optimizer, seed in itertools.product(RATES, WIDTHS, OPTIMIZERS, SEEDS):
        accuracy = 0.96 - 0.09 * math.log10(rate / BEST_RATE) ** 2
        accuracy += 0.012 * (width == 256) + 0.006 * (optimizer == "adam") + random.normal(0, 0.002)
        yield Trial(rate, width, optimizer, seed, 0.1 if rate == 0.3 else accuracy)


TRIALS = tuple(_trials())


def best(count: int) -> list[str]:
    """Names of the runs with the highest accuracy, the best first."""
    return [one.name for one in sorted(TRIALS, key=lambda one: -one.accuracy)[:count]]


def write_torch_sweep(root: Path) -> None:
    """The runs, three minutes from one to the next, each with its hyperparameters in a directory below it."""
    for at, trial in enumerate(TRIALS):
        start = 1.7e9 + 180 * at
        directory = root / trial.name
        with EventWriter(directory, start_time=start) as writer:
            losses = _losses(trial)
            writer.scalar_block(["train/loss"], STEPS.tolist(), losses[:, None].tolist())
            writer.scalar_block(["lr"], STEPS.tolist(), [[trial.rate * (1 - step / 1000)] for step in STEPS])
            held_out = np.column_stack([losses[EPOCHS // 5 - 1] * 1.1 + 0.02, accuracies(trial)])
            writer.scalar_block(["val/loss", "val/acc"], EPOCHS.tolist(), held_out.tolist())
        hparams: Hparams = {
            "lr": trial.rate,
            "width": float(trial.width),
            "optimizer": trial.optimizer,
            "seed": float(trial.seed),
            "batch_size": 128.0,
        }
        ended = start + 170
        write_run(
            directory / f"{ended:.6f}1", hparams, {"hparam/val_acc": float(accuracies(trial)[-1])}, ended
        )


def _losses(trial: Trial) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    random = np.random.default_rng([TRIALS.index(trial), 1])
    if trial.rate == 0.3:
        losses = 2.3 + random.normal(0, 0.05, len(STEPS))
        if trial.name == NAN_RUN:
            losses[STEPS >= NAN_STEP] = np.nan
        return losses
    end = 2.5 * (1 - trial.accuracy)
    speed = 60 + 400 * (1 - trial.accuracy)
    return (end + (2.3 - end) * np.exp(-STEPS / speed)) * random.lognormal(0, 0.08, len(STEPS))


def accuracies(trial: Trial) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What a run logs as ``val/acc`` at each of ``EPOCHS``."""
    random = np.random.default_rng([TRIALS.index(trial), 2])
    if trial.rate == 0.3:
        return 0.1 + random.normal(0, 0.004, len(EPOCHS))
    rise = 1 - np.exp(-EPOCHS / 200)
    accuracies = trial.accuracy * rise / rise[-1] + random.normal(0, 0.004, len(EPOCHS))
    accuracies[-1] = trial.accuracy
    return np.asarray(accuracies, np.float64)
