"""Reads torch's ``[memory]`` trace events: allocations and frees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from insight_profiler.building import Building
from insight_profiler.model import Counter, Device
from insight_profiler.reading.trace_kinds import GPU

_CPU = "cpu"
# kinds by "Device Type", a number of torch's DeviceType; others are GPUs
_KINDS = {0: _CPU, 9: "tpu", 15: "hpu", 18: "ipu", 19: "mtia"}


class MemoryEvents:
    """Computes memory curves and allocations. Blocks are identified by their address; a block that was
    allocated before the trace began only contributes to the total."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._devices: dict[tuple[str, int], int] = {}  # places of devices by kind and number
        self._counters: dict[tuple[int, str], int] = {}
        self._open: dict[tuple[int, int], int] = {}  # device and address -> place in the columns below
        self._columns: tuple[list[int], ...] = ([], [], [], [], [])  # device, bytes, start, end, track

    def device(self, kind: str, number: int) -> int:
        """The place of a device, which is there from now on."""
        key = kind, 0 if kind == _CPU else number
        found = self._devices.get(key)
        if found is None:
            name = kind.upper() if kind == _CPU else f"{kind.upper()} {number}"
            device = Device(name, kind, {} if kind == _CPU else {"id": number})
            found = self._devices[key] = self._building.device(device)
        return found

    def add(self, times: list[int], tracks: list[int], arguments: list[Mapping[str, Any]]) -> None:
        """Events of a window, in the order of the trace."""
        places: list[int] = []
        at: list[int] = []
        values: list[int] = []
        devices, sizes, starts, ends, around = self._columns
        for time, track, said in zip(times, tracks, arguments, strict=True):
            get = said.get
            size, address = _whole(get("Bytes")), _whole(get("Addr"))
            kind = _KINDS.get(_whole(get("Device Type")) or 0, GPU)
            device = self.device(kind, _whole(get("Device Id")) or 0)
            for name in ("Total Allocated", "Total Reserved"):
                total = _whole(get(name))
                if total is not None:
                    counter = self._counters.get((device, name))
                    places.append(self._counter(device, name) if counter is None else counter)
                    at.append(time)
                    values.append(total)
            if size is None or address is None:
                continue
            if size >= 0:
                self._open[device, address] = len(sizes)
                devices.append(device)
                sizes.append(size)
                starts.append(time)
                ends.append(-1)
                around.append(track)
            elif (taken := self._open.pop((device, address), None)) is not None:
                ends[taken] = time
        if places:
            self._building.add("counters", counter=places, time=at, value=values)

    def finish(self) -> None:
        """Adds allocations, of which only now is known when they ended."""
        devices, sizes, starts, ends, around = self._columns
        if sizes:
            self._building.add(
                "allocations", device=devices, bytes=sizes, start=starts, end=ends, track=around
            )

    def _counter(self, device: int, name: str) -> int:
        key = device, name
        if key not in self._counters:
            self._counters[key] = self._building.counter(Counter(name, "memory", "bytes", device))
        return self._counters[key]


def _whole(value: object) -> int | None:
    if type(value) is int:
        return value
    if isinstance(value, str):
        try:
            return int(float(value))
        except (ValueError, OverflowError):
            return None
    return None
