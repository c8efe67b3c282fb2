"""Statistics of tensors against whole-array numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from insight_tensor.statistics import Statistics, statistics_of
from numpy.typing import NDArray

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i4", "i8", "u8", "?"])
def test_as_numpy_has_them(dtype: str) -> None:
    values = np.random.default_rng(3).normal(2, 4, (3, 70_001)).astype("i8").astype(dtype)
    found = statistics_of(values)
    wide = values.astype(float)
    assert found.count == values.size
    assert (found.min, found.max) == (values.min().item(), values.max().item())
    assert found.mean == pytest.approx(wide.mean(), rel=1e-12)
    assert found.std == pytest.approx(wide.std(), rel=1e-12)
    counts = [(wide == 0).sum(), (wide > 0).sum(), (wide < 0).sum()]
    assert [found.zeros, found.positives, found.negatives] == counts


def test_what_is_not_finite_is_counted_beside_the_others() -> None:
    values = np.zeros(200_000, np.float32)
    values[[5, 100_000]], values[7], values[-1], values[3], values[9] = NAN, INF, -INF, 4, -2
    found = statistics_of(values)
    assert (found.nan, found.pos_inf, found.neg_inf) == (2, 1, 1)
    assert (found.positives, found.negatives, found.zeros) == (1, 1, 199_994)
    assert (found.min, found.max) == (-2.0, 4.0)
    assert found.mean == pytest.approx(2 / 199_996)


def test_nothing_finite() -> None:
    found = statistics_of(np.array([NAN, INF, INF]))
    assert (found.mean, found.std, found.min, found.max) == (None,) * 4
    assert (found.nan, found.pos_inf, found.zeros) == (1, 2, 0)


def test_an_empty_tensor() -> None:
    assert statistics_of(np.zeros((0, 3))) == Statistics(
        0, zeros=0, positives=0, negatives=0, nan=0, pos_inf=0, neg_inf=0
    )


@pytest.mark.parametrize("values", [np.array([b"a", b""], object), np.array([1 + 2j, 3])])
def test_strings_and_complex_numbers_are_counted(values: NDArray[Any]) -> None:
    assert statistics_of(values) == Statistics(2)


def test_integers_are_exact() -> None:
    low, high = -(2**63) + 1, 2**63 - 1
    found = statistics_of(np.array([low, high, high - 1]))
    assert (found.min, found.max) == (low, high)
    assert statistics_of(np.array([2**64 - 1], np.uint64)).max == 2**64 - 1


def test_a_far_mean_does_not_lose_the_deviation() -> None:
    values = np.tile([1e9, 1e9 + 1], 100_000)
    assert statistics_of(values).std == pytest.approx(0.5, rel=1e-9)


def test_numbers_near_the_largest_do_not_warn() -> None:
    assert statistics_of(np.full(10, 1.7e308)).max == 1.7e308


def test_views_of_any_order() -> None:
    values = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[::-1]
    assert statistics_of(values).mean == 11.5


@pytest.mark.parametrize("value", [2.5, -1.0, 0.0, NAN, -INF])
def test_a_value_that_repeats_is_looked_at_once(value: float) -> None:
    found = statistics_of(np.broadcast_to(np.float32(value), (300, 300)))
    assert found == statistics_of(np.full((300, 300), value, np.float32))
