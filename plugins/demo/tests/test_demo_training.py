"""The network of the demo: its gradients are right, it learns, and it says when it cannot write logs."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import numpy as np
import pytest
from insight_demo import model
from insight_demo.training import TRIALS, train, train_on

import insight_host
from insight_core.plugin import InsightError
from tests.waiting import eventually


def test_logs_that_cannot_be_written_are_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "full").touch()
    with pytest.raises(InsightError, match=re.escape(str(tmp_path / "full"))):
        train(tmp_path / "full", TRIALS[0])


def test_live_runs_are_as_long_as_those_of_the_sweep_and_one_follows_the_other(tmp_path: Path) -> None:
    ended = threading.Event()
    training = threading.Thread(target=train_on, args=(tmp_path, ended, 0.0))
    training.start()
    eventually((tmp_path / "live-2").exists)
    ended.set()
    training.join()
    train(tmp_path, TRIALS[0])
    with insight_host.open(tmp_path) as logs:
        lengths = {
            run: len(logs.scalars(runs=run, tags="loss")["step"]) for run in logs.runs()["run"].tolist()
        }
    assert lengths["live"] == lengths[TRIALS[0].name] > 0
    assert lengths["live-2"] < lengths["live"]


def test_gradients_are_the_slope_of_the_loss() -> None:
    random = np.random.default_rng(3)
    batch = model.draw(random, 16, 0.1)
    exact = {name: values.astype(np.float64) for name, values in model.initial(random, 6).items()}
    found = model.result_of(exact, batch)  # type: ignore[arg-type]  # float64, for the sake of the slope
    for name, gradient in found.gradients.items():
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        slopes = []
        for step in (1e-6, -1e-6):
            moved = {other: values.copy() for other, values in exact.items()}
            moved[name][place] += step
            slopes.append(model.loss_of(moved, batch) / step)
        assert sum(slopes) / 2 == pytest.approx(gradient[place], rel=1e-4), name


@pytest.mark.parametrize(("kind", "rate"), [("sgd", 0.2), ("momentum", 0.05), ("adam", 0.01)])
def test_it_learns(kind: str, rate: float) -> None:
    random = np.random.default_rng(0)
    parameters, optimizer = model.initial(random, 24), model.Optimizer(kind, rate)
    for _ in range(200):
        batch = model.draw(random, 32, 0.15)
        optimizer.update(parameters, model.result_of(parameters, batch).gradients)
    unseen = model.draw(random, 256, 0.15)
    assert (model.forward(parameters, unseen.pictures).probabilities.argmax(1) == unseen.labels).mean() > 0.8
