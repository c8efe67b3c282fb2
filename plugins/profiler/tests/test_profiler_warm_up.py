"""A long first step must not hide how long steps usually take."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pytest
from insight_profiler.analysis.operators import grouped
from insight_profiler.analysis.overview import overview, shares
from insight_profiler.analysis.steps import drawn, summary
from insight_profiler.analysis.usual_times import warm_up_rows
from insight_profiler.building import Building
from insight_profiler.model import Profile, Side, Source, Track

from insight_core.plugin import Reason
from tests.profile_rules import check

MS = 1_000_000


def _profile(durations: list[float], interval: list[float] | None = None, *, placed: bool = True) -> Profile:
    """Steps (ms) that are forward and backward, but for the interval and a tail of 1 ms."""
    building = Building(Source.MINDINSIGHT)
    whole = (np.array(durations) * MS).astype(np.int64)
    before = (np.array(interval or [0.0] * len(durations)) * MS).astype(np.int64)
    starts = np.cumsum(whole) - whole if placed else np.full(len(whole), -1)
    building.add(
        "steps",
        number=np.arange(1, len(whole) + 1),
        start=starts,
        duration=whole,
        iteration_interval=before,
        forward_backward=whole - before - MS,
        tail=np.full(len(whole), MS),
    )
    first = building.text("allReduce")
    building.add(
        "lanes",
        step=np.arange(len(whole)),
        name=np.full(len(whole), first),
        start=whole // 2,
        duration=whole // 4,
    )
    return building.finish()


USUAL = [3.3, 3.4, 3.324, 3.2, 3.35, 3.31, 3.29]
DURATIONS = [104.0, *USUAL]


def test_the_summary_has_the_median_and_names_outliers() -> None:
    found = summary(_profile(DURATIONS).tables["steps"])
    assert found is not None
    assert found["p50"] == round(statistics.median(DURATIONS) * MS)
    assert found["mean"] == pytest.approx(statistics.mean(USUAL) * MS)
    assert (found["outliers"], found["outlier_count"], found["warm_up"]) == ([1], 1, 1)


def test_an_outlier_in_the_middle_or_a_short_first_step_is_no_warm_up() -> None:
    for durations, number in (([*USUAL, 50.0, *USUAL], 8), ([0.5, *USUAL], 1)):
        found = summary(_profile(durations, placed=False).tables["steps"])
        assert found is not None
        assert (found["outliers"], found["warm_up"]) == ([number], 0)


def test_at_most_a_hundred_outliers_are_named() -> None:
    found = summary(_profile([3.0, 3.1, 2.9] * 200 + [90.0] * 150).tables["steps"])
    assert found is not None
    assert (len(found["outliers"]), found["outlier_count"]) == (100, 150)


def test_the_average_step_is_one_without_outliers() -> None:
    found = drawn(_profile(DURATIONS), None)
    assert (found["number"], found["steps"]) == (None, len(USUAL))
    assert found["duration"] == pytest.approx(statistics.mean(USUAL) * MS)
    assert sum(part["duration"] for part in found["parts"]) == pytest.approx(found["duration"])
    (lane,) = found["lanes"]
    assert lane["duration"] == pytest.approx(statistics.mean(USUAL) / 4 * MS, rel=1e-6)
    assert drawn(_profile(DURATIONS), 1)["duration"] == 104 * MS


def test_shares_leave_out_outliers_unless_steps_are_chosen() -> None:
    profile = _profile(DURATIONS)
    assert sum(share["time"] for share in shares(profile)) == pytest.approx(sum(USUAL) * MS)
    assert sum(share["time"] for share in shares(profile, np.array([0]))) == 104 * MS


def test_the_overview_marks_outliers_among_the_steps_that_are_drawn() -> None:
    found = overview(_profile(DURATIONS))
    assert found["outliers"] == [1]
    assert found["step_rows"]["number"] == list(range(1, 9))


def test_advice_is_not_about_warm_up() -> None:
    slow_start = _profile(DURATIONS, [90.0] + [0.1] * len(USUAL))
    assert "iteration_interval" not in _found(slow_start)
    always = _profile(DURATIONS, [90.0] + [1.5] * len(USUAL))
    assert _found(always)["iteration_interval"].details["time"] == 1.5


def test_uneven_steps_after_the_warm_up_are_still_told() -> None:
    uneven = [900.0, *[3.0] * 12, 50.0, 60.0]
    assert _found(_profile(uneven))["step_jitter"].details["step"] == 15


def _found(profile: Profile) -> dict[str, Reason]:
    return {one.rule.id: one.found[0].saw for one in check(profile) if one.found}


def test_a_profile_spans_its_steps_even_if_nothing_tells_when_they_began() -> None:
    building = Building(Source.MINDINSIGHT)
    track = building.track(Track("thread", "main"))
    building.add(
        "slices", track=[track], start=[0], duration=[30 * MS], name=[building.text("a")], category=[0]
    )
    building.add("steps", number=[1, 2, 3], start=[-1, -1, -1], duration=[100 * MS, 120 * MS, 110 * MS])
    profile = building.finish()
    assert profile.duration_ns == 30 * MS  # of the timeline: a step without a beginning is not on it
    assert overview(profile)["covered"] == 330 * MS


def test_a_profile_spans_its_timeline_where_steps_lie_on_it() -> None:
    profile = _profile(DURATIONS)
    assert overview(profile)["covered"] == profile.duration_ns == pytest.approx(sum(DURATIONS) * MS, abs=10)


def _called(calls: list[float], *, placed: bool = True) -> Profile:
    """One call of an operator a step (ms), and 7 ms of it behind the last step."""
    building = Building(Source.TORCH)
    track = building.track(Track("thread", "main"))
    durations = (np.array(calls) * MS).astype(np.int64)
    starts = np.cumsum(durations + MS) - durations - MS
    count = len(calls)
    building.add(
        "steps",
        number=np.arange(count),
        start=starts if placed else np.full(count, -1),
        duration=durations + MS,
    )
    building.add(
        "slices",
        track=[track] * (count + 1),
        start=np.append(starts, starts[-1] + durations[-1] + 2 * MS),
        duration=np.append(durations, 7 * MS),
        name=[building.text("a")] * (count + 1),
        type=[building.text("aten::a")] * (count + 1),
        category=[6] * (count + 1),
    )
    return building.finish()


@pytest.mark.parametrize(
    ("calls", "placed", "total", "left_out"),
    [
        ([90, 3, 2, 4, 3, 3], True, 22, True),
        ([3, 3, 90, 4, 3, 3], True, 23, True),
        ([3, 3, 2, 4, 3, 3], True, 25, False),
        ([90, 3, 2, 4, 3, 3], False, 112, False),  # nothing tells which calls were in which step
    ],
)
def test_the_biggest_operators_leave_out_the_same_steps_as_the_shares(
    calls: list[float], placed: bool, total: float, left_out: bool
) -> None:
    profile = _called(calls, placed=placed)
    found = overview(profile)
    assert found["biggest_without_outliers"] is left_out
    assert _column(found["biggest"]["host"], "total") == [total * MS]
    chosen = overview(profile, np.arange(6))
    assert chosen["biggest_without_outliers"] is False
    if placed:
        assert _column(chosen["biggest"]["host"], "total") == [sum(calls) * MS]


def test_operators_that_have_only_sums_are_of_all_steps() -> None:
    building = Building(Source.MINDINSIGHT)
    track = building.track(Track("thread", "main"))
    starts = np.arange(6) * 100 * MS
    name = [building.text("a")]
    building.add("steps", number=np.arange(6), start=starts, duration=[90 * MS, *[3 * MS] * 5])
    building.add(
        "slices", track=[track] * 6, start=starts, duration=[MS] * 6, name=name * 6, category=[6] * 6
    )
    building.add("operators", name=name, type=name, side=[Side.HOST], calls=[6], total=[12 * MS])
    found = overview(building.finish())
    assert found["biggest_without_outliers"] is False
    assert _column(found["biggest"]["host"], "total") == [12 * MS]


def _column(table: dict[str, Any], name: str) -> list[Any]:
    at = [column["name"] for column in table["columns"]].index(name)
    return [row[at] for row in table["rows"]]


def test_medians_and_averages_of_operators_leave_out_warm_up() -> None:
    profile = _called([90, 3, 2, 4, 3, 3])  # the first in the warm-up

    def told(steps: list[int] | None) -> list[float]:
        rows = None if steps is None else np.array(steps)
        columns = grouped(profile, "type", Side.HOST, rows).listing.columns
        return [float(columns[name].values[0]) / MS for name in ("calls", "total", "median", "average")]

    assert told(None) == pytest.approx([7 / MS, 112, 3, 22 / 6])  # sums are of all calls
    assert told([0, 1]) == pytest.approx([2 / MS, 93, 3, 46.5])
    assert warm_up_rows(profile).tolist() == [0]
