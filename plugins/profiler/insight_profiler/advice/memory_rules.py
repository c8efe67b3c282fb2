"""Rules about the memory of a device: nearly full, and growing from step to step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.words import percent, said
from insight_profiler.analysis.leaks import LEAST_STEPS, leaks, step_ends, taker
from insight_profiler.analysis.memory import peak
from insight_profiler.model import Source

_MEMORY = 0.9  # of the device's; torch-tb-profiler's threshold
_FEW = 5  # steps tell nothing of how memory grows
_LEAST_GROWTH = 1e5  # bytes a step: less is what counters and names take
_GROWTH = 0.02  # of the memory, in a step
_SIZES = ("memory_bytes", "totalGlobalMem", "memory_size")  # facts of devices: MindSpore, PyTorch, XLA


def full_memory(evidence: Evidence) -> Iterator[Finding]:
    """A device whose memory is nearly full."""
    top = peak(evidence.profile)
    sizes = {
        device.name: float(size)
        for device in evidence.profile.devices
        if (size := next(filter(None, map(device.facts.get, _SIZES)), None))
    }
    size = None if top is None else sizes.get(top["device"])
    if top is None or not size:
        raise NotChecked(said("needs_memory"))
    if top["value"] <= size * _MEMORY:
        return
    yield finding(
        evidence,
        said("memory_full", share=percent(top["value"] / size), device=top["device"]),
        evidence.change("memory_full_change"),
        (EvidencePlace("view", "memory"),),
    )


def memory_growth(evidence: Evidence) -> Iterator[Finding]:
    """Memory that grows from step to step."""
    if evidence.profile.source is Source.SNAPSHOT:
        yield from _leaks(evidence)
        return
    steps = evidence.steps
    if steps is None:
        raise NotChecked(said("needs_steps"))
    counters = evidence.profile.tables.get("counters")
    place = next(
        (
            at
            for at, counter in enumerate(evidence.profile.counters)
            if counter.group == "memory" and "alloc" in counter.label.lower() and counter.unit == "bytes"
        ),
        None,
    )
    known = steps["start"] >= 0
    if counters is None or place is None or known.sum() < _FEW:
        raise NotChecked(said("needs_curve"))
    rows = np.flatnonzero(counters["counter"] == place)
    rows = rows[np.argsort(counters["time"][rows], kind="stable")]
    ends = np.sort((steps["start"] + steps["duration"])[known])
    at = np.searchsorted(counters["time"][rows], ends, "right") - 1
    values = counters["value"][rows][np.maximum(at, 0)]
    grown = np.diff(values)
    if (
        not len(grown)
        or not values[0]
        or (grown <= 0).any()
        or float(np.median(grown)) < max(_LEAST_GROWTH, _GROWTH * float(values[0]))
    ):
        return
    yield finding(
        evidence,
        said("memory_growth", size=round(float(np.median(grown)) / 1e6, 1)),
        evidence.change("memory_growth_change"),
        (EvidencePlace("view", "memory"),),
        severity="error",
    )


def _leaks(evidence: Evidence) -> Iterator[Finding]:
    """What the calls of one stack took in each step and nobody gave back."""
    profile = evidence.profile
    if not any(len(step_ends(profile, device)) >= LEAST_STEPS for device in range(len(profile.devices))):
        raise NotChecked(said("needs_steps"))
    for leak in leaks(profile):
        if leak.per_step < _LEAST_GROWTH:
            continue
        sizes = {"size": round(leak.per_step / 1e6, 1), "whole": round(leak.bytes / 1e6, 1)}
        yield finding(
            evidence,
            said("memory_leak", name=taker(profile, leak), steps=leak.steps, **sizes),
            evidence.change("memory_growth_change"),
            (EvidencePlace("view", "memory"),),
            severity="error",
        )


RULES = (
    profile_rule("full_memory", said("memory_full_title"), full_memory),
    profile_rule("memory_growth", said("memory_growth_title"), memory_growth),
)
