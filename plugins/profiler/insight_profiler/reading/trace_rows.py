"""Columns of one window of a trace, before they are added to the profile."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_profiler.reading.times import NO_TIME, nanoseconds


@define
class SliceRows:
    """Slices of a window; for what few of them have, rows and values."""

    tracks: list[int] = field(factory=list)
    kinds: list[int] = field(factory=list)
    starts: list[object] = field(factory=list)
    durations: list[object] = field(factory=list)
    events: list[int] = field(factory=list)
    shapes: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    external: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    correlation: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    kernel: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    steps: list[tuple[int, int]] = field(factory=list)  # number, row

    def sparse(self, which: tuple[list[int], list[int]]) -> NDArray[np.int64]:
        column = np.full(len(self.tracks), -1, np.int64)
        rows, values = which
        column[rows] = values
        return column


@define
class TimedPoints:
    """Events of a window with one time: arrows, counters, memory."""

    times: list[object] = field(factory=list)
    values: list[tuple[Any, ...]] = field(factory=list)

    def timed(self) -> tuple[list[int], list[tuple[Any, ...]], int]:
        """Those that have a time, and how many have none."""
        times = nanoseconds(self.times).tolist()
        if NO_TIME not in times:
            return times, self.values, 0
        good = [row for row, time in enumerate(times) if time != NO_TIME]
        return [times[row] for row in good], [self.values[row] for row in good], len(times) - len(good)
