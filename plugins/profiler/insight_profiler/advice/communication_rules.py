"""Rules about communication between ranks, as one rank sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from attrs import evolve

from insight_core.plugin.findings import Finding, NotChecked, Saving
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.replay import Change
from insight_profiler.advice.savings import if_changed, shares_without
from insight_profiler.advice.words import microseconds, milliseconds, percent, said
from insight_profiler.analysis.spans import covered, length, within
from insight_profiler.analysis.steps import of_rows, usual_rows

_EXPOSED = 0.1  # of the time; torch-tb-profiler's threshold
_LEAST = 0.02
_SHORT = 60_000  # ns of a collective that is bound by latency
_MANY = 50  # collectives in a step
_REDUCES = re.compile(r"all_?reduce|reduce_?scatter", re.IGNORECASE)

_HIDDEN_BY = (  # kinds of collectives, and what hides them
    (re.compile(r"all_?to_?all|send_?recv", re.IGNORECASE), said("exposed_all_to_all_change")),
    (re.compile(r"all_?gather|reduce_?scatter", re.IGNORECASE), said("exposed_sharded_change")),
)


def _needs_ranks() -> NotChecked:
    return NotChecked(said("needs_communication"))


def exposed_communication(evidence: Evidence) -> Iterator[Finding]:
    """Communication during which the device does not compute, without the time that the rank waits for slower
    ones. Where that is not known of all ranks, the estimate is the most that is saved."""
    waiting = evidence.job.waiting.get(evidence.name)
    for one in _all_exposed(evidence):
        left = without_waiting(one, waiting or 0.0)
        if left is None:
            continue
        if left.saves is not None and (waiting is None or evidence.job.missing):
            left = evolve(left, saves=promised(left.saves.high))
        yield left


def host_communication(evidence: Evidence) -> Iterator[Finding]:
    """Tensors of a device that threads of the host exchange between ranks, as gloo does.

    What is saved is the time of the transfers, from half to all of it: waiting for slower ranks stays.
    """
    evidence.work  # noqa: B018 - none without a device
    if not _is_through_host(evidence):
        return
    share = length(within(evidence.host_communication, evidence.windows)) / evidence.whole
    waiting = min(share, evidence.job.waiting.get(evidence.name, 0.0))
    replay = evidence.replay
    if share - waiting <= _EXPOSED or replay is None:
        return
    left = waiting / share
    changes = (
        Change(lag=shares_without(replay, evidence.host_communication, part))
        for part in ((1 + left) / 2, left)
    )
    rows = np.flatnonzero(evidence.is_host_communication & evidence.inside)
    longest = int(rows[np.argmax(evidence.slices["duration"][rows])])
    told = {"share": percent(share), "name": evidence.text(int(evidence.slices["name"][longest]))}
    if waiting >= _LEAST:
        saw = said("host_communication_waiting", waiting=percent(waiting), **told)
    else:
        saw = said("host_communication", **told)
    yield finding(
        evidence,
        saw,
        evidence.change("host_communication_change"),
        (evidence.slice_place(longest), EvidencePlace("view", "cluster")),
        if_changed(evidence, replay, *changes, assumes=said("assumes_transfer")),
    )


def _is_through_host(evidence: Evidence) -> bool:
    """Whether threads of the host communicate and launch work of a device for it: copies to the host and
    back. Tensors of the host need none."""
    communicates = np.flatnonzero(evidence.is_host_communication)
    calls = evidence.launchers[evidence.work]
    calls = calls[calls >= 0]
    tracks = np.unique(evidence.slices["track"][communicates])
    near = calls[np.isin(evidence.slices["track"][calls], tracks)]
    at = evidence.slices["start"][near].astype(np.int64)
    return bool(covered(evidence.host_communication, at, at + 1).any())


def _all_exposed(evidence: Evidence) -> Iterator[Finding]:
    if evidence.is_work_known and len(evidence.communication):
        yield from _of_work(evidence)
        return
    if evidence.is_work_known and _is_through_host(evidence):
        return  # a rule of its own tells
    steps = evidence.steps
    column = next(
        (
            name
            for name in ("collective", "communication_not_overlapped", "communication")
            if steps is not None and (steps[name] > 0).any()
        ),
        "",
    )
    if steps is None or not column:
        raise _needs_ranks()
    usual = of_rows(steps, usual_rows(steps))
    whole = max(1, usual["duration"].clip(0).sum())
    share = float(usual[column].clip(0).sum() / whole)
    hidden = float(usual["computing"].clip(0).sum() / whole)  # computing can hide as much as it takes
    if share > _EXPOSED:
        saves = promised(min(share, hidden)) if hidden else None
        yield _exposed(evidence, share, saves, EvidencePlace("view", "steps"))


def _of_work(evidence: Evidence) -> Iterator[Finding]:
    communication = evidence.communication
    exposed = evidence.exposed(communication)
    share = exposed / evidence.whole
    if share <= _EXPOSED:
        return
    whole = length(evidence.spans(communication))
    free = length(evidence.computing) - (whole - exposed)
    left = 1 - min(exposed, free) / max(1, whole)
    saves = share
    replay = evidence.replay
    if replay is not None:
        mine = replay.nodes_of(communication)
        saves = replay.saves(
            duration=np.where(mine, (replay.duration * left).astype(np.int64), replay.duration)
        )
    longest = int(communication[np.argmax(evidence.slices["duration"][communication])])
    if saves >= _LEAST:
        name = evidence.biggest_name(communication)
        told = promised(saves, is_replayed=replay is not None)
        yield _exposed(evidence, share, told, evidence.slice_place(longest), name)


def _exposed(
    evidence: Evidence, share: float, saves: Saving | None, place: EvidencePlace, name: str = ""
) -> Finding:
    change = next((change for kind, change in _HIDDEN_BY if kind.search(name)), None)
    if _is_between_stages(evidence):
        change = evidence.change("bubble_change")
    saw = said("exposed_step", share=percent(share))
    if name:
        saw = said("exposed", share=percent(share), name=name.partition("(")[0])
    return finding(
        evidence,
        saw,
        change or evidence.change("exposed_change"),
        (place, EvidencePlace("view", "cluster")),
        saves,
    )


def _is_between_stages(evidence: Evidence) -> bool:
    """Whether more than half of the time of communication is sending to single ranks, or receiving: NCCL
    has one kernel for these and for all-to-all."""
    collectives = evidence.profile.tables.get("collectives")
    if collectives is None:
        return False
    elapsed = collectives["elapsed"].clip(0)
    texts = evidence.profile.texts
    sent = np.array([text == "p2p" for text in texts] or [False])[collectives["kind"]]
    return bool(2 * elapsed[sent].sum() > elapsed.sum())


def without_waiting(one: Finding, waiting: float) -> Finding | None:
    """What ``exposed_communication`` says once it is known that for this share of the time the rank waits for
    slower ones, which other ways to communicate do not change. None if the rest is not worth a finding."""
    exposed = float(str(one.saw.details["share"])) / 100
    if waiting < _LEAST:
        return one
    if exposed - waiting <= _EXPOSED:
        return None
    if one.saves is None:
        return one
    saves = max(0.0, one.saves.high - waiting)
    assumes = said("assumes_waiting", waiting=percent(waiting), share=percent(exposed))
    return evolve(one, saves=Saving(saves, saves, assumes=assumes))


def small_collectives(evidence: Evidence) -> Iterator[Finding]:
    """Many collectives that are too short to use the bandwidth."""
    if not evidence.is_work_known or not len(evidence.communication):
        raise _needs_ranks()
    rows = evidence.communication
    short = rows[evidence.slices["duration"][rows] < _SHORT]
    if len(short) < _MANY * evidence.counted or len(short) < 0.5 * len(rows):
        return
    replay = evidence.replay
    saves = evidence.exposed(short) / evidence.whole
    if replay is not None:
        calls = evidence.launchers[short]
        mine = replay.nodes_of(np.concatenate((short, calls[calls >= 0])))
        saves = replay.saves(
            duration=np.where(mine, replay.duration // 5, replay.duration),
            lag=np.where(mine & (replay.lag > 0), replay.lag // 5, replay.lag),
        )
    if saves < _LEAST:
        return
    yield finding(
        evidence,
        said("small_collectives", count=round(len(short) / evidence.counted), limit=microseconds(_SHORT)),
        said("small_collectives_change"),
        (evidence.slice_place(int(short[len(short) // 2])),),
        promised(saves, is_replayed=replay is not None),
    )


def gradient_accumulation(evidence: Evidence) -> Iterator[Finding]:
    """Gradients that are reduced for each batch although several batches make a step of the optimiser."""
    slices, texts = evidence.slices, evidence.profile.texts
    here = evidence.inside & ~evidence.is_work

    def spans_of(prefix: str) -> int:
        marked = np.array([text.startswith(prefix) for text in texts] or [False])
        return int((marked[slices["name"]] & here).sum())

    updates, passes = spans_of("Optimizer.step#"), spans_of("DistributedDataParallel.forward")
    if not updates or not passes or not evidence.is_work_known:
        raise NotChecked(said("needs_ddp"))
    batches = passes / updates
    rows = evidence.named(lambda name: bool(_REDUCES.search(name)), evidence.communication)
    if batches < 1.5 or not len(rows):
        return
    calls = evidence.launchers[rows]
    forwards = np.flatnonzero(
        np.array([text.startswith("DistributedDataParallel.forward") for text in texts])[slices["name"]]
        & here
    )
    # between which forward passes gradients are reduced
    after = np.searchsorted(
        np.sort(slices["start"][forwards]), slices["start"][np.maximum(calls, 0)], "right"
    )
    reduced = len(np.unique(after[(calls >= 0) & (after > 0)]))
    if reduced < 1.5 * updates:
        return
    replay = evidence.replay
    share = evidence.exposed(rows) / evidence.whole * (1 - 1 / batches)
    saves = share
    if replay is not None:
        mine = replay.nodes_of(rows)
        saves = replay.saves(
            duration=np.where(mine, (replay.duration / batches).astype(np.int64), replay.duration)
        )
    if saves < _LEAST:
        return
    yield finding(
        evidence,
        said(
            "accumulation",
            batches=round(batches, 1),
            time=milliseconds(evidence.time(rows) / evidence.counted),
        ),
        evidence.change("accumulation_change"),
        (evidence.slice_place(int(rows[0])),),
        promised(saves, is_replayed=replay is not None),
    )


RULES = (
    profile_rule("host_communication", said("host_communication_title"), host_communication),
    profile_rule("communication", said("exposed_title"), exposed_communication),
    profile_rule("small_collectives", said("small_collectives_title"), small_collectives),
    profile_rule("gradient_accumulation", said("accumulation_title"), gradient_accumulation),
)
