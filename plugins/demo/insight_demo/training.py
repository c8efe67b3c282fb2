"""The trainings of the demo, recorded as anybody would record theirs.

``python -m insight_demo.training DIR`` writes the logs of ``TRIALS``, which stand in ``insight_demo/logs``.
"""

from __future__ import annotations

import itertools
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from attrs import frozen
from insight_landscape import compute
from numpy.typing import NDArray

from insight_core.plugin import InsightError
from insight_demo.model import (
    SHAPES,
    SIDE,
    Floats,
    Forward,
    Optimizer,
    Parameters,
    PictureBatch,
    cross_entropy,
    draw,
    forward,
    graph,
    initial,
    loss_of,
    result_of,
)
from insight_record import SummaryCollector, SummaryWriter

log = logging.getLogger(__name__)

_EPOCHS, _STEPS = 8, 40  # steps of an epoch
_BATCH = 32
_VALIDATION = 256  # pictures
_LIVE_AT_ONCE, _LIVE_RUNS = 240, 20  # steps of the first that are there at once; some two hours


@frozen
class Trial:
    """One run: how it is trained, and how much of it is recorded.

    ``whole``: pictures, texts, the graph and so on, not only numbers and histograms. ``landscape``: the loss
    around its weights.
    """

    name: str
    optimizer: str
    learning_rate: float
    seed: int = 1
    hidden: int = 24
    noise: float = 0.15
    leak: float = 0  # slope of the rectifiers below zero
    whole: bool = False
    landscape: bool = False


def _sweep() -> Iterator[Trial]:
    """24 runs, of which the six with the largest learning rate learn nothing."""
    for optimizer, rate, seed in itertools.product(
        ("momentum", "adam"), (0.001, 0.003, 0.01, 1.0), (1, 2, 3)
    ):
        name = f"sweep/{optimizer}-{rate:g}-s{seed}"
        told = (optimizer, rate, seed) in (("adam", 0.01, 1), ("momentum", 1.0, 1))
        yield Trial(name, optimizer, rate, seed, whole=told, landscape=told)


TRIALS = (*_sweep(), Trial("leaky-relu", "momentum", 2.0, leak=0.01, whole=True))


def train(root: Path, trial: Trial) -> None:
    """A whole run in a directory of its name. Raises InsightError where it cannot be written."""
    try:
        _train(root / trial.name, trial)
    except OSError as error:
        raise InsightError(f"the logs of the demo cannot be written: {error}") from error


def train_on(root: Path, ended: threading.Event, pause: float = 1.0) -> None:
    """Runs as long as those of the sweep, one after the other, until ``ended``: a step in ``pause`` seconds.

    Of the first most is written at once: it is in the middle of its training when one looks.
    """
    number = 1

    def is_over(step: int) -> bool:
        return (number > 1 or step > _LIVE_AT_ONCE) and ended.wait(pause)

    try:
        while number <= _LIVE_RUNS and not ended.is_set():
            name = "live" if number == 1 else f"live-{number}"
            _train(root / name, Trial(name, "adam", 0.002, number, hidden=32, whole=True), is_over)
            number += 1
    except OSError as error:
        log.error("the live training ended: %s", error)


def _train(log_dir: Path, trial: Trial, is_over: Callable[[int], bool] = lambda _: False) -> None:
    """Trains until the last step, or one after which it ``is_over``."""
    training = _Training(log_dir, trial, epochs=_EPOCHS)
    checkpoints = [training.checkpoint()]
    with training, np.errstate(over="ignore", invalid="ignore"):  # of the run that diverges
        for step in range(1, _EPOCHS * _STEPS + 1):
            training.step()
            if step % _STEPS == 0:
                training.epoch()
                checkpoints.append(training.checkpoint())
            if is_over(step):
                return
    if trial.landscape:
        _landscapes(log_dir, training.validation, checkpoints)


class _Training:
    """A network in training, and what records it; ends both files as a context."""

    def __init__(self, log_dir: Path, trial: Trial, epochs: int) -> None:
        self._trial = trial
        self._random = np.random.default_rng(trial.seed)
        self.parameters = initial(self._random, trial.hidden)
        self.validation = draw(np.random.default_rng(0), _VALIDATION, trial.noise)
        self._optimizer = Optimizer(trial.optimizer, trial.learning_rate)
        self._collector = SummaryCollector(
            log_dir,
            hyperparameters={
                "optimizer": trial.optimizer,
                "learning_rate": trial.learning_rate,
                "seed": trial.seed,
                "batch_size": _BATCH,
                **({"epoch": epochs} if epochs else {}),
                "loss_function": "cross entropy",
                "network": "ShapeNet",
                "hidden": trial.hidden,
                "noise": trial.noise,
                "leak": trial.leak,
            },
            scalar_every=2,
            histogram_every=_STEPS,
            gradient_every=_STEPS,
            image_every=2 * _STEPS if trial.whole else 0,
            parameters="weight",
            gradients="weight",
            environment=False,
            flush_seconds=0.2,
        )
        self._more = SummaryWriter(str(log_dir)) if trial.whole else None

    def __enter__(self) -> None:
        self._collector.__enter__()
        if self._trial.whole:
            self._collector.record.add_value("dataset_graph", "dataset_graph", _pipeline(self._trial))
            self._collector.graph(list(graph(self._trial.hidden)))

    def __exit__(self, *error: object) -> None:
        self._collector.close()
        if self._more:
            self._more.close()

    def checkpoint(self) -> Parameters:
        return {name: values.copy() for name, values in self.parameters.items()}

    def step(self) -> None:
        batch = draw(self._random, _BATCH, self._trial.noise)
        result = result_of(self.parameters, batch, self._trial.leak)
        self._optimizer.update(self.parameters, result.gradients)
        self._collector.step(
            result.loss,
            learning_rate=self._trial.learning_rate,
            parameters=self.parameters,
            gradients=result.gradients,
            inputs=batch.pictures,
            accuracy=result.accuracy,
        )

    def epoch(self) -> None:
        """Records the validation, and what the network has learned to look for."""
        labels = self.validation.labels
        passed = forward(self.parameters, self.validation.pictures, self._trial.leak)
        found = passed.probabilities.argmax(1)
        if self._more:
            self._look(self._more, passed, found)
        self._collector.epoch(
            **{
                "validation/loss": cross_entropy(passed.probabilities, self.validation),
                "validation/accuracy": float((labels == found).mean()),
            }
        )

    def _look(self, more: SummaryWriter, passed: Forward, found: NDArray[np.intp]) -> None:
        labels, step = self.validation.labels, self._collector.steps
        counts = np.zeros((len(SHAPES), len(SHAPES)), np.float32)
        np.add.at(counts, (labels, found), 1)
        shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
        record, kernels = self._collector.record, self.parameters["convolution/weight"]
        record.add_value("tensor", "validation/confusion", shares)
        record.add_value("image", "validation/confusion", _coloured(shares))
        if np.isfinite(kernels).all():
            record.add_value("image", "filters", _filters(kernels))
        wrong = self.validation.pictures[labels != found][:12]
        if len(wrong):
            record.add_value("image", "validation/mistakes", wrong[..., None])
        more.add_text("validation/mistakes", _mistakes(counts), step)
        if np.isfinite(passed.probabilities).all():
            for shape in (0, SHAPES.index("square")):
                more.add_pr_curve(SHAPES[shape], labels == shape, passed.probabilities[:, shape], step)
        if self._collector.epochs == _EPOCHS - 1 and np.isfinite(passed.hidden).all():
            names = [SHAPES[label] for label in labels]
            more.add_embedding(passed.hidden, names, self.validation.pictures[:, None], step, "hidden")


def _landscapes(log_dir: Path, batch: PictureBatch, checkpoints: list[Parameters]) -> None:
    few = PictureBatch(batch.pictures[:96], batch.labels[:96])

    def loss(parameters: Parameters) -> float:
        return loss_of(parameters, few)

    at = range(len(checkpoints))
    compute(loss, checkpoints, log_dir=log_dir, at=at, step_per_epoch=_STEPS, size=28)
    compute(loss, checkpoints[-1], log_dir=log_dir, at=[_EPOCHS], size=28)


def _pipeline(trial: Trial) -> dict[str, object]:
    """Describes how the pictures are made as a pipeline of data, from the last step to the first."""
    drawn = {
        "op_type": "GeneratorDataset",
        "shapes": list(SHAPES),
        "side": SIDE,
        "sampler": {"sampler_name": "RandomSampler", "replacement": True},
    }
    changed = {
        "op_type": "Map",
        "input_columns": ["picture"],
        "operations": [
            {"tensor_op_name": "Brightness", "low": 0.6, "high": 1.0},
            {"tensor_op_name": "Noise", "deviation": trial.noise},
            {"tensor_op_name": "Clip", "low": 0.0, "high": 1.0},
        ],
        "children": [drawn],
    }
    return {"op_type": "Batch", "batch_size": _BATCH, "drop_remainder": False, "children": [changed]}


def _mistakes(counts: Floats) -> str:
    """The most frequent confusions as a table in Markdown. ``counts``: [true shape, found shape]."""
    wrong = counts * (1 - np.eye(len(SHAPES), dtype=np.float32))
    most = [divmod(int(at), len(SHAPES)) for at in np.argsort(-wrong, axis=None, kind="stable")[:5]]
    rows = [
        f"| {SHAPES[true]} | {SHAPES[taken]} | {wrong[true, taken]:.0f} |"
        for true, taken in most
        if wrong[true, taken]
    ]
    if not rows:
        return f"All {counts.sum():.0f} pictures were told apart."
    return "\n".join(
        [
            f"{wrong.sum():.0f} of {counts.sum():.0f} pictures were mistaken.",
            "",
            "| shape | taken for | pictures |",
            "|---|---|---|",
            *rows,
        ]
    )


def _coloured(shares: Floats) -> Floats:
    """A picture of a square each, from white (0) to blue (1)."""
    blue = np.array([0.09, 0.32, 0.67], np.float32)
    pixels = 1 - shares[..., None] * (1 - blue)
    return pixels.repeat(24, 0).repeat(24, 1)


def _filters(kernels: Floats) -> Floats:
    """Kernels side by side: [filters, height, width, 1], each from 0 to 1."""
    low, high = kernels.min((1, 2), keepdims=True), kernels.max((1, 2), keepdims=True)
    scaled = (kernels - low) / np.maximum(high - low, 1e-9)
    framed = np.zeros((len(kernels), 66, 66, 1), np.float32)
    framed[:, 3:63, 3:63, 0] = scaled.repeat(12, 1).repeat(12, 2)
    return framed


if __name__ == "__main__":
    for number, one in enumerate(TRIALS, 1):
        print(f"Training {number} of {len(TRIALS)}: {one.name}", flush=True)
        train(Path(sys.argv[1]), one)
