"""Rules about the work of a device: precision, layout, small kernels, copies, optimisers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.figures import blocks_of, processors, sm_efficiency
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.kernel_names import (
    changes_layout,
    is_matrix,
    normalises_channels_first,
    short_name,
    updates_many,
)
from insight_profiler.advice.products import products
from insight_profiler.advice.replay import HOST
from insight_profiler.advice.savings import if_shorter
from insight_profiler.advice.words import microseconds, milliseconds, percent, said
from insight_profiler.analysis.spans import covered, length, merged

_LEAST = 0.02  # of the time of a step that a change must save
_MORE = 0.05
_LITTLE = 0.01  # a hint
_MATRIX = 0.2  # of the time of kernels
_SMALL = 10_000  # ns of a kernel
_MANY = 50  # kernels of an optimiser, in a step
_NORM_LEFT = 0.4  # of the time of a norm of images that is left in NHWC, as measured for batch norms
_GRID = 0.5  # of the processors have a block
_OCCUPANCY = 30.0  # percent


def channels_last(evidence: Evidence) -> Iterator[Finding]:
    """Kernels that only convert between NCHW and NHWC, and norms of NCHW between them; or conversions of the
    formats of an Ascend device."""
    rows = evidence.named(changes_layout, evidence.work)
    time = evidence.time(rows)
    if not len(rows):
        return
    norms = evidence.named(normalises_channels_first, evidence.compute)
    both = np.concatenate((rows, norms))
    least = np.concatenate((np.zeros(len(rows)), np.full(len(norms), _NORM_LEFT)))
    most = np.concatenate((np.zeros(len(rows)), np.ones(len(norms))))
    assumes = said("assumes_norms", percent=percent(_NORM_LEFT)) if len(norms) else said("assumes_fast_host")
    savings = if_shorter(evidence, both, most, least, assumes)
    if not savings.is_worth(_LEAST):
        raise NotChecked(said("no_saving_layout", share=percent(time / evidence.time(evidence.work))))
    name = evidence.biggest_name(rows)
    details = {
        "count": round(len(rows) / evidence.counted, 1),
        "time": milliseconds(time / evidence.counted),
        "name": short_name(name),
    }
    saw = said("layout", **details)
    if len(norms):
        normed = evidence.time(norms)
        saw = said(
            "layout_norms",
            **details,
            norms=milliseconds(normed / evidence.counted),
            share=percent((time + normed) / evidence.time(evidence.work)),
        )
    yield finding(
        evidence,
        saw,
        evidence.change("layout_change"),
        (evidence.kernel_place(name),),
        savings,
        savings.severity(_LEAST),
    )


def small_kernels(evidence: Evidence) -> Iterator[Finding]:
    """Many kernels that are shorter than their launch."""
    compute = evidence.compute
    small = compute[evidence.slices["duration"][compute] < _SMALL]
    small = evidence.named(lambda name: not is_matrix(name) and not updates_many(name), small)
    replay = evidence.replay
    if replay is None:
        raise NotChecked(said("needs_launches"))
    if len(small) < 0.5 * max(1, len(compute)) or len(small) < _MANY * evidence.counted:
        return
    calls = evidence.launchers[small]
    fused = replay.nodes_of(np.concatenate((small, calls[calls >= 0])))
    duration = np.where(fused, replay.duration // 2, replay.duration)
    lag = np.where(fused & (replay.lag > 0), replay.lag // 2, replay.lag)
    saves = replay.saves(duration=duration, lag=lag)
    if saves < _MORE:
        return
    name = evidence.biggest_name(small)
    yield finding(
        evidence,
        said(
            "small_kernels",
            share=percent(len(small) / len(compute)),
            limit=microseconds(_SMALL),
            count=round(len(small) / evidence.counted),
        ),
        evidence.change("small_kernels_change"),
        (evidence.kernel_place(name),),
        promised(saves, is_replayed=True),
    )


def small_grids(evidence: Evidence) -> Iterator[Finding]:
    """Kernels that are too small to use all processors of the device: time-weighted SM efficiency."""
    count = processors(evidence)
    kernels = evidence.profile.tables.get("kernels")
    if count is None or kernels is None:
        raise NotChecked(said("needs_device_facts"))
    efficiency = sm_efficiency(evidence)
    if efficiency is None:
        raise NotChecked(said("needs_grids"))
    compute = evidence.compute
    blocks = blocks_of(evidence)[evidence.slices["kernel"][compute]]
    known = blocks > 0
    if efficiency >= _GRID or evidence.time(compute[known]) < _MATRIX * evidence.whole:
        return
    small = compute[known][blocks[known] < count]
    name = evidence.biggest_name(small)
    yield finding(
        evidence,
        said("small_grids", share=percent(efficiency), count=count, name=short_name(name)),
        said("small_grids_change"),
        (evidence.kernel_place(name),),
        severity="hint",
    )


def occupancy(evidence: Evidence) -> Iterator[Finding]:
    """Element-wise kernels that keep few warps on a processor, weighted by their times."""
    kernels = evidence.profile.tables.get("kernels")
    if kernels is None or not np.isfinite(kernels["occupancy"]).any():
        raise NotChecked(said("needs_occupancy"))
    compute = np.setdiff1d(evidence.compute, products(evidence, evidence.compute))
    values = kernels["occupancy"][evidence.slices["kernel"][compute]]
    known = np.isfinite(values)
    weights = evidence.slices["duration"][compute][known]
    if weights.sum() < _MATRIX * evidence.whole:
        return
    mean = float(np.average(values[known], weights=weights))
    if mean >= _OCCUPANCY:
        return
    low = compute[known][values[known] < _OCCUPANCY]
    name = evidence.biggest_name(low)
    yield finding(
        evidence,
        said("occupancy", mean=round(mean), name=short_name(name)),
        said("occupancy_change"),
        (evidence.kernel_place(name),),
        severity="hint",
    )


def fused_optimiser(evidence: Evidence) -> Iterator[Finding]:
    """An optimiser that launches kernels for each parameter."""
    slices, texts = evidence.slices, evidence.profile.texts
    marked = np.array([text.startswith("Optimizer.step#") for text in texts] or [False])
    marks = np.flatnonzero(marked[slices["name"]] & evidence.inside & ~evidence.is_work)
    if not len(marks):
        raise NotChecked(said("needs_optimiser"))
    spans = merged(slices["start"][marks].astype(np.int64), evidence.ends[marks])
    name = evidence.text(int(slices["name"][marks[0]])).partition("#")[2].partition(".")[0]
    replay = evidence.replay
    if replay is None:
        return
    calls = evidence.launchers[evidence.compute]
    begun = np.where(calls >= 0, slices["start"][np.maximum(calls, 0)], -1)
    rows = evidence.compute[covered(spans, begun, begun + 1) > 0]
    single = evidence.named(lambda kernel: not updates_many(kernel), rows)
    if len(single) < _MANY * evidence.counted:
        return
    inside = covered(spans, replay.gap[1], replay.gap[1] + 1) > 0
    host = (replay.kind == HOST) & inside
    mine = replay.nodes_of(single)
    lag = np.where(host | mine, replay.lag // 10, replay.lag)
    tiny = host | (mine & (replay.duration < _SMALL))  # a larger kernel takes as long as its memory does
    duration = np.where(tiny, replay.duration // 10, replay.duration)
    saves = replay.saves(lag=lag, duration=duration)
    if saves < _LEAST:
        return
    yield finding(
        evidence,
        said(
            "optimiser",
            name=name,
            count=round(len(single) / evidence.counted),
            time=milliseconds(length(spans) / evidence.counted),
        ),
        evidence.change("optimiser_change"),
        (evidence.slice_place(int(marks[len(marks) // 2])),),
        promised(saves, is_replayed=True),
    )


def zero_gradients(evidence: Evidence) -> Iterator[Finding]:
    """Gradients that are set to zero one by one."""
    slices, texts = evidence.slices, evidence.profile.texts
    marked = np.array([text.startswith("Optimizer.zero_grad#") for text in texts] or [False])
    marks = np.flatnonzero(marked[slices["name"]] & evidence.inside & ~evidence.is_work)
    if not len(marks):
        raise NotChecked(said("needs_zero_grad"))
    spans = merged(slices["start"][marks].astype(np.int64), evidence.ends[marks])
    work = evidence.work
    calls = evidence.launchers[work]
    begun = np.where(calls >= 0, slices["start"][np.maximum(calls, 0)], -1)
    rows = work[covered(spans, begun, begun + 1) > 0]
    replay = evidence.replay
    if replay is None or len(rows) < _MANY * evidence.counted:
        return
    host = (replay.kind == HOST) & (covered(spans, replay.gap[1], replay.gap[1] + 1) > 0)
    gone = host | replay.nodes_of(rows)
    lag = np.where(gone, replay.lag // 20, replay.lag)
    saves = replay.saves(lag=lag, duration=np.where(gone, 0, replay.duration))
    if saves < _LEAST / 2:
        return
    yield finding(
        evidence,
        said("zero_grad", count=round(len(rows) / evidence.counted)),
        said("zero_grad_change"),
        (evidence.slice_place(int(marks[len(marks) // 2])),),
        promised(saves, is_replayed=True),
    )


RULES = (
    profile_rule("channels_last", said("layout_title"), channels_last),
    profile_rule("small_kernels", said("small_kernels_title"), small_kernels),
    profile_rule("small_grids", said("small_grids_title"), small_grids),
    profile_rule("occupancy", said("occupancy_title"), occupancy),
    profile_rule("fused_optimiser", said("optimiser_title"), fused_optimiser),
    profile_rule("zero_gradients", said("zero_grad_title"), zero_gradients),
)
