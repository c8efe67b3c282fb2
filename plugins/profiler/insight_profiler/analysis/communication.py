"""Collectives and links of one rank, and the ranks of a run side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from insight_profiler.analysis.listing import Column, Listing
from insight_profiler.analysis.memory import peak
from insight_profiler.analysis.steps import average, summary
from insight_profiler.analysis.sums import numbered, ratio, sum_of
from insight_profiler.model import Profile

_TIMES = (  # of a step, in which ranks are compared
    "duration",
    "iteration_interval",
    "forward_backward",
    "tail",
    "computing",
    "communication",
    "communication_not_overlapped",
    "receive",
    "overlapped",
    "free",
    "bubble",
    "kernel",
    "idle",
)


def collective_listing(profile: Profile, step: int | None) -> Listing:
    """Collectives by name and kind: how often, how long, how much was sent."""
    table = profile.tables["collectives"]
    chosen = np.ones(len(table["name"]), bool) if step is None else table["step"] == step
    groups, firsts = numbered([table["name"], table["kind"]], chosen)
    count = len(firsts)
    elapsed = sum_of(table["elapsed"], groups, count)
    return Listing(
        [
            Column("name", "text", table["name"][firsts], profile.texts),
            Column("kind", "text", table["kind"][firsts], profile.texts),
            Column("calls", "count", np.bincount(groups[groups >= 0], minlength=count)),
            Column("total", "ns", elapsed),
            Column("transit", "ns", sum_of(table["transit"], groups, count)),
            Column("wait", "ns", sum_of(table["wait"], groups, count)),
            Column("bytes", "bytes", sum_of(table["bytes"], groups, count)),
            Column("share", "share", ratio(elapsed, int(elapsed.clip(0).sum()))),
        ]
    )


def link_listing(profile: Profile, step: int | None) -> Listing:
    """Links between ranks; the bandwidth is what was sent over the time that it took."""
    table = profile.tables["links"]
    chosen = np.ones(len(table["kind"]), bool) if step is None else table["step"] == step
    groups, firsts = numbered([table["source"], table["target"], table["kind"]], chosen)
    count = len(firsts)
    elapsed = sum_of(table["elapsed"], groups, count)
    size = sum_of(table["bytes"], groups, count)
    bandwidth = ratio(size, elapsed) * 1e9
    return Listing(
        [
            Column("source", "number", table["source"][firsts]),
            Column("target", "number", table["target"][firsts]),
            Column("kind", "text", table["kind"][firsts], profile.texts),
            Column("calls", "count", np.bincount(groups[groups >= 0], minlength=count)),
            Column("total", "ns", elapsed),
            Column("bytes", "bytes", size),
            Column("bandwidth", "bytes_per_second", bandwidth),
        ]
    )


def rank_row(profile: Profile) -> dict[str, Any]:
    """What ranks are compared by; times are means over the steps (ns)."""
    steps = profile.tables.get("steps")
    means = {} if steps is None else average(steps)
    flops = profile.documents.get("flops", {}).get("summary", {})
    top = peak(profile)
    return {
        "rank": profile.rank if profile.rank >= 0 else None,
        "host": profile.host,
        "stage": profile.facts.get("stage"),
        "steps": None if steps is None else summary(steps),
        "times": {name: means[name] for name in _TIMES if means.get(name) is not None},
        "peak_memory": None if top is None else top["value"],
        "flops": flops,
    }


def stragglers(ranks: Sequence[dict[str, Any]], spread: float) -> list[dict[str, Any]]:
    """Times in which a rank is more than ``spread`` above the mean of all: rank, time, by how much."""
    found = []
    for name in _TIMES:
        values = [(row["times"][name], row) for row in ranks if name in row["times"]]
        mean = sum(value for value, _ in values) / len(values) if values else 0.0
        if len(values) < 2 or mean <= 0:
            continue
        worst, row = max(values, key=lambda value: value[0])
        if worst > mean * (1 + spread):
            found.append(
                {"rank": row["rank"], "profile": row["profile"], "time": name, "value": worst, "mean": mean}
            )
    return found
