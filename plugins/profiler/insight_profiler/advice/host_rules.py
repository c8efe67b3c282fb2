"""Rules about the host: loading data, copies, waits, launches, compilation, allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked, Saving
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import EvidencePlace, finding, profile_rule, promised
from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.replay import WAIT, Replay
from insight_profiler.advice.savings import HOST_LEFT, fast_host, host_spans, without_gaps
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.spans import length
from insight_profiler.model import Category

_LEAST = 0.02  # of the time of a step that a change must save to be worth a word
_DATA = 0.05  # of the time; torch-tb-profiler's threshold
_IDLE = 0.1
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
    saves, place = None, EvidencePlace("view", "steps")
    name, saw = "", None
    if "slices" in evidence.profile.tables:
        is_data = evidence.slices["category"] == Category.DATA
        spans = host_spans(evidence, is_data)
        rows = np.flatnonzero(is_data & evidence.inside)
        if len(rows):
            name = evidence.biggest_name(rows)
            place = evidence.slice_place(int(rows[np.argmax(evidence.slices["duration"][rows])]))
        if (replay := evidence.replay) is not None:
            saves = replay.saves(lag=without_gaps(replay, spans))
            saw = said(
                "data_time",
                time=milliseconds(length(spans) / evidence.counted),
                percent=percent(length(spans) / evidence.whole),
            )
    steps = evidence.steps
    if steps is None:
        raise NotChecked(said("needs_steps"))
    share = float(steps["data"].clip(0).sum() / max(1, steps["duration"].clip(0).sum()))
    is_replayed = saves is not None
    saves = share if saves is None else saves
    if saves <= _DATA:
        return
    change = evidence.change("data_change")
    if "SingleProcess" in name:
        change = said("data_single_change")
    yield finding(
        evidence,
        saw or said("data_share", percent=percent(share)),
        change,
        (place,),
        promised(saves, is_replayed=is_replayed),
    )


def pinned_memory(evidence: Evidence) -> Iterator[Finding]:
    """Copies to the device from memory that can be swapped out."""
    copies = evidence.of(Category.MEMCPY)
    rows = evidence.named(lambda name: "HtoD" in name and "Pageable" in name, copies)
    if not len(rows):
        return
    replay = _replay(evidence)
    duration = replay.duration.copy()
    nodes = replay.nodes_of(rows)
    duration[nodes] //= 2
    calls = evidence.launchers[rows]
    waits = ~((replay.kind == WAIT) & np.isin(replay.row, calls[calls >= 0]))
    duration[replay.nodes_of(calls[calls >= 0])] = 5_000
    saves = replay.saves(duration=duration, waits=waits)
    if saves < _LEAST / 2:
        return
    yield finding(
        evidence,
        said(
            "pageable",
            count=round(len(rows) / evidence.counted, 1),
            time=milliseconds(evidence.time(rows) / evidence.counted),
        ),
        said("pageable_change"),
        (evidence.slice_place(int(rows[np.argmax(evidence.slices["duration"][rows])])),),
        promised(saves, is_replayed=True),
    )


def synchronisation(evidence: Evidence) -> Iterator[Finding]:
    """Calls that make the host wait for the device within a step."""
    evidence.work  # noqa: B018 - none without a device
    replay = _replay(evidence)
    waited_for = replay.row[replay.other[replay.kind == WAIT]]
    copies = evidence.named(lambda name: "HtoD" in name, evidence.of(Category.MEMCPY))
    own = ~np.isin(waited_for, copies)  # waits for those are the matter of pinned memory
    rows = np.unique(replay.row[replay.kind == WAIT][own]).astype(np.intp)
    explicit = evidence.named(lambda name: "synchronize" in name.lower() or "memcpy" in name.lower(), rows)
    if len(explicit) <= replay.steps:  # one a step, such as to read the loss, is usual
        return
    waits = ~((replay.kind == WAIT) & np.isin(replay.row, explicit))
    saves = replay.saves(waits=waits)
    if saves < _LEAST:
        return
    owners = _operators_around(evidence, explicit)
    waited = evidence.slices["duration"][explicit]
    operator = evidence.biggest_operator(owners, waited)
    table = evidence.profile.tables.get("operators")
    name = evidence.text(int(table["name"][operator])) if table is not None and operator >= 0 else ""
    call = evidence.biggest_name(explicit)
    longest = int(explicit[np.argmax(waited)])
    places = [evidence.slice_place(longest)]
    if (place := evidence.operator_place(operator)) is not None:
        places.insert(0, place)
    yield finding(
        evidence,
        said(
            "synchronises",
            count=round(len(explicit) / replay.steps, 1),
            time=milliseconds(int(waited.sum()) / replay.steps),
            name=name or call,
        ),
        said("synchronises_change"),
        tuple(places),
        promised(saves, is_replayed=True),
    )


def _operators_around(evidence: Evidence, rows: Rows) -> NDArray[np.int32]:
    """The outermost operator around each call on the host, or -1."""
    slices = evidence.slices
    is_operator = slices["category"] == Category.OPERATOR
    found = np.full(len(rows), -1, np.int32)
    at = slices["parent"][rows].astype(np.int64)
    while (at >= 0).any():
        places = np.maximum(at, 0)
        known = (at >= 0) & is_operator[places] & (slices["operator"][places] >= 0)
        found = np.where(known, slices["operator"][places], found)
        at = np.where(at >= 0, slices["parent"][places], -1)
    return found


def host_bound(evidence: Evidence) -> Iterator[Finding]:
    """A device that waits for the host to launch its work."""
    share = evidence.late / evidence.whole
    replay = _replay(evidence)
    before = fast_host(evidence, replay, replay.duration, 1.0)  # waits and data have rules of their own
    saves = max(0, before - fast_host(evidence, replay, replay.duration)) / max(1, replay.whole)
    if share < _IDLE or saves < _DATA:
        return
    calls = evidence.launchers[evidence.compute]
    each = np.median(evidence.slices["duration"][evidence.compute]) if len(calls) else 0
    starts, ends = evidence.idle
    longest = int(np.argmax(ends - starts))
    yield finding(
        evidence,
        said(
            "host_bound",
            idle=percent(evidence.idle_share),
            late=percent(share),
            each=round(float(each) / 1e3, 1),
            count=round(len(evidence.compute) / evidence.counted),
        ),
        evidence.change("host_bound_change"),
        (evidence.range_place(int(starts[longest]), int(ends[longest])), EvidencePlace("view", "timeline")),
        Saving(saves, saves, assumes=said("assumes_compiled", percent=percent(HOST_LEFT))),
    )


def recompilation(evidence: Evidence) -> Iterator[Finding]:
    """Compilation of the model after warm-up."""
    slices = evidence.slices
    compiles = are(lambda name: bool(_COMPILES.search(name)), evidence.profile.texts, slices["name"])
    rows = np.flatnonzero(compiles & evidence.inside & ~evidence.is_work)
    spans = host_spans(evidence, compiles)
    share = length(spans) / evidence.whole
    if share < _LEAST / 2:
        return
    replay = evidence.replay
    saves = share if replay is None else replay.saves(lag=without_gaps(replay, spans))
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
        said("recompiles_change"),
        (evidence.slice_place(int(rows[np.argmax(slices["duration"][rows])])),),
        promised(saves, is_replayed=replay is not None),
    )


def allocation(evidence: Evidence) -> Iterator[Finding]:
    """Memory of the device that is allocated from the driver in every step."""
    slices = evidence.slices
    evidence.work  # noqa: B018
    allocates = are(lambda name: bool(_ALLOCATES.search(name)), evidence.profile.texts, slices["name"])
    rows = np.flatnonzero(allocates & evidence.inside & (slices["category"] == Category.RUNTIME))
    per_step = len(rows) / evidence.counted
    if per_step < 1:
        return
    replay = _replay(evidence)
    mine = np.isin(replay.row, rows)
    duration = np.where(mine, 0, replay.duration)
    saves = replay.saves(duration=duration, waits=~(mine & (replay.kind == WAIT)))
    if saves < _LEAST / 2:
        return
    yield finding(
        evidence,
        said(
            "allocates",
            count=round(per_step, 1),
            name=evidence.biggest_name(rows),
            time=milliseconds(evidence.time(rows) / evidence.counted),
        ),
        said("allocates_change"),
        (evidence.slice_place(int(rows[np.argmax(slices["duration"][rows])])),),
        promised(saves, is_replayed=True),
    )


RULES = (
    profile_rule("data_loader", said("data_title"), data_loading),
    profile_rule("pinned_memory", said("pageable_title"), pinned_memory),
    profile_rule("synchronisation", said("synchronises_title"), synchronisation),
    profile_rule("host_bound", said("host_bound_title"), host_bound),
    profile_rule("recompilation", said("recompiles_title"), recompilation),
    profile_rule("allocation", said("allocates_title"), allocation),
)
