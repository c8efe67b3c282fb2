"""Simulates a host that launches work on a device, and writes it down as torch.profiler does.

The simulation knows when each thing must have ended before another begins; what reads the traces has to find
that out again.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field

HOST, BACKWARD = 100, 101  # threads
COMPUTE, COPIES, NCCL = 7, 20, 24  # streams
LATENCY = 4.0  # us from the launch of a kernel to its start
A100 = {
    "id": 0,
    "name": "NVIDIA A100-SXM4-80GB",
    "totalGlobalMem": 85_000_000_000,
    "computeMajor": 8,
    "numSms": 108,
}


@define
class Machine:
    """A host thread and a device with streams. Times are in us."""

    rank: int = 0
    ranks: int = 1
    now: float = 1000.0
    events: list[dict[str, Any]] = field(factory=list)
    free: dict[int, float] = field(factory=dict)  # when the last work of each stream ends
    thread: int = HOST  # that works now
    event: float = 0.0  # what it costs the host to record an event of its own
    device: dict[str, Any] = field(factory=lambda: dict(A100))
    _numbers: Iterator[int] = field(factory=lambda: itertools.count(1))

    def _add(
        self, category: str, name: str, start: float, duration: float, thread: int, **said: object
    ) -> None:
        pid = 0 if "stream" in said else 1
        self.events.append(
            {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": thread, "ts": round(start, 3),
             "dur": round(duration, 3), "args": said}
        )  # fmt: skip

    def work(self, microseconds: float) -> None:
        """The host does something that no event says."""
        self.now += microseconds

    @contextmanager
    def span(self, name: str, category: str = "cpu_op", **said: object) -> Iterator[None]:
        """An operator or an annotation around what happens in the block."""
        start = self.now
        self.now += 0.5 + self.event
        yield
        self.now += 0.5
        self._add(category, name, start, self.now - start, self.thread, **said)

    def launch(
        self,
        name: str,
        duration: float,
        *,
        stream: int = COMPUTE,
        after: float = 0.0,
        call: str = "cudaLaunchKernel",
        cost: float = 4.0,
        category: str = "kernel",
        grid: int = 1024,
        occupancy: int = 70,
    ) -> float:
        """Work of the device: begins when it is launched, its stream is free, and ``after`` is over. Returns
        when it ends."""
        number = next(self._numbers)
        cost += self.event
        self._add("cuda_runtime", call, self.now, cost, self.thread, correlation=number)
        start = max(self.now + LATENCY, self.free.get(stream, 0.0) + 1.0, after)
        self.now += cost
        said: dict[str, object] = {"correlation": number, "device": 0, "stream": stream}
        if category == "kernel":
            said |= {"grid": [grid, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": occupancy}
        self._add(category, name, start, duration, stream, **said)
        self.free[stream] = start + duration
        return start + duration

    def wait(self, until: float, call: str = "cudaStreamSynchronize") -> None:
        """The host waits for work of the device."""
        end = max(until + 2.0, self.now + 3.0)
        self._add("cuda_runtime", call, self.now, end - self.now, self.thread)
        self.now = end

    def memory(self, allocated: int) -> None:
        """A point of the curve of memory."""
        said = {"Total Allocated": allocated, "Total Reserved": allocated, "Device Type": 1, "Device Id": 0}
        self.events.append(
            {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": HOST,
             "ts": round(self.now, 3), "args": said}
        )  # fmt: skip

    def trace(self) -> bytes:
        """The trace file."""
        head: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": [self.device]}
        if self.ranks > 1:
            head["distributedInfo"] = {"backend": "nccl", "rank": self.rank, "world_size": self.ranks}
        return json.dumps({**head, "traceEvents": self.events}).encode()
