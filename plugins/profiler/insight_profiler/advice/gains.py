"""What a change saves that makes some work of the device faster, from the least to the most that it may."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.findings import Saving
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.figures import blocks_of, processors
from insight_profiler.advice.findings import Severity
from insight_profiler.advice.savings import fast_host
from insight_profiler.analysis.device_peaks import device_peaks
from insight_profiler.analysis.operator_peaks import counted_owners

_LATENCY = 10_000  # ns of a kernel that takes as long whatever it computes
_REACHED = 0.7  # of the peak of float32 by products that arithmetic alone limits
Left = NDArray[np.float64]


@frozen
class Gain:
    """Shares of a step from 0 to 1: ``low`` now and at worst, ``high`` at best and once the host keeps up."""

    low: float
    high: float
    assumes: Reason

    @property
    def promise(self) -> Saving:
        """As findings have it."""
        return Saving(self.low, self.high, assumes=self.assumes)

    def is_worth(self, least: float) -> bool:
        """Whether the change may save so much."""
        return self.high >= least

    def severity(self, least: float) -> Severity:
        """A hint if the change does not save so much for sure."""
        return "warning" if self.low >= least else "hint"


def limited_by_arithmetic(evidence: Evidence, rows: Rows) -> NDArray[np.float64]:
    """float64[rows]: the share of the time of each product that faster arithmetic would shorten.

    By their operations and the peak of the device where both are known. Else a product of too few blocks to
    fill the device counts in part, and one that is as short as a launch not at all: latency limits it.
    """
    durations = evidence.slices["duration"][rows]
    found = (durations >= _LATENCY).astype(np.float64)
    count = processors(evidence)
    if count and "kernels" in evidence.profile.tables:
        blocks = blocks_of(evidence)[evidence.slices["kernel"][rows]]
        found *= np.where(blocks > 0, np.minimum(1.0, blocks / count), 1.0)
    peaks = None if evidence.device is None else device_peaks(evidence.device)
    table = evidence.profile.tables.get("operators")
    if peaks is None or table is None or not len(table["name"]):
        return found
    operator = evidence.operator_of(rows)
    owner = np.where(operator >= 0, counted_owners(evidence.profile, table)[operator], -1)
    known = (owner >= 0) & (table["device_total"][owner] > 0)
    rates = table["flops"][owner] / np.maximum(table["device_total"][owner], 1) * 1e9
    return np.where(known, np.minimum(1.0, rates / (_REACHED * peaks.plain)), found)


def if_faster(evidence: Evidence, rows: Rows, most: Left, least: Left, assumes: Reason) -> Gain:
    """What is saved if work takes only a share of its time: ``most`` of it at worst and ``least`` of it at
    best (float64[rows])."""
    replay = evidence.replay
    whole = evidence.whole
    if replay is None:
        times = evidence.slices["duration"][rows]
        low, high = (float((times * (1 - left)).sum()) / whole for left in (most, least))
        return Gain(min(low, 1.0), min(high, 1.0), assumes)
    node = replay.row
    order = np.argsort(rows)
    place = np.minimum(np.searchsorted(rows[order], node), max(len(rows) - 1, 0))
    mine = replay.nodes_of(rows)

    def shortened(left: Left) -> NDArray[np.int64]:
        of_node = np.where(mine, left[order][place], 1.0) if len(rows) else np.ones(len(node))
        return (replay.duration * of_node).astype(np.int64)

    now, best = (replay.saves(duration=shortened(left)) for left in (most, least))
    before, after = (fast_host(evidence, replay, one) for one in (replay.duration, shortened(least)))
    later = max(0, before - after) / max(1, replay.measured)
    return Gain(now, max(now, best, later), assumes)
