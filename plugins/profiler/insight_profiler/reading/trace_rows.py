"""Columns of one window of a trace, and slices whose start and end are separate events (B and E; b and e)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_profiler.building import Building
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
    forward: list[int] = field(factory=list)  # rows that autograd records for a backward pass
    steps: list[tuple[int, int]] = field(factory=list)  # number, row

    def sparse(self, which: tuple[list[int], list[int]]) -> NDArray[np.int64]:
        column = np.full(len(self.tracks), -1, np.int64)
        rows, values = which
        column[rows] = values
        return column

    def marked(self, rows: list[int]) -> NDArray[np.uint8]:
        column = np.zeros(len(self.tracks), np.uint8)
        column[rows] = 1
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


@define
class PairedSlices:
    """Beginnings and ends, paired when all are there: events come in any order."""

    keys: list[Hashable] = field(factory=list)
    tracks: list[int] = field(factory=list)
    times: list[object] = field(factory=list)
    kinds: list[int] = field(factory=list)  # -1 for an end
    offsets: list[int] = field(factory=list)
    sizes: list[int] = field(factory=list)

    def add(self, key: Hashable, track: int, time: object, kind: int, offset: int, size: int) -> None:
        """``key`` identifies start and end events that belong together."""
        self.keys.append(key)
        self.tracks.append(track)
        self.times.append(time)
        self.kinds.append(kind)
        self.offsets.append(offset)
        self.sizes.append(size)

    def slices(self, building: Building) -> dict[str, list[int]]:
        """Columns track, start, duration, kind, offset and size. A beginning without an end lasts until the
        last event of all; an end without a start is skipped. Both are reported as notes."""
        times = nanoseconds(self.times).tolist()
        rows = sorted((row for row, time in enumerate(times) if time != NO_TIME), key=times.__getitem__)
        going: dict[Hashable, list[int]] = {}
        columns: dict[str, list[int]] = {
            name: [] for name in ("track", "start", "duration", "kind", "offset", "size")
        }
        headless = 0

        def close(row: int, end: int) -> None:
            values = (self.tracks[row], times[row], end - times[row], self.kinds[row])
            for name, value in zip(columns, (*values, self.offsets[row], self.sizes[row]), strict=True):
                columns[name].append(value)

        for row in rows:
            if self.kinds[row] >= 0:
                going.setdefault(self.keys[row], []).append(row)
            elif stack := going.get(self.keys[row]):
                close(stack.pop(), times[row])
            else:
                headless += 1
        endless = [row for stack in going.values() for row in stack]
        for row in endless:
            close(row, times[rows[-1]])
        if headless:
            building.note(
                "ends_without_beginnings", f"{headless} slices end that never began", count=headless
            )
        if endless:
            text = f"{len(endless)} slices have no end; they last until the last event"
            building.note("slices_without_end", text, count=len(endless))
        return columns
