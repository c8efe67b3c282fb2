"""Layouts are MindSpore's: recorded from its own functions (mindspore 2.10.0) for random layouts."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.analysis.sharding import (
    cut_by_optimizer,
    item_size,
    layout_of,
    redistribution,
    same,
    sent_bytes,
)
from insight_profiler.analysis.sharding_rules import operator_layouts

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "data/mindspore_layouts.json").read_text())


def test_slices_are_those_that_mindspore_loads() -> None:
    """``_load_tensor`` of mindspore.parallel for every rank."""
    assert len(RECORDED["slices"]) == 24
    for case in RECORDED["slices"]:
        layout = layout_of(case["device_matrix"], case["tensor_map"])
        assert list(layout.parts) == case["parts"]
        slices = [layout.slices(case["shape"], index) for index in range(prod(case["device_matrix"]))]
        assert slices == case["slices"]


def test_optimizer_parallelism_cuts_by_the_axes_that_mindspore_takes() -> None:
    for case in RECORDED["optimizer"]:
        matrix, tensor_map, _ = case["layout"]  # the first dimension is written as several
        expected = layout_of(matrix, tensor_map)
        cut = cut_by_optimizer(layout_of(case["device_matrix"], case["tensor_map"]), case["size"])
        assert cut is not None
        assert cut.devices == expected.devices
        assert cut.axes[0] == tuple(axis for axes in expected.axes[:-1] for axis in axes)


def test_redistribution_gathers_what_mindspore_gathers() -> None:
    """``transform_tensor_sharding``: dimension and size of each group; slicing moves nothing."""
    assert len(RECORDED["redistributions"]) == 60
    for case in RECORDED["redistributions"]:
        before, after = (layout_of(case["device_matrix"], case[which]) for which in ("from", "to"))
        shard = before.shard_shape(case["shape"])
        assert shard is not None
        found = redistribution(before, after, shard, 4)
        expected = [
            (numbers[-1], len(numbers) - 1) for name, numbers in case["operators"] if name == "AllConcat"
        ]
        assert sorted((one["dim"], one["ranks"]) for one in found) == sorted(expected)
        if found:
            assert found[0]["bytes"] == prod(shard) * 4


def test_the_same_layout_over_other_device_matrices() -> None:
    assert same(layout_of([8], [0, -1]), layout_of([2, 4], [[1, 0], -1]))
    assert not same(layout_of([8], [0, -1]), layout_of([2, 4], [1, 0]))
    assert not same(layout_of([2, 3], [1]), layout_of([3, 2], [1]))


def test_tensors_that_cannot_be_cut_have_no_slices() -> None:
    assert layout_of([2, 4], [1, 0]).slices([3, 8], 0) is None
    assert layout_of([2, 4], [1]).shard_shape([4, 4]) is None
    assert cut_by_optimizer(layout_of([2, 4], [1, 0]), 2) is None  # no axis is left
    with pytest.raises(ValueError, match="axis 2"):
        layout_of([2, 4], [2])


def test_matrix_products_have_an_axis_for_what_is_summed() -> None:
    """MindSpore's device matrix of MatMul: rows, summed dimension, columns."""
    found = operator_layouts("MatMul", [[2, 2], [2, 4]], {}, 16)
    assert found.devices == (2, 2, 4)
    assert found.output is not None
    assert found.output.parts == (2, 4)
    turned = operator_layouts("MatMul", [[2, 2], [4, 2]], {"transpose_b": "True"}, 16)
    assert turned.output == found.output
    batched = operator_layouts("BatchMatMul", [[2, 1, 4, 1], [2, 1, 1, 2]], {}, 32)
    assert batched.devices == (2, 1, 4, 1, 2, 2)
    assert batched.repeated == 2
    assert batched.output is not None
    assert batched.output.parts == (2, 1, 4, 2)


def test_elementwise_inputs_are_matched_from_the_right() -> None:
    found = operator_layouts("Add", [[2, 1, 4], [4]], {}, 8)
    assert [one and one.axes for one in found.inputs] == [((0,), (), (2,)), ((2,),)]


@pytest.mark.parametrize(
    ("kind", "strategy", "devices"),
    [
        ("Conv2D", [[2, 1, 1, 1], [1, 1, 1, 1]], 2),  # a type without a rule
        ("MatMul", [[2, 2], [4, 1]], 8),  # the summed dimensions differ
        ("Add", [[2, 2], [4]], 4),
        ("ReLU", [[3]], 8),  # not every device has a part
        ("ReLU", [[16]], 8),
        ("ReLU", [[0]], 8),
        ("ReLU", [], 8),
    ],
)
def test_what_no_rule_covers_has_no_layout(kind: str, strategy: list[list[int]], devices: int) -> None:
    found = operator_layouts(kind, strategy, {}, devices)
    assert (found.devices, found.output) == (None, None)


def test_bytes_of_elements_and_of_rings() -> None:
    sizes = {"DT_FLOAT32": 4, "DT_BFLOAT16": 2, "DT_BOOL": 1, "DT_INT8": 1, "DT_COMPLEX64": 8, "DT_STRING": 0}
    assert {name: item_size(name) for name in sizes} == sizes
    assert sent_bytes("AllReduce", 1000, 4) == 1500
    assert sent_bytes("AllGather", 1000, 4) == 3000
    assert sent_bytes("ReduceScatter", 1000, 4) == 750
    assert sent_bytes("Receive", 1000, 2) is None
