"""What the profiler itself costs: how long the steps would take without it."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.advice.replay import HOST, WORK, HostPace, Replay
from insight_profiler.advice.timeline_evidence import TimelineEvidence
from insight_profiler.analysis.spans import covered
from insight_profiler.model import Category, Source

_TIMES = (0.85, 2.5)  # of the usual time between an event and the one within: see docs/how-to
_KEPT = 0.25  # of what the host does between two calls is left at least
_FEW = 20  # events with one within do not tell what an event costs


@frozen(eq=False)
class ProfilerCost:
    """What the events of the host cost by node of a replay, if each costs the usual time between an event and
    the one within: those ``before`` a call, and the call itself (``own``), ns. ``kept``: what the host does
    before a call that takes no longer under a profiler, ns (it loads data, or communicates). ``graph``: work
    of a captured graph, which the device itself slows to record each."""

    before: NDArray[np.float64]
    own: NDArray[np.float64]
    kept: NDArray[np.int64]
    graph: NDArray[np.bool_]

    @classmethod
    def of(cls, evidence: TimelineEvidence, replay: Replay) -> ProfilerCost | None:
        """What the trace itself tells: torch.profiler writes an event for each operator, call and function of
        Python, and from the begin of an event to that of the first within most time passes in writing both
        down. None where a trace has no operators that call others."""
        slices = evidence.slices
        usual = _usual_within(evidence, Category.OPERATOR)
        if evidence.profile.source is not Source.TORCH or usual is None:
            return None
        mine = replay.kind == HOST
        calls = replay.row[mine & (replay.row >= 0)]
        has_calls = np.zeros(int(slices["track"].max()) + 1, bool)
        has_calls[slices["track"][calls]] = True
        on_thread = has_calls[slices["track"]] & ~evidence.is_work
        before = np.zeros(len(mine))
        python = _usual_within(evidence, Category.OTHER) or usual
        for is_python, cost in ((False, usual), (True, python)):
            begins = slices["start"][on_thread & ((slices["category"] == Category.OTHER) == is_python)]
            begins = np.sort(begins, kind="stable")  # those of each thread are in order
            low, high = (np.searchsorted(begins, times, "left") for times in replay.gap)
            before += (high - low) * cost
        data = evidence.spans(np.flatnonzero(slices["category"] == Category.DATA))
        graphs = evidence.named(lambda name: "GraphLaunch" in name, calls.astype(np.intp))
        return cls(
            np.where(mine, before, 0.0),
            np.where(mine & (replay.row >= 0), usual, 0.0),
            covered(evidence.host_communication, *replay.gap) + covered(data, *replay.gap),
            (replay.kind == WORK) & np.isin(replay.row[replay.launch], graphs) & (replay.launch >= 0),
        )

    def without(self, replay: Replay, times: float) -> HostPace:
        """The host without the profiler, if each event costs so many times the usual time."""
        lag, (low, high) = replay.lag, _TIMES
        least = np.minimum(lag, self.kept + (lag - self.kept).clip(0) * _KEPT)
        left = np.maximum(lag - self.before * times, least)
        duration = np.maximum(replay.duration - self.own * times, replay.duration * _KEPT)
        # to record each work of a graph the profiler takes the device itself, and the call that launches it
        graph = np.clip((high - times) / (high - low), 0.0, 1.0)
        slower = max(_KEPT, graph)
        left = np.where(self.graph & (lag > 0), lag * graph, left)
        latency = np.where(self.graph, replay.latency * slower, replay.latency)
        duration[np.unique(replay.launch[self.graph])] *= slower
        return HostPace(*(column.astype(np.int64) for column in (duration, left, latency)))

    def hosts(self, replay: Replay) -> tuple[HostPace, ...]:
        """The hosts that may be, the slowest first."""
        return tuple(self.without(replay, times) for times in _TIMES)

    def usual(self, replay: Replay) -> HostPace:
        """The host in the middle of those."""
        return self.without(replay, float(np.sqrt(_TIMES[0] * _TIMES[1])))

    def measured(self, replay: Replay, step: float) -> HostPace:
        """The host with which steps take as long as they were measured without the profiler, ns."""
        low, high = 0.0, 8 * _TIMES[1]
        for _ in range(12):
            times = (low + high) / 2
            is_slower = replay.time(self.without(replay, times)) > step * replay.steps
            low, high = (times, high) if is_slower else (low, times)
        return self.without(replay, high)


def _usual_within(evidence: TimelineEvidence, category: Category) -> float | None:
    """The median of the time from the begin of an event of a category to that of the first within, ns."""
    slices = evidence.slices
    parent = slices["parent"]
    is_event = (slices["category"] == category) & evidence.inside
    rows = np.flatnonzero(is_event & (parent >= 0))
    rows = rows[is_event[parent[rows]] & (parent[rows] == rows - 1)]
    if len(rows) < _FEW:
        return None
    return float(np.median(slices["start"][rows] - slices["start"][parent[rows]]))
