"""Attempts and retention of a series."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.formats.columns import Columns
from insight_core.plugin import CachePolicy, Dialect, EventField, Keep
from insight_core.plugin.data import SeriesKey
from insight_core.store.attempts import Purge, find_attempts
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.series import Series


def shown(*steps: int) -> list[int]:
    """Indices that the default view shows."""
    visible = find_attempts(np.array(steps, np.int64)).visible
    return list(range(len(steps))) if visible is None else visible.tolist()


def test_a_restart_hides_the_points_it_overwrites() -> None:
    assert shown(0, 1, 2, 3, 2, 3, 4) == [0, 1, 4, 5, 6]


def test_the_tail_of_a_preempted_attempt_is_hidden_at_once() -> None:
    assert shown(0, 10, 20, 30, 40, 15, 16) == [0, 1, 5, 6]


def test_a_file_that_records_step_0_again_hides_only_step_0() -> None:
    assert shown(0, 1, 2, 3, 0) == [4, 1, 2, 3]
    assert shown(1, 2, 3, 0) == [3, 0, 1, 2]


def test_equal_steps_are_all_kept() -> None:
    assert shown(0, 0, 0, 1, 1) == [0, 1, 2, 3, 4]


def test_many_restarts() -> None:
    attempts = find_attempts(np.array([0, 1, 2, 1, 2, 3, 0, 1], np.int64))
    assert attempts.starts.tolist() == [0, 3, 6]
    assert attempts.restarts.tolist() == [1, 0]
    assert attempts.visible is not None
    assert attempts.visible.tolist() == [6, 7]


@given(st.lists(st.integers(0, 12), max_size=40))
def test_the_default_view_is_ordered_and_shows_the_last_attempt_whole(steps: list[int]) -> None:
    indices = shown(*steps)
    seen = [steps[i] for i in indices]
    assert seen == sorted(seen)
    last = max((i for i in range(1, len(steps)) if steps[i] < steps[i - 1]), default=0)
    assert set(range(last, len(steps))) <= set(indices)
    assert max(steps[last:], default=0) in seen or not steps


NUMBERS = EventField(Dialect.TENSORBOARD, "simple_value")
A, B = ((1.0, "a"), 0), ((2.0, "b"), 0)


def series_of(policy: CachePolicy | None = None) -> Series:
    return Series(SeriesKey("r", "x"), NUMBERS, (False, False), policy or CachePolicy(), ColumnMemory())


def points(*steps: int, wall_time: float = 0.0) -> Columns:
    return Columns(np.array(steps, np.int64), np.full(len(steps), wall_time))


def steps_of(series: Series) -> list[int]:
    return list(map(int, series.snapshot().columns.steps))


def test_files_order_a_series_whatever_the_order_of_arrival() -> None:
    series = series_of()
    series.append(B, points(10, 11))
    series.append(A, points(0, 1))
    series.append(B, points(12))
    series.append(A, points(2))
    assert steps_of(series) == [0, 1, 2, 10, 11, 12]
    series.drop(A[0])
    assert steps_of(series) == [10, 11, 12]


def test_stretches_of_a_file_have_its_order_and_go_with_it() -> None:
    series = series_of()
    series.append((A[0], 0), points(0))
    series.append(B, points(10))
    for stretch in (2, 4):
        assert series.last_stretch(A[0]) == stretch - 2
        series.append((A[0], stretch), points(stretch))
    series.append((A[0], 4), points(5))
    assert steps_of(series) == [0, 2, 4, 5, 10]
    assert series.last_stretch(A[0]) == 4
    assert series.last_stretch((1.5, "c")) == -1
    series.drop(A[0])
    assert steps_of(series) == [10]
    assert series.last_stretch(A[0]) == -1


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_a_uniform_sample_keeps_the_last_point_and_does_not_depend_on_batches(batch: int) -> None:
    series = series_of(CachePolicy(Keep.UNIFORM, points=50))
    for first in range(0, 1000, batch):
        series.append(A, points(*range(first, min(1000, first + batch))))
    kept = series.snapshot().columns.steps
    assert len(kept) == 50
    assert kept[-1] == 999
    assert (np.diff(kept) > 0).all()
    whole = series_of(CachePolicy(Keep.UNIFORM, points=50))
    whole.append(A, points(*range(1000)))
    assert steps_of(whole) == kept.tolist()
    assert whole.snapshot().total == series.snapshot().total == 1000


def test_a_uniform_sample_is_uniform() -> None:
    counts = np.zeros(10)
    for run in range(40):
        series = series_of(CachePolicy(Keep.UNIFORM, points=100))
        series.append(A, points(*range(1000), wall_time=float(run)))
        counts += np.bincount(series.snapshot().columns.steps[:-1] // 100, minlength=10)
    assert (abs(counts - 40 * 9.9) < 5 * math.sqrt(40 * 9.9)).all()


@pytest.mark.parametrize("batch", [1, 7, 200])
def test_a_sample_of_points_that_are_alike_does_not_depend_on_batches(batch: int) -> None:
    """Whichever of two equal points stays, others stand between them."""
    steps = [step % 3 for step in range(200)]
    series, whole = (series_of(CachePolicy(Keep.UNIFORM, points=20)) for _ in range(2))
    for first in range(0, 200, batch):
        series.append(A, points(*steps[first : first + batch]))
    whole.append(A, points(*steps))
    assert steps_of(series) == steps_of(whole)


def test_latest_keeps_the_newest() -> None:
    series = series_of(CachePolicy(Keep.LATEST, points=3))
    for step in range(20):
        series.append(A, points(step))
    assert steps_of(series) == [17, 18, 19]


@pytest.mark.parametrize("keep", [Keep.LATEST, Keep.UNIFORM])
def test_a_policy_that_comes_later_keeps_the_same(keep: Keep) -> None:
    policy = CachePolicy(keep, points=5)
    first, later = series_of(policy), series_of()
    for series in (first, later):
        for place in (A, B):
            series.append(place, points(*range(30), wall_time=place[0][0]))
    later.snapshot()  # joins the files
    later.policy = policy
    assert steps_of(later) == steps_of(first)
    for series in (first, later):
        series.append(A, points(*range(30, 50)))
    assert steps_of(later) == steps_of(first)
    assert later.snapshot().total == 80


def shown_of_files(
    *files: list[int], purges: list[Purge] | None = None, results: tuple[int, ...] = ()
) -> list[int]:
    """Indices that the default view shows of the points of several files."""
    steps = [step for file in files for step in file]
    ends = list(itertools.accumulate(map(len, files)))
    visible = find_attempts(np.array(steps, np.int64), ends, purges or [], results).visible
    return list(range(len(steps))) if visible is None else visible.tolist()


def test_a_file_that_repeats_no_step_of_another_is_no_restart_of_it() -> None:
    assert shown_of_files([3, 4, 5], [0, 1, 2]) == [3, 4, 5, 0, 1, 2]
    assert shown_of_files([3, 4, 5], [0, 1, 3]) == [3, 4, 5]


@given(st.lists(st.lists(st.integers(0, 30), max_size=4), min_size=1, max_size=12))
def test_files_restart_each_other_by_way_of_common_steps(files: list[list[int]]) -> None:
    groups: list[set[int]] = []  # of files
    for number, file in enumerate(files):
        joined = [group for group in groups if any(set(files[one]) & set(file) for one in group)]
        groups = [group for group in groups if group not in joined] + [{number}.union(*joined)]
    owner = [number for number, file in enumerate(files) for _ in file]
    steps = [step for file in files for step in file]
    expected: set[int] = set()
    for group in groups:
        places = [place for place, number in enumerate(owner) if number in group]
        expected.update(places[place] for place in shown(*(steps[place] for place in places)))
    found = shown_of_files(*files)
    assert set(found) == expected
    assert [steps[place] for place in found] == sorted(steps[place] for place in expected)


def test_a_purge_hides_every_point_before_it_from_its_step_on() -> None:
    attempts = find_attempts(np.array([0, 1, 2, 3, 9], np.int64), [4, 5], [Purge(4, 2)])
    assert attempts.visible is not None
    assert (attempts.visible.tolist(), attempts.purged, attempts.count) == ([0, 1, 4], 2, 2)
    assert (attempts.starts.tolist(), attempts.restarts.tolist()) == ([0, 4], [2])
    attempts = find_attempts(np.array([0, 1, 2], np.int64), [3], [Purge(3, 1), Purge(3, 5)])
    assert (attempts.purged, attempts.count, attempts.starts.tolist()) == (2, 2, [0])
    assert find_attempts(np.array([0, 1, 2], np.int64), [3], [Purge(2, 2)]).count == 1


def test_a_result_hides_nothing_and_is_the_last_value() -> None:
    assert shown_of_files([0, 1, 2], [0], results=(1,)) == [0, 3, 1, 2]
    assert find_attempts(np.array([0, 1, 2, 0], np.int64), [3, 4], (), (1,)).last == 3
    assert shown_of_files([0, 1, 2], [0], [3, 4], results=(1,)) == [0, 3, 1, 2, 4, 5]
    assert shown_of_files([0, 1, 2], [0, 1], results=(1,)) == [3, 4]


def test_a_result_of_an_earlier_session_is_hidden_by_what_has_its_step_later() -> None:
    assert shown_of_files([0, 1, 2], [0], [0, 1, 2], [0], results=(1, 3)) == [4, 7, 5, 6]


def _at_once(*lines: tuple[range, float, float]) -> tuple[list[int], int]:
    """Indices that are shown of lines with these steps, begins and seconds between points; and restarts."""
    steps = np.concatenate([np.array(line, np.int64) for line, _, _ in lines])
    times = np.concatenate([begin + each * np.arange(len(line)) for line, begin, each in lines])
    ends = np.cumsum([len(line) for line, _, _ in lines]).tolist()
    found = find_attempts(steps, ends, wall_times=times)
    visible = range(len(steps)) if found.visible is None else found.visible
    return sorted(visible), len(found.restarts)


def test_processes_that_write_at_the_same_time_hide_nothing_of_each_other() -> None:
    assert _at_once((range(50), 0, 1), (range(50), 0.3, 1)) == (list(range(100)), 0)
    assert _at_once((range(50), 0, 1), (range(20), 30, 1)) == (list(range(70)), 0)
    ranks = [(range(10), 0.01 * rank, 1.0) for rank in range(300)]
    assert _at_once(*ranks) == (list(range(3000)), 0)


def test_a_restart_is_one_although_clocks_of_machines_differ_a_little() -> None:
    assert _at_once((range(50), 0, 1), (range(40, 90), 45, 1)) == ([*range(40), *range(50, 100)], 1)
    assert _at_once((range(50), 0, 1), (range(50), 49, 1)) == (list(range(50, 100)), 1)


def test_a_restart_of_one_of_two_writers_hides_only_its_own_points() -> None:
    shown_points, restarts = _at_once((range(100), 0, 1), (range(20), 10.5, 1), (range(15, 60), 40.5, 1))
    assert shown_points == [*range(115), *range(120, 165)]
    assert restarts == 1


def test_a_copy_of_a_file_is_shown_once() -> None:
    assert _at_once((range(50), 0, 1), (range(50), 0, 1)) == (list(range(50, 100)), 1)
