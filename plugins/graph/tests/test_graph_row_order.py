"""Rows are in the order that numpy's stable sorts give."""

from __future__ import annotations

import numpy as np
import pytest
from insight_graph.order import by_key, by_two_keys


@pytest.mark.parametrize("most", [1, 3, 500, 1 << 40])
def test_equal_keys_stay_in_their_order(most: int) -> None:
    random = np.random.default_rng(most)
    for size in (0, 1, 2, 2000):
        keys = random.integers(0, most, size)
        assert by_key(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("most", [1, 4, 1 << 20])
def test_the_first_key_counts_before_the_second(most: int) -> None:
    random = np.random.default_rng(most)
    first = random.integers(0, most, 2000).astype(np.int32)
    second = random.integers(-1, 1 << 20, 2000)
    second[::100] = np.iinfo(np.int64).max  # of a branch without leaves
    assert by_two_keys(first, second).tolist() == np.lexsort((second, first)).tolist()
