"""Copies to the device: from pageable memory with their rate, and copies that nothing hides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.profile_faults import TENSOR_CORES, profile_of, step_time
from tests.profile_rules import check
from tests.training_traces import COPIES, Machine

_BYTES = 115_600_000
_H200: dict[str, Any] = {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "numSms": 132}


def _trained(kind: str, rate: float, computes: float = 400.0, stream: int = COPIES) -> Machine:
    """Steps that copy a batch (``rate`` in GB/s) and compute."""
    machine = Machine(device=dict(_H200))
    for step in range(6):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            with machine.span("aten::copy_"):
                name, duration = f"Memcpy HtoD ({kind} -> Device)", _BYTES / rate / 1e3
                copied = machine.launch(
                    name, duration, stream=stream, call="cudaMemcpyAsync", category="gpu_memcpy"
                )
                machine.events[-1]["args"]["bytes"] = _BYTES
                if kind == "Pageable":
                    machine.wait(copied)
            for _ in range(40):
                machine.work(5.0)
                with machine.span("aten::mm"):
                    machine.launch(TENSOR_CORES, computes, after=copied)
            machine.wait(machine.free[7])
    return machine


def test_pageable_copies_are_told_with_their_rate_and_that_of_pinned_memory() -> None:
    slow = _trained("Pageable", 6.5)
    found = {one.rule.id: one for one in check(profile_of(slow)) if one.found}
    assert found.keys() == {"pinned_memory", "memory_copies"}  # nothing hides them either
    (one,) = found["pinned_memory"].found
    assert (one.saw.details["rate"], one.saw.details["link"]) == (6.5, 55)
    assert one.saves is not None
    saved = 1 - step_time(_trained("Pinned", 55.0)) / step_time(slow)
    assert one.saves.low == pytest.approx(saved, abs=0.03)
    assert one.saves.high <= 17_785 / (17_785 + 16_000) + 0.01  # the time of the copies, if all is hidden


@pytest.mark.parametrize("computes", [100.0, 1_000.0])
def test_pinned_copies_are_no_finding(computes: float) -> None:
    found = {one.rule.id for one in check(profile_of(_trained("Pinned", 55.0, computes))) if one.found}
    assert "pinned_memory" not in found
    assert ("memory_copies" in found) is (computes < 200)


def test_copies_that_nothing_hides_are_told_with_their_rate() -> None:
    found = {one.rule.id: one.found for one in check(profile_of(_trained("Pinned", 12.0))) if one.found}
    (one,) = found["memory_copies"]
    assert one.saw.details["rate"] == 12.0
