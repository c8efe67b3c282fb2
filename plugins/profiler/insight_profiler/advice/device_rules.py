"""Rules about the work of a device: precision, layout, small kernels, copies, optimisers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.figures import blocks_of, processors, sm_efficiency
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.kernel_names import (
    changes_layout,
    is_matrix,
    normalises_channels_first,
    short_name,
    updates_many,
)
from insight_profiler.advice.products import products
from insight_profiler.advice.reads import launched_by_loops
from insight_profiler.advice.replay import ReplayChange
from insight_profiler.advice.savings import if_changed, if_shorter
from insight_profiler.advice.words import microseconds, milliseconds, per_step, percent, said

_LEAST = 0.02  # of the time of a step that a change must save
_MORE = 0.05
_LITTLE = 0.01  # a hint
_MATRIX = 0.2  # of the time of kernels
_MOSTLY = 0.6  # of the kernels
_LONG = 10  # times the usual wait for a launch: what takes longer has another cause
_LATE = 0.5  # of the time the device waits for launches
_SMALL = 10_000  # ns of a kernel
_MANY = 50  # kernels in a step
_NORM_LEFT = 0.4  # of the time of a norm of images that is left in NHWC, as measured for batch norms
_EACH = 0.5  # conversions for each kernel of a norm, where convolutions between them need NHWC
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
    if len(rows) < _EACH * len(norms):  # most convolutions take NCHW as it is
        norms = norms[:0]
    both = np.concatenate((rows, norms))
    least = np.concatenate((np.zeros(len(rows)), np.full(len(norms), _NORM_LEFT)))
    most = np.concatenate((np.zeros(len(rows)), np.ones(len(norms))))
    assumes = said("assumes_norms", percent=percent(_NORM_LEFT)) if len(norms) else None
    savings = if_shorter(evidence, both, most, least, assumes)
    if not savings.is_worth(_LEAST):
        raise NotChecked(said("no_saving_layout", share=percent(time / evidence.time(evidence.work))))
    name = evidence.biggest_name(rows)
    details = {
        "count": per_step(len(rows) / evidence.counted),
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
    """Many kernels that are shorter than their launch, those of optimisers and of loops that read values left
    out: rules of their own tell of these."""
    compute = evidence.compute
    small = compute[evidence.slices["duration"][compute] < _SMALL]
    small = evidence.named(lambda name: not is_matrix(name) and not updates_many(name), small)
    replay = evidence.replay
    if replay is None:
        raise NotChecked(said("needs_launches"))
    if not _are_many(evidence, small):
        return
    others = evidence.updated_singly, launched_by_loops(evidence, evidence.reads)
    small = evidence.without(small, *others)
    if not _are_many(evidence, small):
        return
    share = len(small) / len(compute)
    starts, ends = evidence.late_spans
    each = int(np.median(ends - starts)) if len(starts) else 0
    late = (
        int(np.minimum(ends - starts, _LONG * each).sum()) / evidence.whole
    )  # no matter of launches: longer
    is_late = late > _LATE
    calls = evidence.launchers[small]
    fused = replay.nodes_of(np.concatenate((small, calls[calls >= 0])))
    half = np.where(fused, 0.5, 1.0)
    best = None
    if is_late:  # a graph launches all kernels of a step by one call
        calls = evidence.launchers[compute]
        launched = replay.nodes_of(calls[calls >= 0])
        kept = np.maximum(0.0, 1 - _LONG * each / np.maximum(replay.lag, 1))
        best = ReplayChange(
            np.minimum(half, np.where(launched, 0.0, 1.0)), np.minimum(half, np.where(launched, kept, 1.0))
        )
    saves = if_changed(
        evidence, replay, ReplayChange(half, half), best, said("assumes_graph") if is_late else None
    )
    if saves.high < _MORE or not (is_late or 1 - evidence.idle_share > _MOSTLY / 2):
        raise NotChecked(said("no_saving_small_kernels", share=percent(share)))
    name = evidence.biggest_name(small)
    told = {
        "share": percent(share),
        "limit": microseconds(_SMALL),
        "count": round(len(small) / evidence.counted),
    }
    calls = evidence.launchers[small]
    in_graphs = len(evidence.named(lambda call: "GraphLaunch" in call, calls[calls >= 0])) > len(small) / 2
    yield finding(
        evidence,
        said("small_kernels_late", **told, late=percent(late)) if is_late else said("small_kernels", **told),
        evidence.change("small_kernels_late_change" if is_late else "small_kernels_change"),
        (evidence.kernel_place(name),),
        saves,
        "hint" if in_graphs else "warning",  # captured already: what is left is to fuse them
    )


def _are_many(evidence: Evidence, small: Rows) -> bool:
    """Whether some kernels are most of those that compute, and many in a step."""
    share = len(small) / max(1, len(evidence.compute))
    return share >= _MOSTLY and len(small) >= _MANY * evidence.counted


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
    longer = known & (evidence.slices["duration"][compute] >= _SMALL)  # latency limits others
    if efficiency >= _GRID or evidence.time(compute[longer]) < _MATRIX * evidence.whole:
        return
    small = compute[known][blocks[known] < count]
    name = evidence.biggest_name(small)
    yield finding(
        evidence,
        said("small_grids", share=percent(efficiency), count=count, name=short_name(name)),
        evidence.change("small_grids_change"),
        (evidence.kernel_place(name),),
        severity="hint",
    )


def occupancy(evidence: Evidence) -> Iterator[Finding]:
    """Element-wise kernels that keep few warps on a processor, weighted by their times."""
    kernels = evidence.profile.tables.get("kernels")
    if kernels is None or not np.isfinite(kernels["occupancy"]).any():
        raise NotChecked(said("needs_occupancy"))
    compute = evidence.without(evidence.compute, products(evidence, evidence.compute))
    values = kernels["occupancy"][evidence.slices["kernel"][compute]]
    times = evidence.slices["duration"][compute]
    known = np.isfinite(values) & (times >= _SMALL)  # latency limits others, whatever their occupancy
    weights = times[known]
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
        evidence.change("occupancy_change"),
        (evidence.kernel_place(name),),
        severity="hint",
    )


RULES = (
    profile_rule("channels_last", said("layout_title"), channels_last),
    profile_rule("small_kernels", said("small_kernels_title"), small_kernels),
    profile_rule("small_grids", said("small_grids_title"), small_grids),
    profile_rule("occupancy", said("occupancy_title"), occupancy),
)
