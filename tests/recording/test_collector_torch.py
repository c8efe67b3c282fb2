"""TorchCollector. Needs torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import insight_histogram
import numpy as np
import pytest

from tests.recording.collector_reading import decoded, graphs, lineage, opened, scalars, steps, tags

torch: Any = pytest.importorskip("torch", reason="torch is not installed: its collector is not run")
pytestmark = pytest.mark.frameworks


@pytest.fixture
def collected(tmp_path: Path) -> Any:  # noqa: ANN401
    """Trains for some steps; the model, the weights and the gradients of each step."""
    from insight_record.torch import TorchCollector

    def train(count: int = 12, model: Any = None, **collecting: Any) -> Any:  # noqa: ANN401
        torch.manual_seed(0)
        model = model or torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(81, 3), torch.nn.Linear(3, 1)
        )
        optimizer = torch.optim.AdamW(
            [{"params": model[1].parameters()}, {"params": model[2].parameters(), "lr": 0.5}], lr=0.25
        )
        seen = []
        with TorchCollector(str(tmp_path / "run"), model, optimizer, **collecting) as collector:
            for _ in range(count):
                inputs = torch.randn(4, 1, 9, 9)
                optimizer.zero_grad()
                loss = model(inputs).square().mean()
                loss.backward()
                optimizer.step()
                collector.step(loss, inputs=inputs)
                seen.append((loss.item(), model[1].weight.detach().clone(), model[1].weight.grad.clone()))
            collector.epoch(accuracy=torch.tensor(0.5))
        return seen

    return train


def test_what_model_and_optimizer_have(collected: Any, tmp_path: Path) -> None:  # noqa: ANN401
    seen = collected(histogram_every=4, gradient_every=6, gradients="1.weight")
    with opened(tmp_path) as data:
        expected = {step: seen[step - 1][0] for step in (1, 10, 12)}
        assert scalars(data, "loss") == pytest.approx(expected)
        assert set(scalars(data, "learning_rate").values()) == {0.25}
        assert set(scalars(data, "learning_rate/1").values()) == {0.5}
        assert scalars(data, "accuracy") == {12: 0.5}
        assert steps(data, "histogram", "1.weight") == [1, 4, 8, 12]
        assert steps(data, "histogram", "gradients/1.weight") == [1, 6, 12]
        assert tags(data, "histogram") == ["1.bias", "1.weight", "2.bias", "2.weight", "gradients/1.weight"]
        assert tags(data, "image") == ["inputs"]
        for tag, column, at in (("1.weight", 1, (1, 4, 8, 12)), ("gradients/1.weight", 2, (1, 6, 12))):
            largest = [float(seen[step - 1][column].max()) for step in at]
            assert [one.max for one in decoded(data, insight_histogram, tag)] == pytest.approx(largest)


def test_lineage(collected: Any, tmp_path: Path) -> None:  # noqa: ANN401
    collected(2, hyperparameters={"network": "Mine"})
    found = lineage(tmp_path / "run")
    assert (found["optimizer"], found["learning_rate"], found["network"]) == ("AdamW", 0.25, "Mine")
    assert found["custom/betas"] == "(0.9, 0.999)"
    assert found["custom/model_parameters"] == 81 * 3 + 3 + 3 + 1
    assert (found["custom/torch"], found["custom/device"]) == (torch.__version__, "cpu")


def test_training_is_the_same_as_without_it(collected: Any) -> None:  # noqa: ANN401
    """Neither random numbers nor running statistics are touched."""
    model = torch.nn.Sequential(
        torch.nn.Flatten(),
        torch.nn.Linear(81, 3),
        torch.nn.Linear(3, 1),
        torch.nn.BatchNorm1d(1),
        torch.nn.Dropout(),
    )
    state = {name: values.clone() for name, values in model.state_dict().items()}
    with_graph = [loss for loss, *_ in collected(5, model)]
    model.load_state_dict(state)
    without = [loss for loss, *_ in collected(5, model, graph=False, histogram_every=0, image_every=0)]
    assert with_graph == without
    assert model.training


def test_the_graph(collected: Any, tmp_path: Path) -> None:  # noqa: ANN401
    collected(1)
    with opened(tmp_path) as data:
        assert graphs(data) == 1


class Branching(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """``torch.fx`` does not trace it, for it asks a size."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:  # noqa: ANN401
        return self.inner(x) if x.shape[0] > 1 else x


class Deciding(Branching):
    """Nothing traces it, for it asks a value."""

    def forward(self, x: Any) -> Any:  # noqa: ANN401
        return self.inner(x) if x.sum() > 0 else x


def by_name(model: Any, inputs: Any = None) -> dict[str, Any]:  # noqa: ANN401
    from insight_record.torch_graph import graph_nodes

    return {node["name"]: node for node in graph_nodes(model, inputs)}


def test_nodes_by_module() -> None:
    inner = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
    nodes = by_name(torch.nn.Sequential(inner, inner[0].__class__(3, 2)), torch.ones(5, 4))
    assert list(nodes) == [
        "input_1",
        "0/0/weight",
        "0/0/bias",
        "0/0/Linear",
        "0/1/ReLU",
        "1/weight",
        "1/bias",
        "1/Linear",
        "output",
    ]
    assert nodes["0/0/Linear"] == {
        "name": "0/0/Linear",
        "op": "Linear",
        "inputs": ["input_1", "0/0/weight", "0/0/bias"],
        "shape": [5, 3],
    }
    assert nodes["0/0/weight"]["op"] == "Parameter"
    assert nodes["output"]["inputs"] == ["1/Linear"]


def test_a_module_that_is_called_twice_has_two_nodes_and_one_weight() -> None:
    class Twice(torch.nn.Module):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:  # noqa: ANN401
            return torch.relu(self.layer(self.layer(x)))

    nodes = by_name(Twice())
    assert nodes["layer/Linear_1"]["inputs"] == ["layer/Linear", "layer/weight", "layer/bias"]
    assert nodes["relu"]["inputs"] == ["layer/Linear_1"]
    assert "shape" not in nodes["relu"]


@pytest.mark.parametrize("traced", [True, False])
def test_a_shared_weight_is_one_node_and_frozen_ones_are_not_trainable(traced: bool) -> None:
    class Tied(torch.nn.Module):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(10, 4)
            self.frozen = torch.nn.Linear(4, 4).requires_grad_(False)
            self.norm = torch.nn.BatchNorm1d(4)
            self.head = torch.nn.Linear(4, 10, bias=False)
            self.head.weight = self.words.weight

        def forward(self, x: Any) -> Any:  # noqa: ANN401
            out = self.head(self.norm(self.frozen(self.words(x))))
            return out if traced or out.shape[0] > 0 else x  # torch.fx takes shapes for numbers, not truths

    model, inputs = Tied(), torch.zeros(6, dtype=torch.int64)
    nodes = by_name(model, inputs)
    sizes: dict[object, int] = {}
    for node in nodes.values():
        if node["op"] in ("Parameter", "Buffer"):
            kind = node.get("attributes", {}).get("trainable", "buffer")
            sizes[kind] = sizes.get(kind, 0) + int(np.prod(node["shape"]))
    assert sizes == {
        True: sum(one.numel() for one in model.parameters() if one.requires_grad),
        False: sum(one.numel() for one in model.parameters() if not one.requires_grad),
        "buffer": sum(one.numel() for one in model.buffers()),
    }
    assert sum("words/weight" in node["inputs"] for node in nodes.values()) == 2


def test_export_where_fx_fails() -> None:
    with pytest.raises(Exception, match="control flow"):
        by_name(Branching())
    nodes = by_name(Branching(), torch.ones(5, 2))
    assert nodes["inner/linear"]["inputs"] == ["x", "inner/weight", "inner/bias"]
    assert nodes["inner/linear"]["shape"] == [5, 2]


def test_without_a_graph_it_trains_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from insight_record.torch import TorchCollector

    with TorchCollector(str(tmp_path / "run"), Deciding()) as collector:
        collector.step(torch.tensor(1.0), inputs=torch.ones(5, 2))
    said = [record.message for record in caplog.records if record.name == "insight_record.torch"]
    assert len(said) == 1
    assert said[0].startswith("no graph of Deciding: ")
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {1: 1.0}
        assert graphs(data) == 0


def test_half_precision_and_sparse_gradients(tmp_path: Path) -> None:
    from insight_record.torch import TorchCollector

    model = torch.nn.Embedding(10, 3, sparse=True).bfloat16()
    with TorchCollector(str(tmp_path / "run"), model, gradients=".", graph=False) as collector:
        loss = model(torch.tensor([1, 1, 2])).float().sum()
        loss.backward()
        collector.step(loss)
    with opened(tmp_path) as data:
        (histogram,) = decoded(data, insight_histogram, "gradients/weight")
        assert (histogram.count, histogram.min, histogram.max) == (30, 0, 2)
        (weights,) = decoded(data, insight_histogram, "weight")
        assert weights.max == pytest.approx(float(np.max(model.weight.detach().float().numpy())))


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")  # of torch.compile's own imports
def test_the_graph_of_a_compiled_model_is_that_of_the_model(tmp_path: Path) -> None:
    from insight_record.torch import TorchCollector

    model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
    with TorchCollector(str(tmp_path / "run"), torch.compile(model)) as collector:
        collector.step(1.0)
    with opened(tmp_path) as data:
        assert graphs(data) == 1


class _Named(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """Takes its arguments by name, as models of Hugging Face do."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = torch.nn.Linear(9, 2)

    def forward(self, pixels: Any, mask: Any = None, scale: Any = None) -> Any:  # noqa: ANN401
        found = self.encoder(pixels.flatten(1))
        if scale.sum() > 0:  # which torch.fx cannot trace
            found = found + 1
        return found


class _OfOne(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """Takes one mapping."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = torch.nn.Linear(9, 2)

    def forward(self, batch: Any) -> Any:  # noqa: ANN401
        return self.encoder(batch["pixels"].flatten(1))


@pytest.mark.parametrize("model", [_OfOne(), torch.nn.Linear(3, 3)])
def test_inputs_and_optimizers_by_name(tmp_path: Path, model: Any) -> None:  # noqa: ANN401
    from insight_record.torch import TorchCollector

    batch = {"pixels": torch.rand(2, 1, 3, 3), "labels": torch.tensor([0, 1])}
    optimizers = [torch.optim.SGD(model.parameters(), lr=rate) for rate in (0.25, 0.5)]
    with TorchCollector(str(tmp_path / "run"), model, optimizers) as collector:
        collector.step(1.0, inputs=batch)
    with opened(tmp_path) as data:
        assert tags(data, "image") == ["inputs/pixels"]
        assert scalars(data, "learning_rate/optimizer0") == {1: 0.25}
        assert scalars(data, "learning_rate/optimizer1") == {1: 0.5}
    assert lineage(tmp_path / "run")["optimizer"] == "SGD, SGD"


def test_the_graph_of_a_model_that_takes_a_mapping() -> None:
    from insight_record.torch_graph import graph_nodes

    nodes = graph_nodes(_OfOne(), {"pixels": torch.rand(2, 1, 3, 3)})
    assert {"encoder/weight", "encoder/bias"} <= {node["name"] for node in nodes}


def test_arguments_by_name_reach_the_tracer() -> None:
    from insight_record.torch_graph import _arguments

    ones = torch.ones(1)
    assert _arguments(_Named(), {"pixels": 1, "scale": 2}) == ((1,), {"scale": 2})
    assert _arguments(_Named(), {"other": ones}) == (({"other": ones},), {})
    assert _arguments(_Named(), (1, 2)) == ((1, 2), {})


def test_each_rank_has_a_run_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from insight_record.torch import TorchCollector

    monkeypatch.setenv("RANK", "2")
    with TorchCollector(str(tmp_path), torch.nn.Linear(1, 1), per_rank=True, graph=False) as collector:
        collector.step(1.0)
    assert collector.record.log_dir == tmp_path / "rank_2"
