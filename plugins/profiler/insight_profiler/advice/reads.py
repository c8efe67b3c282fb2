"""Finds the times at which the host waits for the device to read a value, and loops that do."""

from __future__ import annotations

import re

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.advice.replay import WAIT, Replay
from insight_profiler.advice.timeline_evidence import Rows, TimelineEvidence
from insight_profiler.analysis.spans import Spans, gaps, merged
from insight_profiler.analysis.steps import slow_steps
from insight_profiler.derived.upwards import nearest_marked
from insight_profiler.model import Category

MANY = 10  # reads in a step that are worth a hint although they cost little
_NEAR = 5  # operators from one read of a loop to the next
_MOSTLY = 0.5
_RETURNS = 50_000  # ns from the end of the work to that of the call that waits for it
_SYNCHRONISES = re.compile(r"^(cuda|hip|cu)\w*Synchronize", re.IGNORECASE)
_REDUCES = re.compile(
    r"(::|_)(norm|sum|mean|a?max|a?min|any|all|isnan|isinf|isfinite|nonzero|std|var|sqrt|abs|pow|eq|gt|lt|ne)$"
)
_COPIES = re.compile(r"^(cuda|hip|cu)Memcpy", re.IGNORECASE)


@frozen(eq=False)
class Reads:
    """Times at which the host waits for the device. ``call`` is the call that waits, ``around`` the outermost
    operator around it (else the call itself), ``before`` the operator before that one on its
    thread, or -1 (rows of the slices), ``place`` how many operators began before it there; ``step`` the row
    of the step, of ``steps`` that count. By time."""

    steps: int
    call: Rows
    around: Rows
    before: NDArray[np.int64]
    place: NDArray[np.int64]
    step: NDArray[np.int32]

    @property
    def in_a_step(self) -> int:
        """How many there are in a step, in the median."""
        if not len(self.step):
            return 0
        return int(np.median(np.bincount(self.step - self.step.min(), minlength=self.steps)))

    @property
    def last(self) -> NDArray[np.bool_]:
        """bool[reads]: whether it is the last of its step."""
        return np.append(self.step[1:] != self.step[:-1], True)[: len(self.step)]


def reads_of(evidence: TimelineEvidence, replay: Replay | None) -> Reads:
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
    copied = launchers[to_host]
    waits = evidence.named(lambda name: _SYNCHRONISES.search(name) is not None, calls)
    copying = evidence.named(lambda name: _COPIES.search(name) is not None, copied[copied >= 0])
    parents = slices["parent"]
    own = parents[copying]
    alone = (own < 0) | ~np.isin(own, parents[waits])  # the others are followed by a wait
    if replay is not None:
        alone &= np.isin(copying, replay.row[replay.kind == WAIT])
    parents_of_copies = parents[to_device[to_device >= 0]]
    waits = waits[(parents[waits] < 0) | ~np.isin(parents[waits], parents_of_copies[parents_of_copies >= 0])]
    found = np.concatenate((waits, copying[alone & np.isin(copying, calls)])).astype(np.intp)
    found = found[np.argsort(slices["start"][found], kind="stable")]
    is_operator = slices["category"] == Category.OPERATOR
    outer = is_operator & (nearest_marked(is_operator, parents) < 0)
    owner = nearest_marked(outer, parents)[found]
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
    return Reads(evidence.counted, found, around, before, place, slices["step"][found])


def loops_of(evidence: TimelineEvidence, reads: Reads) -> Spans:
    """When the host is in loops that read values: from the operator before the first read to the last one."""
    follows = (np.diff(reads.place) <= _NEAR) & (np.diff(reads.step) == 0)
    first = np.where(reads.before >= 0, reads.before, reads.around)[np.append(True, ~follows)]
    return spans_between(evidence, first, reads.around[np.append(~follows, True)])


def launched_by_loops(evidence: TimelineEvidence, reads: Reads) -> Rows:
    """The work that loops launch which read values of the device, where there are many."""
    if not name_before(evidence, reads):
        return evidence.work[:0]
    return evidence.launched_during(loops_of(evidence, reads), evidence.work)


def name_before(evidence: TimelineEvidence, reads: Reads) -> str:
    """The operator after which values are read, where that is the same in most of many reads and makes one
    number of a tensor: a loop over tensors."""
    if reads.in_a_step < MANY:
        return ""
    names = evidence.slices["name"][reads.before[reads.before >= 0]]
    if not len(names):
        return ""
    counts = np.bincount(names)
    most = int(np.argmax(counts))
    name = evidence.text(most)
    return name if counts[most] > _MOSTLY * len(reads.call) and _REDUCES.search(name) else ""


def idle_after_reading(evidence: TimelineEvidence, reads: Reads) -> Spans:
    """When the device waits for the host after the last read of a step, and no data are loaded."""
    late = evidence.late_spans
    if not len(reads.call):
        return late[0][:0], late[1][:0]
    ends = np.sort(evidence.ends[reads.call[reads.last]])
    at = np.searchsorted(ends, late[1], "left") - 1  # the last read before work
    after = (at >= 0) & (ends[np.maximum(at, 0)] >= late[0] - _RETURNS)
    spans = np.maximum(late[0], ends[np.maximum(at, 0)])[after], late[1][after]
    return gaps(evidence.loading, spans)


def slow_windows(evidence: TimelineEvidence) -> Spans:
    """When steps ran that take much longer than the median."""
    steps = evidence.steps
    if steps is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    known = slow_steps(steps) & (steps["start"] >= 0)
    begins = steps["start"][known].astype(np.int64)
    return merged(begins, begins + steps["duration"][known])


def spans_between(evidence: TimelineEvidence, first: NDArray[np.int64], last: NDArray[np.int64]) -> Spans:
    """From the beginning of some slices to the end of others."""
    return merged(evidence.slices["start"][first].astype(np.int64), evidence.ends[last])
