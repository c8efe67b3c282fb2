"""FLOPs from the shapes in traces of PyTorch, and who took memory, on a real trace and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from insight_profiler.analysis.device_peaks import peak_rate
from insight_profiler.analysis.flops import flops_answer
from insight_profiler.analysis.memory import memory
from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.reading import READERS
from insight_profiler.reading.trace_flops import flops_of

from tests.profile_faults import FAULTS, profile_of, simulate

_TRACE = Path(__file__).parents[4] / "shared/data/torch_profile"
_NO, _YES = "False", "True"


@pytest.fixture(scope="module")
def lenet() -> Profile:
    """Four steps of LeNet with a batch of 32, as torch.profiler wrote them down."""
    if not _TRACE.is_dir():
        pytest.skip(f"no sample trace at {_TRACE}")
    building = Building(Source.TORCH)
    (path,) = _TRACE.glob("*.pt.trace.json")
    READERS[Source.TORCH](Files.of_directory(_TRACE, path.name), building)
    return building.finish()


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


def test_peaks_are_told_by_the_name_of_a_device() -> None:
    known = {name: peak_rate(name) for name in ("Tesla V100-SXM2-32GB", "NVIDIA H100 80GB HBM3", "GPU 0")}
    assert [peak and peak.matrix / 1e12 for peak in known.values()] == [125.0, 989.4, None]


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
