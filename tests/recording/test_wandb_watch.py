"""``wandb.watch`` of ``insight_record.wandb``: distributions of a model's parameters and gradients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from insight_record import wandb
from tests.recording.accumulated import accumulated

if TYPE_CHECKING:
    import torch
else:
    torch = pytest.importorskip("torch")

pytestmark = pytest.mark.frameworks


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")


def train(model: torch.nn.Module, steps: int) -> None:
    for _ in range(steps):
        model(torch.ones(2, 3)).sum().backward()
        wandb.log({"loss": 1})


def histograms(directory: Path) -> dict[str, list[int]]:
    """The steps of each tag."""
    found: dict[str, Any] = accumulated(directory)["first"]["histograms"]
    return {tag: [step for step, *_ in values] for tag, values in found.items()}


def test_each_nth_pass_is_recorded_at_the_step_of_the_log_after_it(tmp_path: Path) -> None:
    model = torch.nn.Linear(3, 1)
    with wandb.init(name="first"):
        wandb.watch(model, torch.nn.functional.mse_loss, "all", 2)
        train(model, 5)
    assert histograms(tmp_path) == {
        f"{kind}/{name}": [1, 3] for kind in ("gradients", "parameters") for name in ("weight", "bias")
    }


def test_names_of_a_second_model_begin_as_those_of_wandb(tmp_path: Path) -> None:
    models = [torch.nn.Linear(3, 3), torch.nn.Linear(3, 3, bias=False)]
    with wandb.init(name="first"):
        wandb.watch(models, log_freq=1)
        train(torch.nn.Sequential(*models), 1)
    assert set(histograms(tmp_path)) == {"gradients/weight", "gradients/bias", "gradients/graph_1weight"}


def test_a_model_that_is_watched_no_longer_is_not_recorded(tmp_path: Path) -> None:
    first, second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
    with wandb.init(name="first"):
        wandb.watch(first, log="parameters", log_freq=1)
        wandb.watch(second, log="parameters", log_freq=1)
        wandb.unwatch(first)
        train(torch.nn.Sequential(first, second), 1)
    train_alone = torch.nn.Sequential(first, second)
    train_alone(torch.ones(2, 3)).sum().backward()  # the run is finished, and hooks with it
    assert set(histograms(tmp_path)) == {"parameters/graph_1weight", "parameters/graph_1bias"}


def test_sparse_half_and_invalid_gradients_are_recorded(tmp_path: Path) -> None:
    embedding = torch.nn.Embedding(10, 4, sparse=True)
    half = torch.nn.Linear(4, 2, dtype=torch.bfloat16)
    with wandb.init(name="first"):
        wandb.watch((embedding, half), log_freq=1)
        for factor in (1.0, float("nan")):
            (half(embedding(torch.tensor([1, 2])).bfloat16()).sum() * factor).backward()
            wandb.log({"loss": 1})
    assert histograms(tmp_path).keys() == {
        "gradients/weight",
        "gradients/graph_1weight",
        "gradients/graph_1bias",
    }


def test_what_cannot_be_watched_says_why() -> None:
    model = torch.nn.Linear(3, 1)
    with wandb.init(mode="disabled") as run:
        with pytest.raises(
            ValueError, match="log is 'gradients', 'parameters', 'all' or None, not 'weights'"
        ):
            run.watch(model, log="weights")
        with pytest.raises(ValueError, match="log_freq is at least 1, not 0"):
            run.watch(model, log_freq=0)
        run.watch(model)
        with pytest.raises(ValueError, match="watched already"):
            run.watch(model)
