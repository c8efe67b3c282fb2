"""Rules about a device that does nothing: start-up, and gaps between work that was launched."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.spans import length
from insight_profiler.model import Category

_IDLE = 0.1
_LONG = 1_000_000  # ns of a gap that is counted
_MOSTLY = 0.5


def start_up(evidence: Evidence) -> Iterator[Finding]:
    """A profile without steps that is mostly the start of the program."""
    if evidence.steps is not None:
        raise NotChecked(said("has_steps"))
    rows = evidence.start_up
    if not evidence.is_mostly_start_up:
        return
    longest = int(rows[np.argmax(evidence.slices["duration"][rows])])
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


@frozen(eq=False)
class _Gaps:
    """Stretches in which a device is idle although its next work was launched. ``next`` is that work, and
    ``launch`` the call that launched it (rows of the slices, -1: not known)."""

    start: NDArray[np.int64]
    length: NDArray[np.int64]  # after the launch
    next: NDArray[np.int64]
    launch: NDArray[np.int64]


def _gaps(evidence: Evidence) -> _Gaps:
    starts, ends = evidence.idle
    work = evidence.all_work
    place = np.searchsorted(evidence.slices["start"][work], ends, "left")
    row = work[np.minimum(place, len(work) - 1)].astype(np.int64)
    known = place < len(work)
    launch = np.where(known, evidence.launchers[row], -1)
    begun = np.where(launch >= 0, evidence.slices["start"][np.maximum(launch, 0)], starts)
    since = np.clip(begun, starts, ends)
    return _Gaps(since, ends - since, np.where(known, row, -1), launch)


def idle_gaps(evidence: Evidence) -> Iterator[Finding]:
    """A device that is idle although work was launched: it waits for events, other ranks, or the driver."""
    evidence.work  # noqa: B018
    waiting = (length(evidence.idle) - evidence.late) / evidence.whole
    if waiting < _IDLE:
        return
    gaps = _gaps(evidence)
    known = gaps.next >= 0
    next_names = np.where(known, evidence.slices["name"][np.maximum(gaps.next, 0)], -1)
    name = _of_most(evidence, next_names, gaps.length)
    called = gaps.launch >= 0
    calls = np.where(called, evidence.slices["name"][np.maximum(gaps.launch, 0)], -1)
    graphs = np.array(["GraphLaunch" in text for text in evidence.profile.texts] or [False])
    in_graphs = gaps.length[called & graphs[np.maximum(calls, 0)]].sum()
    is_graph = bool(in_graphs > _MOSTLY * gaps.length.sum())
    longest = np.argsort(-gaps.length, kind="stable")[:3]
    first = int(longest[0])
    end = int(gaps.start[first] + gaps.length[first])
    yield finding(
        evidence,
        said(
            "idle_gaps",
            share=percent(waiting),
            count=round(int((gaps.length >= _LONG).sum()) / evidence.counted, 1),
            time=milliseconds(int(gaps.length[first])),
            name=name.partition("<")[0],
            host=_host_between(evidence, int(gaps.start[first]), end),
        ),
        said("idle_gaps_graph_change") if is_graph else said("idle_gaps_change"),
        tuple(
            evidence.range_place(int(gaps.start[at]), int(gaps.start[at] + gaps.length[at]))
            for at in longest.tolist()
        ),
        promised(waiting),
    )


def _of_most(evidence: Evidence, names: NDArray[np.int32], weights: NDArray[np.int64]) -> str:
    """The name with the largest sum of weights."""
    sums = np.bincount(names + 1, weights, len(evidence.profile.texts) + 1)
    sums[0] = 0
    return evidence.text(int(np.argmax(sums)) - 1)


def _host_between(evidence: Evidence, start: int, end: int) -> str:
    """What the host does for most of a stretch of time: the call of the runtime or the innermost operator
    that covers it, within its annotation; "-" if nothing covers half of it."""
    slices = evidence.slices
    here = ~evidence.is_work & (slices["start"] < end) & (evidence.ends > start)
    rows: Rows = np.flatnonzero(here & ~_marks_step(evidence))
    inside = np.minimum(evidence.ends[rows], end) - np.maximum(slices["start"][rows], start)
    threads = np.array([track.kind == "thread" for track in evidence.profile.tracks] or [False])
    rows = rows[(inside >= _MOSTLY * (end - start)) & threads[slices["track"][rows]]]
    busy = rows[slices["category"][rows] != Category.OTHER]
    if not len(busy):
        return "-"
    inner = int(busy[np.argmax(slices["depth"][busy])])
    is_other = slices["category"][rows] == Category.OTHER
    around = rows[is_other & (slices["track"][rows] == slices["track"][inner])]
    names = [int(around[np.argmin(slices["depth"][around])])] if len(around) else []
    return " / ".join(evidence.text(int(slices["name"][row])) for row in (*names, inner))


def _marks_step(evidence: Evidence) -> NDArray[np.bool_]:
    marks = np.array([text.startswith("ProfilerStep") for text in evidence.profile.texts] or [False])
    found: NDArray[np.bool_] = marks[evidence.slices["name"]]
    return found


RULES = (
    profile_rule("start_up", said("start_up_title"), start_up),
    profile_rule("idle_gaps", said("idle_gaps_title"), idle_gaps),
)
