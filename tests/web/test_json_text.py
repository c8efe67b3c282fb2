"""JSON of numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from insight_core.plugin import encode_json


def _rejects(name: str) -> float:
    raise AssertionError(f"bare {name}")


def _back(value: object) -> object:
    return json.loads(encode_json(value), parse_constant=_rejects)


def test_what_is_not_finite_becomes_text() -> None:
    column = np.array([1.5, np.nan, np.inf, -np.inf])
    assert _back({"a": column}) == {"a": [1.5, "NaN", "Infinity", "-Infinity"]}
    assert _back([float("nan"), {"x": float("inf")}]) == ["NaN", {"x": "Infinity"}]
    assert _back((np.float32("nan"), np.float64("-inf"))) == ["NaN", "-Infinity"]
    assert _back(np.array([[1.0, np.nan]])) == [[1.0, "NaN"]]


def test_float32_is_written_as_the_float64_it_equals() -> None:
    column = np.array([0.1, 1e-45, 3.4028235e38], np.float32)
    assert _back(column) == [float(value) for value in column]


def test_integers_and_names_stay_exact() -> None:
    assert _back(np.array([2**63 - 1, -(2**63)])) == [2**63 - 1, -(2**63)]
    assert _back({"s": {"b", "a"}, "n": np.int64(3), "t": np.bool_(True)}) == {
        "s": ["a", "b"],
        "n": 3,
        "t": True,
    }
    assert _back("损失 \udcff") == "损失 \udcff"


def test_what_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError, match="bytes"):
        encode_json({"a": b"x"})
