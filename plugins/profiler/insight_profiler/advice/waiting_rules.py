"""Rules about a host that waits for the device: values that are read often, and what it does afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.python_times import function_during
from insight_profiler.advice.replay import WAIT, WORK, Change, Replay
from insight_profiler.advice.savings import host_spans, if_changed, shares_without
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.spans import Spans, covered, gaps, length, merged
from insight_profiler.derived.nesting import nearest_marked
from insight_profiler.model import Category, Source

_LEAST = 0.02  # of the time of a step that a change must save
_USUAL = 1  # reads of a value in a step, such as of the loss
_MANY = 10  # reads in a step that are worth a hint although they cost little
_NEAR = 5  # operators from one read of a loop to the next
_SMALL = 10_000  # ns of a kernel that is about as long for many small tensors together
_TOGETHER = 0.1
_MOSTLY = 0.5
_TAIL = 0.1  # of the time, after a value is read
_MORE = 0.05
_RETURNS = 50_000  # ns from the end of the work to that of the call that waits for it
_FEW = 3  # steps
_REST = 0.2  # of a step, from the end of its work to the next dispatch: more has other causes
_WAITED = 0.1  # of a step, in which the host does nothing while the device works
_SYNCHRONISES = re.compile(r"^(cuda|hip|cu)\w*Synchronize", re.IGNORECASE)
_COPIES = re.compile(r"^(cuda|hip|cu)Memcpy", re.IGNORECASE)


@frozen(eq=False)
class Reads:
    """Times at which the host waits for the device. ``call`` is the call that waits, ``around`` the outermost
    operator around it (the call itself where there is none), ``before`` the operator before that one on its
    thread, or -1 (rows of the slices), ``place`` how many operators began before it there; ``step`` the row
    of the step. By time."""

    call: Rows
    around: Rows
    before: NDArray[np.int64]
    place: NDArray[np.int64]
    step: NDArray[np.int32]

    @property
    def in_a_step(self) -> int:
        """How many there are in a step, in the median."""
        return int(np.median(np.bincount(self.step - self.step.min()))) if len(self.step) else 0

    @property
    def last(self) -> NDArray[np.bool_]:
        """bool[reads]: whether it is the last of its step."""
        return np.append(self.step[1:] != self.step[:-1], True)[: len(self.step)]


def reads_of(evidence: Evidence) -> Reads:
    """The explicit waits of the threads that launch kernels, one for each operator that waits. Those for
    copies to the device are the matter of pinned memory."""
    slices = evidence.slices
    launchers = evidence.launchers
    threads = np.unique(slices["track"][launchers[evidence.compute][launchers[evidence.compute] >= 0]])
    calls = np.flatnonzero(
        (slices["category"] == Category.RUNTIME) & np.isin(slices["track"], threads) & evidence.inside
    )
    copies = evidence.of(Category.MEMCPY)
    to_host = evidence.named(lambda name: "DtoH" in name, copies)
    to_device = launchers[evidence.named(lambda name: "HtoD" in name, copies)]
    waits = evidence.named(lambda name: _SYNCHRONISES.search(name) is not None, calls)
    copying = evidence.named(lambda name: _COPIES.search(name) is not None, launchers[to_host])
    parents = slices["parent"]
    own = parents[copying]
    alone = (own < 0) | ~np.isin(own, parents[waits])  # the others are followed by a wait
    if evidence.replay is not None:
        replay = evidence.replay
        alone &= np.isin(copying, replay.row[replay.kind == WAIT])
    parents_of_copies = parents[to_device[to_device >= 0]]
    waits = waits[(parents[waits] < 0) | ~np.isin(parents[waits], parents_of_copies[parents_of_copies >= 0])]
    found = np.concatenate((waits, copying[alone & np.isin(copying, calls)])).astype(np.intp)
    found = found[np.argsort(slices["start"][found], kind="stable")]
    is_operator = slices["category"] == Category.OPERATOR
    outer = is_operator & (nearest_marked(is_operator, slices["depth"], parents) < 0)
    owner = nearest_marked(outer, slices["depth"], parents)[found]
    around = np.where(owner >= 0, owner, found)
    _, firsts = np.unique(around, return_index=True)
    firsts = np.sort(firsts)
    found, around = found[firsts], around[firsts].astype(np.intp)
    before, place = (np.full(len(found), -1, np.int64) for _ in range(2))
    for track in np.unique(slices["track"][found]).tolist():
        mine = slices["track"][found] == track
        rows = np.flatnonzero(outer & (slices["track"] == track))
        if not len(rows):
            continue
        at = np.searchsorted(slices["start"][rows], slices["start"][around[mine]], "left") - 1
        known = np.where(at >= 0, rows[np.maximum(at, 0)], -1)
        before[mine] = np.where(slices["step"][known] == slices["step"][found[mine]], known, -1)
        place[mine] = at
    return Reads(found, around, before, place, slices["step"][found])


def synchronisation(evidence: Evidence) -> Iterator[Finding]:
    """Calls that make the host wait for the device within a step."""
    if evidence.profile.source is Source.XPLANE:
        yield from _waits_for_each_step(evidence)
        return
    evidence.work  # noqa: B018 - none without a device
    replay = evidence.replay
    if replay is None:
        raise NotChecked(said("needs_launches"))
    reads = reads_of(evidence)
    count = reads.in_a_step
    if count <= _USUAL:
        return
    slices = evidence.slices
    mine = ~reads.last  # one in a step stays
    change = _without(evidence, replay, reads, mine, _spans(evidence, reads.around[mine], reads.around[mine]))
    first = _name_before(evidence, reads)
    best = None
    if first:  # a loop: one call for all of its tensors, and one read
        best = _without(evidence, replay, reads, mine, _loops(evidence, reads))
    saves = if_changed(evidence, replay, change, best, said("assumes_loop") if first else None)
    around = evidence.slices["duration"][reads.around]
    time = milliseconds(int(around.sum()) / evidence.counted)
    if saves.high < _LEAST and count < _MANY:
        raise NotChecked(said("no_saving_reads", count=count, time=time))
    longest = int(reads.around[np.argmax(around)])
    name = evidence.biggest_name(reads.around)
    operator = int(slices["operator"][longest])
    places = [evidence.slice_place(longest)]
    if (place := evidence.operator_place(operator)) is not None:
        places.insert(0, place)
    told = {"count": count, "time": time, "name": name}
    is_norm = "norm" in first
    yield finding(
        evidence,
        said("synchronises_after", **told, before=first) if first else said("synchronises", **told),
        said(f"synchronises_{'norms' if is_norm else 'loop'}_change")
        if first
        else evidence.change("synchronises_change"),
        tuple(places),
        saves,
        saves.severity(_LEAST),
    )


def _without(
    evidence: Evidence, replay: Replay, reads: Reads, mine: NDArray[np.bool_], spans: Spans
) -> Change:
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
    return Change(np.where(inside, left, 1.0), lag, ~gone)


def _spans(evidence: Evidence, first: NDArray[np.int64], last: NDArray[np.int64]) -> Spans:
    """From the beginning of some slices to the end of others."""
    return merged(evidence.slices["start"][first].astype(np.int64), evidence.ends[last])


def _loops(evidence: Evidence, reads: Reads) -> Spans:
    """When the host is in loops that read values: from the operator before the first read to the last one."""
    follows = (np.diff(reads.place) <= _NEAR) & (np.diff(reads.step) == 0)
    first = np.where(reads.before >= 0, reads.before, reads.around)[np.append(True, ~follows)]
    return _spans(evidence, first, reads.around[np.append(~follows, True)])


def launched_by_loops(evidence: Evidence) -> Rows:
    """The work that loops launch which read values of the device, where there are many."""
    reads = reads_of(evidence)
    if reads.in_a_step < _MANY:
        return evidence.work[:0]
    calls = evidence.launchers[evidence.work]
    begun = np.where(calls >= 0, evidence.slices["start"][np.maximum(calls, 0)], -1)
    return evidence.work[covered(_loops(evidence, reads), begun, begun + 1) > 0]


def _name_before(evidence: Evidence, reads: Reads) -> str:
    """The operator after which values are read, where that is the same in most of many reads: a loop."""
    if reads.in_a_step < _MANY:
        return ""
    names = evidence.slices["name"][reads.before[reads.before >= 0]]
    if not len(names):
        return ""
    counts = np.bincount(names)
    most = int(np.argmax(counts))
    return evidence.text(most) if counts[most] > _MOSTLY * len(reads.call) else ""


def tail_after_reading(evidence: Evidence) -> Iterator[Finding]:
    """What the host does after it has read a value of the device, while the device has nothing to do."""
    replay = evidence.replay
    evidence.work  # noqa: B018 - none without a device
    if replay is None:
        raise NotChecked(said("needs_launches"))
    reads = reads_of(evidence)
    if not len(reads.call):
        return
    spans = idle_after_reading(evidence, reads)
    time = length(spans)
    if time < _TAIL * evidence.whole:
        return
    gone = np.isin(replay.row, reads.call[reads.last]) & (replay.kind == WAIT)
    saves = if_changed(evidence, replay, Change(waits=~gone))
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
        said("tail_read_change"),
        (place,),
        saves,
        saves.severity(_MORE),
    )


def idle_after_reading(evidence: Evidence, reads: Reads) -> Spans:
    """When the device waits for the host after the last read of a step, and no data are loaded."""
    late = evidence.late_spans
    if not len(reads.call):
        return late[0][:0], late[1][:0]
    ends = np.sort(evidence.ends[reads.call[reads.last]])
    at = np.searchsorted(ends, late[1], "left") - 1  # the last read before work
    after = (at >= 0) & (ends[np.maximum(at, 0)] >= late[0] - _RETURNS)
    spans = np.maximum(late[0], ends[np.maximum(at, 0)])[after], late[1][after]
    return gaps(host_spans(evidence, evidence.slices["category"] == Category.DATA), spans)


def _waits_for_each_step(evidence: Evidence) -> Iterator[Finding]:
    """A program of XLA whose host begins no step before the device has ended the last one, although it does
    nothing meanwhile: it waits for the result."""
    steps = evidence.steps
    if steps is None:
        raise NotChecked(said("needs_steps"))
    slices, work = evidence.slices, evidence.work
    calls = evidence.launchers[work]
    tracks = np.unique(slices["track"][calls[calls >= 0]])
    replay = evidence.replay
    if not len(tracks) or replay is None:
        raise NotChecked(said("needs_launches"))
    dispatches = np.isin(slices["track"], tracks) & (slices["depth"] == 1) & evidence.inside
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
    change = Change(lag=shares_without(replay, (dispatched[:-1], begun[1:])))
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
