"""SummaryCollector: what is collected when, and what is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import insight_histogram
import insight_image
import numpy as np
import pytest
from insight_lineage.hparams import START_TAG, session_of

from insight_record import SummaryCollector
from tests.recording.collector_reading import decoded, graphs, lineage, opened, scalars, steps, tags


class OnDevice:
    """A tensor that must be fetched, as PyTorch's are; counts how often it was."""

    is_sparse = False
    dtype = "torch.float32"

    def __init__(self, values: Any) -> None:  # noqa: ANN401
        self.values, self.fetched = np.asarray(values, np.float32), 0
        self.shape = self.values.shape

    def detach(self) -> OnDevice:
        return self

    def cpu(self) -> OnDevice:
        self.fetched += 1
        return self

    def numpy(self) -> Any:  # noqa: ANN401
        return self.values


def test_the_first_step_every_nth_and_the_last(tmp_path: Path) -> None:
    weights = {"w": np.zeros(3)}
    with SummaryCollector(str(tmp_path / "run"), histogram_every=5) as collector:
        for step in range(1, 24):
            weights["w"] += 1
            collector.step(step / 2, learning_rate=0.1, parameters=weights, error=step)
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {1: 0.5, 10: 5.0, 20: 10.0, 23: 11.5}
        assert list(scalars(data, "error")) == [1, 10, 20, 23]
        assert list(scalars(data, "learning_rate")) == [1, 10, 20, 23]
        assert steps(data, "histogram", "w") == [1, 5, 10, 15, 20]


def test_an_array_is_recorded_as_it_was_at_its_step(tmp_path: Path) -> None:
    weights = {"w": np.zeros(3)}
    with SummaryCollector(str(tmp_path / "run"), histogram_every=1) as collector:
        for _ in range(4):
            collector.step(0.0, parameters=weights)
            weights["w"] += 1
    with opened(tmp_path) as data:
        histograms = decoded(data, insight_histogram, "w")
    assert [one.max for one in histograms] == [0, 1, 2, 3]


def test_what_is_not_due_is_not_fetched(tmp_path: Path) -> None:
    loss, weight, picture = OnDevice(1), OnDevice(np.ones(4)), OnDevice(np.ones((2, 8, 8)))
    asked = []

    def gradients() -> dict[str, OnDevice]:
        asked.append(1)
        return {"w": weight}

    with SummaryCollector(str(tmp_path / "run"), scalar_every=4, image_every=0, gradients=".") as collector:
        for _ in range(8):
            collector.step(loss, parameters={"w": weight}, gradients=gradients, inputs=picture)
        assert loss.fetched == 3  # steps 1, 4 and 8
        assert weight.fetched == 2  # of the first step, as parameter and as gradient
        assert picture.fetched == 0
        assert asked == [1]


def test_never_is_never(tmp_path: Path) -> None:
    with SummaryCollector(
        str(tmp_path / "run"), scalar_every=0, histogram_every=0, gradient_every=0, image_every=0
    ) as collector:
        for _ in range(100):
            collector.step(
                1.0, parameters={"w": np.ones(2)}, gradients={"w": np.ones(2)}, inputs=np.ones((2, 8, 8))
            )
        collector.epoch(accuracy=0.5)
    with opened(tmp_path) as data:
        kinds = ("scalar", "histogram", "image")
        assert [info.key.tag for kind in kinds for info in data.series(kind)] == ["accuracy"]


def test_the_first_five_parameters_unless_a_pattern_says_which(tmp_path: Path) -> None:
    arrays = {f"layer{number}/{kind}": np.ones(2) for number in range(4) for kind in ("weight", "bias")}
    for name, pattern in (("few", None), ("chosen", "layer[13]/weight")):
        with SummaryCollector(str(tmp_path / name), parameters=pattern, gradients=pattern) as collector:
            collector.step(1.0, parameters=arrays, gradients=iter(arrays.items()))
    with opened(tmp_path) as data:
        found: dict[str, list[str]] = {"few": [], "chosen": []}
        for info in data.series("histogram"):
            found[info.key.run].append(info.key.tag)
        assert sorted(found["few"]) == sorted(list(arrays)[:5])
        chosen = ["layer1/weight", "layer3/weight"]
        assert sorted(found["chosen"]) == sorted([*chosen, *(f"gradients/{one}" for one in chosen)])


def test_a_parameter_without_a_gradient_is_left_out(tmp_path: Path) -> None:
    with SummaryCollector(str(tmp_path / "run"), gradients=".") as collector:
        collector.step(1.0, gradients={"frozen": None, "w": np.ones(2)})
    with opened(tmp_path) as data:
        assert [info.key.tag for info in data.series("histogram")] == ["gradients/w"]


@pytest.mark.parametrize("shape", [(20, 9, 7), (20, 9, 7, 1), (20, 1, 9, 7), (20, 9, 7, 3), (20, 3, 9, 7)])
def test_inputs_are_pictures_side_by_side(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with SummaryCollector(str(tmp_path / "run"), max_images=10) as collector:
        collector.step(1.0, inputs=np.zeros(shape))
    with opened(tmp_path) as data:
        (image,) = decoded(data, insight_image, "inputs")
    assert (image.height, image.width) == (18, 56)


@pytest.mark.parametrize("shape", [(20, 5), (20,), (20, 5, 9, 9), (20, 3, 2), (0, 9, 9)])
def test_inputs_that_are_no_pictures_are_not_shown(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with SummaryCollector(str(tmp_path / "run")) as collector:
        collector.step(1.0, inputs=np.zeros(shape))
    with opened(tmp_path) as data:
        assert not data.series("image")
        assert scalars(data, "loss") == {1: 1.0}


def test_lineage(tmp_path: Path) -> None:
    said = {
        "optimizer": "Adam",
        "learning_rate": 1,
        "batch_size": np.int64(64),
        "epoch": 9,
        "network": "Net",
        "train_dataset_size": 1000,
        "dropout": 0.5,
        "hidden": 32,
        "nesterov": True,
        "betas": (0.9, 0.99),
        "tokens": 10**12,
    }
    with SummaryCollector(str(tmp_path / "run"), hyperparameters=said) as collector:
        for epoch in range(2):
            collector.step(0.5)
            collector.epoch(accuracy=epoch / 2)
    found = lineage(tmp_path / "run")
    assert {name: found[name] for name in ("optimizer", "learning_rate", "batch_size", "network")} == {
        "optimizer": "Adam",
        "learning_rate": 1.0,
        "batch_size": 64,
        "network": "Net",
    }
    assert found["train_dataset_count"] == 1000
    assert (found["epoch"], found["loss"]) == (2, 0.5)  # what was, not what was meant to be
    assert found["metric/accuracy"] == 0.5
    assert (found["custom/dropout"], found["custom/hidden"]) == (0.5, 32)
    assert (found["custom/nesterov"], found["custom/betas"]) == ("true", "(0.9, 0.99)")
    assert found["custom/tokens"] == 10**12
    assert found["custom/numpy"] == np.__version__


def test_lineage_is_there_while_it_trains(tmp_path: Path) -> None:
    with SummaryCollector(
        str(tmp_path / "run"), hyperparameters={"optimizer": "SGD"}, environment=False
    ) as collector:
        collector.record.flush()
        assert lineage(tmp_path / "run") == {"optimizer": "SGD"}


def test_a_learning_rate_that_is_no_number_is_custom(tmp_path: Path) -> None:
    with SummaryCollector(
        str(tmp_path / "run"), hyperparameters={"learning_rate": "cosine", "epoch": 2.5}, environment=False
    ):
        pass
    assert lineage(tmp_path / "run") == {"custom/learning_rate": "cosine", "custom/epoch": 2.5}


def test_an_exception_of_the_training_leaves_everything_recorded(tmp_path: Path) -> None:
    def train() -> None:
        with SummaryCollector(str(tmp_path / "run")) as collector:
            for step in range(1, 6):
                collector.step(step)
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        train()
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {1: 1, 5: 5}


def test_a_training_that_is_taken_up_again(tmp_path: Path) -> None:
    for initial in (0, 20):
        with SummaryCollector(str(tmp_path / "run"), initial_step=initial) as collector:
            for _ in range(20):
                collector.step(1.0)
            assert collector.steps == initial + 20
    with opened(tmp_path) as data:
        assert list(scalars(data, "loss")) == [1, 10, 20, 21, 30, 40]


def test_what_else_is_recorded_goes_with_the_step(tmp_path: Path) -> None:
    """Even one at which nothing is due."""
    with SummaryCollector(str(tmp_path / "run")) as collector:
        for step in range(1, 5):
            if step == 3:
                collector.record.add_value("tensor", "confusion", np.eye(3))
            collector.step(1.0)
        collector.record.add_value("tensor", "later", np.eye(3))
        collector.epoch()
    with opened(tmp_path) as data:
        assert steps(data, "tensor", "confusion") == [3]
        assert steps(data, "tensor", "later") == [4]


def test_what_is_wrong_leaves_the_rest_at_its_step(tmp_path: Path) -> None:
    with SummaryCollector(str(tmp_path / "run"), scalar_every=1) as collector:
        with pytest.raises(TypeError, match="w"):
            collector.step(1.0, parameters={"w": ["not", "numbers"]})
        collector.step(2.0)
        with pytest.raises(ValueError, match="loss"):
            collector.epoch(accuracy=0.5, loss=np.ones(2))
        collector.step(3.0)
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {1: 1.0, 2: 2.0, 3: 3.0}
        assert scalars(data, "accuracy") == {2: 0.5}


def test_a_number_that_is_none_is_named(tmp_path: Path) -> None:
    with SummaryCollector(str(tmp_path / "run")) as collector:
        with pytest.raises(TypeError, match="accuracy"):
            collector.step(1.0, accuracy="much")
        with pytest.raises(ValueError, match="loss"):
            collector.epoch(loss=np.ones(2))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"scalar_every": -1}, "scalar_every"),
        ({"image_every": 0.5}, "image_every"),
        ({"max_images": -1}, "max_images"),
        ({"initial_step": 1.0}, "initial_step"),
        ({"parameters": "("}, "parameters"),
        ({"gradients": "*"}, "gradients"),
        ({"dialect": "csv"}, "dialect"),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        SummaryCollector(str(tmp_path / "run"), **wrong)
    assert not list(tmp_path.rglob("*_MS"))


def test_closed_twice_and_used_after(tmp_path: Path) -> None:
    collector = SummaryCollector(str(tmp_path / "run"))
    collector.step(1.0)
    collector.close()
    collector.close()
    with pytest.raises(ValueError, match="closed"):
        collector.step(1.0)


def test_ranks_write_into_directories_of_their_own(tmp_path: Path) -> None:
    for rank in range(2):
        with SummaryCollector(str(tmp_path / "run"), rank=rank) as collector:
            collector.step(float(rank))
    with opened(tmp_path) as data:
        assert [scalars(data, "loss", f"run/rank_{rank}") for rank in range(2)] == [{1: 0.0}, {1: 1.0}]


def test_in_tensorboards_dialect_lineage_is_hparams(tmp_path: Path) -> None:
    with SummaryCollector(
        str(tmp_path / "run"),
        dialect="tensorboard",
        hyperparameters={"optimizer": "Adam", "learning_rate": 0.5, "hidden": 32},
        environment=False,
    ) as collector:
        collector.step(1.0, parameters={"w": np.ones(3)}, inputs=np.zeros((2, 9, 9)))
        collector.graph([{"name": "x", "op": "Input"}])
        collector.epoch(accuracy=0.75)
    with opened(tmp_path) as data:
        assert tags(data, "scalar") == ["accuracy", "loss"]
        assert (tags(data, "histogram"), tags(data, "image"), graphs(data)) == (["w"], ["inputs"], 1)
        (told,) = [info for info in data.series("lineage") if info.key.tag == START_TAG]
        session = session_of(told.content)
    assert session.hparams == {"optimizer": "Adam", "learning_rate": 0.5, "hidden": 32.0}
