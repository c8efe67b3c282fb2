"""Scalar queries give what their definition says, whatever is computed once, carried on, or compiled."""

from __future__ import annotations

import gc
import itertools
import math
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from insight_core.formats.columns import Columns
from insight_core.plugin import CachePolicy, Dialect, EventField
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey, XAxis
from insight_core.store import scalars, views
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.reduction import Reduction, Values, column_borders, reduction
from insight_core.store.scalars import answer
from insight_core.store.series import Series
from insight_core.store.snapshot import Snapshot
from insight_core.store.views import ViewCache
from tests.oracles import numpy_reduction

KINDS: tuple[Reduction, ...] = (numpy_reduction, reduction)

XS: tuple[XAxis, ...] = ("step", "relative", "wall")


@contextmanager
def computed_by(which: Reduction, long: int) -> Iterator[None]:
    """Queries are computed by ``reduction``, and long series are those of ``long`` points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "reduction", which)
        patch.setattr(scalars, "reduction", which)
        patch.setattr(views, "_LONG", long)
        yield


def columns_of(seed: int, count: int, clock: str, restarts: int, odd: float) -> Columns:
    """Few distinct values and repeated steps, so that there are ties."""
    random = np.random.default_rng(seed)
    steps = np.cumsum(random.integers(0, 4, count)).astype(np.int64)
    for at in sorted(random.integers(0, count, restarts).tolist()):
        steps[at:] -= int(random.integers(0, steps[at] - steps[0] + 1))
    walls = 1.7e9 + np.cumsum(random.integers(0, 3, count)) / 8
    if clock == "back":  # set back now and then
        walls -= np.cumsum(random.random(count) < 0.01) * 2.0
    elif clock == "jitter":
        walls += random.normal(0, 2, count)
    elif clock == "stands":
        walls[:] = 5.0
    elif clock == "odd":
        walls[random.random(count) < 0.02] = math.nan
        walls[random.random(count) < 0.02] = math.inf
    values = random.integers(-9, 9, count) / 2
    places = np.flatnonzero(random.random(count) < odd)
    values[places] = random.choice([math.nan, math.inf, -math.inf], len(places))
    return Columns(steps, walls, values.astype(np.float32) if seed % 2 else values)


PLACE = ((1.0, "a"), 0)


def empty() -> Series:
    claim = EventField(Dialect.TENSORBOARD, "simple_value")
    return Series(SeriesKey("r", "x"), claim, (True, False), CachePolicy(), ColumnMemory())


def series_of(columns: Columns) -> Series:
    series = empty()
    series.append(PLACE, columns)
    return series


def asked(series: Series | Snapshot, query: ScalarQuery, cache: ViewCache | None = None) -> ScalarColumns:
    snapshot = series.snapshot() if isinstance(series, Series) else series
    key = (query.attempts, query.smoothing)
    return answer(snapshot, (cache or ViewCache()).view(key, snapshot, query), query)


class Plain:
    """The definition, a point at a time; of a series that is smoothed elsewhere, where it is smoothed."""

    def __init__(self, snapshot: Snapshot, query: ScalarQuery, smoothed: Values | None) -> None:
        attempts = snapshot.attempts
        shown = np.arange(len(snapshot))
        breaks = attempts.starts[1:].tolist()
        if query.attempts == "last":
            breaks = []
            shown = shown if attempts.visible is None else attempts.visible
        self.steps, self.walls, values = (column[shown].tolist() for column in snapshot.columns.arrays())
        values = values if smoothed is None else smoothed.tolist()
        count = len(self.steps)
        origin = next(filter(math.isfinite, self.walls), math.nan) if count else 0.0
        with np.errstate(invalid="ignore"):
            x = [float(step) for step in self.steps]
            if query.x != "step":
                x = (np.array(self.walls) - (origin if query.x == "relative" else 0.0)).tolist()
        finite = [place for place in x if math.isfinite(place)]
        self.extent = (min(finite), max(finite)) if finite else (0.0, 0.0)
        low, high = query.window
        inside = [i for i in range(count) if (low is None or x[i] >= low) and (high is None or x[i] <= high)]
        self.points = len(inside)
        self.nonfinite = tuple(
            sum(is_kind(values[i]) for i in inside)
            for is_kind in (math.isnan, lambda v: v == math.inf, lambda v: v == -math.inf)
        )
        if query.nearest is not None:
            usable = [i for i in inside if math.isfinite(x[i] - query.nearest)]
            inside = [min(usable, key=lambda i: abs(x[i] - float(query.nearest or 0)))] if usable else []
        elif query.width is not None and len(inside) > 4 * query.width:
            left = self.extent[0] if low is None else low
            right = self.extent[1] if high is None else high
            if query.log_x and left <= 0:
                left = min((x[i] for i in inside if 0 < x[i] < math.inf), default=math.inf)
            borders = column_borders(left, right, query.width, log=query.log_x).tolist()
            inside = kept(values, inside, x, borders, breaks)
        self.indices = inside
        self.breaks = [sum(i < start for i in inside) for start in breaks]


def kept(
    values: list[float], inside: list[int], x: list[float], borders: list[float], breaks: list[int]
) -> list[int]:
    result: set[int] = set()
    attempt = np.searchsorted(breaks, np.arange(len(x)), side="right").tolist()
    column = np.searchsorted(borders, x, side="right").tolist()
    for _, run in itertools.groupby(inside, key=lambda i: (attempt[i], 0 if math.isnan(x[i]) else column[i])):
        members = list(run)
        result |= {members[0], members[-1]}
        finite = [i for i in members if math.isfinite(values[i])]
        if finite:
            result |= {min(finite, key=lambda i: values[i]), max(finite, key=lambda i: values[i])}
        for is_kind in (math.isnan, lambda v: v == math.inf, lambda v: v == -math.inf):
            result |= set([i for i in members if is_kind(values[i])][:1])
    return sorted(result)


def check(series: Series | Snapshot, query: ScalarQuery, cache: ViewCache | None = None) -> None:
    snapshot = series.snapshot() if isinstance(series, Series) else series
    smoothed = None
    if query.smoothing:
        smoothed = asked(snapshot, ScalarQuery(smoothing=query.smoothing, attempts=query.attempts)).values
    found, plain = asked(snapshot, query, cache), Plain(snapshot, query, smoothed)
    np.testing.assert_array_equal(found.steps, np.array(plain.steps, np.int64)[plain.indices])
    np.testing.assert_array_equal(found.wall_times, np.array(plain.walls, np.float64)[plain.indices])
    if smoothed is None:
        smoothed = asked(snapshot, ScalarQuery(attempts=query.attempts)).values
    np.testing.assert_array_equal(found.values, smoothed[plain.indices])
    assert found.points == plain.points
    assert found.nonfinite == plain.nonfinite
    assert found.extent == plain.extent
    assert found.breaks.tolist() == plain.breaks
    assert found.breaks.dtype == np.int64


@st.composite
def queries(draw: st.DrawFn) -> ScalarQuery:
    x = draw(st.sampled_from(XS))
    origin = 1.7e9 if x == "wall" else 0.0
    edge = st.one_of(st.none(), st.integers(-5, 4000).map(float))
    low, high = draw(edge), draw(edge)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return ScalarQuery(
        x=x,
        log_x=draw(st.booleans()),
        window=(None if low is None else origin + low, None if high is None else origin + high),
        width=draw(st.one_of(st.none(), st.sampled_from([1, 2, 7, 40, 100]))),
        smoothing=draw(st.sampled_from([0.0, 0.6])),
        attempts=draw(st.sampled_from(["last", "all"])),
        nearest=draw(
            st.one_of(st.none(), st.none(), st.integers(-5, 4000).map(lambda at: origin + at + 0.5))
        ),
    )


@pytest.mark.parametrize("reduced_by", KINDS, ids=["numpy", "compiled"][: len(KINDS)])
@settings(deadline=None, max_examples=150)
@given(
    seed=st.integers(0, 10_000),
    count=st.sampled_from([1, 2, 30, 256, 700, 1800]),
    clock=st.sampled_from(["ascends", "back", "jitter", "stands", "odd"]),
    restarts=st.sampled_from([0, 0, 1, 4]),
    odd=st.sampled_from([0.0, 0.01, 0.5]),
    long=st.sampled_from([0, 1 << 16]),
    query=queries(),
)
@example(1, 1800, "ascends", 4, 0.01, 0, ScalarQuery(width=40, attempts="all"))
@example(1, 1800, "back", 0, 0.01, 0, ScalarQuery(x="relative", width=40, smoothing=0.6))
@example(1, 1800, "ascends", 0, 0.5, 0, ScalarQuery(x="wall", window=(1.7e9 + 3, 1.7e9 + 170), width=7))
@example(1, 1800, "ascends", 0, 0.0, 0, ScalarQuery(window=(1500, 2500), log_x=True, width=100))
def test_an_answer_is_what_the_definition_says(
    reduced_by: Reduction,
    seed: int,
    count: int,
    clock: str,
    restarts: int,
    odd: float,
    long: int,
    query: ScalarQuery,
) -> None:
    with computed_by(reduced_by, long):
        check(series_of(columns_of(seed, count, clock, restarts, odd)), query)


@pytest.mark.parametrize("reduced_by", KINDS, ids=["numpy", "compiled"][: len(KINDS)])
@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    clock=st.sampled_from(["ascends", "back", "odd"]),
    restarts=st.sampled_from([0, 2]),
    sizes=st.lists(st.integers(1, 900), min_size=2, max_size=6),
    query=queries(),
)
def test_incremental_queries_of_a_growing_series_equal_full_ones(
    reduced_by: Reduction, seed: int, clock: str, restarts: int, sizes: list[int], query: ScalarQuery
) -> None:
    whole = columns_of(seed, sum(sizes), clock, restarts, 0.01)
    series, cache, older = empty(), ViewCache(), []
    with computed_by(reduced_by, 0):
        for end, size in zip(itertools.accumulate(sizes), sizes, strict=True):
            series.append(PLACE, whole[end - size : end])
            older.append(series.snapshot())
            fresh, carried = asked(series, query), asked(series, query, cache)
            np.testing.assert_array_equal(fresh.steps, carried.steps)
            np.testing.assert_array_equal(fresh.wall_times, carried.wall_times)
            np.testing.assert_allclose(fresh.values, carried.values, rtol=1e-9, atol=1e-9)
            for name in ("points", "nonfinite", "extent", "origin", "hidden"):
                np.testing.assert_array_equal(getattr(fresh, name), getattr(carried, name))
        for snapshot in reversed(older):  # a reader that began before the last points came
            fresh, carried = asked(snapshot, query), asked(snapshot, query, cache)
            np.testing.assert_array_equal(fresh.steps, carried.steps)
            assert fresh.extent == carried.extent


def test_only_what_is_new_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    series, cache = empty(), ViewCache()
    whole = columns_of(3, 200_000, "ascends", 0, 0.0)
    seen: dict[str, list[int]] = {"average": [], "summarise": [], "reach": []}

    class Counted:
        def __getattr__(self, name: str) -> object:
            function = getattr(reduction, name)

            def counted(*arguments: object) -> object:
                seen[name].append(_length(name, arguments))
                return function(*arguments)

            return counted

    monkeypatch.setattr(views, "reduction", Counted())
    query = ScalarQuery(x="wall", smoothing=0.6, width=100)
    for start, stop in ((0, 150_000), (150_000, 150_300), (150_300, 150_600)):
        series.append(PLACE, whole[start:stop])
        asked(series, query, cache)
        asked(series, query, cache)
    series.append(PLACE, whole[150_600:150_900])
    asked(series, query, cache)
    assert seen["average"] == [150_000, 150_300, 300, 300]  # the first append moves the columns
    assert seen["summarise"] == [585, 587, 1, 1]
    assert seen["reach"] == [150_000, 150_300, 301, 301]


def _length(name: str, arguments: tuple[object, ...]) -> int:
    if name == "summarise":
        return len(arguments[1])  # type: ignore[arg-type]
    if name == "reach":
        edges = arguments[1]
        assert isinstance(edges, np.ndarray)
        return int(edges[-1] - edges[0])
    return len(arguments[0])  # type: ignore[arg-type]


def test_the_cache_is_bounded_and_forgets_what_was_not_used_of_late() -> None:
    cache, query = ViewCache(limit=2_500_000), ScalarQuery(smoothing=0.6)
    snapshots = [series_of(columns_of(seed, 100_000, "ascends", 0, 0.0)).snapshot() for seed in range(4)]
    prepared = [cache.view(number, snapshots[number], query).prepared for number in (0, 1, 2, 0, 3)]
    assert 3 * 800_000 < cache.size <= 2_500_000
    assert prepared[3] is prepared[0]
    again = [cache.view(number, snapshots[number], query).prepared for number in (3, 2, 0, 1)]
    assert [one in prepared for one in again] == [True, True, True, False]
    too_large = ViewCache(limit=700_000)
    assert too_large.view(0, snapshots[0], query).prepared is not None
    assert too_large.size == 0


def test_the_cache_keeps_no_columns_of_a_series_alive() -> None:
    cache, query = ViewCache(), ScalarQuery(smoothing=0.6)
    series = series_of(columns_of(0, 100_000, "ascends", 0, 0.0))
    asked(series, query, cache)
    columns = weakref.ref(series.snapshot().columns.steps)
    del series
    gc.collect()
    assert columns() is None
    assert cache.size > 800_000
