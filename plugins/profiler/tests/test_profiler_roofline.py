"""Operators below the ceilings of a device: bytes by hand, planted kernels, recordings of an H200."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.analysis.ceilings import OwnCeilings, own_ceilings
from insight_profiler.analysis.device_peaks import peak_rate
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.roofline import roofline
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.reading.trace_flops import flops_of, is_counted
from insight_profiler.reading.trace_traffic import traffic_of

from insight_core.plugin import InvalidArgument
from tests.conformance.our_profiles import read_files
from tests.profile_faults import profile_of
from tests.profiler_routes import asked_about
from tests.training_traces import Machine

_H200 = Path(__file__).parents[4] / "shared/data/torch_h200"
_NVJET = "nvjet_tst_128x256_64x4_1x2_h_bz_TNT"
_BFLOAT = "c10::BFloat16"
_CACHE = 50e6  # bytes that the L2 cache of an H200 holds


def _said(kind: str, *shapes: list[int], values: list[str] | None = None) -> dict[str, Any]:
    return {"Input Dims": [*shapes], "Input type": [kind] * len(shapes), "Concrete Inputs": values or []}


@pytest.mark.parametrize(
    ("name", "said", "size"),
    [
        ("mm", _said("float", [64, 32], [32, 16]), 4 * (64 * 32 + 32 * 16 + 64 * 16)),
        ("bmm", _said(_BFLOAT, [4, 64, 32], [4, 32, 16]), 2 * 4 * (64 * 32 + 32 * 16 + 64 * 16)),
        ("addmm", _said("double", [16], [64, 32], [32, 16]), 8 * (16 + 64 * 32 + 32 * 16 + 64 * 16)),
        (  # each number of two that were expanded is read once
            "bmm",
            _said("float", [4, 64, 32], [4, 32, 16]) | {"Input Strides": [[0, 32, 1], [0, 16, 1]]},
            4 * (64 * 32 + 32 * 16 + 4 * 64 * 16),
        ),
        (  # 8 x 8 places of 3 x 3 weights
            "cudnn_convolution",
            _said(_BFLOAT, [2, 6, 16, 16], [10, 6, 3, 3], values=["", "", "[1, 1]", "[2, 2]", "[1, 1]"]),
            2 * (2 * 6 * 16 * 16 + 10 * 6 * 9 + 2 * 10 * 8 * 8),
        ),
        (  # one weight and a stride of 2: a quarter of the image
            "cudnn_convolution",
            _said(_BFLOAT, [2, 6, 16, 16], [10, 6, 1, 1], values=["", "", "[0, 0]", "[2, 2]", "[1, 1]"]),
            2 * (2 * 6 * 8 * 8 + 10 * 6 + 2 * 10 * 8 * 8),
        ),
        (  # the gradient of the weights alone
            "convolution_backward",
            _said("float", [2, 10, 8, 8], [2, 6, 8, 8], [10, 6, 3, 3], values=["[False, True, False]"]),
            4 * (2 * 10 * 64 + 2 * 6 * 64 + 10 * 6 * 9 + 10 * 6 * 9),
        ),
        ("_scaled_dot_product_flash_attention", _said(_BFLOAT, *[[2, 4, 9, 16]] * 3), 2 * 4 * 2 * 4 * 9 * 16),
        ("add", _said("float", [64, 32], [32]), 4 * (2 * 64 * 32 + 32)),
        ("mul_", _said("float", [64, 32], [64, 32]), 4 * 3 * 64 * 32),
        ("gelu_backward", _said(_BFLOAT, [64, 32], [64, 32]), 2 * 3 * 64 * 32),
        (  # reads float32, writes bfloat16
            "copy_",
            {"Input Dims": [[64, 32], [64, 32]], "Input type": [_BFLOAT, "float"]},
            6 * 64 * 32,
        ),
        ("sum", _said("float", [64, 32]), 4 * 64 * 32),
        ("mm", {"Input Dims": [[64, 32], [32, 16]]}, np.nan),  # types are not known
        ("embedding", _said("float", [50000, 64], [4]), np.nan),  # reads four of its rows
        ("add", {"Input Dims": [[[2], [3]]], "Input type": ["TensorList"]}, np.nan),
    ],
)
def test_bytes_are_those_of_inputs_and_outputs_once(name: str, said: dict[str, Any], size: float) -> None:
    full = f"aten::{name}"
    flops = flops_of(full, said["Input Dims"], said.get("Concrete Inputs")) if is_counted(full) else np.nan
    assert traffic_of(full, said, flops) == pytest.approx(size, nan_ok=True)


def _profile(calls: list[tuple[str, dict[str, Any], str, float]], device: str) -> Profile:
    """A step in which operators launch a kernel each, of some microseconds."""
    machine = Machine(device={"id": 0, "name": device, "computeMajor": 9})
    with machine.span("ProfilerStep#1", "user_annotation"):
        for name, said, kernel, microseconds in calls:
            with machine.span(name, **said):
                machine.launch(kernel, microseconds)
            machine.work(2 * microseconds)
    return profile_of(machine)


_SQUARE = _said(_BFLOAT, [4096, 4096], [4096, 4096])
_FLOPS, _BYTES = 2 * 4096**3, 2 * 3 * 4096**2
_WIDE = _said("float", [1 << 14, 1 << 14], [1 << 14, 1 << 14])


def _at(share: float, seconds: float) -> float:
    """Microseconds of a kernel that reaches a share of a ceiling."""
    return seconds / share * 1e6


def test_each_operator_is_bound_by_the_ceiling_that_it_comes_near() -> None:
    compute, memory = _FLOPS / 989.4e12, 4 * 3 * (1 << 28) / 4.8e12
    small = _said(_BFLOAT, [32, 128], [128, 32])
    calls = [
        ("aten::mm", _SQUARE, _NVJET, _at(0.8, compute)),
        ("aten::add", _WIDE, "vectorized_elementwise_kernel", _at(0.9, memory)),
        ("aten::mm", small, _NVJET, 5.0),
        ("aten::mul", _WIDE, "vectorized_elementwise_kernel", _at(1.2, memory)),
    ]
    answer = roofline(_profile(calls, "NVIDIA H200"), OwnCeilings())
    rows = {(row["name"], row["shapes"][:6]): row for row in answer["rows"]}
    product, add = rows["aten::mm", "[[4096"], rows["aten::add", "[[1638"]
    assert (product["bound"], product["roof"], product["precision"]) == ("compute", "compute", "half")
    assert product["intensity"] == pytest.approx(_FLOPS / _BYTES)
    assert product["rate"] == pytest.approx(0.8 * 989.4e12, rel=1e-3)
    assert product["reached"] == pytest.approx(0.8, rel=1e-3)
    assert product["saving"] == pytest.approx(0.2 * _at(0.8, compute) * 1e3, rel=5e-3)
    assert (add["bound"], add["flops"], add["intensity"]) == ("memory", None, None)
    assert add["reached"] == pytest.approx(0.9, rel=1e-3)
    assert rows["aten::mm", "[[32, "]["bound"] == "neither"
    above = rows["aten::mul", "[[1638"]
    assert (above["reached"], above["saving"]) == (None, 0)
    assert above["above"] == pytest.approx(1.2, rel=1e-3)
    assert answer["known"] == answer["time"]


def test_ceilings_of_a_user_replace_those_of_the_data_sheet() -> None:
    call = ("aten::mm", _SQUARE, _NVJET, _at(0.8, _FLOPS / 989.4e12))
    profile = _profile([call], "NVIDIA H200")
    answer = roofline(profile, own_ceilings("half:800,memory:3"))
    assert answer["rows"][0]["reached"] == pytest.approx(0.8 * 989.4 / 800, rel=1e-3)
    ceilings = {one["name"]: (one["rate"], one["is_own"]) for one in answer["ceilings"]}
    assert ceilings["half"] == (800e12, True)
    assert ceilings["memory"] == (3e12, True)
    assert ceilings["tf32"] == (494.7e12, False)


def test_an_unknown_device_has_no_bounds_until_somebody_gives_its_ceilings() -> None:
    profile = _profile([("aten::mm", _SQUARE, _NVJET, 1000.0)], "A device of tomorrow")
    unknown = roofline(profile, OwnCeilings())
    (row,) = unknown["rows"]
    assert (row["bound"], row["reached"], row["saving"]) == (None, None, None)
    assert row["intensity"] == pytest.approx(_FLOPS / _BYTES)
    assert unknown["utilization"]["mfu"] is None
    (row,) = roofline(profile, own_ceilings("half:200,memory:1"))["rows"]
    assert (row["bound"], row["reached"]) == ("compute", pytest.approx(_FLOPS / 1e-3 / 200e12, rel=1e-3))
    # without the bandwidth the memory may be the lower ceiling
    (row,) = roofline(profile, own_ceilings("half:2000"))["rows"]
    assert row["bound"] is None


@pytest.mark.parametrize("text", ["half", "half:0", "half:nan", "half:-3", "speed:3", "memory:3;half:4"])
def test_ceilings_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="ceilings"):
        own_ceilings(text)


def test_int8_has_a_peak_of_its_own_which_floats_do_not_use() -> None:
    ampere, hopper = peak_rate("NVIDIA A100-SXM4-80GB"), peak_rate("NVIDIA H200")
    assert ampere is not None
    assert hopper is not None
    assert [one.of(InputType.INT8, on_matrix_units=True) / 1e12 for one in (ampere, hopper)] == [624, 1978.9]
    assert ampere.of(InputType.FLOAT8, on_matrix_units=True) == 312e12
    assert [ampere.memory, hopper.memory] == pytest.approx([2.039e12, 4.8e12])


@pytest.mark.parametrize(
    "recording", ["healthy_gpt/before", "full_precision/after", "channels_first/after", "memory"]
)
def test_recorded_operators_stay_below_the_ceilings_but_for_what_is_in_the_cache(recording: str) -> None:
    if not _H200.is_dir():
        pytest.skip(f"no recordings at {_H200}")
    path = _H200 / f"{recording}.pt.trace.json.gz"
    answer = roofline(read_files(Files.of_directory(path.parent, path.name), Source.TORCH), OwnCeilings())
    assert answer["known"] > 0.85 * answer["time"]
    for row in answer["rows"]:
        if row["above"] is not None:
            assert (row["roof"], row["traffic"] / row["calls"] < 1.6 * _CACHE) == ("memory", True)
    bounds = {row["bound"] for row in answer["rows"]}
    assert {"compute", "memory", "neither"} <= bounds


def test_the_route_takes_ceilings_and_names_what_is_wrong(tmp_path: Path) -> None:
    machine = Machine(device={"id": 0, "name": "NVIDIA H200", "computeMajor": 9})
    with machine.span("ProfilerStep#1", "user_annotation"):
        with machine.span("aten::mm", **_SQUARE):
            machine.launch(_NVJET, 200.0)
        machine.work(400.0)
    with asked_about(tmp_path, "a.pt.trace.json", machine.events) as get:
        assert get("roofline").get_json()["rows"][0]["peak"] is None  # nothing names the device
        answer = get("roofline", ceilings="half:989.4,memory:4.8", measured=1_000_000).get_json()
        assert answer["rows"][0]["bound"] == "compute"
        used = answer["utilization"]
        assert used["mfu"] == pytest.approx(_FLOPS / 989.4e12 / 1e-3)
        overview = get("overview", ceilings="half:989.4", measured=1_000_000).get_json()
        assert overview["utilization"]["mfu"] == used["mfu"]
        refused = get("roofline", ceilings="half:x")
        assert (refused.status_code, refused.get_json()["code"]) == (400, "profiler_bad_ceilings")


def test_operations_of_a_document_alone_have_no_rows() -> None:
    document = {"summary": {"flops": 1e9, "flops_per_second": 1e12, "utilization": 0.1}}
    answer = roofline(Profile(Source.MINDINSIGHT, documents={"flops": document}), OwnCeilings())
    assert (answer["rows"], answer["utilization"], answer["device"]) == ([], None, None)
