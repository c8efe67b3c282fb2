"""A host that waits for the device, in loops that read values; and functions for which the device waits."""

from __future__ import annotations

import pytest
from attrs import evolve, frozen

from insight_core.plugin.findings import Finding
from tests.profile_faults import ELEMENTWISE, TENSOR_CORES, profile_of, step_time
from tests.profile_rules import Checked, check
from tests.training_traces import Machine

_FUNCTION = "train.py(158): tokens_of_the_batch"


@frozen
class _Training:
    """Steps of products, then norms that are read one by one, a read of the loss, a function of Python."""

    layers: int = 40
    kernel: float = 60.0
    host: float = 20.0
    norms: int = 0
    between: int = 0  # layers after which a value is read
    reads: bool = True  # the loss, in each step
    extra: tuple[int, ...] = ()  # steps that read one value more, as often as they stand here
    metrics: float = 0.0  # after the loss is read
    function: float = 0.0  # before the next step
    steps: int = 6


def _read(machine: Machine) -> None:
    with machine.span("aten::item"), machine.span("aten::_local_scalar_dense"):
        machine.launch("Memcpy DtoH (Device -> Pageable)", 1.5, call="cudaMemcpyAsync", category="gpu_memcpy")
        machine.wait(machine.free[7])


def _trained(training: _Training) -> Machine:
    machine = Machine()
    for step in range(training.steps):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            for layer in range(training.layers):
                machine.work(training.host)
                with machine.span("aten::linear"), machine.span("aten::addmm"):
                    machine.launch(TENSOR_CORES, training.kernel)
                if layer < training.between:
                    _read(machine)
            for _ in range(training.norms):
                machine.work(15.0)
                with machine.span("aten::linalg_vector_norm"):
                    machine.launch(ELEMENTWISE, 2.0, grid=8)
                _read(machine)
            for _ in range(training.extra.count(step)):
                _read(machine)
            if training.reads:
                _read(machine)
            if training.metrics:
                with machine.span("compute_metrics", "user_annotation"):
                    machine.work(training.metrics)
            if training.function:
                with (
                    machine.span(_FUNCTION, "python_function"),
                    machine.span("<built-in method sort of list>", "python_function"),
                ):
                    machine.work(training.function)
    return machine


def _checked(training: _Training) -> dict[str, Checked]:
    return {one.rule.id: one for one in check(profile_of(_trained(training)))}


def _found(training: _Training, rule: str) -> tuple[Finding, ...]:
    return _checked(training)[rule].found


def test_norms_that_are_read_in_a_loop_are_counted_and_promised_what_one_read_saves() -> None:
    training = _Training(norms=100, kernel=20.0, host=40.0)
    (found,) = _found(training, "synchronisation")
    assert found.saw.details["count"] == 101
    assert (found.saw.details["before"], found.saw.details["name"]) == (
        "aten::linalg_vector_norm",
        "aten::item",
    )
    assert "_foreach_norm" in str(found.change)
    assert found.saves is not None
    saved = 1 - step_time(_trained(evolve(training, norms=1))) / step_time(_trained(training))
    assert found.saves.low - 0.02 <= saved <= found.saves.high + 0.02
    assert found.saves.high - found.saves.low < 0.5


def test_values_that_are_read_between_layers_are_not_told_as_a_loop_that_can_be_spared() -> None:
    training = _Training(between=40, host=40.0)
    (found,) = _found(training, "synchronisation")
    assert found.saw.code == "profiler_synchronises"
    assert found.saves is not None
    saved = 1 - step_time(_trained(evolve(training, between=0))) / step_time(_trained(training))
    assert found.saves.low == pytest.approx(saved, abs=0.05)
    assert found.saves.high - found.saves.low < 0.02


@pytest.mark.parametrize(
    "training",
    [
        _Training(),
        _Training(reads=False),
        _Training(steps=12, extra=(7,)),
        _Training(host=60.0, extra=(3,)),
        _Training(reads=False, host=40.0, kernel=20.0, extra=(3,) * 5),
    ],
)
def test_one_read_in_a_step_is_usual_and_one_more_in_one_step_too(training: _Training) -> None:
    checked = _checked(training)
    for rule in ("synchronisation", "iteration_tail", "idle_steps"):
        assert checked[rule].found == (), rule


def test_what_the_host_does_after_the_loss_is_read_is_named() -> None:
    training = _Training(metrics=2_000.0)
    (found,) = _found(training, "iteration_tail")
    assert found.saw.details["doing"] == "compute_metrics"
    assert found.saw.details["name"] == "aten::item"
    assert found.saw.details["time"] == pytest.approx(2.0, abs=0.1)
    assert found.saves is not None
    saved = 1 - step_time(_trained(evolve(training, reads=False))) / step_time(_trained(training))
    assert found.saves.low == pytest.approx(saved, abs=0.06)
    assert _found(training, "idle_steps") == ()


def test_a_function_for_which_the_device_waits_is_named() -> None:
    training = _Training(reads=False, function=3_000.0, kernel=15.0)
    (found,) = _found(training, "idle_steps")
    assert found.saw.code == "profiler_waits_for_function"
    assert found.saw.details["name"] == _FUNCTION
    assert found.saw.details["time"] == pytest.approx(3.0, abs=0.1)
    assert found.saves is not None
    saved = 1 - step_time(_trained(evolve(training, function=0.0))) / step_time(_trained(training))
    assert found.saves.low - 0.05 <= saved <= found.saves.high + 0.05


def test_a_function_that_runs_while_the_device_works_is_no_finding() -> None:
    ahead = _Training(reads=False, function=300.0, host=5.0, kernel=200.0)
    assert _found(ahead, "idle_steps") == ()
    short = _Training(reads=False, function=50.0)
    assert _found(short, "idle_steps") == ()
