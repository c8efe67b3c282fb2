"""The order in which a lake stores the points of a series: those that are shown first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray


@frozen(eq=False)
class RowOrder:
    """The rows of a series: the points that are shown by step, then those that are hidden."""

    rows: NDArray[np.intp]  # indices in the order of files
    attempt: NDArray[np.int32]  # of each row
    shown: NDArray[np.bool_]

    @property
    def hidden(self) -> int:
        """Points that are not shown."""
        return int(np.count_nonzero(~self.shown))


def order_of(every: Sequence[NDArray[Any]], shown: Sequence[NDArray[Any]]) -> RowOrder:
    """The order of a series; columns of all its points in the order of files, and of those that are shown.

    Steps are first. Of points that are equal in all columns the last ones are shown.
    """
    steps = every[0]
    attempt = np.zeros(len(steps), np.int32)
    attempt[1:] = np.cumsum(steps[1:] < steps[:-1])
    is_shown = np.ones(len(steps), np.bool_) if len(shown[0]) == len(steps) else _are_among(every, shown)
    rows = np.flatnonzero(is_shown)
    rows = rows[np.argsort(steps[rows], kind="stable")]
    rows = np.concatenate((rows, np.flatnonzero(~is_shown)))
    return RowOrder(rows, attempt[rows], is_shown[rows])


def _are_among(every: Sequence[NDArray[Any]], some: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which points are among some of them, bit by bit; of n equal ones of which m are, the last m."""
    count = len(every[0])
    columns = [np.concatenate(pair) for pair in zip(every, some, strict=True)]
    bits = np.column_stack([column.view(f"i{column.itemsize}") for column in columns])
    number = np.unique(bits, axis=0, return_inverse=True)[1].reshape(-1)
    wanted = np.bincount(number[count:], minlength=int(number.max(initial=0)) + 1)
    backwards = number[:count][::-1]
    order = np.argsort(backwards, kind="stable")
    ordered = backwards[order]
    before = np.arange(count) - np.searchsorted(ordered, ordered)
    result = np.zeros(count, np.bool_)
    result[count - 1 - order] = before < wanted[ordered]
    return result


def file_order(steps: NDArray[np.int64], attempts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of a series in the order of the log files."""
    return np.lexsort((steps, attempts))
