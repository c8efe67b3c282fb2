"""Bands against a definition that goes point by point."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_scalar.bands import Band, Curve, band_of, decimated

_POINTS = st.lists(
    st.tuples(st.integers(0, 30), st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf])), max_size=20
)


def _curve(points: list[tuple[int, float]]) -> Curve:
    return Curve.of(np.array([x for x, _ in points], float), np.array([y for _, y in points], float))


def _at(points: list[tuple[int, float]], x: float) -> float | None:
    """Linear interpolation of one run at x, None where it does not reach."""
    known = sorted(dict(point for point in points if math.isfinite(point[1])).items())
    for (x0, y0), (x1, y1) in itertools.pairwise(known):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return known[0][1] if len(known) == 1 and known[0][0] == x else None


@given(st.lists(_POINTS, min_size=1, max_size=5))
def test_bands_are_what_their_definition_says(runs: list[list[tuple[int, float]]]) -> None:
    curves = [_curve(points) for points in runs]
    spread = band_of(curves, "minmax", (None, None))
    deviation = band_of(curves, "std", (None, None))
    assert spread.x.tolist() == sorted({x for points in runs for x, y in points if math.isfinite(y)})
    for index, x in enumerate(spread.x.tolist()):
        values = [y for points in runs if (y := _at(points, x)) is not None]
        assert spread.count[index] == len(values)
        assert spread.mean[index] == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-6)
        assert spread.low[index] == pytest.approx(min(values), rel=1e-9, abs=1e-6)
        assert spread.high[index] == pytest.approx(max(values), rel=1e-9, abs=1e-6)
        half = (deviation.high[index] - deviation.low[index]) / 2
        assert half == pytest.approx(statistics.pstdev(values), rel=1e-6, abs=1e-3)


def test_a_run_is_never_continued_beyond_its_points() -> None:
    band = band_of([_curve([(0, 0.0), (10, 10.0)]), _curve([(5, 1.0)])], "minmax", (None, None))
    assert (band.x.tolist(), band.count.tolist()) == ([0, 5, 10], [1, 2, 1])
    assert band.mean.tolist() == [0, 3, 10]


def test_inside_a_window_runs_are_still_interpolated_from_beyond_it() -> None:
    band = band_of([_curve([(0, 0.0), (10, 10.0)]), _curve([(4, 0.0), (6, 0.0)])], "minmax", (3, 5))
    assert (band.x.tolist(), band.high.tolist()) == ([4], [4])


def test_equal_large_values_have_no_deviation() -> None:
    curves = [_curve([(0, 1e9), (1, 1e9)]) for _ in range(10)]
    band = band_of(curves, "std", (None, None))
    assert band.low.tolist() == band.high.tolist() == [1e9, 1e9]


def test_nothing_but_nan_is_an_empty_band() -> None:
    band = band_of([_curve([(0, math.nan)]), _curve([])], "std", (None, None))
    assert len(band.x) == 0
    assert len(decimated(band, 10, (None, None), log_x=False).x) == 0


@pytest.mark.parametrize("log_x", [False, True])
def test_decimation_keeps_what_is_extreme(log_x: bool) -> None:
    rng = np.random.default_rng(7)
    x = np.arange(100_000, dtype=np.float64)
    mean = rng.normal(size=len(x))
    low, high = mean - 1, mean + 1
    low[54_321], high[12_345] = -1e6, 1e6
    band = Band(x, mean, low, high, np.ones(len(x), np.int64))
    few = decimated(band, 50, (None, None), log_x=log_x)
    assert len(few.x) <= 51 * 6
    assert (few.low.min(), few.high.max()) == (-1e6, 1e6)
    assert (few.mean.min(), few.mean.max()) == (mean.min(), mean.max())
    assert (few.x[0], few.x[-1]) == (0, 99_999)
    assert np.all(np.diff(few.x) > 0)
    filled = np.histogram(few.x, bins=50, range=(0, len(x)))[0]
    assert log_x or np.all(filled >= 2)
