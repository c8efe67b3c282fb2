"""The network of the demo: its gradients are right, it learns, and it says when it cannot write logs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from insight_demo import model
from insight_demo.training import TRIALS, train

from insight_core.plugin import InsightError


def test_logs_that_cannot_be_written_are_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "full").touch()
    with pytest.raises(InsightError, match=re.escape(str(tmp_path / "full"))):
        train(tmp_path / "full", TRIALS[0])


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
