"""Attention that is computed as single products and a softmax, and what looks like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from insight_core.plugin.findings import Finding
from tests.profile_faults import ELEMENTWISE, TENSOR_CORES, profile_of, step_time
from tests.profile_rules import check
from tests.training_traces import Machine

_BATCH, _HEADS, _LONG, _WIDE = 8, 12, 1024, 64
_HALF, _FLOAT = "c10::BFloat16", "float"
_FLASH = "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >"
_PEAK = 312e6  # operations in a us, of an A100
_OPERATIONS = 2 * _BATCH * _HEADS * _LONG * _LONG * _WIDE  # of one product
Layer = Callable[[Machine], None]


def _run(
    machine: Machine, name: str, kernel: str, duration: float, *shapes: list[int], kind: str = _HALF
) -> None:
    machine.work(2.0)
    said: dict[str, Any] = {"Input Dims": list(shapes), "Input type": [kind] * len(shapes)}
    with machine.span(name, **said):
        machine.launch(kernel, duration)


def _scores_and_values(machine: Machine, seconds: float = _OPERATIONS / _PEAK / 0.5) -> None:
    """Forward and backward pass of attention by hand."""
    groups = _BATCH * _HEADS
    scores, thin, turned = [_BATCH, _HEADS, _LONG, _LONG], [groups, _LONG, _WIDE], [groups, _WIDE, _LONG]
    square = [groups, _LONG, _LONG]
    _run(machine, "aten::bmm", TENSOR_CORES, seconds, thin, turned)
    _run(machine, "aten::div", ELEMENTWISE, 200.0, scores, [])
    _run(machine, "aten::masked_fill", ELEMENTWISE, 250.0, scores, [_LONG, _LONG], [])
    _run(machine, "aten::_to_copy", ELEMENTWISE, 300.0, scores)
    _run(machine, "aten::_softmax", ELEMENTWISE, 400.0, scores, [], [], kind=_FLOAT)
    _run(machine, "aten::bmm", TENSOR_CORES, seconds, square, thin)
    _run(machine, "aten::bmm", TENSOR_CORES, seconds, thin, turned)
    _run(machine, "aten::bmm", TENSOR_CORES, seconds, square, thin)
    _run(machine, "aten::_softmax_backward_data", ELEMENTWISE, 500.0, scores, scores, [], [], kind=_FLOAT)
    _run(machine, "aten::masked_fill", ELEMENTWISE, 250.0, scores, [_LONG, _LONG], [])
    _run(machine, "aten::bmm", TENSOR_CORES, seconds, square, thin)
    _run(machine, "aten::bmm", TENSOR_CORES, seconds, turned, square)


def _fused(machine: Machine) -> None:
    """The same in one kernel forward and one backward, at 40 % of the peak."""
    shapes = [[_BATCH, _HEADS, _LONG, _WIDE]] * 3
    for name, products in (("", 2), ("_backward", 5)):
        operator = f"aten::_scaled_dot_product_flash_attention{name}"
        _run(machine, operator, _FLASH, products * _OPERATIONS / _PEAK / 0.4, *shapes)


def _linear_attention(machine: Machine) -> None:
    """Queries times (keys times values): its softmax is over features."""
    groups = _BATCH * _HEADS
    thin, turned, small = [groups, _LONG, _WIDE], [groups, _WIDE, _LONG], [groups, _WIDE, _WIDE]
    _run(machine, "aten::_softmax", ELEMENTWISE, 300.0, thin, [], [])
    _run(machine, "aten::bmm", TENSOR_CORES, 300.0, turned, thin)
    _run(machine, "aten::bmm", TENSOR_CORES, 300.0, thin, small)


def _experts(machine: Machine) -> None:
    """Products of experts, whose router has a softmax over experts."""
    _run(machine, "aten::_softmax", ELEMENTWISE, 300.0, [4, 2048, 16], [], [])
    _run(machine, "aten::bmm", TENSOR_CORES, 300.0, [16, 512, 768], [16, 768, 3072])
    _run(machine, "aten::bmm", TENSOR_CORES, 300.0, [16, 512, 3072], [16, 3072, 768])


def _classes(machine: Machine) -> None:
    """A softmax over the words of a language model."""
    _run(machine, "aten::mm", TENSOR_CORES, 600.0, [8192, 768], [768, 32000])
    _run(machine, "aten::_log_softmax", ELEMENTWISE, 400.0, [8192, 32000], [], [])
    _run(machine, "aten::_softmax", ELEMENTWISE, 400.0, [8192, 32000], [], [])


def _trained(layer: Layer, layers: int = 6) -> Machine:
    machine = Machine()
    for step in range(5):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            for _ in range(layers):
                for _ in range(4):
                    _run(machine, "aten::mm", TENSOR_CORES, 400.0, [8192, 768], [768, 3072])
                layer(machine)
            machine.wait(machine.free[7])
    return machine


def _found(machine: Machine, rule: str = "attention") -> tuple[Finding, ...]:
    return next(one.found for one in check(profile_of(machine)) if one.rule.id == rule)


def test_attention_by_hand_is_found_by_its_shapes_and_promised_what_fusing_it_saves() -> None:
    by_hand = _trained(_scores_and_values)
    (found,) = _found(by_hand)
    assert found.saw.code == "profiler_attention_split"
    assert found.saw.details["shape"] == "[8, 12, 1024, 1024]"
    assert "is_causal" in str(found.change)
    assert found.saves is not None
    saved = 1 - step_time(_trained(_fused)) / step_time(by_hand)
    assert found.saves.low <= saved <= found.saves.high
    assert found.saves.high - found.saves.low < 0.4
    assert _found(by_hand, "type_conversion") == ()  # its conversions go with it


@pytest.mark.parametrize("layer", [_fused, _linear_attention, _experts, _classes])
def test_what_looks_like_attention_by_hand_is_no_finding(layer: Layer) -> None:
    assert _found(_trained(layer)) == ()


def test_attention_that_takes_no_time_of_the_step_saves_nothing() -> None:
    """A device that waits for its host most of the time, and attention that is a small part of its work."""

    def small(machine: Machine) -> None:
        machine.work(4_000.0)
        groups = [4, 64, 16], [4, 16, 64]
        _run(machine, "aten::bmm", TENSOR_CORES, 5.0, *groups)
        _run(machine, "aten::_softmax", ELEMENTWISE, 5.0, [2, 2, 64, 64], [], [])

    (checked,) = (one for one in check(profile_of(_trained(small))) if one.rule.id == "attention")
    assert checked.found == ()
    assert str(checked.unchecked).startswith("attention that is not fused takes")
