"""Rules about the host: loading data, copies, waits, launches, compilation, allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from attrs import evolve

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.replay import WAIT, Replay, ReplayChange
from insight_profiler.advice.savings import Savings, if_changed, shares_without
from insight_profiler.advice.words import milliseconds, per_step, percent, said
from insight_profiler.analysis.spans import covered, length, within
from insight_profiler.analysis.steps import slow_steps
from insight_profiler.model import Category

_LEAST = 0.02  # of the time of a step that a change must save to be worth a word
_DATA = 0.05  # of the time; torch-tb-profiler's threshold
_FEW = 3  # steps
_SAME = 0.05  # of the launches of a step: so many more or fewer are the same work
_UNEVEN = 1.75  # times the shortest
_IDLE = 0.1
_BALANCED = 0.3  # of the calls free, and as many allocate: what is freed is allocated again
_COMPILES = re.compile(
    r"dynamo_timed|(?<![a-z])compile_(inner|fx)|entire_frame_compile|backend_compile|xla ?compil|"
    r"pjrt\w*compile|jit_?compil",
    re.IGNORECASE,
)
_ALLOCATES = re.compile(
    r"^(cuda|hip|aclrt)(Malloc|Free)(?!Async|HostAsync)|^(cuda|hip|cu)Mem(Alloc|Free)", re.IGNORECASE
)


def _replay(evidence: Evidence) -> Replay:
    if evidence.replay is None:
        raise NotChecked(said("needs_launches"))
    return evidence.replay


def data_loading(evidence: Evidence) -> Iterator[Finding]:
    """Steps that wait for their data."""
    saves: Savings | None = None
    place = EvidencePlace("view", "steps")
    name, saw = "", None
    if "slices" in evidence.profile.tables:
        spans = evidence.loading
        rows = np.flatnonzero((evidence.slices["category"] == Category.DATA) & evidence.inside)
        if len(rows):
            name = evidence.biggest_name(rows)
            place = evidence.slice_place(evidence.longest(rows))
        if (replay := evidence.replay) is not None:
            saves = if_changed(evidence, replay, ReplayChange(lag=shares_without(replay, spans)))
            saw = said(
                "data_time",
                time=milliseconds(length(spans) / evidence.counted),
                percent=percent(length(spans) / evidence.whole),
            )
    steps = evidence.steps
    if steps is None:
        raise NotChecked(said("needs_steps"))
    share = float(steps["data"].clip(0).sum() / max(1, steps["duration"].clip(0).sum()))
    saves = Savings(share, share) if saves is None else saves
    if saves.high <= _DATA:
        return
    if _is_ahead(evidence):
        raise NotChecked(said("no_saving_data", percent=percent(share)))
    change = evidence.change("data_change")
    if "SingleProcess" in name:
        change = evidence.change("data_single_change")
    yield finding(
        evidence,
        saw or said("data_share", percent=percent(share)),
        change,
        (place,),
        saves,
    )


def _is_ahead(evidence: Evidence) -> bool:
    """Whether the device waits for data in the first steps only, before the queue of the loader is filled."""
    steps = evidence.steps
    if steps is None or not evidence.is_work_known or len(steps["number"]) < _FEW:
        return False
    later = steps["start"][len(steps["number"]) // 2 :].astype(np.int64)
    ends = later + steps["duration"][-len(later) :]
    loading = within(evidence.loading, evidence.idle)
    return int(covered(loading, later, ends).sum()) < _LEAST * int((ends - later).sum())


def competing_workers(evidence: Evidence) -> Iterator[Finding]:
    """A host that takes very different times to launch the same work, while worker processes load data."""
    steps = evidence.steps
    if steps is None or not evidence.is_work_known or len(steps["number"]) < _FEW:
        raise NotChecked(said("needs_more_steps"))
    loads = np.flatnonzero((evidence.slices["category"] == Category.DATA) & evidence.inside)
    if not len(evidence.named(lambda name: "MultiProcessing" in name, loads)):
        return
    place = evidence.slices["step"][evidence.work] - evidence.step_rows[0]
    launched = np.bincount(place, minlength=len(steps["number"]))
    if np.ptp(launched) > _SAME * launched.max() or evidence.late < _IDLE * evidence.whole:
        return
    begins = steps["start"].astype(np.int64)
    loading = covered(evidence.spans(loads), begins, begins + steps["duration"])
    times = (steps["duration"] - loading)[~slow_steps(steps)]  # of others the rule about jitter tells
    if times.max() < _UNEVEN * times.min():
        return
    yield evolve(
        finding(
            evidence,
            said(
                "competing",
                count=int(np.median(launched)),
                low=milliseconds(int(times.min())),
                high=milliseconds(int(times.max())),
            ),
            evidence.change("competing_change"),
            (EvidencePlace("view", "steps"),),
            severity="hint",
        ),
        confidence="suspected",
    )


def recompilation(evidence: Evidence) -> Iterator[Finding]:
    """Compilation of the model after warm-up."""
    slices = evidence.slices
    rows = evidence.of_host(lambda name: _COMPILES.search(name) is not None)
    spans = evidence.union(rows)
    share = length(spans) / evidence.whole
    if share < _LEAST / 2:
        return
    replay = evidence.replay
    saves = Savings(share, share)
    if replay is not None:
        saves = if_changed(evidence, replay, ReplayChange(lag=shares_without(replay, spans)))
    numbers = np.unique(slices["step"][rows])
    step = int(evidence.profile.tables["steps"]["number"][numbers[-1]]) if evidence.steps is not None else 0
    yield finding(
        evidence,
        said(
            "recompiles",
            steps=len(numbers),
            count=evidence.counted,
            time=milliseconds(length(spans)),
            step=step,
        ),
        evidence.change("recompiles_change"),
        (evidence.slice_place(evidence.longest(rows)),),
        saves,
    )


def allocation(evidence: Evidence) -> Iterator[Finding]:
    """Memory of the device that is allocated from the driver in every step."""
    evidence.work  # noqa: B018
    calls = np.flatnonzero(evidence.inside & (evidence.slices["category"] == Category.RUNTIME))
    rows = evidence.named(lambda name: _ALLOCATES.search(name) is not None, calls)
    if len(rows) < evidence.counted:
        return
    replay = _replay(evidence)
    mine = np.isin(replay.row, rows)
    waits = ~(mine & (replay.kind == WAIT))
    saves = if_changed(evidence, replay, ReplayChange(np.where(mine, 0.0, 1.0), waits=waits))
    told = {
        "count": per_step(len(rows) / evidence.counted),
        "name": evidence.biggest_name(rows),
        "time": milliseconds(evidence.time(rows) / evidence.counted),
    }
    if saves.high < _LEAST / 2:
        raise NotChecked(said("no_saving_allocation", **told))
    frees = len(evidence.named(lambda name: "free" in name.lower(), rows))
    is_emptied = min(frees, len(rows) - frees) >= _BALANCED * len(rows)
    yield finding(
        evidence,
        said("allocates", **told),
        evidence.change("allocates_emptied_change" if is_emptied else "allocates_change"),
        (evidence.slice_place(evidence.longest(rows)),),
        saves,
    )


RULES = (
    profile_rule("data_loader", said("data_title"), data_loading),
    profile_rule("competing_workers", said("competing_title"), competing_workers),
    profile_rule("recompilation", said("recompiles_title"), recompilation),
    profile_rule("allocation", said("allocates_title"), allocation),
)
