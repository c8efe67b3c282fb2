"""What runs with a fault share: one finding for a sweep, from logs that a training wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import insight_diagnose
import insight_lineage
import insight_scalar
import numpy as np
import pytest
from numpy.typing import NDArray

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.findings import Finding
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_record.summary_writer import SummaryWriter
from tests.sweeps import Sweep, sweep

_Losses: TypeAlias = Callable[[bool, np.random.Generator], NDArray[np.float64]]


def _stuck(is_faulty: bool, random: np.random.Generator) -> NDArray[np.float64]:
    falling = np.zeros(200) if is_faulty else 2 * (1 - np.exp(-np.arange(200) / 50))
    return 2.3 - falling + random.normal(size=200) * 0.01


def _nan(is_faulty: bool, random: np.random.Generator) -> NDArray[np.float64]:
    losses = _stuck(False, random)
    losses[120 if is_faulty else 200 :] = np.nan
    return losses


class _Sweeps:
    """Writes sweeps below a directory and asks what their runs share."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def shared(self, planted: Sweep, losses: _Losses, *, tag: str = "train/loss") -> list[Finding]:
        root = self.root / str(len(list(self.root.iterdir())))
        random = np.random.default_rng(7)
        for run, is_faulty in enumerate(planted.faulty.tolist()):
            with SummaryWriter(root / f"run{run:02}") as writer:
                values = {name: cells[run] for name, cells in planted.columns.items()}
                writer.add_configuration({name: one for name, one in values.items() if one is not None})
                for step, value in enumerate(losses(is_faulty, random).tolist()):
                    writer.add_scalar(tag, value, step)
        return self.of(root)

    def of(self, root: Path) -> list[Finding]:
        modules = {"diagnose": insight_diagnose, "lineage": insight_lineage, "scalar": insight_scalar}
        plugins = [one.insight_plugin() for one in modules.values()]
        provider = LocalProvider([Logdir(str(root))], plugins, reload_interval=0)
        provider.load()
        host = Host(Registry.of([(name, lambda one=one: one) for name, one in modules.items()]), provider)  # type: ignore[misc]
        try:
            found = host.findings()
        finally:
            provider.close()
        assert [one.reason for one in found.unchecked if one.failed] == []
        return [one for one in found.findings if one.shared]


@pytest.fixture
def sweeps(tmp_path: Path) -> _Sweeps:
    return _Sweeps(tmp_path)


def _planted(faulty: Callable[[Mapping[str, NDArray[Any]]], Any], **more: list[Any]) -> Sweep:
    """60 runs, each learning rate with each batch size and optimiser."""
    rows = [
        (lr, size, name) for lr in (0.3, 0.1, 0.03, 0.01, 0.003) for size in (16, 32, 64) for name in "abcd"
    ]
    columns: dict[str, list[Any]] = {
        name: [row[at] for row in rows] for at, name in enumerate(("lr", "batch_size", "optimizer"))
    }
    columns |= more
    marks = faulty({name: np.array(cells) for name, cells in columns.items()})
    return Sweep(columns, np.asarray(marks, np.bool_), frozenset())


def _conditions(found: Finding) -> list[str]:
    return [one.text for one in found.shared]


def test_twelve_stuck_runs_of_sixty_are_one_finding_with_the_learning_rate(sweeps: _Sweeps) -> None:
    [found] = sweeps.shared(_planted(lambda columns: columns["lr"] == 0.3), _stuck)
    assert found.rule == "no_improvement"
    assert str(found.saw).startswith("12 of 60 runs: Loss does not improve; run00: train/loss")
    assert [str(one) for one in found.shared] == ["lr = 0.3"]
    assert sorted(found.runs) == [f"run{run:02}" for run in range(12)]
    assert found.place.tag == "train/loss"


def test_exceptions_are_counted(sweeps: _Sweeps) -> None:
    planted = _planted(lambda columns: (columns["lr"] == 0.3) ^ np.isin(np.arange(60), [3, 20, 41]))
    [found] = sweeps.shared(planted, _nan)
    assert (found.rule, found.severity, len(found.runs)) == ("nonfinite", "error", 13)
    assert [str(one) for one in found.shared] == ["lr = 0.3 (11 of 13, and 1 of 47 others)"]


def test_other_runs_that_have_the_value_too_are_counted(sweeps: _Sweeps) -> None:
    planted = _planted(lambda columns: (columns["lr"] == 0.3) & (np.arange(60) % 5 > 0))
    [found] = sweeps.shared(planted, _nan)
    assert [str(one) for one in found.shared] == ["lr = 0.3 (9 of 9, and 3 of 51 others)"]


def test_one_cause_of_several_faults_is_named_at_each(sweeps: _Sweeps) -> None:
    """Losses that explode are found by several rules, not all of them in the same runs."""

    def explodes(is_faulty: bool, random: np.random.Generator) -> NDArray[np.float64]:
        losses = _stuck(False, random)
        if is_faulty:
            losses[120:] = np.exp(np.arange(80) / 10) + random.normal(size=80) / 10
            losses[190 + random.integers(0, 20) :] = np.inf
        return losses

    found = sweeps.shared(_planted(lambda columns: columns["lr"] == 0.3), explodes)
    assert {"divergence", "nonfinite"} <= {one.rule for one in found}
    assert {text for one in found for text in _conditions(one)} == {"lr = 0.3"}


def test_hyperparameters_that_change_together_are_all_named(sweeps: _Sweeps) -> None:
    planted = _planted(lambda columns: columns["lr"] == 0.3, clip=[5.0] * 12 + [1.0] * 48)
    [found] = sweeps.shared(planted, _stuck)
    assert sorted(_conditions(found)) == ["clip = 5", "lr = 0.3"]


def test_faults_that_nothing_explains_are_not_explained(sweeps: _Sweeps) -> None:
    assert sweeps.shared(sweep("random", "nothing", 5, 40), _stuck) == []
    assert sweeps.shared(_planted(lambda columns: columns["lr"] > 0), _stuck) == []  # all runs
    assert sweeps.shared(_planted(lambda columns: columns["lr"] < 0), _stuck) == []  # none


def _trained(lr: float, momentum: float, width: int, batch_size: int, seed: int) -> list[float]:
    """The losses of a network of one hidden layer, trained by gradient descent with momentum."""
    random, data = np.random.default_rng(seed), np.random.default_rng(1)
    x = data.normal(size=(512, 8))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    weights = [random.normal(size=(8, width)) / np.sqrt(8), random.normal(size=width) / np.sqrt(width)]
    speeds = [np.zeros_like(one) for one in weights]
    losses = []
    with np.errstate(all="ignore"):
        for _ in range(200):
            batch = random.integers(0, len(x), batch_size)
            hidden = np.maximum(x[batch] @ weights[0], 0)
            error = hidden @ weights[1] - y[batch]
            losses.append(float((error**2).mean()))
            back = np.outer(error, weights[1]) * (hidden > 0)
            gradients = [x[batch].T @ back, hidden.T @ error]
            for at, gradient in enumerate(gradients):
                speeds[at] = momentum * speeds[at] + gradient * 2 / batch_size
                weights[at] = weights[at] - lr * speeds[at]
    return losses


@pytest.mark.parametrize("seed", range(2))
def test_trainings_that_become_nan_share_the_learning_rate(
    tmp_path: Path, sweeps: _Sweeps, seed: int
) -> None:
    random = np.random.default_rng(seed)
    choices: dict[str, list[Any]] = {"lr": [0.001, 0.003, 0.01, 0.03, 0.3, 1.0], "momentum": [0.0, 0.5]}
    choices |= {"width": [8, 32, 64], "batch_size": [8, 32, 128]}
    for run in range(48):
        chosen = {name: values[random.integers(len(values))] for name, values in choices.items()}
        with SummaryWriter(tmp_path / "sweep" / f"run{run:02}") as writer:
            writer.add_configuration({**chosen, "seed": run})
            for step, value in enumerate(_trained(**chosen, seed=run)):
                writer.add_scalar("train/loss", value, step)
    found = sweeps.of(tmp_path / "sweep")
    [nonfinite] = [one for one in found if one.rule == "nonfinite"]
    assert all(text.startswith("lr ") for text in _conditions(nonfinite))
    assert nonfinite.severity == "error"
