"""Slices as the fixture says, which the page's tests read too, and as numpy takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_tensor.slices import SliceError, TensorSlice

CASES = json.loads((Path(__file__).parents[3] / "tests/fixtures/slices.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['slice']} of {case['shape']}")
def test_the_grammar(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(SliceError) as refusal:
            TensorSlice.parse(case["slice"], case["shape"])
        assert refusal.value.reason == case["error"]
        return
    found = TensorSlice.parse(case["slice"], case["shape"])
    selected = [[one.start, one.stop] if one.open else one.start for one in found.dimensions]
    assert selected == case["selected"]
    assert str(found) == case["text"]
    assert TensorSlice.parse(str(found), case["shape"]) == found
    values = np.arange(np.prod(case["shape"], dtype=int)).reshape(case["shape"])
    part = values[found.key]
    assert part.size == found.count
    assert list(np.shape(part)) == [stop - start for _, start, stop in found.open]


@pytest.mark.parametrize(
    ("text", "rows", "columns", "window"),
    [
        (":, :", (1, 3), (0, 2), "[1:3, 0:2]"),
        ("2:, 1:4", (1, 3), (1, 9), "[3:5, 2:4]"),
        (":, :", (3, 99), None, "[3:6, :]"),
        ("2, :", (1, 3), (0, 1), "[2, 1:3]"),
        ("2, 1", (0, 1), None, "[2, 1]"),
        (":, :", (7, 9), None, "[6:6, :]"),
    ],
)
def test_a_window_counts_from_what_is_selected(
    text: str, rows: tuple[int, int] | None, columns: tuple[int, int] | None, window: str
) -> None:
    assert str(TensorSlice.parse(text, (6, 5)).window([rows, columns])) == window


@pytest.mark.parametrize(
    ("text", "shape", "most", "bounded"),
    [
        ("", (4, 5), 20, "[:, :]"),
        ("", (4, 5), 19, "[0:3, :]"),
        ("1:, 2:", (4, 5), 4, "[1:2, 2:5]"),
        ("", (4, 5), 3, "[0:1, 0:3]"),
        ("2:", (9,), 3, "[2:5]"),
        ("3, :", (4, 5), 2, "[3, 0:2]"),
        ("0", (4,), 1, "[0]"),
        ("", (0, 7), 3, "[:, :]"),
        ("", (7, 0), 3, "[0:3, :]"),
    ],
)
def test_a_bounded_slice_keeps_whole_rows(text: str, shape: tuple[int, ...], most: int, bounded: str) -> None:
    found = TensorSlice.parse(text, shape).bounded(most)
    assert str(found) == bounded
    assert found.count <= most
