"""Rules about communication between ranks that nothing hides, on the device or through the host."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked, Saving
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, promised
from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.replay import ReplayChange
from insight_profiler.advice.savings import Savings, if_changed, shares_without
from insight_profiler.advice.words import percent, said
from insight_profiler.analysis.spans import Spans, covered, length, within
from insight_profiler.analysis.steps import of_rows, usual_rows

_EXPOSED = 0.1  # of the time; torch-tb-profiler's threshold
LEAST = 0.02
_OF_BACKWARD = 2 / 3  # of the time of both passes: it computes gradients of inputs and of parameters
_AUTOGRAD = re.compile(r"autograd::engine|Backward\d*$|^torch\.autograd|loss\.backward", re.IGNORECASE)
_FORWARD = re.compile(r"(^|\.)forward$|^forward", re.IGNORECASE)
_OPTIMISER = re.compile(r"^Optimizer\.")
_COLLECTIVE = re.compile(
    r"reduce|gather|scatter|broadcast|to_?all|send|recv|receive|nccl|hcom", re.IGNORECASE
)
REDUCES = re.compile(r"all_?reduce|reduce_?scatter", re.IGNORECASE)

_HIDDEN_BY = (  # kinds of collectives, and what hides them
    (re.compile(r"all_?to_?all|send_?recv", re.IGNORECASE), said("exposed_all_to_all_change")),
    (re.compile(r"all_?gather|reduce_?scatter", re.IGNORECASE), said("exposed_sharded_change")),
)


def needs_ranks() -> NotChecked:
    """The reason of rules about communication in a trace without it."""
    return NotChecked(said("needs_communication"))


def exposed_communication(evidence: Evidence) -> Iterator[Finding]:
    """Communication during which the device does not compute, without the time that the rank waits for slower
    ones. Where that is not known of all ranks, the estimate is the most that is saved."""
    waiting = evidence.job.waiting.get(evidence.name)
    if evidence.is_work_known and len(evidence.communication):
        yield from _of_work(evidence, waiting)
        return
    if evidence.is_work_known and _is_through_host(evidence):
        return  # a rule of its own tells
    for one in _of_steps(evidence):
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
    worst, best = (
        ReplayChange(lag=shares_without(replay, evidence.host_communication, part))
        for part in ((1 + left) / 2, left)
    )
    rows = np.flatnonzero(evidence.is_host_communication & evidence.inside)
    longest = evidence.longest(rows)
    told = {"share": percent(share), "name": evidence.text(int(evidence.slices["name"][longest]))}
    if waiting >= LEAST:
        saw = said("host_communication_waiting", waiting=percent(waiting), **told)
    else:
        saw = said("host_communication", **told)
    yield finding(
        evidence,
        saw,
        evidence.change("host_communication_change"),
        (evidence.slice_place(longest), EvidencePlace("view", "cluster")),
        if_changed(evidence, replay, worst, best, said("assumes_transfer")),
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


def _of_steps(evidence: Evidence) -> Iterator[Finding]:
    """What the division of steps says, where the log has no timeline."""
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
        raise needs_ranks()
    usual = of_rows(steps, usual_rows(steps))
    whole = max(1, usual["duration"].clip(0).sum())
    share = float(usual[column].clip(0).sum() / whole)
    hidden = float(usual["computing"].clip(0).sum() / whole)  # computing can hide as much as it takes
    if share > _EXPOSED:
        saves = promised(min(share, hidden)) if hidden else None
        yield _exposed(evidence, share, saves, EvidencePlace("view", "steps"))


def _of_work(evidence: Evidence, waiting: float | None) -> Iterator[Finding]:
    communication = evidence.communication
    exposed = evidence.exposed(communication)
    share, awaited = exposed / evidence.whole, waiting if waiting and waiting >= LEAST else 0.0
    if share - awaited <= _EXPOSED:
        return
    name = evidence.biggest_name(communication)
    least, most = _hideable(evidence, exposed - round(awaited * evidence.whole))
    whole = max(1, length(evidence.communicating))
    assumes = said("assumes_hidden_backward") if REDUCES.search(name) else said("assumes_hidden")
    if awaited:
        stays = said("assumes_waiting", waiting=percent(awaited), share=percent(share))
        assumes = said("assumes_both", first=assumes, second=stays)
    elif waiting is None:
        assumes = said("assumes_both", first=assumes, second=said("assumes_no_waiting"))
    replay = evidence.replay
    if replay is None:
        saves = Savings(least / evidence.whole, most / evidence.whole, assumes=assumes)
    else:
        mine = replay.nodes_of(communication)
        worst, best = (
            ReplayChange(duration=np.where(mine, 1 - hidden / whole, 1.0)) for hidden in (least, most)
        )
        saves = if_changed(evidence, replay, worst, best, assumes)
    if saves.high < LEAST:
        return
    told = promised(saves.high) if evidence.job.missing else saves
    yield _exposed(evidence, share, told, evidence.slice_place(evidence.longest(communication)), name)


def _hideable(evidence: Evidence, exposed: int) -> tuple[int, int]:
    """How much of the exposed communication computation can hide, ns, at least and at most.

    Reductions of gradients run during the backward pass at best: not before its first bucket is there, and
    the last one comes after it. All other communication may run during any computation.
    """
    spans, computing = evidence.communicating, evidence.computing
    free = length(computing) - int(covered(spans, *computing).sum())
    reductions = evidence.named(lambda name: REDUCES.search(name) is not None, evidence.communication)
    if 2 * evidence.time(reductions) < evidence.time(evidence.communication):
        most = min(exposed, free)
        return max(0, most), max(0, most)
    backward = _backward(evidence)
    if backward is None:
        free = round(free * _OF_BACKWARD)
    else:
        free = length(backward) - int(covered(spans, *backward).sum())
    count = max(1.0, len(reductions) / evidence.counted)
    most = max(0, min(exposed, free))
    return max(0, min(round(exposed * (1 - 1 / count)), round(free * (1 - 1 / count)))), most


def _backward(evidence: Evidence) -> Spans | None:
    """When the device computes what the backward pass launched: calls within functions of autograd, or where
    the profile names none what was launched between the forward pass and the optimiser. None where it does
    not say what launched what."""
    slices, compute = evidence.slices, evidence.compute
    calls = evidence.launchers[compute]
    if (calls < 0).all():
        return None
    compute, calls = compute[calls >= 0], calls[calls >= 0]
    begun = slices["start"][calls].astype(np.int64)
    host = np.flatnonzero(~evidence.is_work)

    def during(pattern: re.Pattern[str]) -> NDArray[np.bool_]:
        spans = evidence.union(evidence.named(lambda name: pattern.search(name) is not None, host))
        return np.asarray(covered(spans, begun, begun + 1) > 0)

    mine = during(_AUTOGRAD)
    if not mine.any():
        mine = ~during(_FORWARD) & ~during(_OPTIMISER)
    return evidence.spans(compute[mine])


def _exposed(
    evidence: Evidence, share: float, saves: Saving | Savings | None, place: EvidencePlace, name: str = ""
) -> Finding:
    change = next((change for kind, change in _HIDDEN_BY if kind.search(name)), None)
    if _is_between_stages(evidence):
        change = evidence.change("bubble_change")
    saw = said("exposed_step", share=percent(share))
    if _COLLECTIVE.search(name):  # not Memcpy, by which HCCL transfers, or a track
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
    sent = are(lambda kind: kind == "p2p", evidence.profile.texts, collectives["kind"])
    return bool(2 * elapsed[sent].sum() > elapsed.sum())


def without_waiting(one: Finding, waiting: float) -> Finding | None:
    """What ``exposed_communication`` says once it is known that for this share of the time the rank waits for
    slower ones, which other ways to communicate do not change. None if the rest is not worth a finding."""
    exposed = float(str(one.saw.details["share"])) / 100
    if waiting < LEAST:
        return one
    if exposed - waiting <= _EXPOSED:
        return None
    if one.saves is None:
        return one
    saves = max(0.0, one.saves.high - waiting)
    assumes = said("assumes_waiting", waiting=percent(waiting), share=percent(exposed))
    return evolve(one, saves=Saving(saves, saves, assumes=assumes))
