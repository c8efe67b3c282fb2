"""Two profiles side by side: a faulty training and the same repaired."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.advice.answer import advice_answer
from insight_profiler.analysis.compare import comparison, kernel_comparison
from insight_profiler.analysis.compare_summary import compared_advice, summary_of, timeline
from insight_profiler.analysis.compared_steps import ComparedSteps, compared_steps, limits_of
from insight_profiler.building import Building
from insight_profiler.model import Category, Profile, Side, Source, Track
from insight_profiler.rules import DeviceUse

from tests.profile_faults import FAULTS, REPAIRS, profile_of, simulate
from tests.profile_rules import findings_of
from tests.training_traces import Machine

_FAULT = "communication"


@pytest.fixture(scope="module")
def machines() -> tuple[Machine, Machine]:
    return simulate(FAULTS[_FAULT]), simulate(evolve(FAULTS[_FAULT], **REPAIRS[_FAULT]))


@pytest.fixture(scope="module")
def profiles(machines: tuple[Machine, Machine]) -> tuple[Profile, Profile]:
    before, after = machines
    return profile_of(before), profile_of(after)


@pytest.fixture(scope="module")
def sides(profiles: tuple[Profile, Profile]) -> tuple[ComparedSteps, ComparedSteps]:
    before, after = profiles
    return compared_steps(before, None), compared_steps(after, None)


def _events(machine: Machine, name: str, category: str) -> list[float]:
    return [one["dur"] for one in machine.events if one["name"].startswith(name) and one["cat"] == category]


def test_steps_are_compared_by_their_medians(
    machines: tuple[Machine, Machine], sides: tuple[ComparedSteps, ComparedSteps]
) -> None:
    found = summary_of(*sides)
    duration = next(row for row in found["parts"] if row["name"] == "duration")
    for machine, key in zip(machines, ("base", "value"), strict=True):
        steps = sorted(_events(machine, "ProfilerStep#", "user_annotation")[1:])
        assert duration[key] / 1000 == pytest.approx(steps[(len(steps) - 1) // 2], abs=0.01)
    exposed = next(row for row in found["parts"] if row["name"] == "communication")
    assert exposed["value"] < exposed["base"] / 2


def test_communication_is_that_of_a_step(
    machines: tuple[Machine, Machine], sides: tuple[ComparedSteps, ComparedSteps]
) -> None:
    (row,) = summary_of(*sides)["communication"]
    assert row["name"] == "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
    expected = sum(_events(machines[0], "ncclDevKernel", "kernel")) / FAULTS[_FAULT].steps
    assert row["base"] / 1000 == pytest.approx(expected, rel=1e-4)


def test_advice_that_the_repair_made_needless_is_gone(profiles: tuple[Profile, Profile]) -> None:
    before, after = (advice_answer(findings_of(one), DeviceUse()) for one in profiles)
    found = compared_advice(before, after)
    assert [one["rule"] for one in found["gone"]] == [_FAULT]
    assert found["gone"][0]["title"]["error"]
    assert found["new"] == found["stays"] == []
    assert [one["rule"] for one in compared_advice(after, before)["new"]] == [_FAULT]


def test_a_step_is_drawn_from_its_start(
    profiles: tuple[Profile, Profile], sides: tuple[ComparedSteps, ComparedSteps]
) -> None:
    shown = timeline(sides[0], 3)
    assert shown is not None
    assert shown["number"] == 3
    row = int(np.flatnonzero(profiles[0].tables["steps"]["number"] == 3)[0])
    assert shown["duration"] == profiles[0].tables["steps"]["duration"][row]
    for lane in shown["lanes"]:
        runs = lane["runs"]
        assert runs[0]["start"] >= 0
        assert runs[-1]["end"] <= shown["duration"]
        assert all(one["end"] <= other["start"] for one, other in itertools.pairwise(runs))
    reduced = [run for lane in shown["lanes"] for run in lane["runs"] if run["category"] == "communication"]
    slices = profiles[0].tables["slices"]
    exact = slices["duration"][
        (slices["category"] == 3) & (slices["kernel"] >= 0) & (slices["step"] == row)
    ].sum()
    assert sum(run["end"] - run["start"] for run in reduced) == pytest.approx(exact, rel=0.05)


def test_kernels_are_compared_by_name(profiles: tuple[Profile, Profile]) -> None:
    before, after = (compared_steps(one, None, "kernels") for one in profiles)
    listing = kernel_comparison(before, after, "step").listing
    names = listing.columns["name"].shown()
    row = next(at for at, name in enumerate(names) if name and name.startswith("ampere_bf16"))
    base, value = (float(listing.columns[name].values[row]) for name in ("base", "value"))
    assert base == pytest.approx(value, rel=0.02)
    assert float(listing.columns["difference"].values[row]) == pytest.approx(value - base)


MS = 1_000_000
_USUAL = [3.0, 3.0, 2.0, 4.0, 3.0]


def _profile(calls: list[float], *, has_steps: bool = True, has_calls: bool = True) -> Profile:
    """One call of an operator a step (ms), and a kernel of communication as long."""
    building = Building(Source.TORCH)
    track = building.track(Track("thread", "main"))
    count, durations = len(calls), (np.array(calls) * MS).astype(np.int64)
    starts = np.cumsum(durations + MS) - durations - MS
    if has_steps:
        building.add("steps", number=np.arange(count), start=starts, duration=durations + MS)
    name, kind = building.text("a"), building.text("aten::a")
    reduce = building.text("all_reduce")
    operators = {"type": [kind] * count} if has_calls else {}
    common: dict[str, Any] = {"track": [track] * count, "start": starts, "duration": durations}
    building.add("slices", **common, name=[name] * count, category=[Category.OPERATOR] * count, **operators)
    if not has_calls:
        building.add(
            "operators", name=[name], type=[kind], side=[Side.HOST], calls=[count], total=[durations.sum()]
        )
    building.add(
        "collectives",
        step=np.arange(count) if has_steps else np.full(count, -1),
        name=[reduce] * count,
        start=starts,
        elapsed=durations,
    )
    return building.finish()


def _times(base: Profile, own: Profile, per: str, steps: str | None = None) -> list[float]:
    before, after = compared_steps(base, steps), compared_steps(own, steps)
    found = comparison(before, after, "type", Side.HOST, per)
    return [float(found.listing.columns[name].values[0]) / MS for name in ("base", "value")]


def test_outlier_steps_count_in_no_part_of_a_comparison() -> None:
    base, own = _profile([90.0, *_USUAL]), _profile(_USUAL)
    before, after = compared_steps(base, None), compared_steps(own, None)
    assert before.summary() == {"count": 5, "median": 4 * MS, "left_out": 1}
    assert after.summary() == {"count": 5, "median": 4 * MS, "left_out": 0}
    found = summary_of(before, after)
    assert found["parts"][0] == {"name": "duration", "base": 4 * MS, "value": 4 * MS}
    assert found["communication"] == [{"name": "all_reduce", "base": 3 * MS, "value": 3 * MS}]
    assert (found["per"], found["limits"]) == ("step", {})
    assert found["timelines"][0]["duration"] == found["timelines"][1]["duration"] == 4 * MS
    assert _times(base, own, "step") == _times(base, own, "call") == [3, 3]
    assert _times(base, own, "total") == [105, 15]


def test_the_chosen_steps_are_compared_alone() -> None:
    base, own = _profile([90.0, *_USUAL]), _profile(_USUAL)
    for per, expected in (("total", [93, 6]), ("step", [46.5, 3]), ("call", [46.5, 3])):
        assert _times(base, own, per, "0-1") == expected
    before, after = compared_steps(base, "0-1"), compared_steps(own, "0-1")
    assert before.summary() == {"count": 2, "median": 47_500_000, "left_out": 0}
    (row,) = summary_of(before, after)["communication"]
    assert (row["base"], row["value"]) == (46.5 * MS, 3 * MS)
    before, after = compared_steps(base, "5"), compared_steps(own, "5")
    assert summary_of(before, after)["limits"] == {"own": "none_chosen"}


def test_nothing_is_compared_by_the_step_with_a_profile_without_steps() -> None:
    base, own = _profile(_USUAL, has_steps=False), _profile(_USUAL)
    before, after = compared_steps(base, None), compared_steps(own, None)
    found = comparison(before, after, "type", Side.HOST, "step")
    assert found.per == "total"
    assert float(found.listing.columns["ratio"].values[0]) == 1
    assert limits_of(before, after, "step") == {"base": "no_steps"}
    shown = summary_of(before, after)
    assert (shown["per"], shown["parts"], shown["limits"]) == ("total", [], {"base": "no_steps"})
    assert shown["communication"] == [{"name": "all_reduce", "base": 15 * MS, "value": 15 * MS}]
    assert limits_of(before, after, "total") == {}
    unlike = _profile([90.0, *_USUAL], has_steps=False), _profile([90.0, *_USUAL])
    assert _times(*unlike, "call") == [17.5, 17.5]  # the same calls


def test_sums_of_all_steps_are_compared_with_all_steps() -> None:
    base, own = _profile([90.0, *_USUAL], has_calls=False), _profile([90.0, *_USUAL])
    before, after = compared_steps(base, None), compared_steps(own, None)
    assert _times(base, own, "step") == _times(base, own, "call") == [17.5, 17.5]
    assert limits_of(before, after, "step") == {"base": "with_outliers"}
    assert limits_of(before, after, "total") == {}
    assert _times(base, own, "step", "0") == [17.5, 90]
    assert limits_of(compared_steps(base, "0"), compared_steps(own, "0"), "total") == {"base": "only_sums"}
