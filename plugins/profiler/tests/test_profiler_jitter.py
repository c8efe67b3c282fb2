"""Steps of which some take much longer: at equal distances, by chance, or none."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.profile_faults import TENSOR_CORES, profile_of
from tests.profile_rules import Checked, check
from tests.training_traces import Machine

_Extra = Callable[[Machine], None]


def _trained(
    slow: Callable[[int], bool], extra: _Extra, steps: int = 12, jitter: float = 0.0, is_last: bool = False
) -> Machine:
    machine, rng = Machine(), random.Random(3)
    for step in range(steps):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            for _ in range(40):
                machine.work(10.0)
                with machine.span("aten::linear"), machine.span("aten::addmm"):
                    machine.launch(TENSOR_CORES, 60.0 * (1 + jitter * rng.random()))
            if slow(step) and not is_last:
                extra(machine)
            with machine.span("aten::item"):
                copy = machine.launch(
                    "Memcpy DtoH (Device -> Pageable)", 1.5, call="cudaMemcpyAsync", category="gpu_memcpy"
                )
                machine.wait(copy)
            if slow(step) and is_last:
                extra(machine)
    return machine


def _found(machine: Machine) -> dict[str, Checked]:
    return {one.rule.id: one for one in check(profile_of(machine)) if one.found}


def _on_the_host(machine: Machine) -> None:
    with machine.span("save_checkpoint", "user_annotation"):
        machine.wait(machine.free[7])
        machine.work(8_000.0)


def _without_a_name(machine: Machine) -> None:
    machine.work(8_000.0)


def _on_the_device(machine: Machine) -> None:
    with machine.span("evaluate", "user_annotation"):
        for _ in range(40):
            machine.work(10.0)
            with machine.span("aten::linear"):
                machine.launch(TENSOR_CORES, 150.0)


@pytest.mark.parametrize(
    ("extra", "name", "is_last"),  # whether it follows the read of the loss
    [
        (_on_the_host, "save_checkpoint", False),
        (_on_the_host, "save_checkpoint", True),
        (_without_a_name, None, False),
        (_without_a_name, None, True),
        (_on_the_device, "cudaStreamSynchronize", False),
    ],
)
def test_every_fourth_step_that_is_slow_is_a_warning_and_nothing_else_is_accused(
    extra: _Extra, name: str | None, is_last: bool
) -> None:
    found = _found(_trained(lambda step: step % 4 == 3, extra, is_last=is_last))
    assert found.keys() == {"step_jitter"}
    (one,) = found["step_jitter"].found
    assert one.severity == "warning"
    assert one.saw.details["period"] == 4
    details: dict[str, Any] = {**one.saw.details}
    assert details["slow"] > 2 * details["p50"]
    assert one.saw.details.get("name") == name
    assert one.saves is not None
    slow = details["slow"] / details["p50"]
    assert one.saves.low == pytest.approx(1 - 4 / (3 + slow), abs=0.05)


def test_slow_steps_by_chance_are_a_hint() -> None:
    found = _found(_trained(lambda step: step in (2, 3, 8), _on_the_host))
    (one,) = found["step_jitter"].found
    assert one.severity == "hint"
    assert "period" not in one.saw.details


def test_steps_that_vary_little_are_no_finding() -> None:
    assert "step_jitter" not in _found(_trained(lambda _: False, _on_the_host, jitter=0.3))
