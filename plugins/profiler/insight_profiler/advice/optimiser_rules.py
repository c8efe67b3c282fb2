"""Rules about optimisers: updates of parameters, and gradients set to zero, one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import MANY_UPDATES, Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.replay import HOST, Replay, ReplayChange
from insight_profiler.advice.savings import if_changed
from insight_profiler.advice.words import milliseconds, said
from insight_profiler.analysis.spans import Spans, covered, length

_LEAST = 0.02  # of the time of a step that a change must save
_SMALL = 10_000  # ns of a kernel
_TOGETHER = 0.1  # of the time of many small updates that is left for all at once
_GONE = 0.05


def fused_optimiser(evidence: Evidence) -> Iterator[Finding]:
    """An optimiser that launches kernels for each parameter."""
    marks = evidence.annotations("Optimizer.step#")
    if not len(marks):
        raise NotChecked(said("needs_optimiser"))
    replay, single = evidence.replay, evidence.updated_singly
    if replay is None or not len(single):
        return
    spans = evidence.union(marks)
    host, mine = _launching(replay, spans), replay.nodes_of(single)
    tiny = host | (mine & (replay.duration < _SMALL))  # a larger kernel takes as long as its memory does
    change = ReplayChange(np.where(tiny, _TOGETHER, 1.0), np.where(host | mine, _TOGETHER, 1.0))
    saves = if_changed(evidence, replay, change)
    slices = evidence.slices
    told = {
        "name": evidence.text(int(slices["name"][marks[0]])).partition("#")[2].partition(".")[0],
        "count": round(len(single) / evidence.counted),
        "time": milliseconds(length(spans) / evidence.counted),
    }
    if saves.high < _LEAST:
        raise NotChecked(said("no_saving_optimiser", **told))
    yield finding(
        evidence,
        said("optimiser", **told),
        evidence.change("optimiser_change"),
        (evidence.slice_place(int(marks[len(marks) // 2])),),
        saves,
    )


def zero_gradients(evidence: Evidence) -> Iterator[Finding]:
    """Gradients that are set to zero one by one."""
    marks = evidence.annotations("Optimizer.zero_grad#")
    if not len(marks):
        raise NotChecked(said("needs_zero_grad"))
    spans = evidence.union(marks)
    rows = evidence.launched_during(spans, evidence.work)
    replay = evidence.replay
    if replay is None or len(rows) < MANY_UPDATES * evidence.counted:
        return
    gone = _launching(replay, spans) | replay.nodes_of(rows)
    saves = if_changed(evidence, replay, ReplayChange(np.where(gone, 0.0, 1.0), np.where(gone, _GONE, 1.0)))
    count = round(len(rows) / evidence.counted)
    if saves.high < _LEAST / 2:
        raise NotChecked(said("no_saving_zero_grad", count=count))
    yield finding(
        evidence,
        said("zero_grad", count=count),
        evidence.change("zero_grad_change"),
        (evidence.slice_place(int(marks[len(marks) // 2])),),
        saves,
    )


def _launching(replay: Replay, spans: Spans) -> NDArray[np.bool_]:
    """bool[nodes]: the calls of the host that begin during some spans."""
    begins = covered(spans, replay.gap[1], replay.gap[1] + 1) > 0
    return np.asarray(begins & (replay.kind == HOST))


RULES = (
    profile_rule("fused_optimiser", said("optimiser_title"), fused_optimiser),
    profile_rule("zero_gradients", said("zero_grad_title"), zero_gradients),
)
