"""Pictures that are made of whatever numbers there are."""

from __future__ import annotations

import numpy as np
import pytest

from insight_record.images import bytes_of_pixels, pixels_of

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


def test_a_batch_is_laid_out_in_rows_of_eight() -> None:
    """Pictures one after the other from left to right; what is missing of the last row is black."""
    batch = np.arange(10 * 5 * 3).reshape(10, 5, 3, 1)
    laid = pixels_of(batch)
    assert laid.shape == (2 * 5, 8 * 3, 1)
    for number in range(16):
        row, column = divmod(number, 8)
        found = laid[5 * row : 5 * row + 5, 3 * column : 3 * column + 3]
        np.testing.assert_array_equal(found, batch[number] if number < 10 else np.zeros((5, 3, 1)))
    np.testing.assert_array_equal(pixels_of(np.moveaxis(batch.repeat(3, 3), 3, 1)), laid.repeat(3, 2))
