"""What advice and figures make of the products of AMD's GPUs and of NPUs, and of communication of NPUs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.figures import figures
from insight_profiler.advice.products import is_product_type
from insight_profiler.analysis.overview import overview
from insight_profiler.model import Profile, Source

from tests.ascend_samples import layer, thread, timed
from tests.conformance.our_profiles import read_directory
from tests.profile_faults import PLAIN, profile_of
from tests.profile_rules import check, saves
from tests.training_traces import Machine

_MI300X = {"id": 0, "name": "AMD Instinct MI300X", "computeMajor": 9, "computeMinor": 4, "warpSize": 64}
_H100 = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0, "warpSize": 32}
_TENSILE = "Cijk_Alik_Bljk_{}_MT256x256x64_{}_SN_LDSB1"


def _trained(
    device: dict[str, Any], kernel: str, modules: tuple[str, ...] = ("",), types: str = ""
) -> Profile:
    """Steps of products of one kernel, in some modules, and an element-wise operator."""
    machine = Machine(device=device)
    said: dict[str, Any] = {"Input Dims": [[64, 64]] * 2, "Input type": [types] * 2} if types else {}
    for step in range(4):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            for module in modules * 10:
                with (
                    machine.span(f"nn.Module: {module}", "python_function"),
                    machine.span("aten::mm", **said),
                ):
                    machine.launch(kernel, 200.0)
            with machine.span("aten::gelu"):
                machine.launch("void at::native::vectorized_elementwise_kernel<4, Gelu<float> >", 1500.0)
            machine.wait(machine.free[7])
    return profile_of(machine)


def _advised(profile: Profile) -> list[str]:
    return [one.rule.id for one in check(profile) if one.found]


@pytest.mark.parametrize(
    ("types", "unit", "on_units"),
    [("BBS_BH", "MI16x16x1", True), ("SB", "TT8_8_WG16_16_1", False)],
)
def test_products_of_amd_are_known_by_their_types_and_units(types: str, unit: str, on_units: bool) -> None:
    profile = _trained(_MI300X, _TENSILE.format(types, unit))
    found = figures(Evidence(profile))
    assert found["matrix"] == pytest.approx(2000 / 3500, abs=0.01)
    assert found["tensor_cores"] == on_units
    assert ("mixed_precision" in _advised(profile)) is not on_units


def test_tf32_is_advised_to_gpus_that_have_it() -> None:
    changes = {}
    for device in (_MI300X, _H100):
        advice = next(one for one in check(_trained(device, PLAIN)) if one.rule.id == "mixed_precision")
        changes[device["name"]] = "TF32" in str(advice.found[0].change)
    assert changes == {"AMD Instinct MI300X": False, "NVIDIA H100 80GB HBM3": True}


@pytest.mark.parametrize("name", ["AMD Radeon RX 6900 XT", "AMD Instinct MI50", "gfx906"])
def test_gpus_of_amd_without_matrix_cores_are_not_advised_to_use_them(name: str) -> None:
    device = {"id": 0, "name": name, "computeMajor": 10 if "RX" in name else 9}
    (rule,) = (one for one in check(_trained(device, PLAIN)) if one.rule.id == "mixed_precision")
    assert rule.found == ()
    assert rule.unchecked is not None


def test_narrow_inputs_need_no_narrower_type() -> None:
    kernel = "void gemv2T_kernel_val<int, int, float, float, float>(x)"
    assert "mixed_precision" in _advised(_trained(_H100, kernel, types="float"))
    assert "mixed_precision" not in _advised(_trained(_H100, kernel, types="c10::BFloat16"))


def test_the_biggest_operators_are_summed_over_modules() -> None:
    profile = _trained(_H100, PLAIN, modules=("Linear_0", "Linear_1"), types="float")
    biggest = overview(profile)["biggest"]["device"]
    names = [column["name"] for column in biggest["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in biggest["rows"]]
    assert [(row["name"], row.get("scope", ""), row["members"]) for row in rows] == [
        ("aten::mm", "", 2),
        ("aten::gelu", "", 1),
    ]


_NPU_HEADER = "Step Id,Device_id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Num\n"
_BEGIN = 1_700_000_000_000_000


def _npu(
    folder: Path, kernels: list[tuple[str, str, str, int, int]], **planes: list[tuple[str, int, int]]
) -> Profile:
    """A step of 1,000 µs: kernels (name, type, core, start, duration), and tasks of HCCL by thread."""
    output = folder / "host_1_20240101000000000_ascend_pt/ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "kernel_details.csv").write_text(
        _NPU_HEADER
        + "".join(
            f"1,0,2,{name},{kind},{core},{_BEGIN + start}.000,{duration}.0,24\n"
            for name, kind, core, start, duration in kernels
        )
    )
    events: list[dict[str, Any]] = [
        *layer(1, "Python", 1),
        *layer(3, "Ascend Hardware", 3),
        thread(3, 2, "Stream 2"),
    ]
    events.append(timed(1, 1, "ProfilerStep#1", f"{_BEGIN}.000", 1000))
    for name, _, core, start, duration in kernels:
        events.append(timed(3, 2, name, f"{_BEGIN + start}.000", duration, args={"Task Type": core}))
    events += layer(4, "HCCL", 4)
    for tid, (plane, tasks) in enumerate(planes.items()):
        events.append(thread(4, tid, plane))
        events += [timed(4, tid, name, f"{_BEGIN + start}.000", duration) for name, start, duration in tasks]
    (output / "trace_view.json").write_text(json.dumps(events))
    return read_directory(output.parent, Source.ASCEND).profile


def test_an_npu_works_while_it_communicates(tmp_path: Path) -> None:
    profile = _npu(
        tmp_path,
        [("aclnnAdd_AddAiCore_Add", "Add", "AI_VECTOR_CORE", 0, 100)],
        Group_1_Communication=[("hcom_allReduce__1", 100, 700)],
        Plane_0=[("Notify_Wait", 100, 300), ("Reduce_Inline", 400, 400)],
    )
    found = figures(Evidence(profile))
    assert found["busy"] == pytest.approx(0.8, abs=0.001)
    assert found["exposed_communication"] == pytest.approx(0.7, abs=0.001)
    idle = [saves(one.found[0]) for one in check(profile) if one.found and "idle" in one.rule.id]
    assert [saves for saves in idle if saves is None or saves > 0.201] == []


@pytest.mark.parametrize(
    ("types", "are_products"),
    [
        (
            "MatMulV3 BatchMatMulV2 TransposeBatchMatMul GroupedMatmulFinalizeRouting MatmulAllReduce GEMM",
            True,
        ),
        ("Conv2D Conv2DBackpropFilter DepthwiseConv2dNative Conv3DTransposeV2 FFN FullyConnection", True),
        ("FlashAttentionScoreGrad FusedInferAttentionScore PagedAttention RingMLA MlaPrologV2", True),
        ("Cast TransData Im2col AttentionUpdate LayerNormV3 NormLayer Transpose MoeInitRouting", False),
        ("hcom_allReduce_ ConvertX DynamicRNN ReduceSum SoftmaxV2 ConfusionTransposeD", False),
    ],
)
def test_types_of_products_of_cann(types: str, are_products: bool) -> None:
    assert {is_product_type(one) for one in types.split()} == {are_products}


def test_the_type_says_what_is_a_product_on_an_npu(tmp_path: Path) -> None:
    profile = _npu(
        tmp_path,
        [
            ("aclnnMatmul_MatMulV2_MatMulV2", "MatMulV2", "AI_CORE", 0, 100),
            ("aclnnMatmul_CastAiCore_Cast", "Cast", "AI_VECTOR_CORE", 100, 100),
            ("aclnnX_FusedInferAttentionScore", "FusedInferAttentionScore", "MIX_AIC", 200, 100),
            ("te_fused_kernel_1", "Conv2DBackpropFilter", "AI_CORE", 300, 100),
            ("te_fused_kernel_2", "BatchMatMulV2", "AI_VECTOR_CORE", 400, 100),
            ("aclnnConvolution_TransData_TransData", "TransData", "AI_VECTOR_CORE", 500, 100),
        ],
    )
    found = figures(Evidence(profile))
    assert found["matrix"] == pytest.approx(4 / 6)
    assert found["tensor_cores"] == pytest.approx(3 / 4)
