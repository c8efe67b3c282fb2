"""Which slices lie in which: depths, parents and own times."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from insight_profiler.building import Building
from insight_profiler.derived.crossing import laid_in_turn
from insight_profiler.derived.upwards import holds_marked, nearest_marked, summed_upwards
from insight_profiler.model import Profile, Source, Track

Slice = tuple[int, int]  # start, duration


def _nested(*slices: Slice, track: Sequence[int] | None = None) -> Profile:
    building = Building(Source.TORCH)
    for label in ("main", "other"):
        building.track(Track("thread", label))
    starts, durations = zip(*slices, strict=True)
    building.add("slices", track=track or [0] * len(slices), start=starts, duration=durations)
    return building.finish()


def _slices(profile: Profile, *names: str) -> list[list[int]]:
    return [profile.tables["slices"][name].tolist() for name in names]


def test_slices_lie_in_each_other() -> None:
    profile = _nested((0, 100), (10, 20), (15, 5), (40, 10), (100, 7), (0, 50), track=[0, 0, 0, 0, 0, 1])
    assert _slices(profile, "depth", "parent", "self") == [
        [0, 1, 2, 1, 0, 0],
        [-1, 0, 1, 0, -1, -1],
        [70, 15, 5, 10, 7, 50],
    ]


def test_slices_are_put_in_order() -> None:
    profile = _nested((40, 10), (15, 5), (0, 100), (10, 20), (10, 30))
    assert _slices(profile, "start", "duration", "depth") == [
        [0, 10, 10, 15, 40],
        [100, 30, 20, 5, 10],
        [0, 1, 2, 3, 1],
    ]


def test_instants_lie_in_slices_and_beside_each_other() -> None:
    profile = _nested((0, 10), (5, 0), (5, 0), (5, 0), (10, 0), (10, 5))
    assert _slices(profile, "start", "duration", "depth", "parent") == [
        [0, 5, 5, 5, 10, 10],
        [10, 0, 0, 0, 5, 0],
        [0, 1, 1, 1, 0, 1],
        [-1, 0, 0, 0, -1, 4],
    ]


def test_equal_slices_lie_in_the_first() -> None:
    assert _slices(_nested((0, 10), (0, 10), (0, 10)), "depth", "parent") == [[0, 1, 2], [-1, 0, 1]]


def test_slices_that_overlap_are_not_lost() -> None:
    profile = _nested((0, 10), (5, 10), (12, 8), (13, 1), (30, 5))
    assert _slices(profile, "depth", "parent", "self") == [
        [0, 1, 0, 2, 0],
        [-1, -1, -1, 1, -1],
        [10, 9, 8, 1, 5],
    ]


def test_nesting_equals_that_of_brute_force() -> None:
    random = np.random.default_rng(7)
    for size in (1, 2, 5, 30, 120):
        for _ in range(20):
            slices = _random_tree(random, size)
            profile = _nested(*slices)
            table = profile.tables["slices"]
            rows = list(zip(table["start"].tolist(), table["duration"].tolist(), strict=True))
            around = [_around(rows, row) for row in range(len(rows))]
            assert table["depth"].tolist() == [len(outer) for outer in around]
            assert table["parent"].tolist() == [outer[-1] if outer else -1 for outer in around]


def test_an_annotation_lies_above_the_functions_that_it_crosses() -> None:
    """As ``with record_function()`` in a program that is traced with its stack."""
    calls = {
        "module": (0, 1000),
        "enter": (10, 20),
        "inner": (12, 5),
        "forward": (20, 500),  # begins in enter, ends in exit
        "call": (50, 300),
        "operator": (100, 50),
        "exit": (510, 30),
        "last": (600, 10),
    }
    building = Building(Source.TORCH)
    building.track(Track("thread", "main"))
    starts, durations = zip(*calls.values(), strict=True)
    building.add("slices", track=[0] * 8, start=starts, duration=durations, name=building.texts(calls))
    slices = building.finish().tables["slices"]
    names = list(calls)
    found = {
        names[name]: (depth, names[slices["name"][parent]] if parent >= 0 else "")
        for name, depth, parent in zip(slices["name"], slices["depth"], slices["parent"], strict=True)
    }
    assert found == {
        "module": (0, ""),
        "forward": (1, "module"),
        "enter": (2, "module"),
        "inner": (3, "enter"),
        "call": (2, "forward"),
        "operator": (3, "call"),
        "exit": (2, "module"),
        "last": (1, "module"),
    }


def test_overlapping_slices_never_share_a_depth() -> None:
    random = np.random.default_rng(8)
    for number in range(150):
        if number % 3:  # a few across a tree
            tree = np.array(_random_tree(random, int(random.integers(20, 90))))
            few = len(tree) // 7 + 1
            across = np.stack((random.integers(0, 90, few), random.integers(1, 60, few)), axis=1)
            starts, durations = np.concatenate((tree, across)).T
            count = len(starts)
        else:
            count = int(random.integers(2, 60))
            starts, durations = random.integers(0, 100, count), random.integers(0, 30, count)
        table = _nested(*zip(starts.tolist(), durations.tolist(), strict=True)).tables["slices"]
        assert sorted(zip(table["start"] + starts.min(), table["duration"], strict=True)) == sorted(
            zip(starts, durations, strict=True)
        )
        end = table["start"] + table["duration"]
        for one, other in itertools.combinations(range(count), 2):
            if table["depth"][one] == table["depth"][other] and table["duration"][one] > 0:
                assert end[one] <= table["start"][other] or table["duration"][other] == 0
        parent = table["parent"]
        inner = np.flatnonzero(parent >= 0)
        assert (end[parent[inner]] >= end[inner]).all()
        assert (table["depth"][parent[inner]] < table["depth"][inner]).all()
        assert (table["self"] >= 0).all()


def _stairs(count: int, length: int) -> list[Slice]:
    return [(10 * number, length) for number in range(count)]


@pytest.mark.parametrize(
    "slices",
    [
        _stairs(300, 15),
        _stairs(300, 10_000),
        _stairs(300, 505),
        [(number % 7, 5 + number * 7 % 90) for number in range(200)],
        [(number * 5 % 400, 0 if number % 4 == 0 else number * 31 % 150) for number in range(300)],
    ],
    ids=["pairs", "all overlap", "some overlap", "few beginnings", "instants among them"],
)
def test_slices_that_overlap_are_laid_in_turn(slices: list[Slice]) -> None:
    starts, durations = np.array(sorted(slices, key=lambda one: (one[0], -one[1]))).T
    depths, parents = laid_in_turn(starts, starts + durations, 1 << 15)
    assert list(zip(depths.tolist(), parents.tolist(), strict=True)) == _laid_by_brute_force(
        starts.tolist(), (starts + durations).tolist()
    )


def test_beyond_the_deepest_slices_share_it() -> None:
    starts = np.arange(9)
    depths, _ = laid_in_turn(starts, starts + 100, 4)
    assert depths.tolist() == [0, 1, 2, 3, 4, 4, 4, 4, 4]


def _laid_by_brute_force(starts: list[int], ends: list[int]) -> list[tuple[int, int]]:
    laid: list[tuple[int, int]] = []
    for row, (begin, finish) in enumerate(zip(starts, ends, strict=True)):
        going = [other for other in range(row) if ends[other] > begin]
        level, around = max(((laid[one][0], one) for one in going if ends[one] >= finish), default=(-1, -1))
        level += 1
        while level in {laid[one][0] for one in going}:
            level += 1
        laid.append((level, around))
    return laid


def _random_tree(random: np.random.Generator, size: int) -> list[Slice]:
    slices: list[Slice] = []
    open_ends: list[int] = []
    now = 0
    for _ in range(size):
        now += int(random.integers(0, 4))
        while open_ends and (open_ends[-1] <= now or random.random() < 0.2):
            now = max(now, open_ends.pop())
        room = open_ends[-1] - now if open_ends else 1_000
        if room <= 0:
            continue
        duration = int(random.integers(1, room + 1))
        slices.append((now, duration))
        open_ends.append(now + duration)
    slices = slices or [(0, 1)]
    return [slices[place] for place in random.permutation(len(slices))]


def _around(rows: list[Slice], row: int) -> list[int]:
    start, duration = rows[row]
    return [
        other
        for other, (begin, length) in enumerate(rows[:row])
        if begin <= start and begin + length >= start + duration and begin + length > start
    ]


def test_marks_and_sums_follow_parents_that_come_before_or_after() -> None:
    """A slice that lies across others comes after some of those that are below it."""
    chance = np.random.default_rng(3)
    for _ in range(50):
        count = int(chance.integers(1, 60))
        depth = chance.integers(0, 6, count)
        parent = np.full(count, -1, np.int32)
        for row in range(count):
            above = np.flatnonzero(depth == depth[row] - 1)
            if len(above):
                parent[row] = chance.choice(above)
        marked, values = chance.random(count) < 0.3, chance.integers(0, 5, count)
        around = [_callers(parent, row) for row in range(count)]
        nearest = [next((one for one in rows if marked[one]), -1) for rows in around]
        assert nearest_marked(marked, parent).tolist() == nearest
        sums = [
            sum(int(values[row]) for row in range(count) if one in (row, *around[row]))
            for one in range(count)
        ]
        assert summed_upwards(values, parent).tolist() == sums
        holds = summed_upwards(marked.astype(np.int64), parent) > 0
        assert np.array_equal(holds_marked(marked, parent), holds)


def _callers(parent: np.ndarray[tuple[int], np.dtype[np.int32]], row: int) -> list[int]:
    found = []
    while (row := int(parent[row])) >= 0:
        found.append(row)
    return found
