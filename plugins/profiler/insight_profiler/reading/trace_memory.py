"""Reads torch's ``[memory]`` trace events: allocations and frees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from insight_profiler.building import Building
from insight_profiler.model import Counter, Device

CPU = 0  # of "Device Type"; 1 is CUDA


class MemoryEvents:
    """Computes memory curves and allocations. Blocks are identified by their address; a block that was
    allocated before the trace began only contributes to the total."""

    def __init__(self, building: Building, devices: dict[tuple[bool, int], int]) -> None:
        self._building = building
        self._devices = devices  # places of devices by whether they are a CPU and their number
        self._counters: dict[tuple[int, str], int] = {}
        self._open: dict[tuple[int, int], int] = {}  # device and address -> place in the columns below
        self._columns: tuple[list[int], ...] = ([], [], [], [], [])  # device, bytes, start, end, track

    def device(self, kind: int, number: int) -> int:
        """The place of a device, which is there from now on."""
        is_cpu = kind == CPU
        key = (is_cpu, 0 if is_cpu else number)
        if key not in self._devices:
            device = Device("CPU", "cpu") if is_cpu else Device(f"GPU {number}", "gpu", {"id": number})
            self._devices[key] = self._building.device(device)
        return self._devices[key]

    def add(self, times: list[int], tracks: list[int], arguments: list[Mapping[str, Any]]) -> None:
        """Events of a window, in the order of the trace."""
        places: list[int] = []
        at: list[int] = []
        values: list[int] = []
        devices, sizes, starts, ends, around = self._columns
        for time, track, said in zip(times, tracks, arguments, strict=True):
            get = said.get
            size, address = _whole(get("Bytes")), _whole(get("Addr"))
            device = self.device(_whole(get("Device Type")) or 0, _whole(get("Device Id")) or 0)
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
