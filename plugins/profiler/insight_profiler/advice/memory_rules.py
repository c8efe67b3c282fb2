"""Rules about the memory of a device: full, growing from step to step, in pieces, or held by one line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_core.plugin import Reason
from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.places import EvidencePlace, Severity
from insight_profiler.advice.words import percent, said
from insight_profiler.analysis.allocations import live
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.analysis.leaks import LEAST_STEPS, step_ends, taker
from insight_profiler.analysis.memory import peak
from insight_profiler.analysis.pool import Failure, failures, pool_at
from insight_profiler.model import Profile, Source
from insight_profiler.sizes import size_text

_MEMORY = 0.9  # of the device's; torch-tb-profiler's threshold
_FEW = 5  # steps tell nothing of how memory grows
_LEAST_GROWTH = 1e5  # bytes a step: less is what counters and names take
_GROWTH = 0.02  # of the memory, in a step
_LEAST_FREE = 1 << 30  # bytes: less is the usual rest of segments
_FREE = 0.3  # of what is reserved
_LOST = 0.25  # of what is reserved, beyond the peak of what is allocated
_FREE_AT_FAILURE = 0.1  # of what is reserved: with less the device is full
_MOST_OF_PEAK = 0.5
_STAYS = ("parameter", "optimiser", "data")  # purposes
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
    for leak in evidence.leaks:
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


def out_of_memory(evidence: Evidence) -> Iterator[Finding]:
    """An allocation that failed, and the line that holds most of the memory then."""
    profile = _snapshot(evidence)
    for failure in _last_failures(profile):
        held = evidence.held[failure.device]
        whole, sums = _by_line(held, failure.at, is_freed=False)
        name, most = max(sums.items(), key=lambda one: one[1], default=("", 0))
        sizes = {"wanted": size_text(failure.wanted), "free": size_text(failure.free)}
        told = {"device": profile.devices[failure.device].name, **sizes, "held": size_text(whole)}
        saw = said("out_of_memory", **told)
        if whole and name:
            saw = said("out_of_memory_line", **told, name=name, share=percent(most / whole))
        places = (EvidencePlace("view", "memory", state={"at": str(failure.at)}),)
        yield finding(evidence, saw, evidence.change("out_of_memory_change"), places, severity="error")


def fragmentation(evidence: Evidence) -> Iterator[Finding]:
    """Memory that the allocator has and cannot give, because it is in pieces."""
    profile = _snapshot(evidence)
    failed = {one.device: one for one in _last_failures(profile)}
    for device, about in enumerate(profile.devices):
        failure = failed.get(device)
        if failure is not None:
            facts = pool_at(evidence.held[device], failure.at)["facts"]
            # before it fails, the allocator gives back segments without any block
            free = facts["reserved"] - facts["allocated"] - facts["pending"] - facts["unused_segments"]
            is_much = free >= max(failure.wanted, _FREE_AT_FAILURE * facts["reserved"])
            if is_much and failure.wanted > facts["largest_free"]:
                told = {"free": size_text(free), "wanted": size_text(failure.wanted)}
                told |= {"count": facts["free_blocks"], "largest": size_text(facts["largest_free"])}
                yield _in_pieces(evidence, said("fragmentation_failed", device=about.name, **told), "error")
            continue
        free, reserved = _free_when_more_was_reserved(profile, device)
        if free > max(_LEAST_FREE, _FREE * reserved):
            sizes = {"free": size_text(free), "reserved": size_text(reserved)}
            saw = said("fragmentation", device=about.name, share=percent(free / reserved), **sizes)
            yield _in_pieces(evidence, saw, "warning")


def _in_pieces(evidence: Evidence, saw: Reason, severity: Severity) -> Finding:
    change = evidence.change("fragmentation_change")
    return finding(evidence, saw, change, (EvidencePlace("view", "memory"),), severity=severity)


def peak_place(evidence: Evidence) -> Iterator[Finding]:
    """A line that holds more than half of the peak, for what is freed later and no parameter or its state."""
    profile = _snapshot(evidence)
    told = {(leak.device, taker(profile, leak)) for leak in evidence.leaks}
    failed = {failure.device for failure in failures(profile)}  # which names the line itself
    for device, about in enumerate(profile.devices):
        if device in failed:
            continue
        held = evidence.held[device]
        whole, sums = _by_line(held, held.peak, is_freed=True)
        for name, size in sums.items():
            if name and whole and size >= _MOST_OF_PEAK * whole and (device, name) not in told:
                sizes = {"share": percent(size / whole), "size": size_text(size)}
                saw = said("peak_place", device=about.name, name=name, **sizes)
                places = (EvidencePlace("view", "memory"),)
                yield finding(evidence, saw, evidence.change("peak_place_change"), places, severity="hint")


def _snapshot(evidence: Evidence) -> Profile:
    if evidence.profile.source is not Source.SNAPSHOT:
        raise NotChecked(said("needs_snapshot"))
    return evidence.profile


def _last_failures(profile: Profile) -> list[Failure]:
    """The last failed allocation of each device: those before were caught."""
    return list({one.device: one for one in failures(profile)}.values())


def _by_line(held: HeldMemory, at: int, *, is_freed: bool) -> tuple[int, dict[str, int]]:
    """All bytes at a moment, and those by line that are no parameters or their state; with ``is_freed`` only
    those that are freed later."""
    rows = live(held.allocations, at)
    sizes = held.allocations["bytes"][rows]
    kept = [place for place, text in enumerate(held.profile.texts) if text in _STAYS]
    own = rows[~np.isin(held.allocations["purpose"][rows], kept)]
    if is_freed:
        own = own[held.allocations["end"][own] >= 0]
    names, places = np.unique(held.allocations["name"][own], return_inverse=True)
    sums = np.zeros(len(names), np.int64)
    np.add.at(sums, places, held.allocations["bytes"][own])
    texts = held.profile.texts
    return int(sizes.sum()), {
        texts[name] if name >= 0 else "": int(size) for name, size in zip(names, sums, strict=True)
    }


def _free_when_more_was_reserved(profile: Profile, device: int) -> tuple[int, int]:
    """Where most was free although the allocator took more memory from the device: how much, of how much.

    What was reserved before the first event does not count: nobody knows what it was for.
    """
    curves = {}
    for place, counter in enumerate(profile.counters):
        if counter.device == device and counter.group == "memory":
            rows = np.flatnonzero(profile.tables["counters"]["counter"] == place)
            curves[counter.label] = [profile.tables["counters"][name][rows] for name in ("time", "value")]
    if len(curves) < 2:
        return 0, 0
    (times, reserved), (moments, allocated) = curves["Total Reserved"], curves["Total Allocated"]
    grown = np.flatnonzero(np.diff(reserved) > 0)
    if not len(grown):
        return 0, 0
    whole = float(reserved[grown + 1].max())
    if whole - float(allocated.max()) <= max(_LEAST_FREE, _LOST * whole):
        return 0, 0  # what was free is of use: no more is reserved than the peak needs, and the usual rest
    held = allocated[np.maximum(np.searchsorted(moments, times[grown + 1], "right") - 1, 0)]
    free = reserved[grown] - held
    most = int(np.argmax(free))
    return int(free[most]), int(reserved[grown[most]])


RULES = (
    profile_rule("full_memory", said("memory_full_title"), full_memory),
    profile_rule("memory_growth", said("memory_growth_title"), memory_growth),
    profile_rule("out_of_memory", said("out_of_memory_title"), out_of_memory),
    profile_rule("fragmentation", said("fragmentation_title"), fragmentation),
    profile_rule("peak_place", said("peak_place_title"), peak_place),
)
