"""Replays steps of a profile under changed conditions: how long would they take if some of it were shorter?

A step is a graph of the calls of the host that launch work, the work of devices, and the waits of the host.
Each begins when the last of what it depends on has ended, plus the lag that was measured after that one, or
the usual lag after the others:

- a call of the host: the call before it; the lag is what the host does between them
- work of a device: the work before it on its stream, its launch, and work of another stream that ended just
  before it began (an event)
- a wait: its call, and the work of a device that ended just before it

Replayed without a change the steps take exactly the time that was measured. The calls of all threads that
launch work are one sequence: in training, the forward and the backward thread take turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.advice.kernel_names import are
from insight_profiler.analysis.spans import covered
from insight_profiler.model import Category

if TYPE_CHECKING:
    from insight_profiler.advice.evidence import Evidence

_MOST = 60_000  # nodes that are replayed
_LARGEST = 400_000  # nodes of one step that are replayed
_NEAR = 20_000  # ns: work that begins within this time after other work ended waited for it
_CALL = 5_000  # ns: what a call takes that does not wait
_WAITS = re.compile(r"synchronize|memcpy|free|malloc", re.IGNORECASE)
HOST, WAIT, WORK = range(3)  # kinds of nodes


@frozen(eq=False)
class Replay:
    """A graph of steps. Columns are by node, in an order in which each comes after what it depends on."""

    start: int  # ns, of the first step
    steps: int  # how many
    whole: int  # ns, of all steps
    measured: int  # ns, until the last of their work ends
    kind: NDArray[np.int8]
    row: NDArray[np.int64]  # of the slices, or -1
    duration: NDArray[np.int64]
    before: NDArray[np.int64]  # node whose end it waits for, or -1
    lag: NDArray[np.int64]  # after that
    launch: NDArray[np.int64]  # node whose beginning it waits for, or -1
    latency: NDArray[np.int64]  # after that
    other: NDArray[np.int64]  # another node whose end it waits for, or -1
    delay: NDArray[np.int64]  # after that
    gap: tuple[NDArray[np.int64], NDArray[np.int64]]  # of calls: what the host does before, from and to

    @classmethod
    def of(cls, evidence: Evidence) -> Replay | None:
        """The graph of the first steps that count, as many as can be replayed fast; None without launches."""
        starts, ends = evidence.windows
        launchers = evidence.launchers[evidence.work]  # empty without a device
        if not (launchers >= 0).any():
            return None
        slices = evidence.slices
        launching = np.unique(slices["track"][launchers[launchers >= 0]])
        calls = np.flatnonzero(
            (slices["category"] == Category.RUNTIME) & np.isin(slices["track"], launching) & evidence.inside
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

    def span(
        self,
        *,
        duration: NDArray[np.int64] | None = None,
        lag: NDArray[np.int64] | None = None,
        waits: NDArray[np.bool_] | None = None,
    ) -> int:
        """How long the steps take (ns) with other durations and lags, and without the ``waits`` that are
        False (bool[nodes])."""
        return max(self._times(duration, lag, waits)[1], default=0)

    def saves(
        self,
        *,
        duration: NDArray[np.int64] | None = None,
        lag: NDArray[np.int64] | None = None,
        waits: NDArray[np.bool_] | None = None,
    ) -> float:
        """The share of the time of the steps that a change saves, from 0 to 1."""
        span = self.span(duration=duration, lag=lag, waits=waits)
        return min(1.0, max(0.0, (self.measured - span) / max(1, self.whole)))

    def nodes_of(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """bool[nodes]: those that are one of some slices; waits not among them."""
        found: NDArray[np.bool_] = np.isin(self.row, rows) & (self.kind != WAIT)
        return found

    def critical_path(self) -> NDArray[np.int64]:
        """The nodes that decide how long the steps take, from the last to the first: each of them waited
        for the next."""
        begin, end = (np.array(times, np.int64) for times in self._times(None, None, None))
        dependencies = (
            (self.before, end, self.lag),
            (self.launch, begin, self.latency),
            (self.other, end, self.delay),
        )
        reached = np.stack(
            [
                np.where(column >= 0, times[np.maximum(column, 0)] + lag, -1)
                for column, times, lag in dependencies
            ]
        )
        columns = np.stack([column for column, _, _ in dependencies])
        binding = columns[np.argmax(reached, axis=0), np.arange(len(end))].tolist()
        at = int(np.argmax(end))
        path = []
        while at >= 0:
            path.append(at)
            at = binding[at]
        return np.array(path, np.int64)

    def _times(
        self,
        duration: NDArray[np.int64] | None,
        lag: NDArray[np.int64] | None,
        waits: NDArray[np.bool_] | None,
    ) -> tuple[list[int], list[int]]:
        """When each node begins and ends, ns from the start. A graph has no array operation for it."""
        durations = (self.duration if duration is None else duration).tolist()
        lags = (self.lag if lag is None else lag).tolist()
        others = (self.other if waits is None else np.where(waits, self.other, -1)).tolist()
        begin: list[int] = []
        end: list[int] = []
        befores, launches = self.before.tolist(), self.launch.tolist()
        columns = (befores, lags, launches, self.latency.tolist(), others, self.delay.tolist(), durations)
        for before, lag_of_it, launch, latency, other, delay, takes in zip(*columns, strict=True):
            at = lag_of_it + (end[before] if before >= 0 else 0)
            if launch >= 0 and begin[launch] + latency > at:
                at = begin[launch] + latency
            if other >= 0 and end[other] + delay > at:
                at = end[other] + delay
            begin.append(at)
            end.append(at + takes)
        return begin, end


def _graph(evidence: Evidence, calls: NDArray[np.intp], start: int, end: int) -> Replay:
    """The nodes of a stretch of time in the order of their times: calls, waits, work, and an end mark."""
    slices, ends = evidence.slices, evidence.ends
    calls = calls[(slices["start"][calls] >= start) & (slices["start"][calls] < end)]
    work = evidence.all_work
    launch_row = evidence.launchers[work]
    launched_at = np.where(launch_row >= 0, slices["start"][np.maximum(launch_row, 0)], slices["start"][work])
    mine = (launched_at < end) & (ends[work] > start)  # what was launched before may still keep the device
    work, launch_row = work[mine], launch_row[mine]

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
    # waits come after the work that they wait for, which has begun before
    order = np.lexsort((kind == WAIT, begins))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    call_place, wait_place = place[: count[0]], place[count[0] : count[0] + count[1]]
    work_place = place[count[0] + count[1] : -1]

    before, launch, other = (np.full(len(order), -1, np.int64) for _ in range(3))
    completed = call_place.copy()  # the node at whose end the host goes on
    completed[waiting] = wait_place
    before[call_place[1:]] = completed[:-1]
    before[place[-1]] = completed[-1] if len(completed) else -1
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
    return Replay(
        start,
        max(1, round((end - start) * evidence.counted / evidence.whole)),
        end - start,
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


def _waited_for(evidence: Evidence, calls: NDArray[np.intp], work: NDArray[np.intp]) -> NDArray[np.int64]:
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
    evidence: Evidence,
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


def path_times(replay: Replay, evidence: Evidence) -> Mapping[str, int]:
    """What the critical path of a step consists of, ns in the mean of the replayed steps: work
    of devices by category, ``runtime`` (calls), ``host`` (between calls), ``data`` (loading data between
    calls), ``launch`` (from a launch to its work) and ``delay`` (between works). The path is as long as the
    time from the first node to the last. Devices that run behind the host work on after the last step: then
    all times are scaled to those of the steps, so that a path is at most as long as a step."""
    path = replay.critical_path()
    kind, row = replay.kind[path], replay.row[path]
    waited = np.append(path[1:], -1)  # the node that each waited for
    launched = (replay.launch[path] == waited) & (waited >= 0)
    duration, lag = replay.duration[path], replay.lag[path]
    duration[1:][launched[:-1]] = 0  # work may begin before the call that launches it has ended
    found: dict[str, int] = {}
    work = kind == WORK
    categories = evidence.slices["category"][np.maximum(row, 0)]
    for category in np.unique(categories[work]).tolist():
        found[Category(category).name.lower()] = int(duration[work & (categories == category)].sum())
    found["runtime"] = int(duration[kind == HOST].sum())
    begin, gap_end = (column[path] for column in replay.gap)
    host = kind == HOST
    data = evidence.slices["category"] == Category.DATA
    loading = covered(evidence.spans(np.flatnonzero(data)), begin[host], gap_end[host])
    found["data"] = int(loading.sum())
    found["host"] = int(lag[host].sum()) - found["data"]
    found["launch"] = int(replay.latency[path][launched].sum())
    other = (replay.other[path] == waited) & (waited >= 0)
    found["delay"] = int(replay.delay[path][other].sum() + lag[~host & ~launched & ~other].sum())
    of_step = min(1.0, replay.whole / max(1, sum(found.values()))) / replay.steps
    return {name: round(time * of_step) for name, time in found.items() if time}
