"""Smoothers against formulas that go point by point."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_scalar.smoothers import Floats, smoothed

_VALUES = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf]), max_size=40)
_WEIGHTS = st.sampled_from([0.1, 0.6, 0.9, 0.99])


def _weighted_mean(values: list[float], i: int, weight_of: dict[int, float]) -> float:
    if not math.isfinite(values[i]):
        return values[i]
    terms = [(weight, values[j]) for j, weight in weight_of.items() if math.isfinite(values[j])]
    return math.fsum(w * v for w, v in terms) / math.fsum(w for w, _ in terms)


def _check(found: Floats, expected: list[float]) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)


@settings(deadline=None)
@given(_VALUES, _WEIGHTS)
def test_ema_is_tensorboards_formula(values: list[float], weight: float) -> None:
    last, count, expected = 0.0, 0, []
    for value in values:  # resmoothDataset of TensorBoard's vz_line_chart
        if math.isfinite(value):
            last = last * weight + (1 - weight) * value
            count += 1
            expected.append(last / (1 - weight**count))
        else:
            expected.append(value)
    _check(smoothed(np.array(values), np.arange(float(len(values))), "ema", weight), expected)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 50), st.floats(-1e6, 1e6)), max_size=40), _WEIGHTS)
def test_time_weighted_ema_forgets_by_distance(points: list[tuple[int, float]], weight: float) -> None:
    x = np.cumsum([gap for gap, _ in points]).astype(np.float64)
    values = [value for _, value in points]
    unit = float(np.median(np.diff(x))) if len(x) > 1 else 1.0
    expected = [
        _weighted_mean(values, i, {j: weight ** ((x[i] - x[j]) / unit) for j in range(i + 1)})
        for i in range(len(values))
    ]
    _check(smoothed(np.array(values), x, "twema", weight), expected)


def test_time_weighted_ema_of_regular_steps_is_tensorboards() -> None:
    values = np.random.default_rng(0).normal(size=500)
    x = np.arange(500.0) * 7
    np.testing.assert_allclose(smoothed(values, x, "twema", 0.9), smoothed(values, x, "ema", 0.9))


def test_time_weighted_ema_of_the_past_does_not_change_as_a_series_grows() -> None:
    rng = np.random.default_rng(1)
    x, values = np.cumsum(rng.integers(1, 9, 400)).astype(np.float64), rng.normal(size=400)
    whole = smoothed(values, x, "twema", 0.9)
    np.testing.assert_array_equal(smoothed(values[:300], x[:300], "twema", 0.9), whole[:300])


@settings(deadline=None)
@given(_VALUES, _WEIGHTS)
def test_gaussian_is_a_weighted_mean_of_neighbours(values: list[float], weight: float) -> None:
    deviation = math.sqrt(weight) / (1 - weight)
    reach = math.ceil(4 * deviation)
    expected = [
        _weighted_mean(
            values,
            i,
            {
                j: math.exp(-0.5 * ((i - j) / deviation) ** 2)
                for j in range(len(values))
                if abs(i - j) <= reach
            },
        )
        for i in range(len(values))
    ]
    _check(smoothed(np.array(values), np.arange(float(len(values))), "gaussian", weight), expected)


@settings(deadline=None)
@given(_VALUES, _WEIGHTS)
def test_running_mean_is_the_mean_of_its_window(values: list[float], weight: float) -> None:
    reach = round((1 + weight) / (1 - weight)) // 2
    expected = [
        _weighted_mean(values, i, {j: 1.0 for j in range(len(values)) if abs(i - j) <= reach})
        for i in range(len(values))
    ]
    _check(smoothed(np.array(values), np.arange(float(len(values))), "mean", weight), expected)


@pytest.mark.parametrize("weight", [0.5, 0.9, 0.999])
def test_a_spike_of_1e300_leaves_the_running_mean_elsewhere_exact(weight: float) -> None:
    values = np.ones(10_000)
    values[5000] = 1e300
    found = smoothed(values, np.arange(10_000.0), "mean", weight)
    reach = round((1 + weight) / (1 - weight)) // 2
    np.testing.assert_array_equal(np.r_[found[: 5000 - reach], found[5001 + reach :]], 1.0)


_PLACES = np.arange(30_000)
_LONG = {
    "noise": np.random.default_rng(2).normal(size=30_000),
    "spike": np.where(_PLACES == 9000, 1e300, np.random.default_rng(3).random(30_000)),
    "falling": np.exp(-_PLACES / 700),
    "cliff": np.where(_PLACES < 15_000, 1e9, np.random.default_rng(4).random(30_000)),
    "gaps": np.where(np.random.default_rng(5).random(30_000) < 0.3, math.nan, np.sin(_PLACES / 500)),
    "huge": np.where(_PLACES % 2, 1.7e308, -1.7e308),
    "constant": np.full(30_000, 0.1),
    "infinite": np.where(_PLACES % 50 == 7, math.inf, -1e-300),
    "zero": np.zeros(30_000),
}


@pytest.mark.parametrize("weight", [0.9, 0.99, 0.999])
@pytest.mark.parametrize("name", _LONG)
def test_gaussian_of_a_long_series_is_exact_to_a_billionth(name: str, weight: float) -> None:
    values = _LONG[name]
    deviation = math.sqrt(weight) / (1 - weight)
    reach = math.ceil(4 * deviation)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    finite = np.isfinite(values)
    peak = np.abs(values[finite]).max() or 1.0
    known = np.where(finite, values / peak, 0.0)

    def convolved(column: Floats) -> Floats:
        return np.asarray(np.convolve(column, kernel)[reach : reach + len(column)][finite])

    weights = convolved(finite.astype(np.float64))
    found = smoothed(values, _PLACES.astype(np.float64), "gaussian", weight)
    np.testing.assert_array_equal(found[~finite], values[~finite])
    off = np.abs(found[finite] / peak - convolved(known) / weights)
    assert (off <= 1e-9 * convolved(np.abs(known)) / weights).all()


def test_gaussian_of_a_long_constant_does_not_vary() -> None:
    values = np.full(100_000, 0.1)
    np.testing.assert_array_equal(smoothed(values, np.arange(1e5), "gaussian", 0.999), values)
