"""What the profiler itself costs: how long the steps would take without it."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.advice.replay import HOST, WORK, Host, Replay
from insight_profiler.advice.timeline_evidence import TimelineEvidence
from insight_profiler.analysis.spans import covered
from insight_profiler.model import Category, Source

_EVENT = (0.85, 2.5)  # of the usual time between an operator and the one that it calls
_KEPT = 0.25  # of what the host does between two calls is left at least
_FEW = 20  # operators that call one do not tell what an event costs


@frozen(eq=False)
class ProfilerCost:
    """What recording an event of the host may cost (``event``, ns, from and to), and by node of a replay how
    many events the host records ``before`` a call, whether the node is one (``own``), and what the host does
    before it that takes no longer under a profiler (``kept``, ns: it loads data, or communicates). ``graph``:
    work of a captured graph, which the device itself slows to record each."""

    event: tuple[float, float]
    before: NDArray[np.int64]
    own: NDArray[np.bool_]
    kept: NDArray[np.int64]
    graph: NDArray[np.bool_]

    @classmethod
    def of(cls, evidence: TimelineEvidence, replay: Replay) -> ProfilerCost | None:
        """What the trace itself tells: torch.profiler writes an event for each operator, call and function of
        Python, and from the begin of an operator to that of the one that it calls first most time passes
        in writing both down. None where a trace has no such operators."""
        slices = evidence.slices
        usual = _usual_call(evidence)
        if evidence.profile.source is not Source.TORCH or usual is None:
            return None
        calls = replay.row[(replay.kind == HOST) & (replay.row >= 0)]
        tracks = np.unique(slices["track"][calls])
        begins = slices["start"][np.isin(slices["track"], tracks) & ~evidence.is_work]
        begins = np.sort(begins[begins >= replay.start])
        low, high = (np.searchsorted(begins, times, "left") for times in replay.gap)
        mine = replay.kind == HOST
        data = evidence.spans(np.flatnonzero(slices["category"] == Category.DATA))
        kept = covered(evidence.host_communication, *replay.gap) + covered(data, *replay.gap)
        graphs = evidence.named(lambda name: "GraphLaunch" in name, calls.astype(np.intp))
        return cls(
            (usual * _EVENT[0], usual * _EVENT[1]),
            np.where(mine, high - low, 0),
            mine & (replay.row >= 0),
            kept,
            (replay.kind == WORK) & np.isin(replay.row[replay.launch], graphs) & (replay.launch >= 0),
        )

    def without(self, replay: Replay, event: float) -> Host:
        """The host without the profiler, if each event costs ``event`` ns."""
        lag, (low, high) = replay.lag, self.event
        least = np.minimum(lag, self.kept + (lag - self.kept).clip(0) * _KEPT)
        left = np.maximum(lag - self.before * event, least)
        duration = np.where(
            self.own, np.maximum(replay.duration - event, replay.duration * _KEPT), replay.duration
        )
        # to record each work of a graph the profiler takes the device itself, and the call that launches it
        graph = np.clip((high - event) / (high - low), 0.0, 1.0)
        slower = max(_KEPT, graph)
        left = np.where(self.graph & (lag > 0), lag * graph, left)
        latency = np.where(self.graph, replay.latency * slower, replay.latency)
        duration[np.unique(replay.launch[self.graph])] *= slower
        return Host(*(column.astype(np.int64) for column in (duration, left, latency)))

    def hosts(self, replay: Replay) -> tuple[Host, ...]:
        """The hosts that may be, the slowest first."""
        return tuple(self.without(replay, event) for event in self.event)

    def usual(self, replay: Replay) -> Host:
        """The host in the middle of those."""
        return self.without(replay, float(np.sqrt(self.event[0] * self.event[1])))

    def measured(self, replay: Replay, step: float) -> Host:
        """The host with which steps take as long as they were measured without the profiler, ns."""
        low, high = 0.0, 8 * self.event[1]
        for _ in range(12):
            event = (low + high) / 2
            is_slower = replay.time(self.without(replay, event)) > step * replay.steps
            low, high = (event, high) if is_slower else (low, event)
        return self.without(replay, high)


def _usual_call(evidence: TimelineEvidence) -> float | None:
    """The median of the time from the begin of an operator to that of the one that it calls first, ns."""
    slices = evidence.slices
    parent = slices["parent"]
    is_operator = (slices["category"] == Category.OPERATOR) & evidence.inside
    rows = np.flatnonzero(is_operator & (parent >= 0))
    rows = rows[is_operator[parent[rows]] & (parent[rows] == rows - 1)]
    if len(rows) < _FEW:
        return None
    return float(np.median(slices["start"][rows] - slices["start"][parent[rows]]))
