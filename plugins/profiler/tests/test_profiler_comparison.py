"""Two profiles side by side: a faulty training and the same repaired."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.analysis.compare import kernel_comparison
from insight_profiler.analysis.compare_summary import summary_of, timeline
from insight_profiler.model import Profile

from tests.profile_faults import FAULTS, REPAIRS, profile_of, simulate
from tests.training_traces import Machine

_FAULT = "communication"


@pytest.fixture(scope="module")
def machines() -> tuple[Machine, Machine]:
    return simulate(FAULTS[_FAULT]), simulate(evolve(FAULTS[_FAULT], **REPAIRS[_FAULT]))


@pytest.fixture(scope="module")
def profiles(machines: tuple[Machine, Machine]) -> tuple[Profile, Profile]:
    before, after = machines
    return profile_of(before), profile_of(after)


def _times(machine: Machine, name: str, category: str) -> list[float]:
    return [one["dur"] for one in machine.events if one["name"].startswith(name) and one["cat"] == category]


def test_steps_are_compared_by_their_medians(
    machines: tuple[Machine, Machine], profiles: tuple[Profile, Profile]
) -> None:
    found = summary_of(*profiles)
    duration = next(row for row in found["parts"] if row["name"] == "duration")
    for machine, key in zip(machines, ("base", "value"), strict=True):
        steps = sorted(_times(machine, "ProfilerStep#", "user_annotation")[1:])
        assert duration[key] / 1000 == pytest.approx(steps[(len(steps) - 1) // 2], abs=0.01)
    exposed = next(row for row in found["parts"] if row["name"] == "communication")
    assert exposed["value"] < exposed["base"] / 2


def test_communication_is_that_of_a_step(
    machines: tuple[Machine, Machine], profiles: tuple[Profile, Profile]
) -> None:
    (row,) = summary_of(*profiles)["communication"]
    assert row["name"] == "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
    expected = sum(_times(machines[0], "ncclDevKernel", "kernel")) / FAULTS[_FAULT].steps
    assert row["base"] / 1000 == pytest.approx(expected, rel=1e-4)


def test_advice_that_the_repair_made_needless_is_gone(profiles: tuple[Profile, Profile]) -> None:
    found = summary_of(*profiles)["advice"]
    assert [one["rule"] for one in found["gone"]] == [_FAULT]
    assert found["new"] == found["stays"] == []
    back = summary_of(profiles[1], profiles[0])["advice"]
    assert [one["rule"] for one in back["new"]] == [_FAULT]


def test_a_step_is_drawn_from_its_start(profiles: tuple[Profile, Profile]) -> None:
    shown = timeline(profiles[0], 3)
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
    listing = kernel_comparison(*profiles, "step").listing
    names = listing.columns["name"].shown()
    row = next(at for at, name in enumerate(names) if name and name.startswith("ampere_bf16"))
    base, value = (float(listing.columns[name].values[row]) for name in ("base", "value"))
    assert base == pytest.approx(value, rel=0.02)
    assert float(listing.columns["difference"].values[row]) == pytest.approx(value - base)
