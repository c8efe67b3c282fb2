"""Suggestions for a profile, with the figures behind them.

Thresholds are those of the peers where they have one: MindInsight's for iteration interval, queues and
processors, torch-tb-profiler's for data loading, communication and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from insight_profiler.analysis.memory import peak
from insight_profiler.analysis.outliers import median_of, outliers, warm_up
from insight_profiler.analysis.overview import shares
from insight_profiler.analysis.pipeline import empty_share
from insight_profiler.analysis.steps import of_rows, summary
from insight_profiler.model import Profile

_INTERVAL = 500_000  # ns between steps
_EMPTY = 0.3  # of the batches found the queue empty
_DATA = 0.05  # of the time
_COMMUNICATION = 0.1
_IDLE = 0.2
_MEMORY = 0.9  # of the device's
_JITTER = 1.5  # times the median


@frozen
class Advice:
    """A sentence by its code with values, the view and parameters where its evidence is."""

    code: str
    text: str
    values: Mapping[str, Any]
    view: str
    severity: str = "info"  # or warning
    parameters: Mapping[str, str] = field(factory=dict)


def advice(profile: Profile) -> list[Advice]:
    """Findings about steps, data preparation and memory, with the evidence for each."""
    return [*_of_steps(profile), *_of_data(profile), *_of_memory(profile)]


def _of_steps(profile: Profile) -> Iterator[Advice]:
    steps = profile.tables.get("steps")
    if steps is None:
        return
    first = warm_up(outliers(steps["duration"]))
    steps = of_rows(steps, np.arange(first, len(steps["number"])))
    if (said := summary(steps)) is None:
        return
    interval = median_of(steps["iteration_interval"])
    if interval is not None and interval > _INTERVAL:
        yield Advice(
            "iteration_interval",
            f"{interval / 1e6:.3g} ms pass between steps in the median: the device may wait for data",
            {"time": interval},
            "steps",
            "warning",
        )
    for share in shares(profile):
        limit, code = {
            "data": (_DATA, "data_share"),
            "communication": (_COMMUNICATION, "communication_share"),
            "communication_not_overlapped": (_COMMUNICATION, "communication_share"),
            "idle": (_IDLE, "idle_share"),
            "free": (_IDLE, "idle_share"),
            "bubble": (_COMMUNICATION, "bubble_share"),
        }.get(share["category"], (2.0, ""))
        if share["share"] is not None and share["share"] > limit:
            yield Advice(
                code,
                f"{share['share']:.0%} of the time of the steps is {share['category'].replace('_', ' ')}",
                {"share": share["share"], "category": share["category"], "time": share["time"]},
                "steps",
                "warning",
            )
    if said["count"] >= 5 and said["p95"] > said["p50"] * _JITTER:
        longest = int(steps["number"][int(np.argmax(steps["duration"]))])
        yield Advice(
            "step_jitter",
            f"one step in twenty takes {said['p95'] / said['p50']:.1f} times the median or longer",
            {"p50": said["p50"], "p95": said["p95"], "step": longest},
            "steps",
            parameters={"steps": str(longest)},
        )


def _of_data(profile: Profile) -> Iterator[Advice]:
    for queue, share in empty_share(profile).items():
        if share > _EMPTY:
            yield Advice(
                "queue_empty",
                f"{share:.0%} of the batches found the queue {queue} empty: preparing data is the bottleneck",
                {"queue": queue, "share": share},
                "pipeline",
                "warning",
            )


def _of_memory(profile: Profile) -> Iterator[Advice]:
    top = peak(profile)
    if top is None:
        return
    for device in profile.devices:
        size = device.facts.get("memory_bytes")
        if device.name == top["device"] and size and top["value"] > size * _MEMORY:
            yield Advice(
                "memory_full",
                f"{top['value'] / size:.0%} of the memory of {device.name} was taken at the highest point",
                {"share": top["value"] / size, "device": device.name, "bytes": top["value"]},
                "memory",
                "warning",
            )
