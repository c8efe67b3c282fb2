"""Attempts and retention of a series."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.plugin import CachePolicy, Keep, SummaryPlugin
from insight_core.store.attempts import find_attempts
from insight_core.store.column_memory import Column
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


def points(*steps: int) -> dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    return {"steps": np.array(steps, np.int64)}


def test_files_order_a_series_whatever_the_order_of_arrival() -> None:
    series = Series(CachePolicy())
    series.append((2.0, "b"), points(10, 11))
    series.append((1.0, "a"), points(0, 1))
    series.append((2.0, "b"), points(12))
    series.append((1.0, "a"), points(2))
    assert series.snapshot().steps.tolist() == [0, 1, 2, 10, 11, 12]
    series.drop((1.0, "a"))
    assert series.snapshot().steps.tolist() == [10, 11, 12]


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_a_uniform_sample_keeps_the_last_point_and_does_not_depend_on_batches(batch: int) -> None:
    series = Series(CachePolicy(Keep.UNIFORM, points=50))
    for first in range(0, 1000, batch):
        series.append((1.0, "a"), points(*range(first, min(1000, first + batch))))
    kept = series.snapshot().steps
    assert len(kept) == 50
    assert kept[-1] == 999
    assert (np.diff(kept) > 0).all()
    whole = Series(CachePolicy(Keep.UNIFORM, points=50))
    whole.append((1.0, "a"), points(*range(1000)))
    assert whole.snapshot().steps.tolist() == kept.tolist()
    assert whole.snapshot().total == series.snapshot().total == 1000


def test_a_uniform_sample_is_uniform() -> None:
    counts = np.zeros(10)
    for seed in range(40):
        series = Series(CachePolicy(Keep.UNIFORM, points=100))
        series.append((float(seed), f"file{seed}"), points(*range(1000)))
        counts += np.bincount(series.snapshot().steps[:-1] // 100, minlength=10)
    assert (abs(counts - 40 * 9.9) < 5 * math.sqrt(40 * 9.9)).all()


def test_latest_keeps_the_newest() -> None:
    series = Series(CachePolicy(Keep.LATEST, points=3))
    for step in range(20):
        series.append((1.0, "a"), points(step))
    assert series.snapshot().steps.tolist() == [17, 18, 19]


def test_claims_are_in_the_order_of_files_whichever_was_read_first() -> None:
    series = Series(CachePolicy())
    columns: Mapping[str, Column] = {
        "steps": np.arange(2),
        "wall_times": np.zeros(2),
        "values": np.zeros(2, np.float32),
    }
    first, second = (SummaryPlugin("first"),), (SummaryPlugin("second"),)
    series.append((2.0, "b"), columns, second)
    series.append((1.0, "a"), columns, first)
    assert series.claims == first + second
    series.append((2.0, "b"), columns, second)
    assert series.claims == first + second
    series.append((1.0, "a"), columns, second)
    series.append((1.5, "c"), columns, first)
    assert series.claims == first + second
    series.drop((1.0, "a"))
    assert series.claims == first + second
