"""Smoothing, envelopes and places on an axis: compiled and in numpy, against the plainest definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from insight_core.store.blocks import BLOCK_TYPE, NO_BLOCKS, POINTS
from insight_core.store.reduction import Reduction, Values, column_borders
from insight_core.store.reduction import reduction as compiled
from tests.oracles import numpy_reduction

KINDS: tuple[Reduction, ...] = (numpy_reduction, compiled)

both = pytest.mark.parametrize("reduction", KINDS, ids=["numpy", "compiled"])
odd = st.sampled_from([math.nan, math.inf, -math.inf])
weights = st.sampled_from([0.1, 0.6, 0.9, 0.99, 0.999, 0.999999])
seeds = st.integers(0, 2**32 - 1)


def noise(seed: int, count: int, *, double: bool, holes: float) -> Values:
    """Few distinct values, so that there are ties, and a share of NaN and infinities."""
    random = np.random.default_rng(seed)
    values = random.integers(-20, 20, count) / 4
    places = np.flatnonzero(random.random(count) < holes)
    values[places] = random.choice([math.nan, math.inf, -math.inf], len(places))
    if seed % 3 == 0:
        values[: count // 2] = math.nan  # whole blocks without a finite value
    return values if double else values.astype(np.float32)


def summary(reduction: Reduction, values: Values, count: int | None = None) -> NDArray[np.void]:
    blocks = np.empty(len(values) // POINTS if count is None else count, BLOCK_TYPE)
    reduction.summarise(values, blocks)
    return blocks


# --- smoothing ----------------------------------------------------------------------------------


def debiased(values: list[float], weight: float) -> list[float]:
    last, count, out = 0.0, 0, []
    for value in values:
        if math.isfinite(value):
            last = last * weight + (1 - weight) * value
            count += 1
            out.append(last / -math.expm1(count * math.log(weight)))
        else:
            out.append(value)
    return out


def smooth(reduction: Reduction, values: Values, weight: float, cuts: tuple[int, ...] = ()) -> list[float]:
    """The averages, computed in pieces that end at ``cuts``."""
    out, state = np.full(len(values), 7.0), np.zeros(4)
    for start, stop in itertools.pairwise((0, *cuts, len(values))):
        reduction.average(values[start:stop], out[start:stop], weight, state)
    result: list[float] = out.tolist()
    return result


@both
@settings(deadline=None)
@given(
    values=st.lists(st.one_of(st.floats(-1e6, 1e6), odd), max_size=300),
    weight=weights,
    cuts=st.lists(st.integers(0, 300), max_size=3),
    double=st.booleans(),
)
def test_smoothing_is_tensorboards_also_in_pieces(
    reduction: Reduction, values: list[float], weight: float, cuts: list[int], double: bool
) -> None:
    data: Values = np.array(values, np.float64) if double else np.array(values, np.float32)
    expected = debiased(data.tolist(), weight)
    scale = max((abs(value) for value in data.tolist() if math.isfinite(value)), default=0.0)
    for where in ((), tuple(sorted(min(cut, len(values)) for cut in cuts))):
        np.testing.assert_allclose(
            smooth(reduction, data, weight, where), expected, rtol=1e-9, atol=1e-9 * scale + 1e-300
        )


@both
@pytest.mark.parametrize("cuts", [(), (1,), (0, 70, 71, 200)])
def test_a_constant_series_is_not_smoothed(reduction: Reduction, cuts: tuple[int, ...]) -> None:
    values = np.full(200, 0.1)
    values[[0, 5, 150]] = math.nan, math.inf, math.nan
    np.testing.assert_array_equal(smooth(reduction, values, 0.9, cuts), values)


@both
def test_long_smoothing_carries_over_blocks(reduction: Reduction) -> None:
    values = np.random.default_rng(0).normal(size=20_000)
    for cuts in ((), (9_000, 9_001)):
        found = smooth(reduction, values, 0.997, cuts)
        np.testing.assert_allclose(found, debiased(values.tolist(), 0.997), rtol=1e-9, atol=1e-12)


@both
def test_averages_of_the_largest_numbers_are_finite(reduction: Reduction) -> None:
    most = np.finfo(np.float64).max
    assert np.isfinite(smooth(reduction, np.array([most, most / 2, most, most]), 0.6)).all()


# --- envelopes ------------------------------------------------------------------------------------


def kept_of(values: list[float], starts: list[int], stops: list[int]) -> list[int]:
    kept: set[int] = set()
    for start, stop in zip(starts, stops, strict=True):
        members = range(start, stop)
        kept |= {start, stop - 1}
        finite = [i for i in members if math.isfinite(values[i])]
        if finite:
            kept |= {min(finite, key=lambda i: values[i]), max(finite, key=lambda i: values[i])}
        for is_kind in (math.isnan, lambda v: v == math.inf, lambda v: v == -math.inf):
            kept |= set([i for i in members if is_kind(values[i])][:1])
    return sorted(kept)


@both
@settings(deadline=None, max_examples=150)
@given(
    seed=seeds,
    count=st.integers(1, 8 * POINTS),
    columns=st.integers(1, 30),
    holes=st.sampled_from([0.0, 0.002, 0.3, 1.0]),
    double=st.booleans(),
    gaps=st.booleans(),
    data=st.data(),
)
def test_every_column_keeps_its_first_min_max_last_and_what_is_not_finite(
    reduction: Reduction,
    seed: int,
    count: int,
    columns: int,
    holes: float,
    double: bool,
    gaps: bool,
    data: st.DataObject,
) -> None:
    values = noise(seed, count, double=double, holes=holes)
    cuts = np.random.default_rng(seed).integers(0, count + 1, columns)
    edges = np.unique(np.concatenate(([0], cuts, [count])))
    starts, stops = edges[:-1], edges[1:]
    if gaps:
        starts, stops = starts[::2].copy(), stops[::2].copy()
    known = data.draw(st.integers(0, count // POINTS))
    expected = kept_of(values.tolist(), starts.tolist(), stops.tolist())
    for blocks in (NO_BLOCKS, summary(reduction, values), summary(reduction, values, known)):
        assert reduction.envelope(values, blocks, starts, stops).tolist() == expected
        ranges = np.column_stack((starts, stops))
        inside = np.concatenate([values[start:stop] for start, stop in ranges])
        assert reduction.count_nonfinite(values, blocks, ranges) == (
            np.isnan(inside).sum(),
            (inside == math.inf).sum(),
            (inside == -math.inf).sum(),
        )


def test_both_say_the_same_of_blocks() -> None:
    for seed, holes in itertools.product(range(6), (0.0, 0.1, 1.0)):
        values = noise(seed, 20 * POINTS, double=seed % 2 == 0, holes=holes)
        of_all = [summary(reduction, values) for reduction in KINDS]
        for blocks in of_all:
            for name in ("low", "high", "counts"):
                np.testing.assert_array_equal(blocks[name], of_all[0][name])
            there = np.column_stack(
                (np.isfinite(blocks["low"]), np.isfinite(blocks["high"]), blocks["counts"] > 0)
            )
            np.testing.assert_array_equal(blocks["places"][there], of_all[0]["places"][there])


@both
def test_one_spike_in_a_million_survives(reduction: Reduction) -> None:
    values = np.zeros(1_000_000, np.float32)
    values[654_321] = 1.0
    steps = np.arange(len(values))
    borders = column_borders(0, len(values) - 1, 800)
    starts, stops = reduction.cut(steps, 0.0, np.array([[0, len(values)]]), borders)
    assert len(starts) == 800
    assert 654_321 in reduction.envelope(values, summary(reduction, values), starts, stops)


# --- places on an axis ------------------------------------------------------------------------------


@both
@settings(deadline=None, max_examples=200)
@given(
    x=st.lists(st.integers(-30, 30), max_size=60),
    second=st.lists(st.integers(-30, 30), max_size=20),
    window=st.tuples(st.integers(-35, 35), st.integers(-35, 35)),
    borders=st.lists(st.floats(-40, 40), max_size=12),
    at=st.one_of(st.floats(-50, 50), st.sampled_from([0.5, -1e300])),
    whole=st.booleans(),
    infinite=st.booleans(),
)
def test_windows_columns_and_the_nearest_point_are_found_by_bisection(
    reduction: Reduction,
    x: list[int],
    second: list[int],
    window: tuple[int, int],
    borders: list[float],
    at: float,
    whole: bool,
    infinite: bool,
) -> None:
    edges = np.array([0, len(x), len(x) + len(second)])
    joined = np.array(sorted(x) + sorted(second), np.int64)
    places = joined if whole else joined / 3
    if infinite and not whole and x:
        places[[0, len(x) - 1]] = -math.inf, math.inf
    offset = 0.0 if whole else 0.1
    shown = places.astype(np.float64) - offset
    low, high = float(min(window)), float(max(window))
    ranges = reduction.within(places, offset, edges, low, high)
    inside = [i for start, stop in ranges.tolist() for i in range(start, stop)]
    assert inside == np.flatnonzero((shown >= low) & (shown <= high)).tolist()
    assert all(start < stop for start, stop in ranges.tolist())

    lines = np.array(sorted(borders))
    starts, stops = reduction.cut(places, offset, ranges, lines)
    column = [(sum(line <= shown[i] for line in borders), i >= len(x)) for i in inside]
    runs = [len(list(run)) for _, run in itertools.groupby(column)]
    assert (stops - starts).tolist() == runs
    assert [i for a, b in zip(starts, stops, strict=True) for i in range(a, b)] == inside

    distances = [abs(shown[i] - at) for i in inside]
    finite = [d for d in distances if math.isfinite(d)]
    nearest = inside[distances.index(min(finite))] if finite else -1
    assert reduction.nearest(places, offset, ranges, at) == nearest


@both
@pytest.mark.parametrize("seed", range(8))
def test_columns_of_steps_that_are_unevenly_apart(reduction: Reduction, seed: int) -> None:
    random = np.random.default_rng(seed)
    gaps = random.choice([0, 1, 1, 1, 1000, 50_000], 20_000, p=[0.2, 0.3, 0.2, 0.25, 0.04, 0.01])
    steps = np.cumsum(gaps).astype(np.int64)
    start, stop = sorted(random.integers(0, len(steps), 2).tolist())
    borders = column_borders(steps[start], steps[stop], int(random.integers(2, 3000)), log=seed % 2 == 1)
    starts, stops = reduction.cut(steps, 0.0, np.array([[start, stop]]), borders)
    column = np.searchsorted(borders, steps[start:stop], side="right")
    expected = start + np.flatnonzero(np.diff(column, prepend=-1))
    assert starts.tolist() == expected.tolist()
    assert stops.tolist() == [*expected[1:].tolist(), stop]


@both
@pytest.mark.parametrize(
    ("walls", "edges", "reach"),
    [
        ([1.0, 2.0, 2.0, 5.0], [0, 4], (True, 1.0, 5.0)),
        ([1.0, 2.0, 1.5], [0, 3], (False, 1.0, 2.0)),
        ([3.0, 4.0, 1.0, 2.0], [0, 2, 4], (True, 1.0, 4.0)),
        ([3.0, 4.0, 1.0, 2.0], [0, 4], (False, 1.0, 4.0)),
        ([-math.inf, 1.0, math.inf], [0, 3], (True, 1.0, 1.0)),
        ([1.0, math.nan, 2.0], [0, 3], (False, 1.0, 2.0)),
        ([math.nan], [0, 1], (False, math.inf, -math.inf)),
        ([], [0, 0], (True, math.inf, -math.inf)),
    ],
)
def test_the_reach_of_wall_times(
    reduction: Reduction, walls: list[float], edges: list[int], reach: tuple[bool, float, float]
) -> None:
    assert reduction.reach(np.array(walls, np.float64), np.array(edges)) == reach


def test_columns_are_equally_wide() -> None:
    assert column_borders(0, 8, 4).tolist() == [2, 4, 6]
    np.testing.assert_allclose(column_borders(1, 10_000, 4, log=True), [10, 100, 1000], rtol=1e-12)
    for low, high, log in (
        (3.0, 3.0, False),
        (math.inf, math.inf, True),
        (0.0, 5.0, True),
        (-3.0, -1.0, True),
    ):
        assert len(column_borders(low, high, 10, log=log)) == 0
    for low, high in ((1e-300, 1e300), (1.0, math.nextafter(1.0, 2.0))):
        assert (np.diff(column_borders(low, high, 5000, log=True)) >= 0).all()


# --- the compiled half --------------------------------------------------------------------------------


def test_the_compiled_half_refuses_what_lies_outside() -> None:
    kernel = KINDS[1]
    values, steps = np.zeros(10), np.arange(10)
    for starts, stops in (([0], [11]), ([-1], [3]), ([3], [3])):
        with pytest.raises(ValueError, match="outside"):
            kernel.envelope(values, NO_BLOCKS, np.array(starts), np.array(stops))
    for ranges in ([[0, 11]], [[-1, 2]], [[5, 4]]):
        for call in (
            lambda r: kernel.count_nonfinite(values, NO_BLOCKS, r),
            lambda r: kernel.cut(steps, 0.0, r, np.zeros(1)),
            lambda r: kernel.nearest(steps, 0.0, r, 1.0),
        ):
            with pytest.raises(ValueError, match="outside"):
                call(np.array(ranges))
    with pytest.raises(ValueError, match="outside"):
        kernel.within(steps, 0.0, np.array([0, 11]), 0.0, 1.0)
    with pytest.raises(ValueError, match="ascend"):
        kernel.cut(np.full(40, math.nan), 0.0, np.array([[0, 40]]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="overlap"):
        kernel.reach(values, np.array([0, 8, 5]))
    with pytest.raises(ValueError, match="blocks"):
        kernel.summarise(values, np.empty(1, BLOCK_TYPE))
    with pytest.raises(TypeError, match="float16"):
        kernel.count_nonfinite(values.astype(np.float16), NO_BLOCKS, np.array([[0, 10]]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=">f8"):
        kernel.reach(values.astype(">f8"), np.array([0, 10]))
    with pytest.raises(TypeError, match="int32"):
        kernel.nearest(steps.astype(np.int32), 0.0, np.array([[0, 10]]), 1.0)  # type: ignore[arg-type]
