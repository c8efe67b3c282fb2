"""How devices divide their time, against what HolisticTraceAnalysis says of the same traces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.figures import figures
from insight_profiler.analysis.spans import covered, length
from insight_profiler.model import Category

from tests.profile_faults import DATA_PARALLEL, HEALTHY, PLAIN, TENSOR_CORES, Training, profile_of, simulate
from tests.training_traces import Machine

# us of idle, computing and other time, and the share of communication that computing hides (%), by rank:
# get_temporal_breakdown and get_comm_comp_overlap of HolisticTraceAnalysis 0.5.0 on these traces, with
# include_last_profiler_step=True. It cuts times to whole microseconds, so the traces have whole ones.
OVERLAPPED = [
    (1081, 29862, 3319, 50.00),
    (1076, 29865, 3322, 49.92),
    (1067, 29867, 3317, 49.29),
    (1082, 29906, 3313, 49.78),
]
EXPOSED = [
    (1106, 29893, 8937, 0.01),
    (1099, 29856, 9034, 0.00),
    (1091, 29879, 8996, 0.03),
    (1107, 29895, 8984, 0.00),
]


def _ranks(changed: dict[str, Any]) -> Iterator[Machine]:
    for rank in range(4):
        training: Training = evolve(
            DATA_PARALLEL, ranks=4, rank=rank, steps=6, layers=8, seed=5 + rank, warm_up=0.0, **changed
        )
        machine = simulate(training)
        for event in machine.events:
            event |= {name: round(event[name]) for name in ("ts", "dur") if name in event}
        yield machine


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({}, OVERLAPPED), ({"overlaps": False, "reduction": 600.0}, EXPOSED)],
)
def test_time_divides_as_holistic_trace_analysis_says(
    changed: dict[str, Any], expected: list[tuple[int, int, int, float]]
) -> None:
    for machine, (idle, computing, other, hidden) in zip(_ranks(changed), expected, strict=True):
        evidence = Evidence(profile_of(machine))
        slices, work = evidence.slices, evidence.all_work
        whole = int(evidence.ends[work].max() - slices["start"][work].min())
        busy, computed = length(evidence.busy), length(evidence.computing)
        assert [(whole - busy) // 1000, computed // 1000, (busy - computed) // 1000] == [
            idle,
            computing,
            other,
        ]
        spans = evidence.spans(work[slices["category"][work] == Category.COMMUNICATION])
        share = 100 * int(covered(evidence.computing, *spans).sum()) / length(spans)
        assert share == pytest.approx(hidden, abs=0.005)


def test_figures_of_a_device_are_those_of_the_events_of_the_trace() -> None:
    """The oracle is numpy over the events; the trace has kernels with and without tensor cores."""
    extra = (("aten::mm", PLAIN, 70.0, 1),)
    machine = simulate(evolve(HEALTHY, warm_up=0.0, layers=6, grid=54, occupancy=33, extra_kernels=extra))
    found = figures(Evidence(profile_of(machine)))
    kernels = [event for event in machine.events if event["cat"] == "kernel"]
    time = np.array([event["dur"] for event in kernels])
    on_tensor_cores = np.array([event["name"] == TENSOR_CORES for event in kernels])
    is_matrix = on_tensor_cores | np.array([event["name"] == PLAIN for event in kernels])
    blocks = np.array([event["args"]["grid"][0] for event in kernels])
    occupied = np.array([event["args"]["est. achieved occupancy %"] for event in kernels])
    assert found["matrix"] == pytest.approx(time[is_matrix].sum() / time.sum(), rel=1e-4)
    assert found["tensor_cores"] == pytest.approx(
        time[on_tensor_cores].sum() / time[is_matrix].sum(), rel=1e-4
    )
    assert found["sm_efficiency"] == pytest.approx(
        np.average(np.minimum(blocks / 108, 1), weights=time), rel=1e-4
    )
    assert found["occupancy"] == pytest.approx(np.average(occupied, weights=time) / 100, rel=1e-4)
    assert found["busy"] + found["late"] + found["waiting"] == pytest.approx(1.0)
