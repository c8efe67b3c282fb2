"""Growable columns of consecutive files of one series."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_core.formats.columns import Columns, never_back
from insight_core.formats.stored_block import AnyColumns, StoredColumns
from insight_core.store.column_memory import ColumnMemory

FileOrder: TypeAlias = tuple[float, str]  # sorts the files of a run by start time
PartOrder: TypeAlias = tuple[FileOrder, int]  # sorts the parts of series of one tag

_LEAST_GROWTH = 8  # points


@define(eq=False)
class SeriesPart:
    """Consecutive points of a series that come from one file.

    A tag has several series if it has several claims in a file, or if the form of its values changes.
    ``stretch`` counts these changes, so that the series can be joined in the order of the file.
    """

    order: FileOrder
    stretch: int = 0
    kept: int = 0  # points that are retained
    total: int = 0  # points that were recorded

    @property
    def place(self) -> PartOrder:
        """Sorts the parts of all series of a tag."""
        return self.order, self.stretch


class Segment:
    """Columns of equal length. Arrays returned by ``columns()`` never change: points are only appended
    after them. Columns that an earlier process stored are read when they are needed, and not kept.
    """

    __slots__ = ("_capacity", "_held", "_memory", "ascending", "length", "parts")

    def __init__(
        self,
        columns: AnyColumns,
        memory: ColumnMemory,
        parts: list[SeriesPart],
        ascending: bool | None = None,
    ) -> None:
        """Adopts the columns; ``ascending`` if it is known whether steps never decrease."""
        self._memory = memory
        self._held = columns if isinstance(columns, StoredColumns) else memory.adopt(columns)
        self.length = self._capacity = len(columns)
        self.ascending = never_back(columns.loaded().steps) if ascending is None else ascending
        self.parts = parts

    @property
    def is_stored(self) -> bool:
        """Whether the columns are in a file alone."""
        return isinstance(self._held, StoredColumns)

    def held(self) -> AnyColumns:
        """All points, shared, or where they are."""
        return self._held if isinstance(self._held, StoredColumns) else self._used(self._held)

    def columns(self) -> Columns:
        """All points, shared."""
        return self.held().loaded()

    def _used(self, buffers: Columns) -> Columns:
        return buffers if self.length == self._capacity else buffers[: self.length]

    @property
    def first_step(self) -> int:
        """Step of the first point."""
        held = self._held
        return int(held.fact("first_step") if isinstance(held, StoredColumns) else held.steps[0])

    @property
    def last_step(self) -> int:
        """Step of the last point."""
        held = self._held
        if isinstance(held, StoredColumns):
            return int(held.fact("last_step"))
        return int(held.steps[self.length - 1])

    @property
    def last_value(self) -> float | None:
        """Value of the last point, of numbers alone."""
        held = self._held
        if held.layout != (True, False):
            return None
        if isinstance(held, StoredColumns):
            return float(held.fact("last_value"))
        return float(held.values[self.length - 1])  # type: ignore[index]

    @property
    def last_wall_time(self) -> float:
        """Wall time of the last point."""
        held = self._held
        if isinstance(held, StoredColumns):
            return float(held.fact("last_wall_time"))
        return float(held.wall_times[self.length - 1])

    def drop_places(self) -> None:
        """Drops the positions in the file."""
        self._held = self._held.without_places()

    def extend(self, columns: Columns, expected: float = 1.0) -> None:
        """Appends points of the same layout; about ``expected`` times as many will follow in total."""
        held = self._held
        if isinstance(held, StoredColumns):
            held = self._held = self._memory.adopt(held.loaded())
        end = self.length + len(columns)
        pairs = list(zip(held.arrays(), columns.arrays(), strict=True))
        if end > self._capacity or any(buffer.dtype != more.dtype for buffer, more in pairs):
            held = self._held = self._grown(held, columns, end, expected)
            pairs = list(zip(held.arrays(), columns.arrays(), strict=True))
        for buffer, more in pairs:
            buffer[..., self.length : end] = more
        if self.ascending and len(columns):
            steps = columns.steps
            self.ascending = not (self.length and steps[0] < self.last_step) and never_back(steps)
        self.length = end

    def _grown(self, old: Columns, more: Columns, end: int, expected: float) -> Columns:
        capacity = self._capacity
        if end > capacity:
            capacity = max(round(end * expected), self.length + max(self.length // 2, _LEAST_GROWTH), end)

        def grown(buffer: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
            whole = self._memory.allocate((*buffer.shape[:-1], capacity), np.result_type(buffer, other))
            whole[..., : self.length] = buffer[..., : self.length]
            return whole

        self._capacity = capacity
        return Columns(
            grown(old.steps, more.steps),
            grown(old.wall_times, more.wall_times),
            None if old.values is None or more.values is None else grown(old.values, more.values),
            None if old.places is None or more.places is None else grown(old.places, more.places),
        )


def all_ascending(segments: Sequence[Segment]) -> bool:
    """Whether no step is smaller than the step before it."""
    return all(segment.ascending for segment in segments) and all(
        before.last_step <= after.first_step for before, after in itertools.pairwise(segments)
    )


def merged_segment(
    columns: list[Columns], parts: list[SeriesPart], memory: ColumnMemory, ascending: bool
) -> Segment:
    """One segment with all columns."""
    merged = Segment(columns[0], memory, parts)
    count = sum(map(len, columns))
    for piece in columns[1:]:
        merged.extend(piece, count / (merged.length + len(piece)))
    merged.ascending = ascending
    return merged
