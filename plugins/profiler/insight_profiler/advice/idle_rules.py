"""Rules about a device that does nothing: start-up, a host that is late, gaps between launched work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked, Saving
from insight_profiler.advice import (
    communication_rules,
    copy_rules,
    device_rules,
    host_rules,
    operator_rules,
    optimiser_rules,
    precision_rules,
    step_rules,
    waiting_rules,
)
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import ProfileCheck, finding, profile_rule, promised
from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.python_times import function_during
from insight_profiler.advice.replay import HostPace, Replay, ReplayChange
from insight_profiler.advice.savings import Savings, if_changed
from insight_profiler.advice.words import microseconds, milliseconds, percent, said
from insight_profiler.analysis.spans import length
from insight_profiler.model import Category

_IDLE = 0.1
_LEAST = 0.05
_FASTER = 0.95  # of the time of the host is left after a little change
_MOSTLY = 0.5
_COMPILED = re.compile(r"^(triton_|Torch-Compiled Region|CompiledFunction)")


def start_up(evidence: Evidence) -> Iterator[Finding]:
    """A profile without steps that is mostly the start of the program."""
    if evidence.steps is not None:
        raise NotChecked(said("has_steps"))
    rows = evidence.start_up
    if not evidence.is_mostly_start_up:
        return
    longest = evidence.longest(rows)
    yield finding(
        evidence,
        said(
            "start_up",
            share=percent(length(evidence.spans(rows)) / evidence.whole),
            name=evidence.text(int(evidence.slices["name"][longest])),
            time=milliseconds(int(evidence.slices["duration"][longest])),
        ),
        said("start_up_change"),
        (evidence.slice_place(longest),),
    )


def idle_gaps(evidence: Evidence) -> Iterator[Finding]:
    """A device that is idle although work was launched: it waits for events, other ranks, or the driver."""
    evidence.work  # noqa: B018
    gaps = evidence.gaps
    waiting = gaps.waiting
    share = int(waiting.sum()) / evidence.whole
    if share < _IDLE:
        return
    if evidence.profile.world_size > 1 and len(evidence.host_communication[0]):
        raise NotChecked(said("may_share_device"))
    calls = evidence.slices["name"][np.maximum(gaps.launch, 0)]
    graphs = are(lambda name: "GraphLaunch" in name, evidence.profile.texts, calls)
    in_graphs = waiting[(gaps.launch >= 0) & graphs].sum()
    is_graph = bool(in_graphs > _MOSTLY * waiting.sum())
    streams = np.unique(evidence.slices["track"][evidence.work])
    change = "idle_gaps_graph_change" if is_graph else "idle_gaps_change"
    if not is_graph and len(streams) < 2:
        change = "idle_gaps_one_stream_change"
    longest = np.argsort(-waiting, kind="stable")[:3]
    first = int(longest[0])
    told = {
        "share": percent(share),
        "count": round(_many(waiting) / evidence.counted, 1),
        "time": milliseconds(int(waiting[first])),
        "name": _of_most(evidence, evidence.slices["name"][np.maximum(gaps.next, 0)], waiting),
    }
    host = _host_between(evidence, int(gaps.since[first]), int(gaps.end[first]))
    yield finding(
        evidence,
        said("idle_gaps_in", **told, host=host) if host else said("idle_gaps", **told),
        said(change),
        tuple(evidence.range_place(int(gaps.since[at]), int(gaps.end[at])) for at in longest.tolist()),
        _without_gaps(evidence, gaps.next[waiting > 0], share),
    )


def _without_gaps(evidence: Evidence, rows: NDArray[np.int64], share: float) -> Saving | Savings | None:
    """What is saved if nothing passes before some work once its stream is free; at most the gaps."""
    replay = evidence.replay
    if replay is None:
        return promised(share)
    nodes = replay.nodes_of(rows.astype(np.intp))
    found = if_changed(evidence, replay, ReplayChange(lag=np.where(nodes, 0.0, 1.0)))
    return found if found.high >= _LEAST else promised(share)


def _many(times: NDArray[np.int64]) -> int:
    """How many of some times are about as long as those that make up half of their sum, or longer."""
    longest = np.sort(times)[::-1]
    half = int(np.searchsorted(np.cumsum(longest), longest.sum() / 2))
    return int((times >= longest[half] / 2).sum())


def _of_most(evidence: Evidence, names: NDArray[np.int32], weights: NDArray[np.int64]) -> str:
    """The name with the largest sum of weights."""
    return evidence.text(int(np.argmax(np.bincount(names, weights)))).partition("<")[0]


def _host_between(evidence: Evidence, start: int, end: int) -> str:
    """What the host does for most of a stretch of time: the call of the runtime or the innermost operator
    that covers it, within its annotation; "" if nothing covers half of it."""
    slices = evidence.slices
    here = ~evidence.is_work & (slices["start"] < end) & (evidence.ends > start)
    rows: Rows = np.flatnonzero(here & ~evidence.marks_step)
    inside = np.minimum(evidence.ends[rows], end) - np.maximum(slices["start"][rows], start)
    threads = np.array([track.kind == "thread" for track in evidence.profile.tracks] or [False])
    rows = rows[(inside >= _MOSTLY * (end - start)) & threads[slices["track"][rows]]]
    busy = rows[slices["category"][rows] != Category.OTHER]
    if not len(busy):
        return ""
    inner = int(busy[np.argmax(slices["depth"][busy])])
    is_other = slices["category"][rows] == Category.OTHER
    around = rows[is_other & (slices["track"][rows] == slices["track"][inner])]
    names = [int(around[np.argmin(slices["depth"][around])])] if len(around) else []
    return " / ".join(evidence.text(int(slices["name"][row])) for row in (*names, inner))


def host_bound(evidence: Evidence) -> Iterator[Finding]:
    """A device that waits for the host to launch its work, as far as no other rule says why."""
    share = evidence.late / evidence.whole
    if evidence.replay is None:
        raise NotChecked(said("needs_launches"))
    if share < max(_IDLE, _MOSTLY * evidence.idle_share):
        return
    saves = _left_to_save(evidence, evidence.replay)
    if saves.high < _LEAST:
        return
    told = {"idle": percent(evidence.idle_share), "late": percent(share)}
    row, time = function_during(evidence, evidence.late_spans)
    starts, ends = evidence.late_spans
    longest = int(np.argmax(ends - starts))
    place = evidence.range_place(int(starts[longest]), int(ends[longest]))
    if row is None:
        each = int(np.median(evidence.slices["duration"][evidence.work]))
        count = round(len(evidence.work) / evidence.counted)
        saw = said("host_bound", **told, each=microseconds(each), count=count)
    else:
        place = evidence.slice_place(row)
        saw = said("host_bound_in", **told, name=place.text, time=milliseconds(time / evidence.counted))
    yield finding(
        evidence,
        saw,
        said("host_bound_compiled_change")
        if _is_compiled(evidence)
        else evidence.change("host_bound_change"),
        (place, EvidencePlace("view", "timeline")),
        saves,
        "hint" if evidence.explained or _has_slow_rank(evidence) else "warning",
    )


def _has_slow_rank(evidence: Evidence) -> bool:
    """Whether ranks of the job wait for one that is slower, of which a rule of its own tells."""
    try:
        return bool(evidence.job.stragglers)
    except NotChecked:
        return False


def _left_to_save(evidence: Evidence, replay: Replay) -> Savings:
    """From what a host saves that is a little faster, to what one saves that is always ahead: both after the
    changes that other findings propose."""
    for rule in _SPECIFIC:
        with suppress(NotChecked):
            rule.of(evidence)
    known = reduce(ReplayChange.__and__, evidence.explained, ReplayChange())

    def saved(host: HostPace, base: int, left: float) -> float:
        faster = replay.without_host(host, evidence.host_communication, left)
        share = (replay.time(host, known) - replay.time(faster, known)) / base
        return min(1.0, max(0.0, share))

    bases = list(zip(evidence.hosts, evidence.base_times, strict=True))
    usual, base = bases[0]
    if (cost := evidence.profiler_cost) is not None and evidence.measured is None:
        usual = cost.usual(replay)
        base = replay.time(usual)
    low, high = min(saved(*one, _FASTER) for one in bases), saved(usual, base, 0.0)
    return Savings(
        min(low, high), high, assumes=said("assumes_host_ahead", percent=round(100 * (1 - _FASTER)))
    )


def profiler_cost(evidence: Evidence) -> Iterator[Finding]:
    """A profiler that makes the steps longer by the events that it writes."""
    replay, times = evidence.replay, evidence.unprofiled
    if replay is None or times is None:
        raise NotChecked(said("needs_profiler_cost"))
    recorded = replay.whole / replay.steps
    if max(times) > (1 - _LEAST) * recorded:
        return
    told = {"recorded": milliseconds(recorded)}
    saw = said("profiler_cost_measured", **told, measured=milliseconds(times[0]))
    if evidence.measured is None:
        low, high = (milliseconds(float(f"{one:.2g}")) for one in times)  # estimates
        saw = said("profiler_cost", **told, low=low, high=high)
    yield finding(
        evidence,
        saw,
        said("profiler_cost_change"),
        (EvidencePlace("view", "overview"),),
        severity="hint",
    )


def _is_compiled(evidence: Evidence) -> bool:
    """Whether the program is compiled already."""
    return any(_COMPILED.search(text) is not None for text in evidence.profile.texts)


_SPECIFIC = tuple(
    rule.check
    for module in (
        host_rules,
        waiting_rules,
        copy_rules,
        optimiser_rules,
        precision_rules,
        device_rules,
        operator_rules,
        communication_rules,
        step_rules,
    )
    for rule in module.RULES
    if isinstance(rule.check, ProfileCheck)
)
RULES = (
    profile_rule("start_up", said("start_up_title"), start_up),
    profile_rule("host_bound", said("host_bound_title"), host_bound),
    profile_rule("profiler_cost", said("profiler_cost_title"), profiler_cost),
    profile_rule("idle_gaps", said("idle_gaps_title"), idle_gaps),
)
