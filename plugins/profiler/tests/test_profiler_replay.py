"""Replayed steps, whose pace they have, and what the profiler costs, against simulations that know it."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.replay import HOST, ReplayChange
from insight_profiler.advice.savings import if_changed, if_shorter
from insight_profiler.analysis.compared_steps import compared_steps
from insight_profiler.analysis.overview import overview
from insight_profiler.model import Category

from insight_core.plugin.findings import Finding
from tests.profile_faults import (
    ELEMENTWISE,
    FAULTS,
    HEALTHY,
    PLAIN,
    Training,
    profile_of,
    simulate,
    step_time,
)
from tests.profile_rules import check
from tests.training_traces import BACKWARD, COMPUTE, Machine
from tests.training_traces import HOST as MAIN

_HOST_BOUND = FAULTS["host_bound"]
_BEHIND = evolve(HEALTHY, reads_loss=False, warm_up=0.0, steps=8)  # nothing waits for the device


def _found(machine: Machine) -> dict[str, Finding]:
    return {one.rule.id: one.found[0] for one in check(profile_of(machine)) if one.found}


def _evidence(training: Training) -> Evidence:
    return Evidence(profile_of(simulate(training)))


# --- the graph ----------------------------------------------------------------------------------------


def test_a_call_that_begins_as_the_wait_before_it_ends_waits_with_it() -> None:
    """Otherwise it is nailed to its time, and nothing that comes before it can save anything."""
    machine = Machine()
    for step in range(4):
        with machine.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            for _ in range(20):
                machine.launch(PLAIN, 30.0)
                machine.wait(machine.free[COMPUTE] + 70.0, "cudaFree")
                machine.wait(0.0, "cudaMalloc")  # begins at the very end of the wait
    evidence = Evidence(profile_of(machine))
    replay = evidence.replay
    assert replay is not None
    first = (replay.before < 0) & (replay.launch < 0) & (replay.other < 0)
    assert first.sum() == 1
    frees = evidence.named(lambda name: name == "cudaFree", np.flatnonzero(evidence.inside))
    waits = ~np.isin(replay.row, frees)
    change = ReplayChange(np.where(np.isin(replay.row, frees), 0.0, 1.0), waits=waits)
    assert if_changed(evidence, replay, change).low > 0.3


def test_calls_of_threads_that_overlap_depend_on_each_other() -> None:
    machine = Machine()
    for step in range(4):
        with machine.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            for number in range(30):
                machine.thread = BACKWARD if number % 2 else MAIN
                machine.work(20.0)
                machine.launch(ELEMENTWISE, 5.0, cost=9.0)
                machine.now -= 6.0  # the other thread begins before this call returns
            machine.thread = MAIN
            machine.work(30.0)
    evidence = Evidence(profile_of(machine))
    replay = evidence.replay
    assert replay is not None
    assert replay.span() == replay.measured
    assert ((replay.kind == HOST) & (replay.before < 0)).sum() == 1
    half = ReplayChange(lag=np.where(replay.kind == HOST, 0.5, 1.0))
    assert if_changed(evidence, replay, half).low > 0.2


def test_changes_add_up_to_the_shorter_of_both() -> None:
    one, other = (
        ReplayChange(np.array([0.5, 1.0, 0.2]), waits=np.array([True, False, True])),
        ReplayChange(0.4, 0.7),
    )
    both = reduce(ReplayChange.__and__, (one, other), ReplayChange())
    assert np.asarray(both.duration).tolist() == [0.4, 0.4, 0.2]
    assert both.lag == 0.7
    assert both.waits is not None
    assert both.waits.tolist() == [True, False, True]


def test_shares_that_are_left_may_differ_by_work_and_be_a_range() -> None:
    evidence = _evidence(evolve(HEALTHY, matrix=PLAIN, elementwise=160.0, warm_up=0.0))
    rows = evidence.compute
    is_plain = evidence.named(lambda name: name == PLAIN, rows)
    left = np.where(np.isin(rows, is_plain), 0.5, 1.0)
    found = if_shorter(evidence, rows, left, np.where(left < 1, 0.25, 1.0))
    alone = if_shorter(evidence, is_plain, 0.5)
    assert found.low == pytest.approx(alone.low, abs=1e-6)
    assert found.high == pytest.approx(1.5 * found.low, rel=0.02)


# --- whose pace ---------------------------------------------------------------------------------------


def test_steps_have_the_pace_of_a_device_that_lags() -> None:
    machine = simulate(_BEHIND)
    evidence = Evidence(profile_of(machine))
    steps = evidence.profile.tables["steps"]
    work = sorted((one["ts"], one["dur"]) for one in machine.events if one["cat"] == "kernel")
    whole = work[-1][0] + work[-1][1] - work[0][0]
    assert (steps["host_duration"] > 0).all()
    assert steps["duration"].sum() / 1000 == pytest.approx(whole, rel=0.02)
    assert np.median(steps["host_duration"]) < 0.5 * np.median(steps["duration"])
    pace = np.median(steps["duration"])
    compared, shown = compared_steps(evidence.profile, None).summary(), overview(evidence.profile)["steps"]
    assert compared is not None
    assert compared["median"] == pytest.approx(pace, rel=0.01)
    assert shown["p50"] == pytest.approx(pace, rel=0.01)
    assert evidence.idle_share < 0.1


def test_steps_are_those_of_the_host_where_it_is_the_bottleneck_or_waits() -> None:
    for training in (_HOST_BOUND, evolve(_HOST_BOUND, reads_loss=False), HEALTHY):
        steps = _evidence(training).profile.tables["steps"]
        assert (steps["host_duration"] == -1).all()


def test_work_that_warm_up_launched_is_of_no_step() -> None:
    """The recording begins with the third step, while the device works on what the first two launched."""
    machine = simulate(evolve(_BEHIND, layers=40))
    marks = sorted(
        (one for one in machine.events if one["name"].startswith("ProfilerStep")), key=lambda one: one["ts"]
    )
    start = marks[2]["ts"]
    machine.events = [one for one in machine.events if one["ts"] >= start and one not in marks[:2]]
    evidence = Evidence(profile_of(machine))
    slices = evidence.slices
    kernels = (slices["category"] == Category.KERNEL) & (slices["step"] >= 0)
    by_step = np.bincount(slices["step"][kernels])
    assert len(set(by_step.tolist())) == 1
    assert ((slices["category"] == Category.KERNEL) & (slices["step"] < 0)).any()
    # halving the work of the steps halves them, whatever the device did before
    assert if_shorter(evidence, evidence.work, 0.5).high == pytest.approx(0.5, abs=0.02)


# --- gaps ---------------------------------------------------------------------------------------------


def _slow_calls(cost: float) -> Machine:
    machine = Machine()
    for step in range(4):
        with machine.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            for _ in range(40):
                machine.work(4.0)
                machine.launch(PLAIN, 6.0, cost=cost)
    return machine


def test_a_call_that_launches_and_its_latency_are_no_gap_of_the_device() -> None:
    for cost in (4.0, 20.0):
        evidence = Evidence(profile_of(_slow_calls(cost)))
        assert evidence.gaps.waiting.sum() < 0.02 * evidence.whole
        assert "idle_gaps" not in _found(_slow_calls(cost))


def test_what_nothing_ends_is_no_gap() -> None:
    machine = _slow_calls(4.0)
    with machine.span("ProfilerStep#5", "user_annotation"):
        machine.launch(PLAIN, 6.0)
        machine.work(20_000.0)
    assert "idle_gaps" not in _found(machine)


def test_streams_are_named_where_there_are_several() -> None:
    found = _found(simulate(FAULTS["idle_gaps"]))["idle_gaps"]
    assert "streams" in str(found.change)
    machine = Machine()
    for step in range(5):
        with machine.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            for _ in range(10):
                machine.launch(PLAIN, 100.0)
            machine.wait(machine.free[COMPUTE])
            machine.free[COMPUTE] += 1000.0
    assert "streams" not in str(_found(machine)["idle_gaps"].change)


# --- the host -----------------------------------------------------------------------------------------


def test_the_host_is_accused_of_no_more_than_the_device_idles() -> None:
    found = _found(simulate(_HOST_BOUND))["host_bound"]
    assert found.severity == "warning" or "small_kernels" in _found(simulate(_HOST_BOUND))
    assert found.saves is not None
    idle = _evidence(_HOST_BOUND).idle_share
    assert 0 < found.saves.low < found.saves.high <= idle + 0.01
    assert found.saves.assumes is not None


def test_the_specific_cause_comes_first_and_the_host_has_only_the_rest() -> None:
    training = evolve(_HOST_BOUND, loading=8000.0)
    found = _found(simulate(training))
    loader, host = found["data_loader"], found["host_bound"]
    assert (loader.severity, host.severity) == ("warning", "hint")
    assert loader.saves is not None
    assert host.saves is not None
    assert loader.saves.low + host.saves.high <= 1.0
    alone = _found(simulate(_HOST_BOUND))["host_bound"].saves
    assert alone is not None
    assert host.saves.high < alone.high


def test_what_the_program_does_between_launches_is_named() -> None:
    for category in ("user_annotation", "python_function"):
        name = "train.py(12): compute_metrics"
        training = evolve(HEALTHY, warm_up=0.0, between=(category, name, 9000.0))
        found = _found(simulate(training))
        assert any(one.saw.details.get("name") == name for one in found.values()), category


def test_a_compiled_model_is_not_to_be_compiled() -> None:
    compiled = evolve(_HOST_BOUND, extra_kernels=(("CompiledFunction", "triton_poi_fused_add_0", 12.0, 2),))
    change = str(_found(simulate(compiled))["host_bound"].change)
    assert "torch.compile" not in change
    assert "CUDA graph" in change
    assert "torch.compile" in str(_found(simulate(_HOST_BOUND))["host_bound"].change)


def test_communication_on_the_host_is_none_of_its_code() -> None:
    machine = simulate(evolve(HEALTHY, warm_up=0.0))
    with_gloo = Machine(rank=0, ranks=2, event=0.0)
    for step in range(5):
        with with_gloo.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            for _ in range(10):
                with_gloo.launch(PLAIN, 60.0)
            begun, with_gloo.thread = with_gloo.now, 300
            with with_gloo.span("gloo:all_reduce", "user_annotation"):
                with_gloo.work(5000.0)
            with_gloo.thread = MAIN
            assert with_gloo.now > begun
    assert machine.events
    evidence = Evidence(profile_of(with_gloo))
    assert evidence.late < 0.05 * evidence.whole
    assert evidence.path["communication"] > 0.8 * sum(evidence.path.values())
    assert not {"host_bound", "idle_gaps"} & _found(with_gloo).keys()


# --- the profiler -------------------------------------------------------------------------------------


def _nested(event: float, host: float = 12.0) -> Machine:
    """Operators that call others, as those of torch do."""
    machine = Machine(event=event)
    for step in range(5):
        with machine.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            for _ in range(60):
                machine.work(host)
                with machine.span("aten::linear"), machine.span("aten::matmul"), machine.span("aten::mm"):
                    machine.launch(PLAIN, 8.0)
    return machine


@pytest.mark.parametrize("event", [3.0, 4.0, 6.0])
def test_the_time_without_the_profiler_lies_in_the_range(event: float) -> None:
    evidence = Evidence(profile_of(_nested(event)))
    truth = step_time(_nested(0.0)) / 4 * 1000
    assert evidence.unprofiled is not None
    low, high = evidence.unprofiled
    assert low <= truth <= high
    found = _found(_nested(event))["profiler_cost"]
    assert found.severity == "hint"


def test_a_profiler_that_costs_nothing_on_the_critical_path_is_not_told_of() -> None:
    assert "profiler_cost" not in _found(simulate(evolve(_BEHIND, event=2.0)))


def test_a_measured_step_takes_the_place_of_the_estimate() -> None:
    profile = profile_of(_nested(3.0))
    truth = step_time(_nested(0.0)) / 4 * 1000
    evidence = Evidence(profile, measured=truth)
    assert evidence.unprofiled is not None
    low, high = evidence.unprofiled
    assert low == high == pytest.approx(truth, rel=0.02)
    assert len(evidence.hosts) == 1
