"""Rules about the host: loading data, copies, waits, launches, compilation, allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.replay import WAIT, Change, Replay
from insight_profiler.advice.savings import Savings, host_spans, if_changed, shares_without
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.spans import length
from insight_profiler.model import Category

_LEAST = 0.02  # of the time of a step that a change must save to be worth a word
_DATA = 0.05  # of the time; torch-tb-profiler's threshold
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
        is_data = evidence.slices["category"] == Category.DATA
        spans = host_spans(evidence, is_data)
        rows = np.flatnonzero(is_data & evidence.inside)
        if len(rows):
            name = evidence.biggest_name(rows)
            place = evidence.slice_place(int(rows[np.argmax(evidence.slices["duration"][rows])]))
        if (replay := evidence.replay) is not None:
            saves = if_changed(evidence, replay, Change(lag=shares_without(replay, spans)))
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
    change = evidence.change("data_change")
    if "SingleProcess" in name:
        change = said("data_single_change")
    yield finding(
        evidence,
        saw or said("data_share", percent=percent(share)),
        change,
        (place,),
        saves,
    )


def pinned_memory(evidence: Evidence) -> Iterator[Finding]:
    """Copies to the device from memory that can be swapped out."""
    copies = evidence.of(Category.MEMCPY)
    rows = evidence.named(lambda name: "HtoD" in name and "Pageable" in name, copies)
    if not len(rows):
        return
    replay = _replay(evidence)
    duration = np.where(replay.nodes_of(rows), 0.5, 1.0)
    calls = evidence.launchers[rows]
    waits = ~((replay.kind == WAIT) & np.isin(replay.row, calls[calls >= 0]))
    call = replay.nodes_of(calls[calls >= 0])
    duration[call] = 5_000 / np.maximum(replay.duration[call], 5_000)
    saves = if_changed(evidence, replay, Change(duration, waits=waits))
    if saves.high < _LEAST / 2:
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
        saves,
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
    saves = Savings(share, share)
    if replay is not None:
        saves = if_changed(evidence, replay, Change(lag=shares_without(replay, spans)))
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
        saves,
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
    waits = ~(mine & (replay.kind == WAIT))
    saves = if_changed(evidence, replay, Change(np.where(mine, 0.0, 1.0), waits=waits))
    if saves.high < _LEAST / 2:
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
        saves,
    )


RULES = (
    profile_rule("data_loader", said("data_title"), data_loading),
    profile_rule("pinned_memory", said("pageable_title"), pinned_memory),
    profile_rule("synchronisation", said("synchronises_title"), synchronisation),
    profile_rule("recompilation", said("recompiles_title"), recompilation),
    profile_rule("allocation", said("allocates_title"), allocation),
)
