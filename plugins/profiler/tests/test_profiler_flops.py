"""FLOPs from the shapes in traces of PyTorch, and who took memory, on a real trace and by hand."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.analysis.device_peaks import peak_rate
from insight_profiler.analysis.flops import flops_answer
from insight_profiler.analysis.memory import memory
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.reading.trace_flops import flops_of

from tests.conformance.our_profiles import read_files
from tests.profile_faults import FAULTS, profile_of, simulate
from tests.training_traces import Machine

_TRACE = Path(__file__).parents[4] / "shared/data/torch_profile"
_NO, _YES = "False", "True"
_SHAPES, _GRADIENT = ([2, 6, 16, 16], [10, 3, 3, 3]), [2, 10, 8, 8]  # of a convolution with two groups
_FORWARD = 2 * 2 * 8 * 8 * 10 * 3 * 9
_STEPS = ["[2, 2]", "[1, 1]", "[1, 1]"]  # stride, padding, dilation
_DEPTHWISE = ["", "", "[3, 3]", "", *_STEPS]
_BFLOAT, _FLOAT8 = ["c10::BFloat16"] * 3, ["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float"]


@pytest.fixture(scope="module")
def lenet() -> Profile:
    """Four steps of LeNet with a batch of 32, as torch.profiler wrote them down."""
    if not _TRACE.is_dir():
        pytest.skip(f"no sample trace at {_TRACE}")
    (path,) = _TRACE.glob("*.pt.trace.json")
    return read_files(Files.of_directory(_TRACE, path.name), Source.TORCH)


def test_operations_are_those_that_torch_counts(lenet: Profile) -> None:
    # FlopCounterMode of torch 2.13 for one step of the same net: forward and backward pass, but for
    # the gradient of the images, which nobody asks for
    answer = flops_answer(lenet)
    assert answer["summary"]["flops"] == 72_445_440
    assert {row["name"]: row["flops"] for row in answer["operators"]} == {
        "aten::convolution_backward": 4 * 38_246_400,
        "aten::mkldnn_convolution": 4 * 22_886_400,
        "aten::mm": 4 * 7_541_760,
        "aten::addmm": 4 * 3_770_880,
    }
    leaves = [link for link in answer["links"] if "aten::" in link["target"]]
    assert sum(link["flops"] for link in leaves) == 72_445_440


@pytest.mark.parametrize(
    ("name", "shapes", "values", "flops"),
    [
        ("aten::mm", [[3, 5], [5, 7]], ["", ""], 2 * 3 * 5 * 7),
        ("aten::bmm", [[4, 3, 5], [4, 5, 7]], ["", ""], 2 * 4 * 3 * 5 * 7),
        ("aten::addmm", [[7], [3, 5], [5, 7], [], []], ["", "", "", "1", "1"], 2 * 3 * 5 * 7),
        (  # stride 2, padding 1, two groups: 8 x 8 places
            "aten::cudnn_convolution",
            [[2, 6, 16, 16], [10, 3, 3, 3], *[[]] * 7],
            ["", "", "[1, 1]", "[2, 2]", "[1, 1]", "2", _NO, _NO, _YES],
            2 * 2 * 8 * 8 * 10 * 3 * 9,
        ),
        (  # the gradient of the weights alone
            "aten::convolution_backward",
            [[2, 10, 8, 8], [2, 6, 16, 16], [10, 3, 3, 3], *[[]] * 8],
            ["", "", "", "[10]", "[2, 2]", "[1, 1]", "[1, 1]", _NO, "[0, 0]", "2", "[False, True, True]"],
            2 * 2 * 8 * 8 * 10 * 3 * 9,
        ),
        (
            "aten::_scaled_dot_product_flash_attention",
            [[2, 4, 9, 16], [2, 4, 9, 16]],
            [],
            4 * 2 * 4 * 9 * 9 * 16,
        ),
        (  # no pass over the masked half is left out; values of another width than queries and keys
            "aten::_scaled_dot_product_efficient_attention_backward",
            [[2, 4, 9, 8], [2, 4, 9, 16], [2, 2, 7, 16], [2, 2, 7, 8]],
            [],
            2 * 2 * 4 * 9 * 7 * (3 * 16 + 2 * 8),
        ),
        (  # rows come before heads
            "aten::_flash_attention_forward",
            [[2, 9, 4, 16], [2, 7, 2, 16], [2, 7, 2, 16]],
            [],
            4 * 2 * 4 * 9 * 7 * 16,
        ),
        (  # three sequences in 27 rows
            "aten::_flash_attention_forward",
            [[27, 4, 16], [27, 4, 16], [27, 4, 16], [4], [4]],
            [],
            4 * 3 * 4 * 9 * 9 * 16,
        ),
        ("aten::_scaled_mm", [[32, 64], [64, 16], [], [], []], [], 2 * 32 * 64 * 16),
        ("aten::_grouped_mm", [[40, 64], [8, 64, 16], [8]], [], 2 * 40 * 64 * 16),
        (
            "aten::miopen_convolution",
            list(_SHAPES),
            ["", "", "", "[1, 1]", "[2, 2]", "[1, 1]", "2"],
            _FORWARD,
        ),
        ("aten::_slow_conv2d_forward", list(_SHAPES), ["", "", "[3, 3]", "", "[2, 2]", "[1, 1]"], _FORWARD),
        ("aten::_conv_depthwise2d", [[2, 6, 16, 16], [6, 1, 3, 3]], _DEPTHWISE, 2 * 2 * 6 * 9 * 8 * 8),
        ("aten::_convolution", list(_SHAPES), ["", "", "", *_STEPS, _NO, "[0, 0]", "2"], _FORWARD),
        (  # each number of the image meets the weights of its channel
            "aten::_convolution",
            [[2, 6, 8, 8], [6, 5, 3, 3]],
            ["", "", "", *_STEPS, _YES, "[1, 1]", "1"],
            2 * 2 * 6 * 8 * 8 * 5 * 9,
        ),
        ("aten::cudnn_convolution_transpose", [[2, 6, 8], [6, 5, 3]], None, 2 * 2 * 6 * 8 * 5 * 3),
        ("aten::cudnn_convolution_backward", [_SHAPES[0], _GRADIENT, _SHAPES[1]], None, 2 * _FORWARD),
        (
            "aten::miopen_convolution_backward",
            [_SHAPES[0], _GRADIENT, _SHAPES[1]],
            ["", "", "", *_STEPS, "2", _YES, _NO, "[False, True]"],
            _FORWARD,
        ),
        (  # transposed, the gradient of the image alone
            "aten::convolution_backward",
            [[2, 5, 17, 17], [2, 6, 8, 8], [6, 5, 3, 3], *[[]] * 8],
            ["", "", "", "[5]", *_STEPS, _YES, "[1, 1]", "1", "[True, False, False]"],
            2 * 2 * 6 * 8 * 8 * 5 * 9,
        ),
        ("aten::mm", [[3, 5]], [], np.nan),
        ("aten::cudnn_convolution", [[2, 6, 16, 16], [10, 3, 3, 3]], None, np.nan),
        ("aten::mm", "odd", None, np.nan),
    ],
)
def test_operations_follow_from_shapes(name: str, shapes: object, values: object, flops: float) -> None:
    assert flops_of(name, shapes, values) == pytest.approx(flops, nan_ok=True)


def test_the_share_of_the_peak_is_that_of_the_unit_that_computes() -> None:
    answer = flops_answer(profile_of(simulate(FAULTS["convolution_algorithm"])))
    (row,) = answer["operators"]
    assert answer["device"] == "NVIDIA A100-SXM4-80GB"
    assert row["flops"] / row["calls"] == 2 * 32 * 64 * 64 * 9 * 56 * 56
    assert row["peak"] == pytest.approx(row["rate"] / 19.5e12)


def _measured(device: str, calls: list[tuple[list[str], str, float, dict[str, Any]]]) -> dict[str, Any]:
    """Nested operators, the innermost of which launches a kernel of some microseconds, on a device."""
    machine = Machine(device={"id": 0, "name": device, "computeMajor": 9})
    for names, kernel, microseconds, said in calls:
        with contextlib.ExitStack() as stack:
            for name in names:
                stack.enter_context(machine.span(name, **said))
            machine.launch(kernel, microseconds)
        machine.work(1000.0)
    return flops_answer(profile_of(machine))


def _said(types: list[str], *shapes: list[int]) -> dict[str, Any]:
    return {"Input Dims": [*shapes], "Input type": types}


_SQUARE = [4096, 4096]
_PRODUCT = 2 * 4096**3


@pytest.mark.parametrize(
    ("device", "operator", "types", "kernel", "peak", "precision"),
    [
        ("NVIDIA H100 80GB HBM3", "mm", _BFLOAT, "nvjet_tst_128x256_64x4_1x2_h_bz_TNT", 989.4, "half"),
        ("NVIDIA H100 80GB HBM3", "mm", _BFLOAT, "kernel_of_somebody", 989.4, "half"),
        ("NVIDIA H100 80GB HBM3", "_scaled_mm", _FLOAT8, "nvjet_qqtst_128x128_128x6_TNT", 1978.9, "float8"),
        ("NVIDIA H100 80GB HBM3", "mm", ["float"] * 2, "ampere_sgemm_128x64_tn", 66.9, "float32"),
        (
            "NVIDIA H100 80GB HBM3",
            "mm",
            ["float"] * 2,
            "cutlass_80_tensorop_s1688gemm_128x64_16x6_nt_align4",
            494.7,
            "tf32",
        ),
        ("NVIDIA H100 80GB HBM3", "mm", ["double"] * 2, "sm90_gemm_of_somebody", 66.9, "float64"),
        (
            "AMD Instinct MI300X",
            "mm",
            _BFLOAT,
            "Cijk_Alik_Bljk_BBS_BH_MT256x256x64_MI16x16x1",
            1307.4,
            "half",
        ),
        ("AMD Instinct MI250X", "mm", ["float"] * 2, "Cijk_Ailk_Bljk_SB_MT64x64x16_MI16x16", 47.9, "float32"),
        ("AMD Instinct MI250X", "mm", ["float"] * 2, "Cijk_Ailk_Bljk_SB_MT64x64x8_TT4_4", 23.9, "float32"),
    ],
)
def test_the_peak_is_that_of_the_types_and_of_the_kernels(
    device: str, operator: str, types: list[str], kernel: str, peak: float, precision: str
) -> None:
    microseconds = _PRODUCT / (peak * 1e12) * 1e6 * 2
    answer = _measured(
        device, [([f"aten::{operator}"], kernel, microseconds, _said(types, _SQUARE, _SQUARE))]
    )
    (row,) = answer["operators"]
    assert (row["precision"], row["above"]) == (precision, None)
    assert row["peak"] == pytest.approx(0.5, abs=0.001)
    assert answer["summary"]["utilization"] == pytest.approx(0.5, abs=0.001)


def test_nested_operators_count_once_with_the_peak_of_the_kernels_within() -> None:
    shape = [4, 16, 2048, 128]
    attention = "aten::_scaled_dot_product_flash_attention"
    convolved = {
        "Input Dims": [[32, 64, 56, 56], [64, 64, 3, 3]],
        "Concrete Inputs": ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", _NO, "[0, 0]", "1"],
    }
    convolution = ["aten::conv2d", "aten::convolution", "aten::_convolution"]
    answer = _measured(
        "NVIDIA H100 80GB HBM3",
        [
            (
                ["aten::scaled_dot_product_attention", attention, "aten::_flash_attention_forward"],
                "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >(x)",
                200.0,
                {"Input Dims": [shape] * 3},  # and no types
            ),
            (
                [*convolution, "aten::cudnn_convolution"],
                "sm80_xmma_fprop_f32f32_f32f32_f32_x",
                400.0,
                convolved,
            ),
            (
                [*convolution, "aten::a_new_convolution"],
                "sm80_xmma_fprop_f32f32_f32f32_f32_x",
                400.0,
                convolved,
            ),
        ],
    )
    flops = {row["name"]: row["flops"] for row in answer["operators"]}
    of_one = 2 * 32 * 64 * 56 * 56 * 64 * 9
    assert flops == {
        attention: 4 * 4 * 16 * 2048 * 2048 * 128,
        "aten::cudnn_convolution": of_one,
        "aten::_convolution": of_one,
    }
    shares = {row["name"]: row["peak"] for row in answer["operators"]}
    assert shares[attention] == pytest.approx(flops[attention] / 200e-6 / 989.4e12)


@pytest.mark.parametrize(
    ("recording", "precision", "utilization"),
    [("before", "float32", 0.706), ("after", "half", 0.613)],  # 47.2 of 66.9, 606 of 989 TFLOP/s
)
def test_a_recorded_training_reaches_less_than_the_peak(
    recording: str, precision: str, utilization: float
) -> None:
    """A GPT of 12 layers on an H200, in float32 without TF32 and in bfloat16."""
    folder = _TRACE.parent / "torch_h200/full_precision"
    if not folder.is_dir():
        pytest.skip(f"no recording at {folder}")
    answer = flops_answer(
        read_files(Files.of_directory(folder, f"{recording}.pt.trace.json.gz"), Source.TORCH)
    )
    assert answer["summary"]["flops"] == 5_025_111_736_320
    assert answer["summary"]["utilization"] == pytest.approx(utilization, abs=0.001)
    assert {row["precision"] for row in answer["operators"]} == {precision}
    assert [row for row in answer["operators"] if row["above"] is not None] == []


def test_more_than_the_peak_is_no_share_of_it() -> None:
    call = (["aten::mm"], "kernel_of_somebody", 1000.0, _said(["float"] * 2, _SQUARE, _SQUARE))
    answer = _measured("NVIDIA H100 80GB HBM3", [call])
    (row,) = answer["operators"]
    above = pytest.approx(_PRODUCT / 1e-3 / 66.9e12)
    assert (row["peak"], row["above"], row["precision"]) == (None, above, "float32")
    assert (answer["summary"]["utilization"], answer["summary"]["above"]) == (None, above)


def test_peaks_are_told_by_the_name_of_a_device() -> None:
    names = ("Tesla V100-SXM2-32GB", "NVIDIA H100 80GB HBM3", "NVIDIA H200 NVL", "GPU 0")
    known = [peak_rate(name) for name in names]
    assert [peak and peak.matrix / 1e12 for peak in known] == [125.0, 989.4, 835.5, None]


@pytest.mark.parametrize(
    "name", ["NVIDIA RTX A1000 Laptop GPU", "Quadro P1000", "NVIDIA H100 80GB HBM3 MIG 1g.10gb"]
)
def test_smaller_devices_have_not_the_peaks_of_large_ones(name: str) -> None:
    assert peak_rate(name) is None


def test_memory_belongs_to_operators_modules_and_a_purpose(lenet: Profile) -> None:
    answer = memory(lenet, 100)
    (held,) = answer["holders"]
    first = held["rows"][0]
    assert (first["name"], first["module"]) == ("aten::convolution_backward", "Sequential_0/Conv2d_0")
    assert first["purpose"] == "gradient"
    assert {row["name"] for row in held["rows"]}.isdisjoint(
        {"aten::empty", "aten::empty_strided", "aten::resize_"}
    )
    assert sum(row["bytes"] for row in held["rows"]) + held["before"] == held["bytes"]
    largest = next(row for row in answer["largest"] if row["name"] == "aten::conv2d")
    assert (largest["purpose"], largest["shapes"][:17]) == ("activation", "[[32, 1, 32, 32],")
