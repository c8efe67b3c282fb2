"""Reads how kernels were launched (stream, grid, block, registers, occupancy), and how much copies move."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any

import numpy as np

from insight_profiler.building import Building

_FAR = 1 << 62
_LAUNCH = ("stream", "grid", "block", "registers per thread", "shared memory", "est. achieved occupancy %")


class TraceKernels:
    """Kernels, told apart by name and by how they were launched."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._rows: dict[tuple[Any, ...], int] = {}
        self._fresh: list[tuple[Any, ...]] = []

    def row(self, name: int, device: int, said: Mapping[str, Any]) -> int:
        """The row of the kernel that is launched so."""
        launch = [said.get(field) for field in _LAUNCH]
        key = name, device, marshal.dumps(launch, 2)  # texts of it would take longer
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = len(self._rows)
            self._fresh.append((name, device, *launch))
        return found

    def add(self) -> None:
        """Adds those that came since the last time."""
        if not self._fresh:
            return
        name, device, stream, grid, block, registers, shared, occupancy = zip(*self._fresh, strict=True)
        texts = self._building.texts
        self._building.add(
            "kernels",
            name=name,
            device=device,
            stream=texts("" if value is None else str(value) for value in stream),
            grid=texts(map(_size, grid)),
            block=texts(map(_size, block)),
            registers=[_number(value, -1) for value in registers],
            shared_memory=[_number(value, -1) for value in shared],
            occupancy=[_number(value, np.nan) for value in occupancy],
        )
        self._fresh.clear()


class TraceCopies:
    """How many bytes copies of each name move, and for how long: the document ``copies``."""

    def __init__(self, building: Building) -> None:
        self._building = building

    def look(self, event: Mapping[str, Any], said: Mapping[str, Any]) -> None:
        """Counts a copy, if it says how much it moves."""
        size, duration = said.get("bytes"), event.get("dur")
        if type(size) is not int or not 0 < size < _FAR:
            return
        try:
            nanoseconds = float(duration) * 1e3 if duration is not None else 0.0
        except (TypeError, ValueError):
            return
        copies = self._building.documents.setdefault("copies", {})
        found = copies.setdefault(str(event.get("name", "")), {"count": 0, "bytes": 0, "time": 0.0})
        found["count"] += 1
        found["bytes"] += size
        found["time"] += nanoseconds


def _size(value: object) -> str:
    """Of a grid or block: ``8 x 1 x 1``."""
    return " x ".join(map(str, value)) if isinstance(value, list) else ""


def _number(value: object, otherwise: float) -> float:
    if isinstance(value, int) and 0 <= value < 1 << 31:
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return otherwise
    return otherwise
