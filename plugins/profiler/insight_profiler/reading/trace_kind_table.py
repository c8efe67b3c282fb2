"""What the events of a trace are: found once for each process, category and name, kept as columns."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.model import Category
from insight_profiler.reading.json_events import readable
from insight_profiler.reading.trace_kinds import ANNOTATION_LINES, GPU, is_torch, torch_kind
from insight_profiler.reading.trace_tracks import TraceTracks
from insight_profiler.reading.trace_traffic import is_measured

_DEVICE = {Category.KERNEL, Category.MEMCPY, Category.MEMSET}
# what of the arguments is looked at; that of WORK and STEP also where there are none
NOTHING, OPERATOR, RUNTIME, WORK, STEP = range(5)


class KindTable:
    """Kinds by their numbers. ``known``: the number of a process, category and name, -1 where events say
    nothing. ``looked_at``: what of the arguments is looked at, by number. ``measured``: names of operators
    whose bytes, and FLOPs, follow from their shapes."""

    def __init__(self, building: Building, tracks: TraceTracks) -> None:
        self._building = building
        self._tracks = tracks
        self._columns: dict[str, array[int]] = {
            name: array("i") for name in ("name", "category", "type", "marker", "looked", "step")
        }
        self._device_kinds: dict[int, str] = {}  # of devices that are not GPUs
        self.known: dict[tuple[Hashable, str, str], int] = {}
        self.looked_at: Sequence[int] = self._columns["looked"]
        self.measured: dict[int, str] = {}
        self.is_torch = False

    def column(self, name: str) -> Sequence[int]:
        """One property of all kinds."""
        return self._columns[name]

    def columns(self, kinds: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Columns of the slices of these kinds."""
        return {
            name: np.array(self._columns[name], np.int32)[kinds]
            for name in ("name", "category", "type", "marker")
        }

    def device_kind(self, kind: int) -> str:
        """The kind of the device that does such work."""
        return self._device_kinds.get(kind, GPU)

    def of(self, process: Hashable, category: str, name: str, event: Mapping[str, Any]) -> int:
        """The kind of ``event``, the first of this name; -1 if it says nothing."""
        key = process, category, name
        readable_name = readable(str(name))
        device = self._device_of(process, event)
        is_range = bool(device) and self._tracks.thread_name(process, event.get("tid")) in ANNOTATION_LINES
        kind = torch_kind("annotation" if is_range else str(category), readable_name, device)
        if is_torch(str(category)):
            self.is_torch = True
        if kind is None:
            self.known[key] = -1
            return -1
        look = NOTHING
        if kind.step >= 0:
            look = STEP
        elif kind.category in _DEVICE or (kind.category is Category.COMMUNICATION and not kind.type):
            look = WORK
        elif kind.category is Category.RUNTIME:
            look = RUNTIME
        elif kind.type:
            look = OPERATOR
        text = self._building.text
        values = (text(readable_name), kind.category, text(kind.type), kind.is_marker, look, kind.step)
        found = self.known[key] = len(self.looked_at)
        if kind.type and is_measured(readable_name):
            self.measured[found] = readable_name
        if kind.device != GPU:
            self._device_kinds[found] = kind.device
        for column, value in zip(self._columns.values(), values, strict=True):
            column.append(min(int(value), (1 << 31) - 1))
        return found

    def of_instant(self, process: Hashable, category: str, name: str, event: Mapping[str, Any]) -> int:
        """As of a slice, but never a call of an operator."""
        key = process, category, f"\0{name}"
        found = self.known.get(key)
        if found is None:
            found = self.of(process, category, name, event)
            if found >= 0:
                for named, column in self._columns.items():
                    changed = {"type": -1, "looked": NOTHING, "category": Category.OTHER}
                    column.append(changed.get(named, column[found]))
                found = len(self.looked_at) - 1
            self.known[key] = found
        return found

    def _device_of(self, process: Hashable, event: Mapping[str, Any]) -> str:
        """The kind of the device on whose track an event is, empty for the host: its process is named so, or
        the event says both device and stream, which torch writes for devices only."""
        said = event.get("args")
        has_stream = isinstance(said, dict) and type(said.get("device")) is int and "stream" in said
        return self._tracks.device_of(process)[0] or (GPU if has_stream else "")
