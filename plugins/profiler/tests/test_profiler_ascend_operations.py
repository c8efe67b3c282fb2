"""Operations and bytes of kernels of an NPU, by their shapes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from insight_profiler.analysis.ceilings import OwnCeilings
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.roofline import missing_operations, roofline
from insight_profiler.building import Building
from insight_profiler.model import Side, Source
from insight_profiler.reading.ascend_operations import Operations, operations_of

from tests.ascend_samples import EPOCH, KERNELS, STEPS
from tests.conformance.our_profiles import read_directory
from tests.profiler_routes import served_profiles


def _of(kind: str, shapes: str, types: str, output: str, made: str, formats: str = "ND;ND") -> Operations:
    return operations_of(
        kind,
        {
            "shapes": shapes,
            "input_types": types,
            "input_formats": formats,
            "output_shapes": output,
            "output_types": made,
        },
    )


@pytest.mark.parametrize("left", ["32,64", "64,32"])
@pytest.mark.parametrize("right", ["64,10", "10,64"])
@pytest.mark.parametrize("kind", ["MatMul", "MatMulV2", "MatMulV3"])
def test_products_of_matrices_as_they_lie_or_transposed(kind: str, left: str, right: str) -> None:
    found = _of(kind, f"{left};{right}", "DT_BF16;DT_BF16", "32,10", "DT_BF16")
    moved = 2 * (32 * 64 + 64 * 10 + 32 * 10)
    assert found == Operations(2 * 32 * 64 * 10, moved, InputType.HALF)


def test_products_of_batches_also_with_one_matrix_for_all() -> None:
    both = _of("BatchMatMulV2", "8,4,32,64;8,4,64,16", "FLOAT;FLOAT", "8,4,32,16", "FLOAT")
    assert (both.flops, both.precision) == (2 * 8 * 4 * 32 * 64 * 16, InputType.FLOAT32)
    one = _of("BatchMatMulV3", "8,32,64;64,16", "FLOAT;FLOAT", "8,32,16", "FLOAT")
    assert one.flops == 2 * 8 * 32 * 64 * 16


def test_a_bias_that_is_not_given_has_no_bytes() -> None:
    found = _of("MatMulV2", "4,8;8,2;", "FLOAT16;FLOAT16;DT_UNDEFINED", "4,2", "FLOAT16", "ND;ND;NULL")
    assert (found.flops, found.traffic) == (2 * 4 * 8 * 2, 2 * (32 + 16 + 8))


def test_convolutions() -> None:
    found = _of("Conv2D", "8,3,32,32;16,3,3,3", "FLOAT16;FLOAT16", "8,16,30,30", "FLOAT16", "NCHW;NCHW")
    assert found.flops == 2 * (8 * 16 * 30 * 30) * (3 * 3 * 3)
    depthwise = _of(
        "DepthwiseConv2D", "8,16,32,32;16,1,3,3", "FLOAT;FLOAT", "8,16,32,32", "FLOAT", "NCHW;NCHW"
    )
    assert depthwise.flops == 2 * (8 * 16 * 32 * 32) * 9


@pytest.mark.parametrize(
    ("kind", "shapes", "output", "formats"),
    [
        ("MatMulV2", "4,2,16,16;4,1,16,16", "1,2,16,16", "FRACTAL_NZ;FRACTAL_NZ"),
        ("MatMulV2", "32,64;65,10", "32,10", "ND;ND"),  # no product of these
        ("Conv2D", "8,1,32,32,16;9,1,16,16", "8,1,30,30,16", "NC1HWC0;FRACTAL_Z"),
        ("FlashAttentionScore", "2,128,512;2,128,512", "2,128,512", "ND;ND"),
        ("Add", "32,10;32,10", "32,10", "ND;ND"),
    ],
)
def test_what_shapes_do_not_tell_has_bytes_only(kind: str, shapes: str, output: str, formats: str) -> None:
    found = _of(kind, shapes, "FLOAT16;FLOAT16", output, "FLOAT16", formats)
    assert math.isnan(found.flops)
    assert (found.traffic > 0, found.precision) == (True, -1)


@pytest.mark.parametrize(
    ("kind", "shapes", "types"),
    [
        ("GatherV2", "50000,768;32", "FLOAT;INT64"),  # reads some rows
        ("Add", "32;32", "FLOAT;FLOAT7"),
        ("Add", "32", "FLOAT;FLOAT"),
        ("Add", "N/A", "N/A"),
        ("Add", "", ""),
    ],
)
def test_what_may_be_less_or_is_not_known_has_no_bytes(kind: str, shapes: str, types: str) -> None:
    assert math.isnan(_of(kind, shapes, types, "32", "FLOAT").traffic)


def test_the_roofline_of_a_profile(tmp_path: Path) -> None:
    output = tmp_path / "host_1_20261121003708047_ascend_ms/ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "kernel_details.csv").write_text(KERNELS)
    (output / "step_trace_time.csv").write_text(STEPS)
    profile = read_directory(output.parent, Source.MINDSPORE).profile
    answer = roofline(profile, OwnCeilings(memory=1e12, by_type={InputType.HALF: 3e14}))
    [row] = answer["rows"]
    assert (row["name"], row["shapes"], row["calls"], row["precision"]) == (
        "MatMulV2-op1",
        "32,64;64,10",
        2,
        "half",
    )
    assert (row["flops"], row["time"]) == (2 * 2 * 32 * 64 * 10, 22_000)
    assert row["traffic"] == 2 * 2 * (32 * 64 + 64 * 10 + 32 * 10)
    assert row["bound"] == "neither"
    used = answer["utilization"]
    assert used["model_flops"] * len(profile.tables["steps"]["number"]) == row["flops"]


def test_a_profile_without_shapes_says_how_they_are_recorded(tmp_path: Path) -> None:
    output = tmp_path / "run/host_1_20261121003708047_ascend_ms/ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "kernel_details.csv").write_text(
        f"Name,Type,Accelerator Core,Start Time(us),Duration(us)\na,MatMulV2,AI_CORE,{EPOCH}.100\t,10.5\n"
    )
    profile = read_directory(output.parent, Source.MINDSPORE).profile
    assert roofline(profile, OwnCeilings())["missing"] == "npu"
    with served_profiles() as serve:
        get = serve(tmp_path)
        named = {"run": "run", "profile": output.parent.name}
        assert "flops" in get("profile", **named)["views"]
        assert (get("roofline", **named)["missing"], get("flops", **named)["operators"]) == ("npu", [])


def test_a_profile_of_a_host_alone_has_no_view_of_operations() -> None:
    building = Building(Source.TORCH)
    building.add(
        "operators", name=[building.text("aten::mm")], side=[Side.HOST], calls=[1], total=[5], self=[5]
    )
    assert missing_operations(building.finish()) is None
