"""Reads collapsed stacks: a line for each stack, frames from the outermost with semicolons, and a number.

``main;train;step 12``: as ``py-spy record -f raw``, the ``stackcollapse`` scripts of perf and others, and
torch's ``export_stacks`` write them. The text is read in pieces, each into columns.
Source: https://github.com/brendangregg/FlameGraph
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.reading.sampled_calls import (
    Integers,
    MeasuredCalls,
    SampledCalls,
    add_calls,
    compact,
    frame_text,
    joined,
    note_deep,
    stacked,
)

_PIECE = 8 << 20  # bytes that are read at once
_LONGEST = 16 << 20  # bytes of a line
_DIGITS = 18  # of a number
_NEWLINE, _RETURN, _SPACE, _SEMICOLON, _ZERO = b"\n\r ;0"
_PY_SPY = re.compile(r"(?P<name>.+) \((?P<file>[^()]+):(?P<line>\d{1,9})\)")
_TORCH = re.compile(r"(?P<file>.+\.py|<[^()]*>)\((?P<line>\d{1,9})\):_(?P<name>.+)")


def read(files: Files, building: Building) -> None:
    """Fills a profile from a file of stacks. Raises Unreadable for one without any."""
    (name, *_) = files.names()
    stacks = _Stacks(building)
    rest = b""
    with files.open(name) as stream:
        while piece := stream.read(_PIECE):
            whole, newline, rest = (rest + piece).rpartition(b"\n")
            stacks.add(whole + newline)
            if len(rest) > _LONGEST:
                text = (
                    f"{name} has a line of more than {_LONGEST >> 20} MiB: it is not read, nor what follows"
                )
                building.note("long_line", text, file=name, most=_LONGEST >> 20)
                rest = b""
                break
            building.reached()
    stacks.add(rest + b"\n")
    if not stacks.parts:
        text = f"{name} has no collapsed stacks: lines of calls with semicolons, a space and a number"
        raise Unreadable("no_stacks", text, file=name)
    add_calls(building, name, joined(stacks.parts))
    if stacks.odd:
        text = f"{stacks.odd} lines of {name} are not a stack with a number, and are left out"
        building.note("lines_odd", text, file=name, count=stacks.odd)
    note_deep(building, name, stacks.cut)


class _Names(dict[bytes, int]):
    """Numbers of the texts of frames, by what the file has. ``is_torch``: whether a frame is as torch writes
    it, whose numbers are us."""

    def __init__(self, building: Building) -> None:
        super().__init__()
        self._building = building
        self.is_torch = False

    def __missing__(self, frame: bytes) -> int:
        text = frame.decode("utf-8", "replace")
        if found := _PY_SPY.fullmatch(text):
            text = frame_text(found["name"], found["file"], int(found["line"]))
        elif found := _TORCH.fullmatch(text):
            self.is_torch = True
            text = frame_text(found["name"], found["file"], int(found["line"]))
        place = self[frame] = self._building.text(text or "?")
        return place


class _Stacks:
    """The stacks of a file as they are read; ``odd`` lines are none, ``cut`` stacks are too deep."""

    def __init__(self, building: Building) -> None:
        self._names = _Names(building)
        self._found: list[SampledCalls] = []
        self.odd = 0
        self.cut = 0

    @property
    def parts(self) -> list[SampledCalls]:
        """The calls of each piece. Numbers are samples, or what torch says, ns."""
        if not self._names.is_torch:
            return self._found
        timed = [
            [MeasuredCalls("", "ns", one.call, one.value * 1000, one.count * 0) for one in part.measured]
            for part in self._found
        ]
        return [
            SampledCalls(part.caller, part.name, own) for part, own in zip(self._found, timed, strict=True)
        ]

    def add(self, text: bytes) -> None:
        """Reads whole lines."""
        data = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero(data == _NEWLINE)
        starts = np.append(0, ends[:-1] + 1)[: len(ends)]
        ends = ends - ((ends > starts) & (data[ends - 1] == _RETURN))
        is_line = ends > starts
        starts, ends = starts[is_line], ends[is_line]
        spaces = np.flatnonzero(data == _SPACE)
        at = np.searchsorted(spaces, ends) - 1
        space = np.where(at >= 0, np.append(spaces, -1)[at], -1)
        value, is_number = _numbers(data, space + 1, ends)
        fine = is_number & (space > starts)
        self.odd += int((~is_number | (space < starts)).sum())  # a number alone: nothing ran
        if not fine.any():
            return
        starts, space, value = starts[fine], space[fine], value[fine]
        edges = np.zeros(len(data) + 1, np.int8)
        edges[starts], edges[space + 1] = 1, edges[space + 1] - 1
        separated = data.copy()
        separated[space] = _SEMICOLON  # in the place of the space before the number
        frames = separated[np.cumsum(edges[:-1], dtype=np.int8) > 0].tobytes().split(b";")
        del frames[-1]
        semicolons = np.flatnonzero(separated == _SEMICOLON)
        lengths = np.searchsorted(semicolons, space, "right") - np.searchsorted(semicolons, starts)
        names = np.fromiter(map(self._names.__getitem__, frames), np.int32, len(frames))
        calls, last, cut = stacked(names, lengths)
        self.cut += cut
        measured = MeasuredCalls("", "count", last, value.astype(np.float64), value)
        self._found.append(compact(SampledCalls(calls.caller, calls.name, [measured])))


def _numbers(data: NDArray[np.uint8], begin: Integers, end: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """The whole numbers that these stretches are, and whether each is one."""
    length = end - begin
    fine = (length > 0) & (length <= _DIGITS)
    value, weight = np.zeros(len(begin), np.int64), 1
    for place in range(1, int(length[fine].max(initial=0)) + 1):
        has = fine & (length >= place)
        digit = data[np.where(has, end - place, 0)].astype(np.int64) - _ZERO
        fine &= ~has | ((digit >= 0) & (digit <= 9))
        value += np.where(has, digit, 0) * weight
        weight *= 10
    return value, fine
