"""Pictures that are made of whatever numbers there are."""

from __future__ import annotations

import numpy as np
import pytest

from insight_core.summary.images import bytes_of_pixels

LARGEST = float(np.finfo(np.float64).max)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([0.0, 0.5, 1.0], [0, 127, 255]),
        ([-1.0, 0.0, 3.0], [0, 63, 255]),
        ([-LARGEST, 0.0, LARGEST], [0, 127, 255]),  # whose extent is beyond all numbers
        ([7.0, 7.0, 7.0], [0, 0, 0]),
        ([float("nan"), float("-inf"), float("inf")], [0, 0, 255]),
        ([float("inf"), -2.0, 2.0], [255, 0, 255]),
    ],
)
def test_from_the_least_to_the_largest(numbers: list[float], expected: list[int]) -> None:
    found = bytes_of_pixels(np.array(numbers)[:, None, None])
    assert found.ravel().tolist() == expected
