"""Causes with a planted case and look-alikes: layouts, types, launches, loaders, and workers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.profile_faults import ELEMENTWISE, LOADER, TENSOR_CORES, profile_of, step_time
from tests.profile_rules import Checked, check
from tests.training_traces import Machine

_H200: dict[str, Any] = {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "numSms": 132}
_NCHW = "void at::native::batch_norm_backward_kernel<c10::BFloat16, float, float, int>"
_NHWC = "void at::native::batch_norm_backward_reduce_channels_last_kernel<4, c10::BFloat16, float, float>"
_LAYOUT = "void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false>"
_TF32 = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x8_execute"
_WIDE_ATTENTION = (
    "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>::Params)"
)
_FLASH = "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >"
_CAST = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda, LoadWithCast<1> >"
_Body = Callable[[Machine], None]


def _run(
    machine: Machine,
    operator: str,
    kernel: str,
    duration: float,
    host: float = 3.0,
    **said: Any,  # noqa: ANN401
) -> None:
    machine.work(host)
    with machine.span(operator, **said):
        machine.launch(kernel, duration)


def _trained(body: _Body, steps: int = 6) -> Machine:
    machine = Machine(device=dict(_H200))
    for step in range(steps):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            body(machine)
            machine.wait(machine.free[7])
    return machine


def _checked(body: _Body) -> dict[str, Checked]:
    return {one.rule.id: one for one in check(profile_of(_trained(body)))}


def _saved(body: _Body, repaired: _Body) -> float:
    return 1 - step_time(_trained(repaired)) / step_time(_trained(body))


# --- layouts ------------------------------------------------------------------------------------------


def _images(norm: str, duration: float, conversions: int) -> _Body:
    def body(machine: Machine) -> None:
        for _ in range(20):
            for _ in range(conversions):
                _run(machine, "aten::convolution_backward", _LAYOUT, 30.0)
            _run(machine, "aten::cudnn_convolution", TENSOR_CORES, 120.0)
            _run(machine, "aten::native_batch_norm_backward", norm, duration)

    return body


def test_norms_of_nchw_belong_to_what_channels_last_saves() -> None:
    slow = _images(_NCHW, 250.0, 2)
    (found,) = _checked(slow)["channels_last"].found
    assert found.saw.details["norms"] == pytest.approx(5.0, rel=0.01)
    assert found.saves is not None
    assert found.saves.low <= _saved(slow, _images(_NHWC, 105.0, 0)) <= found.saves.high
    assert found.severity == "warning"


@pytest.mark.parametrize("body", [_images(_NHWC, 105.0, 0), _images(_NCHW, 250.0, 0)])
def test_norms_without_conversions_are_no_matter_of_layout(body: _Body) -> None:
    assert _checked(body)["channels_last"].found == ()


# --- types --------------------------------------------------------------------------------------------


def _attending(attention: str, product: str) -> _Body:
    def body(machine: Machine) -> None:
        for _ in range(12):
            for _ in range(4):
                _run(machine, "aten::mm", product, 200.0)
            _run(machine, "aten::_efficient_attention_forward", attention, 400.0)

    return body


def test_attention_in_float32_is_told_where_products_use_tf32_already() -> None:
    (found,) = _checked(_attending(_WIDE_ATTENTION, _TF32))["mixed_precision"].found
    assert found.saw.code == "profiler_precision_attention"
    assert found.saw.details["share"] == 33
    assert "set_float32_matmul_precision" not in str(found.change)
    assert found.saves is not None
    assert found.saves.high < 0.33


def test_attention_that_uses_tensor_cores_is_no_finding() -> None:
    assert _checked(_attending(_FLASH, TENSOR_CORES))["mixed_precision"].found == ()


def _casting(weight: bool, host: float) -> _Body:
    """A cast of each layer's weight, or of its activation."""

    def body(machine: Machine) -> None:
        for _ in range(60):
            shape = [3072, 768] if weight else [24, 512, 768]
            shapes: dict[str, Any] = {"Input Dims": [[24, 512, 768], [3072, 768], [3072]]}
            machine.work(host)
            with machine.span("aten::linear", **shapes):
                machine.work(host)
                with machine.span("aten::to"):
                    _run(machine, "aten::_to_copy", _CAST, 8.0, host, **{"Input Dims": [shape]})
                _run(machine, "aten::addmm", TENSOR_CORES, 40.0)

    return body


def test_casts_of_weights_in_each_step_are_a_hint_to_keep_weights_narrow() -> None:
    (found,) = _checked(_casting(weight=True, host=12.0))["type_conversion"].found
    assert (found.saw.code, found.severity) == ("profiler_conversions_weights", "hint")
    assert found.saw.details["weights"] == 60
    other = _checked(_casting(weight=False, host=12.0))["type_conversion"].found
    assert [one.saw.code for one in other] == ["profiler_conversions"]


# --- launches -----------------------------------------------------------------------------------------


def _cells(count: int, host: float, duration: float = 1.5) -> _Body:
    def body(machine: Machine) -> None:
        for _ in range(count):
            _run(machine, "aten::sigmoid", ELEMENTWISE, duration, host)

    return body


def test_small_kernels_that_are_launched_one_by_one_are_to_be_captured_as_a_graph() -> None:
    slow = _cells(500, 20.0)
    (found,) = _checked(slow)["small_kernels"].found
    assert found.saw.code == "profiler_small_kernels_late"
    assert "make_graphed_callables" in str(found.change)
    assert found.saves is not None

    def captured(machine: Machine) -> None:
        machine.work(20.0)
        for number in range(500):
            machine.launch(ELEMENTWISE, 1.5, cost=10.0 if number == 0 else 0.0)

    assert found.saves.low <= _saved(slow, captured) <= found.saves.high + 0.02


def test_one_long_wait_of_the_device_is_no_matter_of_launches() -> None:
    def body(machine: Machine) -> None:
        machine.work(30_000.0)
        _cells(80, 5.0, 4.0)(machine)

    assert _checked(body)["small_kernels"].found == ()


# --- loaders ------------------------------------------------------------------------------------------


def _loading(wait: Callable[[int], float], launching: Callable[[int], float], kernel: float) -> list[str]:
    machine = Machine(device=dict(_H200))
    for step in range(10):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            with machine.span(LOADER, "user_annotation"):
                machine.work(wait(step))
            for _ in range(40):
                machine.work(launching(step))
                with machine.span("aten::mm"):
                    machine.launch(TENSOR_CORES, kernel)
    return [one.rule.id for one in check(profile_of(machine)) if one.found]


def test_a_loader_that_keeps_up_once_its_queue_is_filled_is_no_finding() -> None:
    assert "data_loader" not in _loading(lambda step: 6_000.0 if step < 3 else 50.0, lambda _: 5.0, 150.0)
    assert "data_loader" in _loading(lambda _: 6_000.0, lambda _: 5.0, 20.0)


def test_workers_that_compete_with_the_training_process_are_suspected() -> None:
    rng = random.Random(1)
    slow = [rng.uniform(40.0, 90.0) for _ in range(10)]
    assert "competing_workers" in _loading(lambda _: 50.0, lambda step: slow[step], 5.0)
    assert "competing_workers" not in _loading(lambda _: 50.0, lambda _: 50.0, 5.0)


def test_wrappers_of_kernels_are_called_by_what_they_run() -> None:
    plain = "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)"
    (found,) = _checked(_attending(plain, plain))["mixed_precision"].found
    assert found.saw.details["name"] == "cutlass_80_simt_sgemm_256x128_8x4_nn_align1"
