"""Reads memory of an NPU: ``operator_memory.csv`` (allocations) and ``memory_record.csv`` (total use over
time). KB and MB are of 1024; times in µs since the epoch.
"""

from __future__ import annotations

import numpy as np

from insight_profiler.model import Counter
from insight_profiler.reading.mindspore_files import ProfileParts


def read_memory(parts: ProfileParts, device: int) -> None:
    """Tables ``allocations`` and ``counters``."""
    parts.attempt(r"operator_memory\.csv", lambda name: _allocations(parts, name, device))
    parts.attempt(r"memory_record\.csv", lambda name: _records(parts, name, device))


def _allocations(parts: ProfileParts, name: str, device: int) -> None:
    with parts.csv(name) as file:
        for cells in file.chunks():
            size = cells.bytes("Size", unit="kb")
            start = cells.nanoseconds("Allocation Time", unit="us")
            end = cells.nanoseconds("Release Time", unit="us")
            taken = (size > 0) & (start >= 0)  # what is only freed was taken before the profile
            rows = np.flatnonzero(taken)
            names = parts.building.texts(cells.labels("Name"))
            parts.building.add(
                "allocations",
                name=names[rows],
                device=np.full(len(rows), device),
                bytes=size[rows],
                start=start[rows],
                end=end[rows],
            )


def _records(parts: ProfileParts, name: str, device: int) -> None:
    building = parts.building
    counters: dict[str, int] = {}
    with parts.csv(name) as file:
        for cells in file.chunks():
            times = cells.nanoseconds("Timestamp", unit="us")
            components = np.array(cells.texts("Component"), dtype=object)
            for label in ("allocated", "reserved", "active"):
                values = cells.bytes(f"Total {label}", unit="mb")
                for component in sorted(set(components.tolist())):
                    rows = np.flatnonzero((components == component) & (times >= 0) & (values >= 0))
                    if not len(rows):
                        continue
                    shown = f"{label} ({component})" if component else label
                    if shown not in counters:
                        counters[shown] = building.counter(Counter(shown, "memory", "bytes", device))
                    building.add(
                        "counters",
                        counter=np.full(len(rows), counters[shown]),
                        time=times[rows],
                        value=values[rows],
                    )
