"""Numbers of a training: checked and kept when they are given, whether they are due or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from insight_record import SummaryCollector
from tests.recording.collector_reading import lineage, opened, scalars, tags


class Tensor:
    """A tensor on a device, which may fail when it is fetched; with the graph that its gradient needs."""

    dtype = "torch.float32"

    def __init__(self, values: Any, graph: object = None, *, broken: bool = False) -> None:  # noqa: ANN401
        self.values, self.graph, self.broken = np.array(values, np.float32), graph, broken
        self.shape = self.values.shape

    def detach(self) -> Tensor:
        return SharedTensor(self.values, broken=self.broken)

    def clone(self) -> Tensor:
        return Tensor(self.values, self.graph, broken=self.broken)

    def cpu(self) -> Tensor:
        if self.broken:
            raise RuntimeError("device lost")
        return self

    def numpy(self) -> Any:  # noqa: ANN401
        return self.values


class SharedTensor(Tensor):
    """It has the memory of the one that it was made of."""

    def __init__(self, values: Any, *, broken: bool = False) -> None:  # noqa: ANN401
        super().__init__(values, broken=broken)
        self.values = values


@pytest.mark.parametrize("kind", [np.array, Tensor])
def test_a_number_that_waits_is_as_it_was(tmp_path: Path, kind: Any) -> None:  # noqa: ANN401
    """Buffers are used again, and step 3 is recorded at the end, for it was the last."""
    loss, error = kind(0.0), kind([0.0])
    values = [getattr(one, "values", one) for one in (loss, error)]
    with SummaryCollector(str(tmp_path / "run")) as collector:
        for step in (1, 2, 3):
            for one in values:
                one[...] = step
            collector.step(loss, error=error)
        for one in values:
            one[...] = 99
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == scalars(data, "error") == {1: 1.0, 3: 3.0}
    assert lineage(tmp_path / "run")["loss"] == 3.0


def test_what_waits_keeps_nothing_else(tmp_path: Path) -> None:
    """Neither the graph of a gradient nor what it needs."""

    class Graph:
        alive = 0

        def __init__(self) -> None:
            Graph.alive += 1

        def __del__(self) -> None:
            Graph.alive -= 1

    with SummaryCollector(str(tmp_path / "run")) as collector:
        for _ in range(3):
            collector.step(
                Tensor(1.0, Graph()), learning_rate=Tensor(0.1, Graph()), error=Tensor(2.0, Graph())
            )
            assert Graph.alive == 0


def test_only_numbers_of_the_last_step_wait(tmp_path: Path) -> None:
    for name, steps in (("after", 3), ("due", 10)):
        with SummaryCollector(str(tmp_path / name)) as collector:
            for step in range(1, steps + 1):
                collector.step(step, error=0.5 if step == 2 else None)
    with opened(tmp_path) as data:
        assert scalars(data, "loss", "after") == {1: 1.0, 3: 3.0}
        assert scalars(data, "loss", "due") == {1: 1.0, 10: 10.0}
        assert tags(data, "scalar", "after") == tags(data, "scalar", "due") == ["loss"]


def test_the_last_loss_is_lineage_even_if_no_number_is_collected(tmp_path: Path) -> None:
    with SummaryCollector(str(tmp_path / "run"), scalar_every=0) as collector:
        collector.step(Tensor(1.0))
        collector.step(Tensor(0.5), error="unread")
    assert lineage(tmp_path / "run")["loss"] == 0.5
    with opened(tmp_path) as data:
        assert tags(data, "scalar") == []


def test_an_end_that_was_interrupted_can_be_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = SummaryCollector(str(tmp_path / "run"))
    collector.step(1.0)
    with monkeypatch.context() as patched:
        patched.setattr(collector.record, "close", interrupted)
        with pytest.raises(KeyboardInterrupt):
            collector.close()
    collector.close()
    with pytest.raises(ValueError, match="closed"):
        collector.record.flush()
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {1: 1.0}


def interrupted() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [("much", TypeError), ([1, 2], ValueError), (np.ones(2), ValueError), (Tensor([1.0, 2.0]), ValueError)],
)
def test_a_wrong_number_is_said_at_its_step(tmp_path: Path, wrong: object, kind: type[Exception]) -> None:
    with SummaryCollector(str(tmp_path / "run")) as collector:
        collector.step(1.0, extra=0.5)
        with pytest.raises(kind, match="scalar 'extra': a scalar is "):
            collector.step(2.0, extra=wrong)
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {1: 1.0, 2: 2.0}
        assert scalars(data, "extra") == {1: 0.5}


def test_what_fails_at_the_end_hides_neither_the_training_nor_its_lineage(tmp_path: Path) -> None:
    def train(*, fails: bool) -> None:
        with SummaryCollector(str(tmp_path / "run")) as collector:
            collector.step(1.0)
            collector.epoch(accuracy=0.5)
            collector.step(Tensor(2.0, broken=True))
            if fails:
                raise ZeroDivisionError("the training")

    with pytest.raises(ZeroDivisionError, match="the training") as told:
        train(fails=True)
    assert any("device lost" in note for note in told.value.__notes__)
    found = lineage(tmp_path / "run")
    assert (found["metric/accuracy"], found["epoch"]) == (0.5, 1)
    with pytest.raises(Exception, match="device lost"):
        train(fails=False)


def test_numbers_of_whatever_name(tmp_path: Path) -> None:
    named = {"inputs": 1.0, "parameters": 2.0, "numbers": 3.0, "self": 4.0, "learning_rate": 5.0, "no": None}
    with SummaryCollector(str(tmp_path / "run")) as collector:
        collector.step(0.5, learning_rate=0.1, numbers=named, error=6.0)
        collector.epoch({"self": 7.0}, numbers=8.0)
        with pytest.raises(TypeError, match="numbers is a mapping"):
            collector.step(0.5, numbers=3.0)  # type: ignore[arg-type]
    with opened(tmp_path) as data:
        assert tags(data, "scalar") == [
            "error",
            "inputs",
            "learning_rate",
            "loss",
            "numbers",
            "parameters",
            "self",
        ]
        assert scalars(data, "learning_rate") == {1: 5.0}


def test_none_is_left_out_of_an_epoch_as_of_a_step(tmp_path: Path) -> None:
    with SummaryCollector(str(tmp_path / "run")) as collector:
        collector.step(0.5, error=None)
        collector.epoch(accuracy=None, loss=0.25)
        collector.step()
    with opened(tmp_path) as data:
        assert tags(data, "scalar") == ["loss"]
    found = lineage(tmp_path / "run")
    assert (found["loss"], found["metric/loss"]) == (0.5, 0.25)
    assert "metric/accuracy" not in found


def test_whole_numbers_of_numpy_are_taken(tmp_path: Path) -> None:
    with SummaryCollector(
        str(tmp_path / "run"), scalar_every=np.int64(2), max_images=np.uint8(3), initial_step=np.int32(4)
    ) as collector:
        for _ in range(4):
            collector.step(1.0)
    with opened(tmp_path) as data:
        assert list(scalars(data, "loss")) == [5, 6, 8]
