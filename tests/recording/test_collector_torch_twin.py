"""The graph of a PyTorch module is traced without touching the module. Needs torch."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import insight_histogram
import numpy as np
import pytest

from tests.recording.collector_reading import decoded, lineage, opened, scalars, steps, tags

torch: Any = pytest.importorskip("torch", reason="torch is not installed: its collector is not run")
pytestmark = pytest.mark.frameworks


class Busy(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """Its ``forward`` changes all that a module can have."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.teacher = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
        self.register_buffer("steps", torch.zeros(()))
        self.register_buffer("begun", torch.tensor(True))  # which is asked, and so has a value in the twin
        self.plain = torch.zeros(4)
        self.calls, self.seen = 0, list[int]()
        self.hidden = [torch.nn.Linear(4, 4)]
        self.generator = torch.Generator()
        self.last: Any = None

    def forward(self, x: Any) -> Any:  # noqa: ANN401
        self.steps += 1
        self.calls += 1
        self.seen.append(1)
        self.plain += 1
        if self.begun:
            self.begun.fill_(False)
        with torch.no_grad():
            self.hidden[0].weight.data.fill_(3.0)
        noise = torch.randn(4) + torch.rand(4, generator=self.generator) + random.random() + np.random.rand()
        self.last = self.layer(x) + noise
        return self.last


class Averaging(Busy):
    """It changes parameters as well, which ``torch.export`` refuses."""

    def forward(self, x: Any) -> Any:  # noqa: ANN401
        for one, other in zip(self.teacher.parameters(), self.layer.parameters(), strict=True):
            one.data.mul_(0.9).add_(other.data, alpha=0.1)
        return super().forward(x)


class Branching(Busy):
    """``torch.fx`` does not trace it, for it asks a size; ``torch.export`` does."""

    def forward(self, x: Any) -> Any:  # noqa: ANN401
        self.steps += 1
        self.calls += 1
        self.seen.append(1)
        x = x + torch.randn(4) + random.random() + np.random.rand()
        return self.layer(x) if x.shape[0] > 1 else x


def state_of(model: Any) -> list[Any]:  # noqa: ANN401
    return [
        *(values.tolist() for values in model.state_dict().values()),
        *map(id, model.parameters()),
        model.plain.tolist(),
        (model.calls, len(model.seen), model.last, model.training),
        model.hidden[0].weight.tolist(),
        model.generator.get_state().tolist(),
        torch.get_rng_state().tolist(),
        random.getstate(),
        [str(part) for part in np.random.get_state(legacy=False).items()],
    ]


@contextmanager
def hooks_that_tell(model: Any, told: list[str]) -> Iterator[None]:  # noqa: ANN401
    def tells(name: str) -> Callable[..., None]:
        return lambda *_: told.append(name)

    modules = torch.nn.modules.module
    hooks = [
        model.register_forward_hook(tells("forward")),
        model.register_forward_pre_hook(tells("before")),
        model.layer.register_forward_hook(tells("inner")),
        modules.register_module_forward_hook(tells("every")),
        modules.register_module_forward_pre_hook(tells("before every")),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@pytest.mark.parametrize("kind", [Busy, Averaging, Branching])
def test_the_model_and_random_numbers_are_left_alone(kind: type[Busy]) -> None:
    from insight_record.torch_graph import graph_nodes

    model, told = kind(), list[str]()
    with hooks_that_tell(model, told):
        before = state_of(model)
        nodes = graph_nodes(model, torch.ones(3, 4))
        assert state_of(model) == before
        assert told == []
        assert any(node["name"].startswith("layer/") and node.get("shape") == [3, 4] for node in nodes)
        model(torch.ones(3, 4))
        assert {"forward", "before", "inner", "every", "before every"} == set(told)


def test_a_model_that_has_run_holds_what_a_gradient_needs() -> None:
    """Which cannot be copied as it is."""
    from insight_record.torch_graph import graph_nodes

    model = Busy()
    model(torch.ones(3, 4))
    assert model.last.grad_fn is not None
    assert graph_nodes(model)


def test_hooks_of_torch_itself_make_their_weights() -> None:
    from insight_record.torch_graph import graph_nodes

    class Scaled(torch.nn.Module):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2, 4))

        def forward(self, x: Any) -> Any:  # noqa: ANN401
            return x @ self.weight.T

    with pytest.warns(FutureWarning, match="weight_norm"):
        layers = [torch.nn.utils.weight_norm(layer) for layer in (Scaled(), torch.nn.Linear(2, 2))]
    nodes = {node["name"]: node for node in graph_nodes(torch.nn.Sequential(*layers), torch.ones(3, 4))}
    assert nodes["1/Linear"]["shape"] == [3, 2]
    assert nodes["0/weight_g"]["op"] == "Parameter"


def test_a_model_that_cannot_be_copied_has_no_graph(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from insight_record.torch import TorchCollector

    class Locked(torch.nn.Linear):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__(2, 2)
            self.lock = threading.Lock()

    class Single(torch.nn.Linear):  # type: ignore[misc,unused-ignore]
        def __deepcopy__(self, memo: object) -> Single:
            return self

    for number, model in enumerate((Locked(), Single(2, 2))):
        with TorchCollector(str(tmp_path / str(number)), model) as collector:
            collector.step(1.0, inputs=torch.ones(3, 2))
        assert "it cannot be copied for tracing" in caplog.records[number].message


def test_large_tensors_are_not_copied() -> None:
    from insight_record.torch_twin import twin_of

    model = torch.nn.Module()
    model.weight = torch.nn.Parameter(torch.zeros(2))
    model.register_buffer("table", torch.zeros(2**20 + 1))
    model.others = [torch.zeros(2**20 + 1), torch.nn.Parameter(torch.zeros(2**20 + 1)), torch.ones(2)]
    twin = twin_of(model, with_values=False)
    found = [twin.weight, twin.table, *twin.others]
    assert [one.device.type for one in found] == ["meta", "meta", "meta", "meta", "cpu"]
    assert isinstance(twin.weight, torch.nn.Parameter)


def test_parameters_that_nobody_chose_and_that_have_no_numbers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from insight_record.torch import TorchCollector

    model = torch.nn.Sequential(*(torch.nn.Linear(2, 2, bias=False) for _ in range(5)))
    model.register_parameter("waves", torch.nn.Parameter(torch.zeros(2, dtype=torch.complex64)))
    with TorchCollector(str(tmp_path / "left"), model, graph=False, histogram_every=1) as collector:
        for _ in range(2):
            collector.step(1.0)
    said = [record.message for record in caplog.records]
    assert said == ["no histograms of waves: values of type complex64 are not real numbers"]
    with opened(tmp_path) as data:
        assert tags(data, "histogram", "left") == [f"{number}.weight" for number in range(5)]
        assert steps(data, "histogram", "0.weight", "left") == [1, 2]
    with (
        TorchCollector(str(tmp_path / "chosen"), model, graph=False, parameters="waves") as collector,
        pytest.raises(TypeError, match="waves"),
    ):
        collector.step(1.0)


def test_float8_and_modules_that_are_not_made_yet(tmp_path: Path) -> None:
    from insight_record.torch import TorchCollector

    model = torch.nn.Sequential(torch.nn.LazyLinear(3))
    model.register_buffer("none", None)
    model.short = torch.nn.Parameter(torch.full((4,), 2.0).to(torch.float8_e4m3fn), requires_grad=False)
    with TorchCollector(str(tmp_path / "run"), model, graph=False, histogram_every=1) as collector:
        collector.step(1.0)
        model(torch.ones(2, 2))
        collector.step(1.0)
    with opened(tmp_path) as data:
        assert steps(data, "histogram", "0.weight") == [2]
        assert [one.max for one in decoded(data, insight_histogram, "short")] == [2.0, 2.0]
    assert "custom/model_parameters" not in lineage(tmp_path / "run")


def test_nothing_of_a_gradient_is_kept_until_the_next_step(tmp_path: Path) -> None:
    from insight_record.torch import TorchCollector

    weight, inputs = torch.ones(3, requires_grad=True), torch.ones(2, 2)
    with TorchCollector(str(tmp_path / "run"), torch.nn.Linear(2, 2)) as collector:
        for step in range(1, 4):
            loss = (weight * step).sum()
            collector.record.add_value("scalar", "mine", float(step))
            collector.step(loss, error=loss, inputs=lambda: inputs)
            loss.detach().fill_(99.0)
    with opened(tmp_path) as data:
        assert scalars(data, "error") == scalars(data, "loss") == {1: 3.0, 3: 9.0}
        assert scalars(data, "mine") == {1: 1.0, 2: 2.0, 3: 3.0}
