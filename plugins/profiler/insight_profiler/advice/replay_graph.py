"""Makes the graph of the steps of a profile that a replay needs."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.replay import HOST, WAIT, WORK, Replay
from insight_profiler.advice.timeline_evidence import TimelineEvidence
from insight_profiler.analysis.spans import length
from insight_profiler.model import Category

_MOST = 60_000  # nodes that are replayed
_LARGEST = 400_000  # nodes of one step that are replayed
_NEAR = 20_000  # ns: work that begins within this time after other work ended waited for it
_CALL = 5_000  # ns: what a call takes that does not wait
_WAITS = re.compile(r"synchronize|memcpy|free|malloc", re.IGNORECASE)


def replay_of(evidence: TimelineEvidence) -> Replay | None:
    """The graph of the first steps that count, as many as can be replayed fast; None without launches."""
    starts, ends = evidence.host_windows
    if not len(evidence.launching):
        return None
    slices = evidence.slices
    calls = np.flatnonzero(
        (slices["category"] == Category.RUNTIME)
        & np.isin(slices["track"], evidence.launching)
        & evidence.inside
    )
    parent = slices["parent"][calls]
    calls = calls[(parent < 0) | (slices["category"][np.maximum(parent, 0)] != Category.RUNTIME)]
    calls = calls[np.argsort(slices["start"][calls], kind="stable")]
    if not len(calls):
        return None
    per_window = np.searchsorted(slices["start"][calls], ends) - np.searchsorted(
        slices["start"][calls], starts
    )
    many = int(np.searchsorted(np.cumsum(2 * per_window), _MOST, "right"))
    if many == 0 and 2 * int(per_window[0]) > _LARGEST:
        return None
    return _graph(evidence, calls, int(starts[0]), int(ends[max(many, 1) - 1]))


def _graph(evidence: TimelineEvidence, calls: NDArray[np.intp], start: int, end: int) -> Replay:
    """The nodes of a stretch of time in the order of their times: calls, waits, work, and an end mark."""
    slices, ends = evidence.slices, evidence.ends
    calls = calls[(slices["start"][calls] >= start) & (slices["start"][calls] < end)]
    work = evidence.all_work
    launch_row = evidence.launchers[work]
    launched_at = slices["start"][np.where(launch_row >= 0, launch_row, work)]
    launched_at = np.where((launch_row < 0) & ~evidence.inside[work], -1, launched_at)  # before the recording
    mine = (launched_at < end) & (ends[work] > start)  # what was launched before may still keep the device
    work, launch_row, launched_at = work[mine], launch_row[mine], launched_at[mine]

    waited = _waited_for(evidence, calls, work)
    waiting = np.flatnonzero(waited >= 0)
    count = len(calls), len(waiting), len(work)
    kind = np.repeat(np.array([HOST, WAIT, WORK, HOST], np.int8), [*count, 1])
    row = np.concatenate((calls, calls[waiting], work, [-1])).astype(np.int64)
    works_from = np.maximum(slices["start"][work], start)
    begins = np.concatenate((slices["start"][calls], ends[calls[waiting]], works_from, [end]))
    duration = np.concatenate(
        (slices["duration"][calls], np.zeros(count[1], np.int64), ends[work] - works_from, [0])
    ).astype(np.int64)
    duration[waiting] = np.minimum(duration[waiting], _CALL)
    # at the same time work comes before the wait that it ends, and that before the call that it holds up
    order = np.lexsort((np.array([2, 1, 0], np.int8)[kind], begins))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    call_place, wait_place = place[: count[0]], place[count[0] : count[0] + count[1]]
    work_place = place[count[0] + count[1] : -1]

    before, launch, other = (np.full(len(order), -1, np.int64) for _ in range(3))
    completed = call_place.copy()  # the node at whose end the host goes on
    completed[waiting] = wait_place
    returned = _returned_before(slices["start"][calls], ends[calls], end)
    before[np.append(call_place, place[-1])] = np.where(returned >= 0, completed[np.maximum(returned, 0)], -1)
    before[wait_place] = call_place[waiting]
    other[wait_place] = work_place[waited[waiting]]
    by_row = np.argsort(calls, kind="stable")
    found = np.searchsorted(calls[by_row], launch_row)
    found = by_row[np.minimum(found, len(calls) - 1)]
    known = (launch_row >= 0) & (calls[found] == launch_row)
    launch[work_place] = np.where(known, call_place[found], -1)
    before[work_place] = _on_the_stream(slices["track"][work], work_place)
    begin, duration, kind, row = begins[order] - start, duration[order], kind[order], row[order]
    _add_events(evidence, begin, begin + duration, row, kind, before, launch, other)
    _in_order(before, launch, other)
    stops = begin + duration
    lag, latency, delay = _lags(begin, stops, kind, (before, launch, other))
    first = kind == HOST
    gap_from = np.where(first, np.where(before >= 0, stops[np.maximum(before, 0)], 0), begin) + start
    earlier = launched_at < start
    return Replay(
        start,
        max(1, round((end - start) * evidence.counted / max(1, length(evidence.host_windows)))),
        max(0, int(ends[work[earlier]].max(initial=start)) - start),
        max(int(stops.max()), end - start),
        kind,
        row,
        duration,
        before,
        lag,
        launch,
        latency,
        other,
        delay,
        (np.minimum(gap_from, begin + start), begin + start),
    )


def _returned_before(begins: NDArray[np.int64], ends: NDArray[np.int64], last: int) -> NDArray[np.int64]:
    """int64[calls + 1]: the place of the call of any thread that returned last before each begins, and before
    the end of all; -1 for none. Calls are by their begin."""
    by_end = np.lexsort((np.arange(len(ends)), ends))
    at = np.searchsorted(ends[by_end], np.append(begins, last), "right") - 1
    found = np.where(at >= 0, by_end[np.maximum(at, 0)], -1)
    own = np.append(np.arange(len(begins)), len(begins))
    later = found >= own  # a call that took no time returned before itself
    return np.where(later, np.minimum(found, own - 1), found)


def _lags(
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    kind: NDArray[np.int8],
    columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> tuple[NDArray[np.int64], ...]:
    """By dependency (before, launch, other) the time from it to the beginning of each node: as measured after
    the last of them, at most the usual one after the others."""
    slack = np.stack(
        [
            begin - np.where(column >= 0, times[np.maximum(column, 0)], 0)
            for column, times in zip(columns, (end, begin, end), strict=True)
        ]
    )
    known = np.stack(columns) >= 0
    known[0] |= ~known.any(axis=0)  # those that wait for nothing have their lag from the start
    last = np.argmin(np.where(known, slack, np.iinfo(np.int64).max), axis=0)
    found = []
    for place in range(len(columns)):
        binds = last == place
        usual = kind == WORK
        of_usual = slack[place][binds & usual]
        typical = int(np.median(of_usual)) if len(of_usual) else 0
        most = np.where(usual, typical, 0)
        found.append(np.where(binds, slack[place], np.where(known[place], np.minimum(slack[place], most), 0)))
    return tuple(found)


def _in_order(*columns: NDArray[np.int64]) -> None:
    """Drops dependencies on later nodes, which are errors of clocks."""
    for column in columns:
        column[column >= np.arange(len(column))] = -1


def _on_the_stream(track: NDArray[np.int32], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The node before each on its stream, or -1. Work comes by start."""
    found = np.full(len(track), -1, np.int64)
    order = np.argsort(track, kind="stable")
    same = track[order][1:] == track[order][:-1]
    found[order[1:][same]] = places[order[:-1][same]]
    return found


def _waited_for(
    evidence: TimelineEvidence, calls: NDArray[np.intp], work: NDArray[np.intp]
) -> NDArray[np.int64]:
    """int64[calls]: the place in ``work`` of the work that a call waits for: that which ends last before the
    call does, where it ends while the call goes on. -1 for calls that do not wait."""
    slices, ends = evidence.slices, evidence.ends
    found = np.full(len(calls), -1, np.int64)
    may = are(lambda name: bool(_WAITS.search(name)), evidence.profile.texts, slices["name"][calls])
    may &= slices["duration"][calls] > _CALL
    rows = np.flatnonzero(may)
    if not len(rows) or not len(work):
        return found
    by_end = np.argsort(ends[work], kind="stable")
    at = np.searchsorted(ends[work][by_end], ends[calls[rows]], "right") - 1
    place = by_end[np.maximum(at, 0)]
    waits = (at >= 0) & (ends[work[place]] > slices["start"][calls[rows]])
    found[rows[waits]] = place[waits]
    return found


def _add_events(
    evidence: TimelineEvidence,
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    row: NDArray[np.int64],
    kind: NDArray[np.int8],
    before: NDArray[np.int64],
    launch: NDArray[np.int64],
    other: NDArray[np.int64],
) -> None:
    """Has work wait for work of another stream that ended just before it began, where neither its stream nor
    its launch explains when it began."""
    work = np.flatnonzero(kind == WORK)
    track = evidence.slices["track"][row[work]]
    by_end = np.argsort(end[work], kind="stable")
    at = np.searchsorted(end[work][by_end], begin[work], "right") - 1
    candidate = work[by_end[np.maximum(at, 0)]]
    ready = np.where(before[work] >= 0, end[np.maximum(before[work], 0)], 0)
    launched = np.where(launch[work] >= 0, begin[np.maximum(launch[work], 0)], 0)
    is_other = evidence.slices["track"][row[candidate]] != track
    ends_last = (end[candidate] > ready) & (end[candidate] > launched + _CALL)
    near = begin[work] - end[candidate] < _NEAR
    chosen = (at >= 0) & is_other & ends_last & near & (candidate < work)
    other[work[chosen]] = candidate[chosen]
