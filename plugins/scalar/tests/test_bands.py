"""Bands against a definition that goes point by point."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_scalar.bands import Band, Curve, band_of, decimated
from insight_scalar.student import t_95

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


@settings(deadline=None)
@given(st.lists(_POINTS, min_size=1, max_size=5))
def test_bands_are_what_their_definition_says(runs: list[list[tuple[int, float]]]) -> None:
    curves = [_curve(points) for points in runs]
    spread = band_of(curves, "mean", "minmax", (None, None))
    deviation = band_of(curves, "mean", "std", (None, None))
    assert spread.x.tolist() == sorted({x for points in runs for x, y in points if math.isfinite(y)})
    for index, x in enumerate(spread.x.tolist()):
        values = [y for points in runs if (y := _at(points, x)) is not None]
        assert spread.count[index] == len(values)
        assert spread.centre[index] == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-6)
        assert spread.low[index] == pytest.approx(min(values), rel=1e-9, abs=1e-6)
        assert spread.high[index] == pytest.approx(max(values), rel=1e-9, abs=1e-6)
        half = (deviation.high[index] - deviation.low[index]) / 2
        assert half == pytest.approx(statistics.pstdev(values), rel=1e-6, abs=1e-3)


def test_a_run_is_never_continued_beyond_its_points() -> None:
    band = band_of([_curve([(0, 0.0), (10, 10.0)]), _curve([(5, 1.0)])], "mean", "minmax", (None, None))
    assert (band.x.tolist(), band.count.tolist()) == ([0, 5, 10], [1, 2, 1])
    assert band.centre.tolist() == [0, 3, 10]


def test_inside_a_window_runs_are_still_interpolated_from_beyond_it() -> None:
    band = band_of([_curve([(0, 0.0), (10, 10.0)]), _curve([(4, 0.0), (6, 0.0)])], "mean", "minmax", (3, 5))
    assert (band.x.tolist(), band.high.tolist()) == ([4], [4])


def test_equal_large_values_have_no_deviation() -> None:
    curves = [_curve([(0, 1e9), (1, 1e9)]) for _ in range(10)]
    band = band_of(curves, "mean", "std", (None, None))
    assert band.low.tolist() == band.high.tolist() == [1e9, 1e9]


def test_nothing_but_nan_is_an_empty_band() -> None:
    band = band_of([_curve([(0, math.nan)]), _curve([])], "mean", "std", (None, None))
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
    assert (few.centre.min(), few.centre.max()) == (mean.min(), mean.max())
    assert (few.x[0], few.x[-1]) == (0, 99_999)
    assert np.all(np.diff(few.x) > 0)
    filled = np.histogram(few.x, bins=50, range=(0, len(x)))[0]
    assert log_x or np.all(filled >= 2)


# of the tables of Abramowitz and Stegun (26.10), with the digits of scipy.stats.t.ppf(0.975, degrees)
_T_95 = {
    1: 12.706204736174694,
    2: 4.302652729749462,
    3: 3.182446305283708,
    4: 2.776445105197793,
    9: 2.262157162798205,
    30: 2.0422724563012378,
    120: 1.979930405082423,
    199: 1.971956544251746,
    200: 1.9718962236339088,
    1000: 1.962339080792639,
}


@pytest.mark.parametrize(("degrees", "expected"), _T_95.items())
def test_quantiles_of_students_t(degrees: int, expected: float) -> None:
    assert t_95(degrees) == pytest.approx(expected, rel=1e-10)


def _uneven_runs() -> list[Curve]:
    """Seven runs of different lengths that share most of their steps; some have NaN, one began again."""
    rng = np.random.default_rng(3)
    curves = []
    for length in (2000, 2000, 1500, 1000, 999, 7, 1):
        steps = np.sort(rng.choice(2000, size=length, replace=False))
        values = rng.lognormal(size=length)
        values[rng.random(length) < 0.02] = np.nan
        curves.append(Curve.of(steps, values))
    again = Curve.of(np.r_[0:500, 200:800], rng.normal(size=1100))
    assert len(again.x) == 800
    return [*curves, again]


def test_statistics_of_uneven_runs_equal_numpy() -> None:
    curves = _uneven_runs()
    grid = np.unique(np.concatenate([curve.x for curve in curves]))
    rows = [np.interp(grid, curve.x, curve.y, left=np.nan, right=np.nan) for curve in curves if len(curve.x)]
    values = np.array(rows)
    n = np.isfinite(values).sum(axis=0)
    assert n.min() >= 2
    assert len(set(n.tolist())) > 3
    mean = np.nanmean(values, axis=0)
    error = np.nanstd(values, axis=0, ddof=1) / np.sqrt(n)
    t = np.array([t_95(int(size) - 1) for size in n])
    quartiles = np.nanpercentile(values, (25, 75), axis=0)
    expected = {
        "minmax": (np.nanmin(values, axis=0), np.nanmax(values, axis=0)),
        "std": (mean - np.nanstd(values, axis=0), mean + np.nanstd(values, axis=0)),
        "sem": (mean - error, mean + error),
        "ci95": (mean - t * error, mean + t * error),
        "iqr": (quartiles[0], quartiles[1]),
    }
    for spread, (low, high) in expected.items():
        band = band_of(curves, "mean", spread, (None, None))  # type: ignore[arg-type]  # a word of the mapping
        np.testing.assert_array_equal(band.x, grid)
        np.testing.assert_array_equal(band.count, n)
        np.testing.assert_allclose(band.centre, mean, rtol=1e-12)
        np.testing.assert_allclose(band.low, low, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(band.high, high, rtol=1e-9, atol=1e-12)
    median = band_of(curves, "median", "iqr", (None, None))
    np.testing.assert_allclose(median.centre, np.nanmedian(values, axis=0), rtol=1e-12)


def test_quartiles_computed_in_portions_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = _uneven_runs()
    whole = band_of(curves, "median", "iqr", (None, None))
    monkeypatch.setattr("insight_scalar.bands._CELLS", 100)
    parts = band_of(curves, "median", "iqr", (None, None))
    np.testing.assert_array_equal(parts.centre, whole.centre)
    np.testing.assert_array_equal(parts.low, whole.low)


@pytest.mark.parametrize("spread", ["sem", "ci95"])
def test_one_run_has_no_standard_error(spread: Literal["sem", "ci95"]) -> None:
    curves = [_curve([(0, 1.0), (1, 2.0), (2, 4.0)]), _curve([(1, 4.0)])]
    band = band_of(curves, "mean", spread, (None, None))
    assert np.isnan(band.low).tolist() == np.isnan(band.high).tolist() == [True, False, True]
    assert band.centre.tolist() == [1.0, 3.0, 4.0]
    few = decimated(band, 1, (None, None), log_x=False)
    assert (few.x[0], few.x[-1]) == (0, 2)
    assert np.nanmin(few.low) == band.low[1]
