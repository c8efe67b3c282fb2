"""Growable columns of consecutive files of one series."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_core.formats.columns import Columns, never_back
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
    after them.
    """

    __slots__ = ("_buffers", "_capacity", "_memory", "ascending", "length", "parts")

    def __init__(
        self, columns: Columns, memory: ColumnMemory, parts: list[SeriesPart], ascending: bool | None = None
    ) -> None:
        """Adopts the columns; ``ascending`` if it is known whether steps never decrease."""
        self._memory = memory
        self._buffers = memory.adopt(columns)
        self.length = self._capacity = len(columns)
        self.ascending = never_back(columns.steps) if ascending is None else ascending
        self.parts = parts

    def columns(self) -> Columns:
        """All points, shared."""
        return self._buffers if self.length == self._capacity else self._buffers[: self.length]

    @property
    def first_step(self) -> int:
        """Step of the first point."""
        return int(self._buffers.steps[0])

    @property
    def last_step(self) -> int:
        """Step of the last point."""
        return int(self._buffers.steps[self.length - 1])

    @property
    def last_value(self) -> float | None:
        """Value of the last point, of numbers alone."""
        buffers = self._buffers
        if buffers.values is None or buffers.places is not None:
            return None
        return float(buffers.values[self.length - 1])

    @property
    def last_wall_time(self) -> float:
        """Wall time of the last point."""
        return float(self._buffers.wall_times[self.length - 1])

    def drop_places(self) -> None:
        """Drops the positions in the file."""
        self._buffers = Columns(self._buffers.steps, self._buffers.wall_times, self._buffers.values)

    def extend(self, columns: Columns, expected: float = 1.0) -> None:
        """Appends points of the same layout; about ``expected`` times as many will follow in total."""
        end = self.length + len(columns)
        pairs = list(zip(self._buffers.arrays(), columns.arrays(), strict=True))
        if end > self._capacity or any(buffer.dtype != more.dtype for buffer, more in pairs):
            self._grow(columns, end, expected)
            pairs = list(zip(self._buffers.arrays(), columns.arrays(), strict=True))
        for buffer, more in pairs:
            buffer[..., self.length : end] = more
        if self.ascending and len(columns):
            steps = columns.steps
            self.ascending = not (self.length and steps[0] < self.last_step) and never_back(steps)
        self.length = end

    def _grow(self, more: Columns, end: int, expected: float) -> None:
        capacity = self._capacity
        if end > capacity:
            capacity = max(round(end * expected), self.length + max(self.length // 2, _LEAST_GROWTH), end)

        def grown(buffer: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
            whole = self._memory.allocate((*buffer.shape[:-1], capacity), np.result_type(buffer, other))
            whole[..., : self.length] = buffer[..., : self.length]
            return whole

        old = self._buffers
        self._buffers = Columns(grown(old.steps, more.steps), grown(old.wall_times, more.wall_times))
        if old.values is not None and more.values is not None:
            self._buffers.values = grown(old.values, more.values)
        if old.places is not None and more.places is not None:
            self._buffers.places = grown(old.places, more.places)
        self._capacity = capacity


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
