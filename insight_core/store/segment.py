"""Growable columns of consecutive files of one series."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from insight_core.formats.batch import never_back
from insight_core.plugin import Claim
from insight_core.store.column_memory import Column, ColumnMemory

FileOrder: TypeAlias = tuple[float, str]  # sorts the files of a run by start time

_LEAST_GROWTH = 8  # points


class FilePart:
    """Number and claims of the points that one file gave to a series."""

    __slots__ = ("claims", "kept", "order", "total")

    def __init__(self, order: FileOrder) -> None:
        self.order = order
        self.kept = 0  # points that are retained
        self.total = 0  # points that were recorded
        self.claims: tuple[Claim, ...] = ()  # the column "claims" counts in these


class Segment:
    """Columns of equal length. Arrays returned by ``columns()`` never change: points are only appended
    after them.
    """

    __slots__ = ("_buffers", "_capacity", "_counted", "_memory", "ascending", "length", "parts")

    def __init__(
        self,
        columns: Mapping[str, Column],
        memory: ColumnMemory,
        parts: list[FilePart],
        ascending: bool | None = None,
    ) -> None:
        """Adopts the columns; ``ascending`` if it is known whether steps never decrease."""
        steps = columns["steps"]
        self._memory = memory
        self._buffers, self._counted = memory.adopt(columns)
        self.length = self._capacity = len(steps)
        self.ascending = never_back(steps) if ascending is None else ascending
        self.parts = parts

    def columns(self) -> Mapping[str, Column]:
        """All points, shared."""
        if self.length == self._capacity:
            return self._buffers
        return {name: buffer[: self.length] for name, buffer in self._buffers.items()}

    def part(self, order: FileOrder) -> FilePart:
        """The part of one of its files."""
        return next(part for part in reversed(self.parts) if part.order == order)

    @property
    def first_step(self) -> int:
        """Step of the first point."""
        return int(self._buffers["steps"][0])

    @property
    def last_step(self) -> int:
        """Step of the last point."""
        return int(self._buffers["steps"][self.length - 1])

    def outline(self) -> tuple[int, int, int, float | None, float]:
        """Number of points, first and last step, last value of numbers, and last wall time."""
        length, buffers = self.length, self._buffers
        steps, values = buffers["steps"], buffers.get("values")
        if not length:
            return 0, 0, 0, None, 0.0
        return (
            length,
            int(steps[0]),
            int(steps[length - 1]),
            None if values is None else float(values[length - 1]),
            float(buffers["wall_times"][length - 1]),
        )

    def follows(self, before: Segment) -> bool:
        """Whether the steps do not decrease from ``before`` to this segment."""
        return before.last_step <= self.first_step

    def extend(self, columns: Mapping[str, Column], expected: float = 1.0) -> None:
        """Appends points; about ``expected`` times as many will follow in total."""
        steps = columns["steps"]
        end = self.length + len(steps)
        if end > self._capacity or any(
            buffer.dtype != columns[name].dtype for name, buffer in self._buffers.items()
        ):
            self._grow(columns, end, expected)
        for name, buffer in self._buffers.items():
            buffer[self.length : end] = columns[name]
        if self.ascending and len(steps):
            self.ascending = not (self.length and steps[0] < self.last_step) and never_back(steps)
        self.length = end

    def _grow(self, more: Mapping[str, Column], end: int, expected: float) -> None:
        capacity = self._capacity
        if end > capacity:
            capacity = max(round(end * expected), self.length + max(self.length // 2, _LEAST_GROWTH), end)
        grown: dict[str, Column] = {}
        counted = 0
        for name, buffer in self._buffers.items():
            dtype = np.result_type(buffer.dtype, more[name].dtype)
            grown[name], size = self._memory.allocate(capacity, dtype)
            grown[name][: self.length] = buffer[: self.length]
            counted += size
        self.release()
        self._buffers, self._counted, self._capacity = grown, counted, capacity

    def release(self) -> None:
        """Frees the columns: they no longer count as memory."""
        self._memory.release(self._counted)
        self._counted = 0


def all_ascending(segments: Sequence[Segment]) -> bool:
    """Whether no step is smaller than the step before it."""
    if len(segments) == 1:
        return segments[0].ascending
    return all(segment.ascending for segment in segments) and all(
        after.follows(before) for before, after in itertools.pairwise(segments)
    )


def merged_segment(
    columns: list[Mapping[str, Column]], parts: list[FilePart], memory: ColumnMemory, ascending: bool
) -> Segment:
    """One segment with all columns."""
    merged = Segment(columns[0], memory, parts)
    count = sum(len(piece["steps"]) for piece in columns)
    for piece in columns[1:]:
        merged.extend(piece, count / (merged.length + len(piece["steps"])))
    merged.ascending = ascending
    return merged
