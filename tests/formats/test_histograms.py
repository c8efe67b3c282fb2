"""Histograms of values, and many on one axis: against definitions that go value by value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from insight_core.formats.histograms import (
    PERCENTS,
    Histogram,
    aligned,
    bins_for,
    checked,
    histogram_of,
    percentiles,
    usual_range,
)

NAN, INF = float("nan"), float("inf")


def _histogram(*buckets: tuple[float, float, float]) -> Histogram:
    left, right, counts = np.array(buckets, np.float64).reshape(-1, 3).T
    return Histogram(left, right, counts, int(counts.sum()))


def _slow(histogram: Histogram, edges: NDArray[np.float64]) -> list[float]:
    """Bin by bin and bucket by bucket, as the definition says."""
    found = [0.0] * (len(edges) - 1)
    for left, right, count in zip(histogram.left, histogram.right, histogram.counts, strict=True):
        if not count:
            continue
        if left == right:
            place = int(np.searchsorted(edges, left, "right")) - 1
            found[min(max(place, 0), len(found) - 1)] += count
            continue
        for index in range(len(found)):
            shared = min(right, edges[index + 1]) - max(left, edges[index])
            found[index] += count * max(0.0, shared) / (right - left)
    return found


def test_counts_go_to_the_bins_that_a_bucket_overlaps() -> None:
    found = aligned([_histogram((0, 1, 10), (1, 4, 6)), _histogram((2, 4, 8))], bins=2)
    assert found.edges.tolist() == [0, 2, 4]
    assert found.counts.tolist() == [[12, 4], [0, 8]]


def test_a_bucket_of_no_width_goes_to_one_bin_as_a_whole() -> None:
    found = aligned([_histogram((0, 1, 1), (1, 1, 5), (1, 4, 3), (4, 4, 7))], bins=4)
    assert_allclose(found.counts, [[1, 6, 1, 8]])


def test_values_that_are_all_equal_are_in_the_middle() -> None:
    found = aligned([_histogram((0.25, 0.25, 9))], bins=3)
    assert_allclose(found.edges[[0, -1]], [-0.25, 0.75])
    assert found.counts.tolist() == [[0, 9, 0]]


@pytest.mark.parametrize("value", [0.0, -1e-300, 3e7, 1e20, -1.7e308, 1.7976931348623157e308])
def test_values_that_are_all_equal_have_an_axis_whatever_they_are(value: float) -> None:
    found = aligned([_histogram((value, value, 9))], bins=30)
    assert (np.diff(found.edges) > 0).all()
    assert np.isfinite(found.edges).all()
    assert found.counts.sum() == 9


def test_empty_buckets_do_not_widen_the_axis() -> None:
    found = aligned([_histogram((-100, 0, 0), (0, 1, 4), (1, 100, 0))], bins=1)
    assert found.edges.tolist() == [0, 1]


def test_nothing_has_an_axis_too() -> None:
    found = aligned([_histogram(), _histogram((3, 4, 0))])
    assert found.counts.tolist() == [[0], [0]]
    assert aligned([]).counts.shape == (0, 1)
    assert len(aligned([], bins=7).edges) == 8


@pytest.mark.parametrize(
    ("count", "bins"), [(0, 1), (1, 2), (5, 2), (6, 3), (10, 3), (11, 3), (280, 29), (281, 30), (1e9, 30)]
)
def test_bins_are_as_many_as_mindinsight_has(count: float, bins: int) -> None:
    assert bins_for(count) == bins
    assert aligned([_histogram((0, 1, count)), _histogram((0, 1, count // 2))]).counts.shape[1] == bins


_EDGES = st.floats(-1e6, 1e6).map(lambda x: round(x, 6))
_BUCKETS = st.lists(
    st.tuples(_EDGES, st.one_of(st.just(0.0), st.floats(0, 1e5)), st.integers(0, 10**6)), max_size=12
)


@given(st.lists(_BUCKETS, min_size=1, max_size=4), st.integers(1, 40))
def test_buckets_however_they_lie(steps: list[list[tuple[float, float, int]]], bins: int) -> None:
    histograms = [_histogram(*((left, left + width, count) for left, width, count in step)) for step in steps]
    found = aligned(histograms, bins)
    assert found.counts.shape == (len(steps), bins)
    assert (found.counts >= 0).all()
    totals = np.array([histogram.counts.sum() for histogram in histograms])
    assert_allclose(found.counts.sum(axis=1), totals, rtol=1e-9)
    for row, histogram in zip(np.cumsum(found.counts, axis=1), histograms, strict=True):
        # a bucket of hardly any width may be on either side of an edge
        reach = np.diff(found.edges)[0] * 1e-6
        near = [np.cumsum(_slow(histogram, found.edges + moved)) for moved in (-reach, 0, reach)]
        slack = 1e-4 * (totals.max() + 1)
        assert (row >= np.min(near, axis=0) - slack).all()
        assert (row <= np.max(near, axis=0) + slack).all()


def test_what_lies_beyond_a_given_axis_is_in_no_bin() -> None:
    found = aligned(
        [_histogram((0, 1, 10), (1, 3, 6), (3, 3, 1), (2, 2, 5)), _histogram((-9, -8, 2), (8, 9, 1))],
        2,
        (0.5, 2),
    )
    assert found.edges.tolist() == [0.5, 1.25, 2]
    assert_allclose(found.counts, [[5 + 0.75, 2.25 + 5], [0.0, 0.0]])
    assert_allclose(found.beyond, [5 + 3 + 1, 3])
    assert aligned([_histogram((0, 1, 10))], 2).beyond.tolist() == [0]
    assert aligned([_histogram((0, 5e-324, 3))], 2, (0, 1)).beyond.tolist() == [0]


def test_the_usual_range_leaves_out_the_most_extreme_steps() -> None:
    def rows(*ranges: tuple[float, float]) -> NDArray[np.float64]:
        return np.array([np.linspace(low, high, 9) for low, high in ranges]).reshape(-1, 9)

    usual = [(-1.0, 1.0 + step / 10) for step in range(4)]
    assert usual_range(rows(*usual)) == (-1, 1.3)
    assert usual_range(rows(*usual, (-1e9, 1e9))) == (-1, 1.3)
    assert usual_range(rows(*usual, (NAN, NAN))) == (-1, 1.3)
    assert usual_range(rows((2, 2))) is None
    assert usual_range(rows()) is None


@given(_BUCKETS, st.floats(-1e6, 1e6), st.floats(0, 1e6))
@example([(0.0, 0.0, 1)], 0.0, 5e-324)  # half of which is 0
def test_no_value_is_lost_by_an_axis(
    buckets: list[tuple[float, float, int]], low: float, width: float
) -> None:
    histogram = _histogram(*((left, left + width, count) for left, width, count in buckets))
    found = aligned([histogram], 5, (low, low + width))
    assert (found.counts >= 0).all()
    assert found.beyond[0] >= -1e-9 * (histogram.counts.sum() + 1)
    assert_allclose(found.counts.sum() + found.beyond[0], histogram.counts.sum(), rtol=1e-9)


def test_ranges_beyond_float64_are_shown() -> None:
    found = aligned([_histogram((-1.7e308, 1.7e308, 4))], bins=4)
    assert np.isfinite(found.edges).all()
    assert_allclose(found.counts, [[1, 1, 1, 1]])


# --- histogram_of -----------------------------------------------------------------------------------


def test_values_are_counted() -> None:
    found = histogram_of(np.array([[0.0, 1.0, 2.0], [3.0, 4.0, NAN], [INF, INF, -INF]]), 2)
    assert found.left.tolist() == [0, 2]
    assert found.right.tolist() == [2, 4]
    assert found.counts.tolist() == [2, 3]
    assert (found.count, found.nan, found.pos_inf, found.neg_inf) == (9, 1, 2, 1)
    assert (found.min, found.max, found.mean) == (0, 4, 2)


def test_equal_values_are_one_bucket_of_no_width() -> None:
    found = histogram_of(np.full(5, 0.1, np.float32), 30)
    value = float(np.float32(0.1))
    assert (found.left.tolist(), found.right.tolist(), found.counts.tolist()) == ([value], [value], [5])
    assert found.mean == value


@pytest.mark.parametrize("values", [np.empty(0), np.array([NAN, INF])])
def test_nothing_finite_is_no_bucket(values: NDArray[np.float64]) -> None:
    found = histogram_of(values, 30)
    assert len(found.counts) == 0
    assert (found.min, found.max, found.mean) == (None, None, None)
    assert found.count == values.size


@pytest.mark.parametrize("dtype", ["int8", "uint64", "int64", "float16", "float32", "bool"])
def test_values_of_every_type(dtype: str) -> None:
    values = np.array([0, 1, 1, 0, 1]).astype(dtype)
    found = histogram_of(values, 10)
    assert (found.counts[0], found.counts[-1], found.counts.sum()) == (2, 3, 5)


def test_whole_numbers_are_in_the_bin_of_their_own() -> None:
    found = histogram_of(np.arange(91), 90)
    assert found.counts.tolist() == [1] * 89 + [2]


def test_complex_values_have_no_histogram() -> None:
    with pytest.raises(ValueError, match="complex"):
        histogram_of(np.zeros(2, np.complex64), 3)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50), st.integers(1, 100)
)
def test_whatever_the_values_all_are_counted(numbers: list[float], bins: int) -> None:
    found = histogram_of(np.array(numbers), bins)
    assert found.counts.sum() == len(numbers)
    assert np.isfinite(found.left).all()
    assert np.isfinite(found.right).all()
    assert (found.right >= found.left).all()
    assert found.min is not None
    assert found.max is not None
    assert found.mean is not None
    assert found.min <= found.mean <= found.max


def test_many_values_are_counted_in_portions() -> None:
    values = np.random.default_rng(0).normal(size=300_000)
    found = histogram_of(values, 90)
    counts, edges = np.histogram(values, 90)
    assert found.counts.tolist() == counts.tolist()
    assert_allclose(found.left, edges[:-1])
    assert found.mean == pytest.approx(values.mean())


# --- percentiles ------------------------------------------------------------------------------------


def test_percentiles_of_evenly_spread_values() -> None:
    found = percentiles(_histogram((0, 50, 50), (50, 50, 0), (50, 100, 50)))
    assert_allclose(found, PERCENTS)


def test_percentiles_are_those_of_the_values() -> None:
    values = np.random.default_rng(0).normal(size=100_000)
    found = percentiles(histogram_of(values, 1000))
    assert_allclose(found, np.percentile(values, PERCENTS), atol=0.01)
    assert (found[0], found[-1]) == (values.min(), values.max())


def test_percentiles_of_one_value_and_of_none() -> None:
    assert percentiles(_histogram((2, 2, 3))).tolist() == [2] * 9
    assert np.isnan(percentiles(_histogram())).all()
    assert np.isnan(percentiles(_histogram((0, 1, 0)))).all()


@given(_BUCKETS)
def test_percentiles_never_fall(buckets: list[tuple[float, float, int]]) -> None:
    histogram = _histogram(*((left, left + width, count) for left, width, count in sorted(buckets)))
    found = percentiles(histogram)
    if histogram.counts.any():
        assert (np.diff(found) >= 0).all()
        assert found[0] == histogram.left[histogram.counts > 0].min()


# --- checked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "count", "reason"),
    [
        (NAN, 1.0, 1.0, "edge .* is NaN"),
        (0.0, NAN, 1.0, "edge .* is NaN"),
        (1.0, 0.0, 1.0, "negative width"),
        (0.0, 1.0, NAN, "not finite"),
        (0.0, 1.0, INF, "not finite"),
        (0.0, 1.0, -1.0, "is negative"),
    ],
)
def test_buckets_that_cannot_be_are_refused(left: float, right: float, count: float, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        checked(np.array([left]), np.array([right]), np.array([count]))
