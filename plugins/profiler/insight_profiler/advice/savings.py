"""What a change saves of a step: a range, replayed with a host as fast as it is without a profiler."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.findings import Saving
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.places import Severity
from insight_profiler.advice.replay import HOST, WAIT, Replay, ReplayChange, Shares
from insight_profiler.advice.words import said
from insight_profiler.analysis.spans import Spans, covered, length

_LIMITED = 0.9  # of what the work takes less: a change that saves less has another bottleneck
_MORE = 1.1  # times as much as now


@frozen(eq=False)
class Savings:
    """Shares of a step from 0 to 1, from ``low`` to ``high``. ``later`` is what the change saves once the
    host keeps up with the device, None where that is not much more. ``change``: what was replayed, None where
    the shares are those that the cause takes; ``assumes``: what the range rests on."""

    low: float
    high: float
    later: float | None = None
    change: ReplayChange | None = None
    assumes: Reason | None = None

    @property
    def promise(self) -> Saving:
        """From the least that it saves now to the most that it saves now or later."""
        assumes = self.assumes
        if self.later is not None:
            later = said("assumes_fast_host")
            assumes = later if assumes is None else said("assumes_both", first=assumes, second=later)
        elif assumes is None and self.change is None:
            assumes = said("assumes_share")
        return Saving(self.low, max(self.high, self.later or 0.0), assumes=assumes)

    def is_worth(self, least: float) -> bool:
        """Whether the change may save so much, now or later."""
        return max(self.high, self.later or 0.0) >= least

    def severity(self, least: float) -> Severity:
        """A hint if the change does not yet save so much, in the middle of the range."""
        return "warning" if (self.low + self.high) / 2 >= least else "hint"


def if_changed(
    evidence: Evidence,
    replay: Replay,
    change: ReplayChange,
    best: ReplayChange | None = None,
    assumes: Reason | None = None,
) -> Savings:
    """What is saved by a change, or between that one and ``best``, on hosts as fast as without a profiler."""
    shares = [
        1 - replay.time(host, one) / base
        for host, base in zip(evidence.hosts, evidence.base_times, strict=True)
        for one in (change, best)
        if one is not None
    ]
    low, high = (min(1.0, max(0.0, share)) for share in (min(shares), max(shares)))
    return Savings(low, high, None, change, assumes)


def if_shorter(
    evidence: Evidence, rows: Rows, left: Shares, best: Shares | None = None, assumes: Reason | None = None
) -> Savings:
    """What is saved if some work takes only a share ``left`` of its time, or between that and ``best``: one
    share for all, or float64[rows]. ``assumes`` says where the shares come from."""
    if not len(rows):
        return Savings(0.0, 0.0)
    times = evidence.slices["duration"][rows]
    shares = [np.broadcast_to(one, len(rows)) for one in (left, best) if one is not None]
    # at the same time as others of them, work takes the time of a step only once
    once = length(evidence.spans(rows)) / max(1, int(times.sum())) / evidence.whole
    shorter = [float((times * (1 - share)).sum()) * once for share in shares]
    replay = evidence.replay
    if replay is None:
        low, high = (min(1.0, max(0.0, one)) for one in (min(shorter), max(shorter)))
        return Savings(low, high, assumes=assumes)
    changes = [ReplayChange(duration=_of_nodes(replay, rows, share)) for share in shares]
    found = if_changed(evidence, replay, changes[0], None if best is None else changes[1], assumes)
    if found.high >= _LIMITED * max(shorter):
        return found
    later = 0.0
    for (fast, ahead), base in zip(evidence.hosts_gone, evidence.base_times, strict=True):
        later = max(later, *((ahead - replay.time(fast, change)) / base for change in changes))
    is_more = later > _MORE * found.high
    return Savings(found.low, found.high, min(1.0, later) if is_more else None, changes[0], assumes)


def _of_nodes(replay: Replay, rows: Rows, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """By node the share of some rows; 1 for nodes of others."""
    order = np.argsort(rows, kind="stable")
    at = order[np.minimum(np.searchsorted(rows, replay.row, sorter=order), len(rows) - 1)]
    return np.where((rows[at] == replay.row) & (replay.kind != WAIT), shares[at], 1.0)


def shares_without(replay: Replay, spans: Spans, left: float = 0.0) -> NDArray[np.float64]:
    """float64[nodes], for ``ReplayChange.lag``: what is left before each call if the host does only a share
    ``left`` of what it does during some spans."""
    cut = np.where(replay.kind == HOST, covered(spans, *replay.gap), 0) * (1 - left)
    return np.asarray(1 - np.minimum(cut / np.maximum(replay.lag, 1), 1.0))


def without_gaps(replay: Replay, spans: Spans, left: float = 0.0) -> NDArray[np.int64]:
    """The lags of a replay, as recorded, with ``shares_without``."""
    return np.asarray(np.maximum(replay.lag, 0) * shares_without(replay, spans, left)).astype(np.int64)
