"""Profiles in the making: chunks, absent columns, and what follows of slices."""

from __future__ import annotations

import numpy as np
import pytest
from insight_profiler.building import Building
from insight_profiler.derived.steps import exclusive_times
from insight_profiler.model import Category, Counter, Device, FlowKind, Profile, Source, StepOrigin, Track
from numpy.typing import ArrayLike


def _building(source: Source = Source.TORCH) -> Building:
    building = Building(source)
    building.track(Track("thread", "main"))
    return building


def test_absent_columns_hold_what_says_so() -> None:
    building = _building()
    building.add("slices", track=[0], start=[5], duration=[1])
    building.add("kernels", name=[building.text("k")])
    profile = building.finish()
    slices, kernels = profile.tables["slices"], profile.tables["kernels"]
    assert slices["category"].tolist() == [Category.OTHER]
    assert [slices[name][0] for name in ("name", "offset", "operator", "step")] == [-1, -1, -1, -1]
    assert kernels["registers"].tolist() == [-1]
    assert np.isnan(kernels["occupancy"][0])
    assert "marker" not in slices


def test_chunks_are_one_table_and_say_their_rows() -> None:
    building = _building()
    assert building.add("slices", track=[0, 0], start=[0, 10], duration=[1, 1]) == 0
    assert building.add("slices", track=[0], start=[20], duration=[1], category=[Category.KERNEL]) == 2
    assert building.rows("slices") == 3
    assert building.finish().tables["slices"]["category"].tolist() == [7, 7, 0]


def test_a_chunk_is_as_the_table() -> None:
    building = _building()
    with pytest.raises(ValueError, match="slices has no column colour"):
        building.add("slices", colour=[1])
    with pytest.raises(ValueError, match="not of one length"):
        building.add("slices", start=[1, 2], duration=[1])


@pytest.mark.parametrize(
    "values",
    [
        [1 << 31, 5], [1 << 80, 5], [-(1 << 80), 5], [float("inf"), 5.0], [3e9, 5], ["x", 5], [[1], 5],
        np.array([1 << 40, 5]), np.array([1e300, 5]), np.array([1 << 63, 5], np.uint64),
    ],
)  # fmt: skip
def test_a_number_that_does_not_fit_is_unknown(values: ArrayLike) -> None:
    building = _building()
    building.add("kernels", name=[1, 2], registers=values)
    building.add("kernels", name=[3], registers=[1 << 90])
    profile = building.finish()
    assert profile.tables["kernels"]["registers"].tolist() == [-1, 5, -1]
    [note] = profile.notes
    assert (note.code, note.values) == ("numbers_out_of_range", {"count": 2, "columns": "registers"})


def test_the_digits_of_the_others_are_kept() -> None:
    building = _building()
    building.add("steps", number=[1 << 63, -1, (1 << 62) + 1], start=[0, 1, 2], duration=[1, 1, 1])
    assert building.finish().tables["steps"]["number"].tolist() == [-1, -1, (1 << 62) + 1]


def test_no_number_is_nothing_lost() -> None:
    building = _building()
    values = np.array([[None, float("nan"), 7], [None, 10**400, 1]], object)
    building.add("kernels", registers=values[0], occupancy=values[1])
    profile = building.finish()
    assert profile.tables["kernels"]["registers"].tolist() == [-1, -1, 7]
    assert np.isnan(profile.tables["kernels"]["occupancy"][:2]).all()
    assert [note.values["columns"] for note in profile.notes] == ["occupancy"]


def test_texts_stand_once() -> None:
    building = _building()
    assert building.texts(["a", "b", "a", ""]).tolist() == [0, 1, 0, -1]
    assert building.finish().texts == ("a", "b")


def test_times_count_from_the_earliest() -> None:
    building = _building()
    building.start_ns = 1_700_000_000_000_000_000
    building.counter(Counter("queue", "queue"))
    building.add("counters", counter=[0, 0], time=[2_000, 500], value=[1, 2])
    building.add("slices", track=[0], start=[1_000], duration=[4_000])
    building.add("allocations", bytes=[8, 8], start=[1_500, 1_600], end=[-1, 1_700])
    profile = building.finish()
    assert profile.start_ns == 1_700_000_000_000_000_500
    assert profile.duration_ns == 4_500
    assert profile.tables["counters"]["time"].tolist() == [0, 1_500]
    assert profile.tables["counters"]["value"].tolist() == [2, 1]
    assert profile.tables["slices"]["start"].tolist() == [500]
    assert profile.tables["allocations"]["start"].tolist() == [1_000, 1_100]
    assert profile.tables["allocations"]["end"].tolist() == [-1, 1_200]


def test_times_of_an_own_zero_are_no_date() -> None:
    building = _building()
    building.add("slices", track=[0], start=[5_000], duration=[10])
    profile = building.finish()
    assert profile.start_ns == 0
    assert profile.tables["slices"]["start"].tolist() == [0]


def test_operators_are_made_of_slices_with_a_type() -> None:
    building = _building()
    conv, relu, shape = building.text("conv"), building.text("relu"), building.text("[8]")
    building.add(
        "slices",
        track=[0] * 5,
        start=[0, 10, 20, 30, 32],
        duration=[5, 7, 4, 10, 4],
        name=[conv, conv, conv, relu, building.text("file.py(3): f")],
        type=[conv, conv, conv, relu, -1],
        shapes=[-1, -1, shape, -1, -1],
        category=[Category.OPERATOR] * 4 + [Category.OTHER],
    )
    profile = building.finish()
    operators = profile.tables["operators"]
    columns = ("name", "shapes", "calls", "total", "self", "minimum", "maximum")
    assert [operators[name].tolist() for name in columns] == [
        [conv, conv, relu],
        [-1, shape, -1],
        [2, 1, 1],
        [12, 4, 10],
        [12, 4, 10],  # a function of Python within is time of the operator around it
        [5, 4, 10],
        [7, 4, 10],
    ]
    assert profile.tables["slices"]["operator"].tolist() == [0, 0, 1, 2, -1]
    assert profile.tables["slices"]["self"].tolist() == [5, 7, 4, 6, 4]


def test_operators_that_a_reader_gives_are_filled_from_their_slices() -> None:
    building = _building(Source.MINDSPORE)
    building.add("operators", name=building.texts(["a", "b"]), calls=[-1, 9], total=[-1, 90])
    building.add("slices", track=[0] * 3, start=[0, 10, 20], duration=[1, 2, 4], operator=[0, 0, 1])
    operators = building.finish().tables["operators"]
    assert operators["calls"].tolist() == [2, 9]
    assert operators["total"].tolist() == [3, 90]
    assert operators["maximum"].tolist() == [2, 4]


def _with_device() -> Profile:
    """An operator in another launches two kernels, one of them known by its correlation only."""
    building = _building()
    gpu = building.device(Device("V100", "gpu"))
    building.track(Track("stream", "7", device=gpu))
    outer, inner, launch = building.texts(["outer", "inner", "cudaLaunchKernel"]).tolist()
    kernel, copy = building.texts(["gemm", "Memcpy"]).tolist()
    rows = building.add("kernels", name=[kernel, copy], device=[gpu, gpu])
    building.add(
        "slices",
        track=[0, 0, 0, 1, 1],
        start=[0, 10, 20, 200, 300],
        duration=[100, 50, 5, 40, 7],
        name=[outer, inner, launch, kernel, copy],
        category=[6, 6, Category.RUNTIME, Category.KERNEL, Category.MEMCPY],
        type=[outer, inner, -1, -1, -1],
        kernel=[-1, -1, -1, rows, rows + 1],
        correlation=[-1, -1, 77, 77, -1],
        external=[1, 2, -1, -1, 1],
    )
    building.add("steps", number=[3], start=[0], duration=[400])
    return building.finish()


def test_device_time_goes_to_the_operator_that_launched_it() -> None:
    profile = _with_device()
    operators, kernels = profile.tables["operators"], profile.tables["kernels"]
    assert operators["self"].tolist() == [50, 45]
    assert operators["device_total"].tolist() == [47, 40]
    assert operators["device_self"].tolist() == [7, 40]
    assert [kernels[name].tolist() for name in ("name", "operator", "calls", "total")] == [
        [3, 4],
        [1, 0],
        [1, 1],
        [40, 7],
    ]
    assert profile.tables["slices"]["kernel"].tolist() == [-1, -1, -1, 0, 1]


def test_launches_are_flows() -> None:
    flows = _with_device().tables["flows"]
    assert [flows[name].tolist() for name in ("source", "target", "kind")] == [[2], [3], [FlowKind.LAUNCH]]


def test_each_moment_of_a_step_counts_once() -> None:
    profile = _with_device()
    steps = {name: column.tolist() for name, column in profile.tables["steps"].items()}
    assert profile.step_origin == StepOrigin.RECORDED
    assert steps["number"] == [3]
    expected = {"kernel": 40, "memcpy": 7, "memset": 0, "runtime": 5, "operator": 95, "other": 0, "idle": 253}
    assert {name: steps[name][0] for name in expected} == expected
    assert profile.tables["slices"]["step"].tolist() == [0] * 5


def test_exclusive_times_equal_those_of_brute_force() -> None:
    random = np.random.default_rng(9)
    for _ in range(30):
        count = int(random.integers(1, 40))
        category = random.integers(0, 8, count).astype(np.uint8)
        start, duration = random.integers(0, 200, count), random.integers(0, 40, count)
        begins, durations = np.array([10, 90, 150]), np.array([60, 60, 30])
        found = exclusive_times(category, start, duration, begins, durations)
        for row, (begin, length) in enumerate(zip(begins.tolist(), durations.tolist(), strict=True)):
            counted = dict.fromkeys([*(one.name.lower() for one in Category), "idle"], 0)
            for moment in range(begin, begin + length):
                going = category[(start <= moment) & (start + duration > moment)]
                counted[Category(int(going.min())).name.lower() if len(going) else "idle"] += 1
            assert {name: int(column[row]) for name, column in found.items()} == counted


def test_steps_are_inferred_from_operators_that_run_equally_often() -> None:
    building = _building(Source.MINDSPORE)
    building.add("operators", name=building.texts(["a", "b", "rare"]))
    starts = [0, 10, 100, 115, 200, 220, 50]
    building.add("slices", track=[0] * 7, start=starts, duration=[5] * 7, operator=[0, 1, 0, 1, 0, 1, 2])
    profile = building.finish()
    steps = profile.tables["steps"]
    assert profile.step_origin == StepOrigin.INFERRED
    assert [steps[name].tolist() for name in ("number", "start", "duration", "idle")] == [
        [1, 2, 3],
        [0, 100, 200],
        [15, 20, 25],
        [5, 10, 15],
    ]
    assert profile.tables["slices"]["step"].tolist() == [0, 0, -1, 1, 1, 2, 2]


def test_steps_that_would_overlap_are_not_inferred() -> None:
    building = _building(Source.MINDSPORE)
    building.add("operators", name=building.texts(["a", "b"]))
    building.add("slices", track=[0] * 4, start=[0, 10, 20, 30], duration=[2] * 4, operator=[0, 0, 1, 1])
    profile = building.finish()
    assert profile.step_origin == StepOrigin.NONE
    assert "steps" not in profile.tables


def test_flows_keep_to_their_slices() -> None:
    building = _building()
    building.add("slices", track=[0] * 3, start=[20, 10, 0], duration=[1] * 3, name=building.texts("cba"))
    building.add("flows", source=[2], target=[0], kind=[FlowKind.BACKWARD])
    flows = building.finish().tables["flows"]
    assert (flows["source"].tolist(), flows["target"].tolist()) == ([0], [2])


def test_arrows_join_the_slices_around_their_ends() -> None:
    building = _building()
    building.track(Track("thread", "backward"))
    building.add("slices", track=[0, 0, 1], start=[0, 10, 50], duration=[30, 5, 10])
    building.add(
        "arrows",
        flow=[4, 4, 9],
        kind=[FlowKind.BACKWARD] * 3,
        begins=[1, 0, 1],
        track=[0, 1, 0],
        time=[12, 50, 1],
    )
    flows = building.finish().tables["flows"]
    assert [flows[name].tolist() for name in ("source", "target", "kind")] == [[1], [2], [FlowKind.BACKWARD]]


def test_allocations_are_named_after_the_operator_around() -> None:
    building = _building()
    conv = building.text("conv")
    building.add("slices", track=[0, 0], start=[0, 2], duration=[10, 3], name=[conv, -1], type=[conv, -1])
    building.add("allocations", bytes=[64, 32], start=[3, 20], track=[0, 0])
    profile = building.finish()
    assert profile.tables["allocations"]["name"].tolist() == [conv, -1]
    assert profile.tables["operators"]["bytes"].tolist() == [64]


def test_finishing_is_a_look_and_adding_goes_on() -> None:
    looks: list[int] = []
    building = Building(
        Source.TORCH, progress=lambda made: looks.append(len(made.finish().tables["slices"]["start"]))
    )
    building.track(Track("thread", "main"))
    for start in (30, 20, 10):
        building.add("slices", track=[0], start=[start], duration=[2])
        building.reached()
    assert looks == [1, 2, 3]
    assert not building.finish(is_complete=False).is_complete
    assert building.finish().tables["slices"]["start"].tolist() == [0, 10, 20]


def test_a_profile_of_nothing_is_one() -> None:
    profile = Building(Source.CHROME).finish()
    assert (profile.tables, profile.duration_ns, profile.texts) == ({}, 0, ())
