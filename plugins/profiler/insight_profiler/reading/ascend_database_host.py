"""Reads calls on the host from the databases of Ascend profilers, and what they launched."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from insight_profiler.model import Category
from insight_profiler.reading.ascend_events import slice_category
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.database_rows import (
    DatabaseTracks,
    add_launches,
    combinations,
    joined,
    timed,
)
from insight_profiler.reading.mindspore_files import split_scope, type_of
from insight_profiler.reading.sqlite_tables import Columns, Tables, TextsById, integers

_STEP = re.compile(r"ProfilerStep#(\d+)")
_CALL = {
    "start": integers("startNs"),
    "end": integers("endNs"),
    "type": integers("type"),
    "thread": integers("globalTid"),
    "connection": integers("connectionId"),
    "name": integers("name", "message"),
    "shapes": integers("inputShapes"),
}
# by ENUM_API_TYPE: what the names of such calls begin with in the text export
_BEGINNINGS = {20000: "AscendCL@", 15000: "Model@", 10000: "Node@", 5500: "HCCL@", 5000: "Runtime@"}
_OPERATOR = 50001
_THREAD = 0xFFFFFFFF  # bits of globalTid below the process


class HostTables:
    """Adds the calls; ``steps`` are those that PyTorch marks, by number: start and duration. ``launched``:
    rows of the work of devices, and what connects them with calls."""

    def __init__(
        self,
        tables: Tables,
        text: TextsById,
        tracks: DatabaseTracks,
        launched: Sequence[tuple[Integers, Integers]],
    ) -> None:
        self.steps: dict[int, tuple[int, int]] = {}
        self._tables = tables
        self._texts = text
        self._tracks = tracks
        self._building = tracks.building
        self._launched = launched

    def read(self) -> None:
        """Reads the calls of CANN, of users' ranges and of PyTorch."""
        calls = self._add_calls("CANN_API", "CANN")
        for rows, connections in self._launched:
            add_launches(self._building, calls["row"], calls["connection"], rows, connections)
        self._add_calls("MSTX_EVENTS", "MSTX")
        self._connect(self._add_calls("PYTORCH_API", "Python"))

    def _add_calls(self, table: str, layer: str) -> Columns:
        """Adds the calls of a table; their columns, rows and categories."""
        calls = timed(self._tables.table(table, _CALL))
        count = len(calls["start"])
        nothing = np.empty(0, np.int64)
        if not count:
            return {**calls, "row": nothing, "category": nothing}
        kinds, place = combinations([calls["type"], calls["name"]])
        names = [self._texts.of(name) for _, name in kinds]
        for at, name in enumerate(names):
            if step := _STEP.fullmatch(name):
                self._mark(int(step[1]), calls, np.flatnonzero(place == at))
        described = [self._described(layer, kind, name) for (kind, _), name in zip(kinds, names, strict=True)]
        name, category, operator, scope, mark = np.array(described, np.int64)[place].T
        threads, at = np.unique(calls["thread"] & _THREAD, return_inverse=True)
        tracks = [
            self._tracks.track(layer, f"Thread {thread}", "thread", order=order)
            for order, thread in enumerate(threads.tolist())
        ]
        first = self._building.add(
            "slices",
            track=np.array(tracks)[at],
            start=calls["start"],
            duration=calls["end"] - calls["start"],
            name=name,
            category=category,
            type=operator,
            scope=scope,
            marker=mark,
            shapes=self._texts.places(calls["shapes"]),
        )
        return {**calls, "row": first + np.arange(count), "category": category}

    def _mark(self, number: int, calls: Columns, rows: Integers) -> None:
        """A step is as long as the longest of its ranges."""
        durations = calls["end"][rows] - calls["start"][rows]
        longest = int(np.argmax(durations))
        self.steps[number] = int(calls["start"][rows][longest]), int(durations[longest])

    def _described(self, layer: str, kind: int, own: str) -> tuple[int, int, int, int, int]:
        """Place of the name, category, places of type and scope of calls of one name, and whether they mark
        steps."""
        text = self._building.text
        full = _BEGINNINGS.get(kind, "") + own
        step = _STEP.fullmatch(own)
        is_operator = kind == _OPERATOR and step is None
        category = slice_category((layer, ""), ("cpu_op" if is_operator else "", ""), full)
        if category is not Category.OPERATOR:
            return text(full), int(category), -1, -1, int(step is not None)
        scope, name = split_scope(full)
        return text(name), int(category), text(type_of(name)), text(scope), 0

    def _connect(self, calls: Columns) -> None:
        """Arrows from operators of PyTorch to the work that their calls of CANN launched."""
        declared = {"id": integers("id"), "connection": integers("connectionId")}
        links = self._tables.table("CONNECTION_IDS", declared)
        operators = np.flatnonzero((calls["category"] == Category.OPERATOR) & (calls["connection"] >= 0))
        if not len(operators):
            return
        # of several operators the one that began last is the innermost
        operators = operators[np.argsort(calls["start"][operators], kind="stable")]
        known, at = joined(links["id"], calls["connection"][operators], is_last=True)
        sources = calls["row"][operators[at[known]]] if known.any() else np.empty(0, np.int64)
        for rows, connections in self._launched:
            add_launches(self._building, sources, links["connection"][known], rows, connections)
