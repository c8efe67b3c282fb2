"""Filters, sorts and groups the rows of an answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.filters import Column
from insight_lineage.table import Rows


@frozen
class SortKey:
    """A column to sort by, ascending by default."""

    column: Column
    downwards: bool = False


@frozen(eq=False)
class Groups:
    """Where the groups begin among the rows; the last one ends with them."""

    starts: NDArray[np.intp]
    counts: NDArray[np.intp]

    def around(self, first: int, last: int) -> Groups:
        """Those with a row from ``first`` to ``last``, that one not included."""
        chosen = (self.starts < last) & (self.starts + self.counts > first)
        return Groups(self.starts[chosen], self.counts[chosen])


def ordered(
    rows: NDArray[np.intp], table: Rows, sort: Sequence[SortKey], group: Sequence[Column]
) -> NDArray[np.intp]:
    """The rows group by group, then as ``sort`` says, then in the order of the table."""
    directions = {key.column.name: key.downwards for key in sort}
    keys: list[NDArray[np.generic]] = [table.order[rows]]
    for key in reversed(sort):
        keys += key.column.sort_keys(rows, downwards=key.downwards)
    wanted = [key.column for key in sort if key.column in group]
    for column in reversed([*wanted, *(column for column in group if column not in wanted)]):
        keys += column.sort_keys(rows, downwards=directions.get(column.name, False))
    return rows[np.lexsort(keys)]


def groups_of(rows: NDArray[np.intp], group: Sequence[Column]) -> Groups:
    """The groups of rows in order."""
    begins = np.zeros(len(rows), np.bool_)
    begins[:1] = True
    for column in group:
        for key in column.sort_keys(rows, downwards=False):
            begins[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(begins)
    return Groups(starts, np.diff(np.append(starts, len(rows))))


def statistics(column: Column, rows: NDArray[np.intp], groups: Groups) -> list[dict[str, object] | None]:
    """Count, mean, smallest and largest of the finite numbers of each group, None where there are none."""
    if not column.has_numbers or not len(rows):
        return [None] * len(groups.starts)
    numbers = column.numbers[rows]
    finite = np.isfinite(numbers)
    starts = groups.starts
    counts = np.add.reduceat(finite.astype(np.int64), starts)
    scale = np.maximum(counts, 1)
    with np.errstate(over="ignore"):
        means = np.add.reduceat(np.where(finite, numbers, 0.0) / np.repeat(scale, groups.counts), starts)
    lows = np.minimum.reduceat(np.where(finite, numbers, np.inf), starts)
    highs = np.maximum.reduceat(np.where(finite, numbers, -np.inf), starts)
    listed = zip(counts.tolist(), means.tolist(), lows.tolist(), highs.tolist(), strict=True)
    return [
        {"count": count, "mean": mean, "min": low, "max": high} if count else None
        for count, mean, low, high in listed
    ]
