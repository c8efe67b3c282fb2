"""Reads the ranges of NVTX of a profile of Nsight Systems, and the steps that they mark.

Ranges are what users and frameworks name: steps, layers, functions. torch's ``emit_nvtx`` has operators
among them, ``aten::mm, op_id = 5, sizes = [...]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from attrs import define

from insight_profiler.building import Building
from insight_profiler.model import Category, StepOrigin
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.database_rows import DatabaseTracks
from insight_profiler.reading.sqlite_tables import Columns, Tables, TextsById, integers, texts
from insight_profiler.reading.trace_kinds import torch_kind

_RANGE = {
    "start": integers("start"),
    "end": integers("end"),
    "kind": integers("eventType"),
    "thread": integers("globalTid"),
    "number": integers("textId"),
    "text": texts("text"),
}
_MARK, _PUSHED, _STARTED = 34, 59, 60  # of ENUM_NSYS_EVENT_TYPE
_OPERATOR = re.compile(
    r"(?P<name>(?:aten|c10d|prims)::\w+|\w+Backward\d*)(?:,.*?sizes = (?P<shapes>\[.*\]))?.*", re.DOTALL
)
_STEP = re.compile(
    r"(?P<what>.*\b(?:step|iteration|iter|batch)|ProfilerStep)[ _#:=]*(?P<number>\d+)\W*", re.IGNORECASE
)
_FEWEST = 2  # numbers of a name that counts steps


@define(eq=False)
class _Named:
    """What ranges of one name are."""

    name: int
    category: int
    type: int
    shapes: int
    what: str = ""  # of steps: what is counted
    number: int = -1


class NsightRanges:
    """Adds ranges to the tracks of their threads; those that begin and end anywhere have a track of their
    own."""

    def __init__(
        self,
        building: Building,
        tables: Tables,
        text: TextsById,
        threads: Callable[[Integers], Integers],
        tracks: DatabaseTracks,
    ) -> None:
        self._building = building
        self._tables = tables
        self._text = text
        self._threads = threads
        self._tracks = tracks
        self._kinds: dict[str, _Named] = {}
        self._steps: dict[str, dict[int, tuple[int, int]]] = {}  # what -> number -> start, duration
        self._left = 0

    def read(self) -> None:
        """Reads NVTX_EVENTS. Ranges without an end, which the session cut, are left out with a note."""
        for chunk in self._tables.chunks("NVTX_EVENTS", _RANGE):
            self._add(chunk)
        if self._left:
            text = f"{self._left} ranges of NVTX have no end and are left out"
            self._building.note("ranges_without_end", text, count=self._left)
        self._add_steps()

    def _add(self, chunk: Columns) -> None:
        is_mark = chunk["kind"] == _MARK
        is_range = np.isin(chunk["kind"], (_PUSHED, _STARTED)) & (chunk["start"] >= 0)
        is_whole = chunk["end"] >= chunk["start"]
        self._left += int((is_range & ~is_whole).sum())
        rows = np.flatnonzero((is_range & is_whole) | (is_mark & (chunk["start"] >= 0)))
        if not len(rows):
            return
        chunk = {name: column[rows] for name, column in chunk.items()}
        names = [
            text or self._text.of(number)
            for text, number in zip(chunk["text"], chunk["number"].tolist(), strict=True)
        ]
        kinds = [self._kinds.get(name) or self._named(name) for name in names]
        is_free = chunk["kind"] == _STARTED
        tracks = self._threads(chunk["thread"])
        if is_free.any():
            tracks[is_free] = self._tracks.track("NVTX", "Ranges across threads", "scope")
        duration = np.where(chunk["kind"] == _MARK, 0, chunk["end"] - chunk["start"])
        for row in (place for place, kind in enumerate(kinds) if kind.number >= 0):
            found = self._steps.setdefault(kinds[row].what, {})
            found.setdefault(kinds[row].number, (int(chunk["start"][row]), int(duration[row])))
        self._building.add(
            "slices",
            track=tracks,
            start=chunk["start"],
            duration=duration,
            name=[kind.name for kind in kinds],
            category=[kind.category for kind in kinds],
            type=np.where(is_free, -1, [kind.type for kind in kinds]),
            shapes=[kind.shapes for kind in kinds],
            marker=[kind.number >= 0 for kind in kinds],
        )

    def _named(self, name: str) -> _Named:
        text = self._building.text
        if operator := _OPERATOR.fullmatch(name):
            own = text(operator["name"])
            found = _Named(own, int(Category.OPERATOR), own, text(operator["shapes"] or ""))
        else:
            kind = torch_kind("user_annotation", name)
            category = Category.OTHER if kind is None else kind.category
            step = _STEP.fullmatch(name)
            found = _Named(text(name), int(category), -1, -1)
            if step is not None and len(step["number"]) < 19:
                found.what, found.number = step["what"], int(step["number"])
            elif kind is not None:
                found.type = text(kind.type)
        self._kinds[name] = found
        return found

    def _add_steps(self) -> None:
        """Those that most numbers count, if they do not overlap."""
        for found in sorted(self._steps.values(), key=len, reverse=True):
            spans = sorted((start, duration, number) for number, (start, duration) in found.items())
            start, duration, number = (np.array(column, np.int64) for column in zip(*spans, strict=True))
            if len(spans) < _FEWEST or (start[1:] < (start + duration)[:-1]).any():
                continue
            self._building.add("steps", number=number, start=start, duration=duration)
            self._building.step_origin = StepOrigin.RECORDED
            return
