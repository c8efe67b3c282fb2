"""What events of a trace are that look like earlier ones: rows instead of one object for each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_profiler.model import Category, FlowKind
from insight_profiler.reading.json_events import Window
from insight_profiler.reading.trace_kind_table import NOTHING, OPERATOR, RUNTIME, WORK, KindTable

try:
    from insight_profiler.reading._known_events import KnownEvents
except ImportError as error:
    raise NotCompiled("insight_profiler.reading._known_events") from error

Columns = dict[str, NDArray[Any]]

# of a slice, what those that look like it have in common
_SHARED = (
    "track", "shapes", "flops", "repeated", "traffic", "precision", "forward", "kernel", "name", "category",
    "type", "marker",
)  # fmt: skip
# as _known_events numbers them, after those of the table
_MEASURED, _ARROW, _IGNORED, _ONE_BY_ONE = 4, 5, 6, 7
MOST_CATEGORIES = 64  # of arrows, that one number tells


class KnownRows:
    """``events`` takes what is known; this learns it from events that were read one by one."""

    def __init__(self, kinds: KindTable, threads: Mapping[tuple[Hashable, Hashable], int]) -> None:
        self.events = KnownEvents()
        self._kinds = kinds
        self._threads = threads
        self._table: Columns = {name: np.empty(0) for name in _SHARED}  # of slices
        self._fresh: list[tuple[Any, ...]] = []  # rows that come behind those of the table
        self._arrows: list[tuple[int, int, int]] = []
        self._groups = 0

    # --- what is known ----------------------------------------------------------------------------

    def slices(self, window: Window) -> tuple[Columns, NDArray[np.int32]]:
        """Columns of the known slices of a window, with begin and end, and which events of all they are."""
        rows = _rows(window, is_arrow=False)
        if self._fresh:
            fresh = [np.array(column) for column in zip(*self._fresh, strict=True)]
            whole = zip(self._table.values(), fresh, strict=True)
            is_first = not len(self._table["track"])  # of no type yet
            joined = [new if is_first else np.concatenate((old, new)) for old, new in whole]
            self._table = dict(zip(_SHARED, joined, strict=True))
            self._fresh = []
        found = {name: column[rows["entry"]] for name, column in self._table.items()}
        for name in ("start", "duration", "external", "correlation", "begin", "end"):
            found[name] = rows[name]
        return found, rows["order"]

    def arrows(self, window: Window) -> tuple[Columns, NDArray[np.int32]]:
        """Columns of the known ends of arrows of a window: ``number``, ``kind``, ``place`` of its category,
        ``begins``, ``track``, ``time``."""
        rows = _rows(window, is_arrow=True)
        table = np.array(self._arrows or np.empty((0, 3)), np.int64)[rows["entry"]]
        kind, place, track = table.T
        number, begins, time = rows["number"], rows["begins"], rows["start"]
        found = {
            "number": number,
            "kind": kind,
            "place": place,
            "begins": begins,
            "track": track,
            "time": time,
        }
        return found, rows["order"]

    # --- learning ---------------------------------------------------------------------------------

    def learn(
        self,
        window: Window,
        slices: Mapping[str, NDArray[Any]],
        rows: Mapping[int, int],
        flows: Mapping[tuple[str, str], tuple[FlowKind, int]],
    ) -> None:
        """Learns from the events of a window that were ``wanted``. ``slices``: columns of them, in which
        ``rows`` says where an event is; ``flows``: kind and place of the category of arrows."""
        seen: set[tuple[int, bytes]] = set()
        for at, wanted, group in window.wanted:
            if (group, wanted) in seen:
                continue
            seen.add((group, wanted))
            event, row = window.events[at], rows.get(at)
            if group >= 0:
                if row is not None:
                    self.events.learn(wanted, group, 0, self._entry(slices, row))
            elif event["ph"] == "X":
                self._learn_slice(wanted, event, slices, row)
            else:
                self._learn_arrow(wanted, event, flows)

    def _learn_slice(
        self, wanted: bytes, event: Mapping[str, Any], slices: Mapping[str, NDArray[Any]], row: int | None
    ) -> None:
        kind = self._kinds.known.get((event.get("pid"), event.get("cat", ""), event.get("name", "")))
        if kind is None:
            return
        if kind < 0:
            self.events.learn(wanted, -1, _IGNORED, 0)
            return
        look = self._kinds.looked_at[kind]
        if look in (NOTHING, RUNTIME):
            if row is not None:
                self.events.learn(wanted, -1, look, self._entry(slices, row))
        elif look == OPERATOR or (look == WORK and self._kinds.column("category")[kind] != Category.MEMCPY):
            is_measured = look == OPERATOR and kind in self._kinds.measured
            self.events.learn(wanted, -1, _MEASURED if is_measured else look, self._groups)
            self._groups += 1
        else:  # steps, and copies, whose bytes are summed up
            self.events.learn(wanted, -1, _ONE_BY_ONE, 0)

    def _learn_arrow(
        self,
        wanted: bytes,
        event: Mapping[str, Any],
        flows: Mapping[tuple[str, str], tuple[FlowKind, int]],
    ) -> None:
        track = self._threads.get((event.get("pid"), event.get("tid")))
        flow = flows.get((event.get("cat", ""), event.get("name", "")))
        if track is not None and flow is not None and flow[1] < MOST_CATEGORIES:
            self.events.learn(wanted, -1, _ARROW, len(self._arrows))
            self._arrows.append((*flow, track))

    def _entry(self, slices: Mapping[str, NDArray[Any]], row: int) -> int:
        self._fresh.append(tuple(slices[name][row] for name in _SHARED))
        return len(self._table["track"]) + len(self._fresh) - 1


def _rows(window: Window, *, is_arrow: bool) -> NDArray[np.void]:
    known = window.known
    assert known is not None
    rows: NDArray[np.void] = known[known["is_arrow"] == is_arrow]
    return rows
