"""MFU and HFU of a step: by hand, with what the backward pass does again, and of recorded trainings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from insight_profiler.analysis.device_peaks import UNKNOWN_PEAK, PeakRate
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.utilization import StepUtilization, step_utilization
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from tests.conformance.our_profiles import read_files
from tests.profile_faults import profile_of
from tests.training_traces import BACKWARD, HOST, Machine

_H200 = Path(__file__).parents[4] / "shared/data/torch_h200"
_PEAK = PeakRate(10e12, {InputType.FLOAT32: 10e12, InputType.HALF: 100e12}, 1e12)
_NODE = "autograd::engine::evaluate_function: "
_RECORDED: dict[str, Any] = {"Sequence number": 7, "Fwd thread id": 0}
_OF_FORWARD: dict[str, Any] = {"Sequence number": 7, "Fwd thread id": 1}


def _product(machine: Machine, size: int = 512, kind: str = "float", **said: Any) -> None:  # noqa: ANN401
    shapes: dict[str, Any] = {"Input Dims": [[size, size], [size, size]], "Input type": [kind] * 2}
    with machine.span("aten::mm", **shapes, **said):
        machine.launch("kernel_of_somebody", 20.0)


def _backward(machine: Machine, checkpoint: str = "") -> None:
    """Two products of a backward pass; before them the forward product again, as checkpoints do it."""
    machine.thread = BACKWARD
    if checkpoint == "reentrant":
        name = "CheckpointFunctionBackward"
        with machine.span(f"{_NODE}{name}", **_OF_FORWARD), machine.span(name, **_OF_FORWARD):
            _product(machine, **_RECORDED)
            with machine.span(f"{_NODE}MmBackward0", **_OF_FORWARD):
                _product(machine)
                _product(machine)
    else:
        with machine.span(f"{_NODE}MmBackward0", **_OF_FORWARD), machine.span("MmBackward0", **_OF_FORWARD):
            if checkpoint:  # when a saved tensor is asked for
                with machine.span("aten::matmul", **_RECORDED):
                    _product(machine)
            _product(machine)
            _product(machine)
    machine.thread = HOST


def _training(checkpoint: str = "", steps: int = 3) -> Profile:
    machine = Machine()
    _product(machine, 1024)  # before the steps
    for number in range(steps):
        with machine.span(f"ProfilerStep#{number}", "user_annotation"):
            _product(machine, **_RECORDED)
            _backward(machine, checkpoint)
            machine.work(1000.0)
            machine.wait(0.0)
    return profile_of(machine)


def _used(profile: Profile, measured: int | None = None) -> StepUtilization:
    found = step_utilization(profile, _PEAK, measured)
    assert found is not None
    return found


@pytest.mark.parametrize(("checkpoint", "again"), [("", 0), ("reentrant", 1), ("saved", 1)])
def test_what_is_computed_again_counts_as_work_of_the_hardware_only(checkpoint: str, again: int) -> None:
    used = _used(_training(checkpoint))
    of_one = 2 * 512**3
    assert (used.model_flops, used.hardware_flops) == (3 * of_one, (3 + again) * of_one)
    seconds = used.step_time / 1e9
    assert used.mfu == pytest.approx(3 * of_one / 10e12 / seconds)
    assert used.hfu == pytest.approx((3 + again) * of_one / 10e12 / seconds)
    assert used.types == ["float32"]


def test_the_time_of_a_step_without_the_profiler_counts_where_it_is_given() -> None:
    used = _used(_training(), measured=500_000)
    assert used.step_time == 500_000
    assert used.mfu == pytest.approx(3 * 2 * 512**3 / 10e12 / 500e-6)


def test_types_have_their_own_peaks() -> None:
    machine = Machine()
    with machine.span("ProfilerStep#1", "user_annotation"):
        _product(machine)
        _product(machine, kind="c10::BFloat16")
        machine.work(1000.0)
    used = _used(profile_of(machine), measured=1_000_000)
    assert used.mfu == pytest.approx(2 * 512**3 * (1 / 10e12 + 1 / 100e12) / 1e-3)
    assert set(used.types) == {"float32", "half"}


def test_nothing_is_said_without_steps_operations_or_peaks() -> None:
    machine = Machine()
    _product(machine)
    assert step_utilization(profile_of(machine), _PEAK) is None
    unknown = step_utilization(_training(), UNKNOWN_PEAK)
    assert unknown is not None
    assert (unknown.mfu, unknown.hfu, unknown.model_flops) == (None, None, 3 * 2 * 512**3)


def test_a_recorded_gpt_does_the_work_that_its_parameters_tell() -> None:
    """12 layers, 768 wide, 8192 words, 24 x 512 tokens: 6 operations a parameter of products and token, and
    attention in full, 4 products forward and backward for each pass (Chowdhery et al. 2022, appendix B)."""
    path = _H200 / "healthy_gpt/before.pt.trace.json.gz"
    if not path.is_file():
        pytest.skip(f"no recording at {path}")
    used = _used(read_files(Files.of_directory(path.parent, path.name), Source.TORCH))
    tokens, layers, width, length = 24 * 512, 12, 768, 512
    weights = layers * 12 * width**2 + 8192 * width
    attention = 12 * layers * width * length  # operations a token
    assert used.model_flops == tokens * (6 * weights + attention)
    # fused attention computes its scores again: one product more for the four of its backward pass
    assert used.hardware_flops - used.model_flops == tokens * attention / 6
