"""The trainings of the demo, recorded as anybody would record theirs."""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from attrs import define, field, frozen
from insight_landscape import compute

from insight_core.plugin import InsightError
from insight_demo.model import (
    SHAPES,
    SIDE,
    Clock,
    Floats,
    Optimizer,
    Parameters,
    PictureBatch,
    draw,
    graph,
    initial,
    loss_of,
    predicted,
    result_of,
)
from insight_record import SummaryCollector

log = logging.getLogger(__name__)

_EPOCHS, _STEPS = 8, 40  # steps of an epoch
_BATCH = 32
_VALIDATION = 256  # pictures
_LIVE_STEP = 0.05  # seconds
_PROFILED = range(60, 75)  # steps


@frozen
class Trial:
    """One run: how it is trained. ``landscape``: whether the loss around it is computed."""

    name: str
    optimizer: str
    learning_rate: float
    hidden: int = 24
    noise: float = 0.15
    landscape: bool = False


TRIALS = (
    Trial("sgd-0.02", "sgd", 0.02),
    Trial("sgd-0.2", "sgd", 0.2),
    Trial("momentum-0.05", "momentum", 0.05, landscape=True),
    Trial("sgd-1.2", "sgd", 1.2),
    Trial("adam-0.003", "adam", 0.003, landscape=True),
    Trial("adam-0.03-noisy", "adam", 0.03, noise=0.4),
)
LIVE = Trial("live", "adam", 0.002, hidden=32)


class Ended(Exception):
    """Raised by a training that was told to end before it was done."""


def train(root: Path, trial: Trial, ended: threading.Event) -> None:
    """A whole run in a directory of its name, unless it is ``ended`` before (Ended).

    Raises InsightError where it cannot be written.
    """
    try:
        _train(root / trial.name, trial, ended)
    except OSError as error:
        raise InsightError(f"the logs of the demo cannot be written: {error}") from error


def _train(log_dir: Path, trial: Trial, ended: threading.Event) -> None:
    training = _Training(log_dir, trial, ended, epochs=_EPOCHS)
    checkpoints = [training.checkpoint()]
    with training.collector:
        training.describe(trial)
        for _ in range(_EPOCHS):
            for _ in range(_STEPS):
                training.step(trial.learning_rate)
            training.epoch()
            checkpoints.append(training.checkpoint())
    training.trace.write(log_dir / "demo.trace.json")
    if trial.landscape:
        _landscapes(log_dir, training.validation, checkpoints, ended)


def train_on(root: Path, ended: threading.Event) -> None:
    """A run that goes on until ``ended``; its learning rate and the noise of its pictures come and go."""
    try:
        training = _Training(root / LIVE.name, LIVE, ended, epochs=0)
        with training.collector:
            training.describe(LIVE)
            for step in itertools.count():
                if step and step % _STEPS == 0:
                    training.epoch()
                training.noise = 0.3 - 0.2 * np.cos(2 * np.pi * step / 2000)
                training.step(LIVE.learning_rate * (1 + np.cos(np.pi * (step % 400) / 400)) / 2)
                ended.wait(_LIVE_STEP)
    except Ended:
        pass
    except OSError as error:
        log.error("the live training ended: %s", error)


class _Training:
    def __init__(self, log_dir: Path, trial: Trial, ended: threading.Event, epochs: int) -> None:
        self._ended = ended
        self._random = np.random.default_rng(7)
        self.parameters = initial(self._random, trial.hidden)
        self.validation = draw(np.random.default_rng(1), _VALIDATION, trial.noise)
        self.noise = trial.noise
        self._optimizer = Optimizer(trial.optimizer, trial.learning_rate)
        self.trace = _Trace()
        self.collector = SummaryCollector(
            log_dir,
            hyperparameters={
                "optimizer": trial.optimizer,
                "learning_rate": trial.learning_rate,
                "batch_size": _BATCH,
                **({"epoch": epochs} if epochs else {}),
                "loss_function": "cross entropy",
                "network": "ShapeNet",
                "hidden": trial.hidden,
                "noise": trial.noise,
            },
            scalar_every=2,
            histogram_every=20,
            gradient_every=20,
            image_every=_STEPS,
            parameters="weight",
            gradients="weight",
            flush_seconds=0.2,
        )

    def describe(self, trial: Trial) -> None:
        self.collector.record.add_value("dataset_graph", "dataset_graph", _pipeline(trial))
        self.collector.graph(list(graph(trial.hidden)))

    def checkpoint(self) -> Parameters:
        return {name: values.copy() for name, values in self.parameters.items()}

    def step(self, learning_rate: float) -> None:
        _go_on(self._ended)
        trace = self.trace.of_step(self.collector.steps)
        with trace.span(f"ProfilerStep#{self.collector.steps}"):  # as torch calls a step
            with trace.span("draw pictures"):
                batch = draw(self._random, _BATCH, self.noise)
            result = result_of(self.parameters, batch, trace)
            with trace.span("update"):
                self._optimizer.learning_rate = learning_rate
                self._optimizer.update(self.parameters, result.gradients)
            with trace.span("record"):
                self.collector.step(
                    result.loss,
                    learning_rate=learning_rate,
                    parameters=self.parameters,
                    gradients=result.gradients,
                    inputs=batch.pictures,
                    accuracy=result.accuracy,
                )

    def epoch(self) -> None:
        """Records the validation, and what the network has learned to look for."""
        labels, found = self.validation.labels, predicted(self.parameters, self.validation.pictures)
        confusion = np.zeros((len(SHAPES), len(SHAPES)), np.float32)
        np.add.at(confusion, (labels, found), 1)
        confusion /= np.maximum(confusion.sum(1, keepdims=True), 1)
        record = self.collector.record
        record.add_value("tensor", "validation/confusion", confusion)
        record.add_value("tensor", "convolution/weight", self.parameters["convolution/weight"])
        record.add_value("image", "validation/confusion", _coloured(confusion))
        record.add_value("image", "filters", _filters(self.parameters["convolution/weight"]))
        wrong = self.validation.pictures[labels != found][:24]
        if len(wrong):
            record.add_value("image", "validation/mistakes", wrong[..., None])
        self.collector.epoch(
            **{
                "validation/loss": loss_of(self.parameters, self.validation),
                "validation/accuracy": float((labels == found).mean()),
            }
        )


def _go_on(ended: threading.Event) -> None:
    if ended.is_set():
        raise Ended


def _landscapes(
    log_dir: Path, batch: PictureBatch, checkpoints: list[Parameters], ended: threading.Event
) -> None:
    few = PictureBatch(batch.pictures[:96], batch.labels[:96])

    def loss(parameters: Parameters) -> float:
        _go_on(ended)
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


@define
class _Trace(Clock):
    """Records what was computed when as a Chrome trace, for the profiler's tab."""

    events: list[dict[str, object]] = field(factory=list)
    _unheeded: Clock = field(factory=Clock)

    def of_step(self, step: int) -> Clock:
        return self if step in _PROFILED else self._unheeded

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        began = time.perf_counter_ns()
        try:
            yield
        finally:
            lasted = time.perf_counter_ns() - began
            times = {"ts": began / 1000, "dur": lasted / 1000}
            self.events.append(
                {"ph": "X", "cat": "operator", "name": name, "pid": "demo", "tid": "training", **times}
            )

    def write(self, path: Path) -> None:
        path.write_text(json.dumps({"traceEvents": self.events}), encoding="utf-8")
