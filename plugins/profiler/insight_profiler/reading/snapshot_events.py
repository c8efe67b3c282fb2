"""Turns events of a device's allocator into allocations, segments and the course of both, some at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

TAKES, FREES = ("alloc",), ("free_requested", "free")
ADDS, REMOVES = ("segment_alloc", "segment_map"), ("segment_free", "segment_unmap")
FAILS = ("oom",)
_MICROSECOND = 1000
_SHAPE = ("address", "bytes", "start", "stack")

Cells = dict[str, NDArray[np.int64]]


def where(cells: Cells, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Cells:
    """Some rows of all columns."""
    return {name: column[rows] for name, column in cells.items()}


def paired(
    address: NDArray[np.int64], is_take: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Events that take with those that give, by address: rows that take, for each the row of the next event
    at its address (-1: there is none), and rows that give what none of the events took."""
    order = np.argsort(address, kind="stable")
    is_take = is_take[order]
    is_same = np.append(address[order][1:] == address[order][:-1], False)[: len(order)]
    begins = np.flatnonzero(is_take)
    ends = np.where(is_same[begins], order[np.minimum(begins + 1, len(order) - 1)], -1)
    is_alone = ~is_take
    is_alone[1:] &= ~(is_same & is_take)[:-1]
    return order[begins], ends, order[is_alone]


@define(eq=False)
class Course:
    """What one kind of events takes and gives: stretches of memory with begin and end, and the sum of them.

    Times are nanoseconds, sizes bytes. ``ended`` and ``early`` (taken before the first event, with neither
    stack nor begin) come in parts, as do ``levels``: times, and what was held more than at the beginning.
    """

    ended: list[Cells] = field(factory=list)
    early: list[Cells] = field(factory=list)
    open: Cells = field(factory=lambda: {name: np.empty(0, np.int64) for name in _SHAPE})
    levels: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = field(factory=list)
    level: int = 0
    lowest: int = 0

    def add(self, events: Cells, takes: NDArray[np.int8]) -> None:
        """Adds events that follow those added before. ``takes`` is 1, -1, or 0 for events of another kind."""
        rows = np.flatnonzero(takes)
        if not len(rows):
            return
        kept, is_take = where(events, rows), takes[rows] > 0
        level = np.cumsum(np.where(is_take, kept["bytes"], -kept["bytes"])) + self.level
        self.levels.append((kept["start"], level))
        self.level, self.lowest = int(level[-1]), min(self.lowest, int(level.min()))
        known = {name: np.concatenate([self.open[name], kept[name]]) for name in _SHAPE}
        taken, next_rows, alone = paired(
            known["address"], np.append(np.ones(len(known["start"]) - len(rows), bool), is_take)
        )
        has_ended = next_rows >= 0
        ended = where(known, taken[has_ended])
        ended["end"] = known["start"][next_rows[has_ended]]
        ended["stack"] = ended["stack"].astype(np.int32)
        self.ended.append(ended)
        early = where(known, alone)
        early["end"] = early.pop("start")
        self.early.append(early)
        self.open = where(known, taken[~has_ended])

    def stretches(self, left: Cells, before: int) -> Iterator[Cells]:
        """All of them: ``address, bytes, start, end, stack``; each part is forgotten. ``left`` is what there
        is at the end, ``before`` the time of what was taken before the first event."""
        while self.ended:
            yield self.ended.pop()
        yield {**self.open, "end": np.full(len(self.open["start"]), -1)}
        while self.early:
            part = self.early.pop()
            yield {
                **part,
                "start": np.full(len(part["end"]), before),
                "stack": np.full(len(part["end"]), -1),
            }
        stayed = where(left, ~np.isin(left["address"], self.open["address"]))
        count = len(stayed["address"])
        yield {**stayed, "start": np.full(count, before), "end": np.full(count, -1)}

    def curve(self, held: int, before: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Times and bytes after each event, from what is ``held`` at the end; each part is forgotten."""
        first = max(held - self.level, -self.lowest)
        yield np.array([before]), np.array([first])
        self.levels.reverse()
        while self.levels:
            times, level = self.levels.pop()
            yield times, level + first


@define(eq=False)
class DeviceEvents:
    """The events of one device, added in parts in their order.

    Events of one microsecond follow each other by a nanosecond, so that sums at any moment are those of the
    events up to it.
    """

    allocated: Course = field(factory=Course)
    reserved: Course = field(factory=Course)
    failures: list[tuple[int, int, int]] = field(factory=list)  # when, bytes asked for, bytes that were free
    first: int = 0  # time of the first event, ns
    count: int = 0
    has_times: bool = False  # False: all events have one time
    _latest: int = 0

    def add(self, events: Cells, names: Sequence[str]) -> None:
        """Adds events as a snapshot has them; ``names`` are texts by their numbers."""
        moments = events["time_us"]
        if not self.count:
            self._latest = self.first = max(int(moments[0]), 0) * _MICROSECOND
        numbers = {name: number for number, name in enumerate(names)}

        def is_one_of(actions: Sequence[str]) -> NDArray[np.bool_]:
            return np.isin(events["action"], [numbers[one] for one in actions if one in numbers])

        self.has_times |= bool((np.maximum(moments, 0) * _MICROSECOND != self.first).any())
        told = {
            "address": events["addr"],
            "bytes": np.maximum(events["size"], 0),
            "start": self._increasing(moments),
            "stack": events["frames"],
        }
        self.allocated.add(told, is_one_of(TAKES).astype(np.int8) - is_one_of(FREES))
        self.reserved.add(told, is_one_of(ADDS).astype(np.int8) - is_one_of(REMOVES))
        for row in np.flatnonzero(is_one_of(FAILS)).tolist():
            at, asked, free = (int(one[row]) for one in (told["start"], told["bytes"], events["addr"]))
            self.failures.append((at, asked, free))

    @property
    def before(self) -> int:
        """The time of what was taken before the first event."""
        return self.first - 1 if self.count else 0

    def _increasing(self, moments: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.arange(self.count, self.count + len(moments))
        behind = np.maximum(moments, 0) * _MICROSECOND - places
        behind[0] = max(int(behind[0]), self._latest)
        behind = np.maximum.accumulate(behind)
        self._latest, self.count = int(behind[-1]), self.count + len(moments)
        return behind + places
