"""What is allocated when: how each event changes it, what is live at a moment, and when most is."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Table


@frozen(eq=False)
class AllocationChanges:
    """The beginnings and ends of allocations in the order of time, where memory that is freed at a moment is
    gone before other is taken: times in ns, how many bytes more or less are held, rows of the table."""

    times: NDArray[np.int64]
    sizes: NDArray[np.int64]
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, table: Table) -> AllocationChanges:
        """Those of the columns ``start, end, bytes``; an end of -1 is none."""
        start, end, sizes = table["start"], table["end"], table["bytes"]
        freed = np.flatnonzero(end >= 0)
        times = np.concatenate([start, end[freed]])
        changes = np.concatenate([sizes, -sizes[freed]])
        order = np.lexsort((changes, times))
        rows = np.concatenate([np.arange(len(start)), freed])
        return cls(times[order], changes[order], rows[order])

    def highest(self) -> tuple[int, int]:
        """When most is held, and how much: ns, bytes. 0 of nothing."""
        if not len(self.times):
            return 0, 0
        level = np.cumsum(self.sizes)
        top = int(np.argmax(level))
        return int(self.times[top]), int(level[top])


def live(table: Table, at: int, since: int | None = None) -> NDArray[np.intp]:
    """Rows of the allocations that are held at a moment, or of those of them that were taken after ``since``;
    one freed at that moment is not held."""
    start, end = table["start"], table["end"]
    is_live = (start <= at) & ((end < 0) | (end > at))
    return np.flatnonzero(is_live if since is None else is_live & (start > since))
