"""Rules about a host that waits for the device: values that are read often, and what it does afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.python_times import function_during
from insight_profiler.advice.reads import (
    MANY,
    Reads,
    idle_after_reading,
    loops_of,
    name_before,
    slow_windows,
)
from insight_profiler.advice.replay import WAIT, WORK, Replay, ReplayChange
from insight_profiler.advice.savings import if_changed, shares_without
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.spans import Spans, covered, gaps, length
from insight_profiler.model import Category, Source

_LEAST = 0.02  # of the time of a step that a change must save
_USUAL = 1  # reads of a value in a step, such as of the loss
_SMALL = 10_000  # ns of a kernel that is about as long for many small tensors together
_TOGETHER = 0.1
_TAIL = 0.1  # of the time, after a value is read
_MORE = 0.05
_FEW = 3  # steps
_REST = 0.2  # of a step, from the end of its work to the next dispatch: more has other causes
_WAITED = 0.1  # of a step, in which the host does nothing while the device works


def synchronisation(evidence: Evidence) -> Iterator[Finding]:
    """Calls that make the host wait for the device within a step."""
    if evidence.profile.source is Source.XPLANE:
        yield from _waits_for_each_step(evidence)
        return
    evidence.work  # noqa: B018 - none without a device
    replay = evidence.replay
    if replay is None:
        raise NotChecked(said("needs_launches"))
    reads = evidence.reads
    count = reads.in_a_step
    if count <= _USUAL:
        return
    slices = evidence.slices
    mine = ~reads.last  # one in a step stays
    change = _without(evidence, replay, reads, mine, evidence.union(reads.around[mine]))
    first = name_before(evidence, reads)
    best = None
    if first:  # a loop: one call for all of its tensors, and one read
        best = _without(evidence, replay, reads, mine, loops_of(evidence, reads))
    saves = if_changed(evidence, replay, change, best, said("assumes_loop") if first else None)
    times = slices["duration"][reads.around]
    time = milliseconds(int(times.sum()) / evidence.counted)
    if saves.high < _LEAST and count < MANY:
        raise NotChecked(said("no_saving_reads", count=count, time=time))
    longest = int(reads.around[np.argmax(times)])
    name = evidence.biggest_name(reads.around)
    operator = int(slices["operator"][longest])
    places = [evidence.slice_place(longest)]
    if (place := evidence.operator_place(operator)) is not None:
        places.insert(0, place)
    told = {"count": count, "time": time, "name": name}
    change_code = "synchronises_change"
    if first:
        change_code = "synchronises_norms_change" if "norm" in first else "synchronises_loop_change"
    yield finding(
        evidence,
        said("synchronises_after", **told, before=first) if first else said("synchronises", **told),
        evidence.change(change_code),
        tuple(places),
        saves,
        saves.severity(_LEAST),
    )


def _without(
    evidence: Evidence, replay: Replay, reads: Reads, mine: NDArray[np.bool_], spans: Spans
) -> ReplayChange:
    """No waits of some reads, nothing of what the host does for them during some spans, and little of what
    it launches then: no copies, and small kernels together."""
    slices = evidence.slices
    gone = np.isin(replay.row, reads.call[mine]) & (replay.kind == WAIT)
    row = np.maximum(replay.row, 0)
    is_work = replay.kind == WORK
    by = np.where(is_work, evidence.launchers[row], replay.row)  # the call
    inside = (by >= 0) & (replay.kind != WAIT)
    inside &= covered(spans, slices["start"][np.maximum(by, 0)], evidence.ends[np.maximum(by, 0)]) > 0
    is_kernel = slices["category"][row] == Category.KERNEL
    left = np.where(is_work & is_kernel, np.where(slices["duration"][row] < _SMALL, _TOGETHER, 1.0), 0.0)
    lag = np.where(inside & is_work, left, shares_without(replay, spans))
    return ReplayChange(np.where(inside, left, 1.0), lag, ~gone)


def tail_after_reading(evidence: Evidence) -> Iterator[Finding]:
    """What the host does after it has read a value of the device, while the device has nothing to do."""
    replay = evidence.replay
    evidence.work  # noqa: B018 - none without a device
    if replay is None:
        raise NotChecked(said("needs_launches"))
    reads = evidence.reads
    if not len(reads.call):
        return
    spans = gaps(slow_windows(evidence), idle_after_reading(evidence, reads))
    time = length(spans)
    if time < _TAIL * evidence.whole:
        return
    gone = np.isin(replay.row, reads.call[reads.last]) & (replay.kind == WAIT)
    saves = if_changed(evidence, replay, ReplayChange(waits=~gone))
    share = percent(time / evidence.whole)
    if saves.high < _MORE:
        raise NotChecked(said("no_saving_tail", share=share))
    longest = int(np.argmax(spans[1] - spans[0]))
    row, _ = function_during(evidence, spans)
    told = {
        "time": milliseconds(time / evidence.counted),
        "share": share,
        "name": evidence.biggest_name(reads.around[reads.last]),
    }
    place = evidence.range_place(int(spans[0][longest]), int(spans[1][longest]))
    if row is not None:
        place = evidence.slice_place(row)
    yield finding(
        evidence,
        said("tail_read", **told) if row is None else said("tail_read_in", **told, doing=place.text),
        evidence.change("tail_read_change"),
        (place,),
        saves,
        saves.severity(_MORE),
    )


def _waits_for_each_step(evidence: Evidence) -> Iterator[Finding]:
    """A program of XLA whose host begins no step before the device has ended the last one, although it does
    nothing meanwhile: it waits for the result."""
    steps = evidence.steps
    if steps is None:
        raise NotChecked(said("needs_steps"))
    slices, work = evidence.slices, evidence.work
    replay = evidence.replay
    if not len(evidence.launching) or replay is None:
        raise NotChecked(said("needs_launches"))
    dispatches = np.isin(slices["track"], evidence.launching) & (slices["depth"] == 1) & evidence.inside
    count = len(steps["number"])
    rows = evidence.step_rows
    begun = np.full(count, np.iinfo(np.int64).max)
    dispatched, worked = np.zeros(count, np.int64), np.zeros(count, np.int64)
    first = begun.copy()
    for chosen, low, high in ((np.flatnonzero(dispatches), begun, dispatched), (work, first, worked)):
        of_step = slices["step"][chosen] - rows[0]
        np.minimum.at(low, of_step, slices["start"][chosen])
        np.maximum.at(high, of_step, evidence.ends[chosen])
    known = (dispatched > 0) & (worked > 0)
    if known.sum() < _FEW:
        raise NotChecked(said("needs_more_steps"))
    begun, dispatched, first, worked = (column[known] for column in (begun, dispatched, first, worked))
    pace = np.diff(begun)
    rests = (begun[1:] - worked[:-1]) / pace  # from the end of the work to the next dispatch
    waited = (worked - dispatched)[:-1] / pace  # the host does nothing, and the device works
    if (rests < 0).any() or np.median(rests) > _REST or np.median(waited) < _WAITED:
        return
    needed = np.maximum(worked - first, dispatched - begun)[:-1]
    change = ReplayChange(lag=shares_without(replay, (dispatched[:-1], begun[1:])))
    saves = if_changed(evidence, replay, change, assumes=said("assumes_ahead"))
    if saves.high < _LEAST:
        raise NotChecked(said("no_saving_steps", share=percent(saves.high)))
    yield finding(
        evidence,
        said(
            "waits_for_steps",
            time=milliseconds(float(np.median((worked - dispatched)[:-1]))),
            idle=milliseconds(float(np.median(pace - needed))),
        ),
        evidence.change("synchronises_change"),
        (evidence.range_place(int(worked[0]), int(begun[1])),),
        saves,
    )


RULES = (profile_rule("synchronisation", said("synchronises_title"), synchronisation),)
