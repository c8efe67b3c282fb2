"""The allocations at a peak of memory add up to the peak."""

from __future__ import annotations

import numpy as np
import pytest
from insight_profiler.analysis.memory import memory, peak
from insight_profiler.building import Building
from insight_profiler.model import Counter, Device, Profile, Source


def _profile(seed: int, before: int, *, has_counter: bool = True, names: int = 5) -> tuple[Profile, int, int]:
    """Random allocations after ``before`` bytes in blocks of 100 that were allocated earlier, of which some
    are freed while recording; the peak, and how much of it was allocated earlier."""
    random = np.random.default_rng(seed)
    building = Building(Source.TORCH)
    device = building.device(Device("GPU 0", "gpu"))
    early, level = before, before
    live: list[int] = []
    rows: list[list[int]] = []
    times, values = [], []
    top, early_at_top = 0, 0
    for time in range(1, 400):
        kind = random.random()
        if kind < 0.1 and early:
            early, level = early - 100, level - 100
        elif kind < 0.4 and live:
            row = live.pop(int(random.integers(len(live))))
            rows[row][3] = time
            level -= rows[row][1]
        else:
            size = int(random.integers(1, 500))
            live.append(len(rows))
            rows.append([building.text(f"op{int(random.integers(names))}"), size, time, -1])
            level += size
        times.append(time)
        values.append(level)
        if level > top:
            top, early_at_top = level, early
    name, sizes, start, end = (list(column) for column in zip(*rows, strict=True))
    building.add("allocations", name=name, device=[device] * len(rows), bytes=sizes, start=start, end=end)
    if has_counter:
        counter = building.counter(Counter("Total Allocated", "memory", "bytes", device))
        building.add("counters", counter=[counter] * len(times), time=times, value=values)
    return building.finish(), top, early_at_top


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("before", [0, 1_500, 50_000])
def test_allocations_and_what_was_allocated_before_recording_add_up_to_the_peak(
    seed: int, before: int
) -> None:
    profile, top, early = _profile(seed, before)
    (found,) = memory(profile, 1000)["holders"]
    assert found["bytes"] == top
    assert found["before"] == early
    assert sum(row["bytes"] for row in found["rows"]) + found["before"] == found["bytes"]
    highest = peak(profile)
    assert highest is not None
    assert (highest["value"], highest["time"]) == (found["bytes"], found["time"])


def test_without_a_counter_the_peak_is_that_of_the_recorded_allocations() -> None:
    (found,) = memory(_profile(3, 1_500, has_counter=False)[0], 1000)["holders"]
    assert found["before"] is None
    assert sum(row["bytes"] for row in found["rows"]) == found["bytes"]


def test_names_that_are_not_listed_still_count() -> None:
    profile, top, early = _profile(4, 1_500, names=500)
    (found,) = memory(profile, 1000)["holders"]
    assert found["names"] > len(found["rows"]) == 50
    assert sum(row["bytes"] for row in found["rows"]) + early < found["bytes"] == top
