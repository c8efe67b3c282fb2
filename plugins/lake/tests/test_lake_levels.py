"""Pictures of long series by their levels, against numpy over all points."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import insight_scalar
import numpy as np
import pytest
from insight_lake.layout import BLOCK, LONG, blocks_of
from insight_lake.provider import LakeProvider
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_record.scalar_file import write_scalars
from tests.lakes import LakeBuild

COUNT = 3 * LONG + 1234
KEY = SeriesKey("long", "loss")


@pytest.fixture(scope="module")
def values() -> NDArray[np.float64]:
    found = np.random.default_rng(1).normal(size=COUNT).astype(np.float32).astype(np.float64)
    found[77_777], found[300_000] = 50, -60
    found[[5, 5000, 5001]], found[[100_000]], found[[200_000]] = np.nan, np.inf, -np.inf
    return found


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, values: NDArray[np.float64]) -> Iterator[LakeProvider]:
    place = tmp_path_factory.mktemp("levels")
    run = place / "logs/long"
    run.mkdir(parents=True)
    steps = np.arange(COUNT) * 3
    write_scalars(run, ["loss"], np.zeros(COUNT, np.int32), steps, 1e9 + steps / 7, values)
    build = LakeBuild([str(place / "logs")], str(place / "lake"), [insight_scalar.insight_plugin()])
    build.run()
    provider = build.opened()
    yield provider
    provider.close()


def ask(lake: LakeProvider, **query: Any) -> ScalarColumns:  # noqa: ANN401
    [columns] = lake.scalars("scalar", [KEY], ScalarQuery(**query)).values()
    return columns


@pytest.mark.parametrize(
    ("x", "window", "width"),
    [
        ("step", (None, None), 100),
        ("step", (123_456.5, 1_000_000), 100),
        ("step", (123_457, None), 10),
        ("step", (None, 900_000), 300),
        ("relative", (1000.0, 150_000.25), 100),
        ("wall", (1e9 + 777.7, None), 50),
        ("step", (300_000, 301_000), 100),  # few points: read as they are
        ("step", (3 * COUNT, None), 100),  # beyond the end
        ("step", (-50, -1), 100),
        ("step", (18, 18), 100),
    ],
)
def test_pictures_have_the_counts_and_extremes_of_all_points(
    lake: LakeProvider,
    values: NDArray[np.float64],
    x: str,
    window: tuple[float | None, float | None],
    width: int,
) -> None:
    steps = np.arange(COUNT) * 3
    walls = 1e9 + steps / 7
    axis = {"step": steps, "relative": walls - walls[0], "wall": walls}[x].astype(np.float64)
    low, high = (
        edge if edge is not None else end for edge, end in zip(window, (-np.inf, np.inf), strict=True)
    )
    inside = (axis >= low) & (axis <= high)
    columns = ask(lake, x=x, window=window, width=width)
    shown = values[inside]
    assert (columns.points, columns.total, columns.kept, columns.hidden) == (inside.sum(), COUNT, COUNT, 0)
    assert columns.nonfinite == (np.isnan(shown).sum(), (shown == np.inf).sum(), (shown == -np.inf).sum())
    assert columns.extent == (axis[0], axis[-1])
    assert columns.origin == walls[0]
    if not inside.any():
        assert len(columns.steps) == 0
        return
    assert len(columns.steps) <= 7 * width
    places = columns.steps // 3
    np.testing.assert_array_equal(columns.values, values[places])  # points as they were written
    np.testing.assert_array_equal(columns.wall_times, walls[places])
    assert (places[0], places[-1]) == (np.flatnonzero(inside)[0], np.flatnonzero(inside)[-1])
    finite = shown[np.isfinite(shown)]
    drawn = columns.values[np.isfinite(columns.values)]
    assert (drawn.min(), drawn.max()) == (finite.min(), finite.max())
    for kind in (np.isnan, lambda column: column == np.inf, lambda column: column == -np.inf):
        assert kind(columns.values).any() == kind(shown).any()


def test_each_column_of_a_picture_is_right_to_a_block(
    lake: LakeProvider, values: NDArray[np.float64]
) -> None:
    width, block = 100, BLOCK
    columns = ask(lake, width=width)
    places = columns.steps // 3
    borders = np.linspace(0, COUNT, width + 1).astype(int)
    for first, stop in itertools.pairwise(borders):
        inner = values[first + block : stop - block]
        outer = values[max(0, first - block) : stop + block]
        drawn = columns.values[(places >= first - block) & (places < stop + block)]
        drawn, inner, outer = (part[np.isfinite(part)] for part in (drawn, inner, outer))
        assert outer.min() <= drawn.min() <= inner.min()
        assert outer.max() >= drawn.max() >= inner.max()


def test_what_levels_cannot_answer_is_read_whole(lake: LakeProvider, values: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(ask(lake).values, values)
    smooth = ask(lake, smoothing=0.9, width=100)
    assert smooth.points == COUNT
    log = ask(lake, width=100, log_x=True)
    assert set(range(0, 12, 3)) <= set(log.steps.tolist())
    assert ask(lake, nearest=31.0).steps.tolist() == [30]
    with pytest.raises(InvalidArgument):
        ask(lake, width=100, window=(3, 2))


@pytest.mark.parametrize(
    ("window", "share"), [((None, None), 0.2), ((1e5, 1.1e6), 0.7), ((3e5, 3.01e5), 0.5)]
)
def test_a_picture_reads_a_part(
    lake: LakeProvider,
    monkeypatch: pytest.MonkeyPatch,
    window: tuple[float | None, float | None],
    share: float,
) -> None:
    fresh = LakeBuild([], lake.store.location, [insight_scalar.insight_plugin()]).opened()
    fresh.series("scalar")
    sizes: list[int] = []
    get_ranges = fresh.store.get_ranges

    def all_counted(key: str, spans: Sequence[tuple[int, int]]) -> list[memoryview]:
        sizes.extend(stop - start for start, stop in spans)
        return get_ranges(key, spans)

    monkeypatch.setattr(fresh.store, "get_ranges", all_counted)
    ask(fresh, width=400, window=window)
    fresh.close()
    assert 0 < len(sizes) <= 5
    assert sum(sizes) < share * sum(one.size for one in fresh.lake().version.segments)


def test_blocks_of_any_length_keep_their_ends_and_extremes() -> None:
    random = np.random.default_rng(2)
    for count in (1, 255, 256, 257, 65_536, 2_000_000):
        values = random.normal(size=count)
        values[random.integers(0, count, 3)] = [np.nan, np.inf, -np.inf]
        rows, counts = blocks_of(values)
        odd = {"nan": np.isnan(values), "positive_infinite": np.isposinf(values)}
        odd["negative_infinite"] = np.isneginf(values)
        for first in {0, count // BLOCK // 2 * BLOCK, (count - 1) // BLOCK * BLOCK}:
            block = values[first : first + BLOCK]
            kept = rows[(rows >= first) & (rows < first + BLOCK)] - first
            finite = np.where(np.isfinite(block), block, np.nan)
            wanted = {0, len(block) - 1}
            wanted |= {int(one[first:].argmax()) for one in odd.values() if one[first : first + BLOCK].any()}
            if np.isfinite(block).any():
                wanted |= {int(np.nanargmin(finite)), int(np.nanargmax(finite))}
            assert set(kept.tolist()) == wanted
        assert len(rows) == len(np.unique(rows))
        for name, kind in odd.items():
            assert counts[name].sum() == kind.sum()
            assert set(rows[counts[name] > 0] % BLOCK) <= {0}
