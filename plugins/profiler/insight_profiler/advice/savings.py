"""What it saves if some work of a device takes less time, now and once the host keeps up."""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin.findings import Saving
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import Severity, promised
from insight_profiler.advice.replay import HOST, WAIT, Replay
from insight_profiler.advice.words import said
from insight_profiler.analysis.spans import Spans, covered, merged
from insight_profiler.model import Category

HOST_LEFT = 0.3  # of the time of the host, where its work is compiled or captured
_LIMITED = 0.7  # of what the work takes less: a change that saves less has another bottleneck
_HOST = 0.2  # of the critical path
_MORE = 1.5  # times as much as now


@frozen
class Savings:
    """Shares of a step from 0 to 1. ``later`` is what the change saves once the host keeps up, None where
    that is not much more."""

    now: float
    later: float | None
    is_replayed: bool

    @property
    def promise(self) -> Saving | None:
        """From what it saves now to what it saves later."""
        saves = promised(self.now, is_replayed=self.is_replayed)
        if saves is None or self.later is None:
            return saves
        return evolve(saves, high=min(1.0, self.later), assumes=said("assumes_fast_host"))

    def is_worth(self, least: float) -> bool:
        """Whether the change saves so much, now or later."""
        return max(self.now, self.later or 0.0) >= least

    def severity(self, least: float) -> Severity:
        """A hint if the change does not yet save so much."""
        return "warning" if self.now >= least else "hint"


def if_shorter(evidence: Evidence, rows: Rows, left: float) -> Savings:
    """What is saved if some work takes only a share ``left`` of its time."""
    replay = evidence.replay
    if not len(rows):
        return Savings(0.0, None, is_replayed=False)
    if replay is None:
        return Savings(evidence.time(rows) * (1 - left) / evidence.whole, None, is_replayed=False)
    mine = replay.nodes_of(rows)
    duration = np.where(mine, (replay.duration * left).astype(np.int64), replay.duration)
    now, later = replay.saves(duration=duration), None
    shorter = evidence.time(rows) * (1 - left) / evidence.whole
    if now < _LIMITED * shorter and evidence.host_share > _HOST:
        before, after = (fast_host(evidence, replay, one) for one in (replay.duration, duration))
        later = max(0, before - after) / max(1, replay.whole)
    return Savings(now, later if later is not None and later > _MORE * now else None, is_replayed=True)


def fast_host(
    evidence: Evidence, replay: Replay, duration: NDArray[np.int64], left: float = HOST_LEFT
) -> int:
    """How long the steps take (ns) if data are ready, nothing waits for values of the device, and the host
    takes only a share ``left`` of its time between launches."""
    spans = host_spans(evidence, evidence.slices["category"] == Category.DATA)
    lag = without_gaps(replay, spans)
    host = replay.kind == HOST
    return replay.span(
        lag=np.where(host, lag * left, lag).astype(np.int64),
        duration=np.where(host, duration * left, duration).astype(np.int64),
        waits=replay.kind != WAIT,
    )


def without_gaps(replay: Replay, spans: Spans, left: float = 0.0) -> NDArray[np.int64]:
    """Lags of a replay in which the host does only a share of what it does during some spans."""
    begins, ends = replay.gap
    cut = np.where(replay.kind == HOST, covered(spans, begins, ends), 0)
    return replay.lag - np.minimum((cut * (1 - left)).astype(np.int64), np.maximum(replay.lag, 0))


def host_spans(evidence: Evidence, chosen: NDArray[np.bool_]) -> Spans:
    """When some slices of the host go on, in the steps that count."""
    rows = np.flatnonzero(chosen & ~evidence.is_work & evidence.inside)
    return merged(evidence.slices["start"][rows].astype(np.int64), evidence.ends[rows])
