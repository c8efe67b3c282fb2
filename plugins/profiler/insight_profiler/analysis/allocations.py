"""What is allocated when: how each event changes it, what is live at a moment, and when most is."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Table


@frozen(eq=False)
class AllocationChanges:
    """The beginnings and ends of allocations in the order of time, where memory that is freed at a moment is
    gone before other is taken: times in ns, how many bytes are held after each, rows of the table and whether
    it is an end."""

    times: NDArray[np.int64]
    level: NDArray[np.int64]
    rows: NDArray[np.int32]
    is_end: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Table) -> AllocationChanges:
        """Those of the columns ``start, end, bytes``; an end of -1 is none."""
        start, end, sizes = table["start"], table["end"], table["bytes"]
        # ends, then beginnings: a stable sort by time keeps them so at each moment
        freed = np.flatnonzero(end >= 0).astype(np.int32)
        count = len(freed)
        times = np.concatenate([end[freed], start])
        rows = np.argsort(times, kind="stable").astype(np.int32)
        times.sort(kind="stable")
        is_end = rows < count
        rows[is_end] = freed[rows[is_end]]
        rows[~is_end] -= count
        level = sizes[rows]
        np.negative(level, out=level, where=is_end)
        np.cumsum(level, out=level)
        return cls(times, level, rows, is_end)


def highest(table: Table) -> tuple[int, int]:
    """When most is held of allocations, and how much: ns, bytes. 0 of nothing."""
    start, end, sizes = table["start"], table["end"], table["bytes"]
    if not len(start):
        return 0, 0
    is_freed = end >= 0
    ends, gone = end[is_freed], np.zeros(np.count_nonzero(is_freed) + 1, np.int64)
    gone[1:] = sizes[is_freed][np.argsort(ends, kind="stable")]
    np.cumsum(gone, out=gone)
    ends.sort(kind="stable")
    if (start[1:] < start[:-1]).any():
        order = np.argsort(start, kind="stable")
        start, sizes = start[order], sizes[order]
    level = np.cumsum(sizes)
    level -= gone[np.searchsorted(ends, start, "right")]
    top = int(np.argmax(level))
    return int(start[top]), int(level[top])


def of_one_device(table: Table, device: int) -> Table:
    """The rows of a device. Where there is one device nothing is copied: there may be millions of rows."""
    is_mine = table["device"] == device
    return table if is_mine.all() else {name: column[is_mine] for name, column in table.items()}


def largest_of(sizes: NDArray[np.int64], most: int) -> NDArray[np.intp]:
    """The rows of the largest sizes, the largest first, of equal ones the first."""
    if len(sizes) <= most:
        return np.argsort(-sizes, kind="stable")
    least = np.partition(sizes, len(sizes) - most)[len(sizes) - most]
    rows = np.flatnonzero(sizes >= least)
    return rows[np.argsort(-sizes[rows], kind="stable")][:most]


def live(table: Table, at: int, since: int | None = None) -> NDArray[np.intp]:
    """Rows of the allocations that are held at a moment, or of those of them that were taken after ``since``;
    one freed at that moment is not held."""
    start, end = table["start"], table["end"]
    is_live = (start <= at) & ((end < 0) | (end > at))
    return np.flatnonzero(is_live if since is None else is_live & (start > since))
