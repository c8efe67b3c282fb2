"""Replays steps of a profile under changed conditions: how long would they take if some of it were shorter?

A step is a graph of the calls of the host that launch work, the work of devices, and the waits of the host.
Each begins when the last of what it depends on has ended, plus the lag that was measured after that one, or
the usual lag after the others:

- a call of the host: the call that returned last before it began; the lag is what the host does between them
- work of a device: the work before it on its stream, its launch, and work of another stream that ended just
  before it began (an event)
- a wait: its call, and the work of a device that ended just before it

Replayed without a change the steps take exactly the time that was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_profiler.advice.timeline_evidence import TimelineEvidence
from insight_profiler.analysis.spans import Spans, covered
from insight_profiler.model import Category

try:
    from insight_profiler.advice._node_times import node_times
except ModuleNotFoundError as error:
    raise NotCompiled("insight_profiler.advice._node_times") from error

HOST, WAIT, WORK = range(3)  # kinds of nodes
Shares: TypeAlias = float | NDArray[np.float64]


@frozen(eq=False)
class ReplayChange:
    """What is otherwise: the shares that are left of the time of nodes (``duration``), and of what passes
    before them (``lag``), for all nodes or float64[nodes]; bool[nodes] ``waits``: those that still happen."""

    duration: Shares = 1.0
    lag: Shares = 1.0
    waits: NDArray[np.bool_] | None = None

    def __and__(self, other: ReplayChange) -> ReplayChange:
        """Both at once: of what both shorten, the shorter is left."""
        waits = self.waits if other.waits is None else other.waits
        if self.waits is not None and other.waits is not None:
            waits = self.waits & other.waits
        shares = (np.minimum(self.duration, other.duration), np.minimum(self.lag, other.lag))
        return ReplayChange(*shares, waits)


@frozen(eq=False)
class HostPace:
    """How fast a host is: int64[nodes] ``duration``, ``lag`` and ``latency`` of a replay, ns."""

    duration: NDArray[np.int64]
    lag: NDArray[np.int64]
    latency: NDArray[np.int64]


@frozen(eq=False)
class Replay:
    """A graph of steps. Columns are by node, in an order in which each comes after what it depends on."""

    start: int  # ns, of the first step
    steps: int  # how many
    behind: int  # ns from the start, when the device has done what was launched before
    measured: int  # ns from the start, until the last of their work ends
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

    @property
    def whole(self) -> int:
        """How long the steps take, ns: from when the device has done what was launched before them."""
        return max(1, self.measured - self.behind)

    @property
    def recorded(self) -> HostPace:
        """The host as it was recorded."""
        return HostPace(self.duration, self.lag, self.latency)

    def span(
        self,
        *,
        duration: NDArray[np.int64] | None = None,
        lag: NDArray[np.int64] | None = None,
        waits: NDArray[np.bool_] | None = None,
    ) -> int:
        """How long it takes from the start (ns) with other durations and lags, and without the ``waits`` that
        are False (bool[nodes])."""
        return int(self._times(duration, lag, waits)[1].max(initial=0))

    def time(self, host: HostPace, change: ReplayChange | None = None) -> int:
        """How long the steps take (ns) with a host that is so fast, and a change."""
        duration, lag, waits = host.duration, host.lag, None
        if change is not None:
            duration = (duration * change.duration).astype(np.int64)
            lag = np.where(lag > 0, lag * change.lag, lag).astype(np.int64)
            waits = change.waits
        end = int(self._times(duration, lag, waits, host.latency)[1].max(initial=0))
        return max(1, end - self.behind)

    def without_host(self, host: HostPace, stays: Spans, left: float = 0.0) -> HostPace:
        """A host that takes only a share ``left`` of its time between and in the calls that launch work, and
        as long as before for what it does during some spans."""
        mine = self.kind == HOST
        kept = covered(stays, *self.gap)
        lag = np.where(mine, np.minimum(host.lag, kept) + (host.lag - kept).clip(0) * left, host.lag)
        duration = np.where(mine, host.duration * left, host.duration)
        return HostPace(duration.astype(np.int64), lag.astype(np.int64), host.latency)

    def saves(
        self,
        *,
        duration: NDArray[np.int64] | None = None,
        lag: NDArray[np.int64] | None = None,
        waits: NDArray[np.bool_] | None = None,
    ) -> float:
        """The share of the time of the steps, as they were recorded, that a change saves, from 0 to 1."""
        span = self.span(duration=duration, lag=lag, waits=waits)
        return min(1.0, max(0.0, (self.measured - span) / self.whole))

    def nodes_of(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """bool[nodes]: those that are one of some slices; waits not among them."""
        found: NDArray[np.bool_] = np.isin(self.row, rows) & (self.kind != WAIT)
        return found

    def critical_path(self) -> NDArray[np.int64]:
        """The nodes that decide how long the steps take, from the last to the first: each of them waited
        for the next."""
        begin, end = self._times(None, None, None)
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
        latency: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """When each node begins and ends, ns from the start."""
        return node_times(
            self.before,
            self.lag if lag is None else lag,
            self.launch,
            self.latency if latency is None else latency,
            self.other if waits is None else np.where(waits, self.other, -1),
            self.delay,
            self.duration if duration is None else duration,
        )


def path_times(replay: Replay, evidence: TimelineEvidence) -> Mapping[str, int]:
    """What the critical path of a step consists of, ns in the mean of the replayed steps: work of devices by
    category, ``runtime`` (calls), ``host`` (between calls), ``data`` and ``communication`` (what the host
    loads, or exchanges with other ranks, between calls), ``launch`` (from a launch to its work) and ``delay``
    (between works). The path is as long as the time from the first node to the last. Where that begins with
    work of before the steps, times are scaled to those of the steps: a path is at most as long as a step."""
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
    loading = evidence.union(np.flatnonzero(evidence.slices["category"] == Category.DATA))
    found["data"] = int(covered(loading, begin[host], gap_end[host]).sum())
    exchanged = int(covered(evidence.host_communication, begin[host], gap_end[host]).sum())
    found["communication"] = found.get("communication", 0) + exchanged
    found["host"] = max(0, int(lag[host].sum()) - found["data"] - exchanged)
    found["launch"] = int(replay.latency[path][launched].sum())
    other = (replay.other[path] == waited) & (waited >= 0)
    found["delay"] = int(replay.delay[path][other].sum() + lag[~host & ~launched & ~other].sum())
    of_step = min(1.0, replay.whole / max(1, sum(found.values()))) / replay.steps
    return {name: round(time * of_step) for name, time in found.items() if time}
