"""The order in which a lake stores the points of a series: those that are shown first."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import find_attempts


@frozen(eq=False)
class RowOrder:
    """The rows of a series: the points that are shown by step, then those that a restart hides."""

    rows: NDArray[np.intp] | slice  # indices in the order of files
    attempt: NDArray[np.int32]  # of each row
    shown: NDArray[np.bool_]
    attempts: int
    restarts: list[int]

    @property
    def hidden(self) -> int:
        """Points that a restart overwrote."""
        return int(np.count_nonzero(~self.shown))


def order_of(steps: NDArray[np.int64]) -> RowOrder:
    """The order of a series with these steps, int64[n] in the order of files."""
    found = find_attempts(steps)
    count = len(steps)
    lengths = np.diff(np.append(found.starts, count))
    attempt = np.repeat(np.arange(found.count, dtype=np.int32), lengths) if count else np.zeros(0, np.int32)
    restarts = found.restarts.tolist()
    if found.visible is None:
        return RowOrder(slice(None), attempt, np.ones(count, bool), found.count, restarts)
    is_shown = np.zeros(count, bool)
    is_shown[found.visible] = True
    rows = np.concatenate((found.visible, np.flatnonzero(~is_shown)))
    return RowOrder(rows, attempt[rows], is_shown[rows], found.count, restarts)


def file_order(steps: NDArray[np.int64], attempts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of a series in the order of the log files."""
    return np.lexsort((steps, attempts))
