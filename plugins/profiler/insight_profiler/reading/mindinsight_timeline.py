"""Reads timelines that MindSpore wrote for MindInsight: ``{ascend_,gpu_,}timeline_display_{rank}.json``.

Arrays of events of a Chrome trace without process names: processes are identified by number. Times are in
µs from the first event; the device clock of the steps is aligned by events that both have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from attrs import define, field

from insight_profiler.building import Building
from insight_profiler.model import Category, Track
from insight_profiler.reading.arguments import packed_offset
from insight_profiler.reading.csv_columns import Integers, microseconds
from insight_profiler.reading.json_events import Events, readable
from insight_profiler.reading.mindspore_files import split_name, type_of

_AI_CPU, _COMMUNICATION, _HOST_CPU, _OVERLAP = "9000", "10000", "11000", "12000"  # processes
_STEPS, _SCOPES, _GPU_OPERATORS = "100000", "100001", ("100002", "Ops", "HostOps")  # threads
_OVERLAPS = ("7997", "7998", "7999", "8000", "8001", "8002")  # threads, of what is spent on what
_LABELS = {
    _AI_CPU: "AI CPU",
    _COMMUNICATION: "Communication",
    _HOST_CPU: "Host CPU",
    _OVERLAP: "Overlap analysis",
}


@define(eq=False)
class DisplayTimeline:
    """Reads one file. ``operators`` are rows by full names, of the device and of the host.

    Where there are operators of the device, the timeline adds none to them. ``marks`` has the first beginning
    (ns) of what other files know by name too: stretches of communication, runs on the AI CPU, steps by their
    numbers.
    """

    building: Building
    device: int
    operators: Mapping[str, int]
    kernels: Mapping[tuple[str, str], int]  # name and stream -> row
    has_operators: bool  # of the device
    marks: dict[str, int] = field(factory=dict)
    _tracks: dict[tuple[str, str], int] = field(factory=dict)
    _processes: dict[str, int] = field(factory=dict)

    def read(self, stream: BinaryIO, name: str) -> None:
        """Adds the slices of a timeline file; ``name`` is its path in the profile."""
        traces: list[str] = self.building.documents.setdefault("traces", [])
        traces.append(name)
        file = len(traces) - 1
        events = Events(stream)
        for window in events.windows():
            kept = [place for place, event in enumerate(window.events) if _is_slice(event)]
            self._add(
                [window.events[place] for place in kept],
                np.array([packed_offset(file, window.starts[place]) for place in kept], np.int64),
                np.array([window.ends[place] - window.starts[place] for place in kept], np.int64),
            )
            self.building.reached()
        if events.is_cut:
            self.building.note("truncated", f"{name} is cut: what is there is shown", file=name)

    def _add(self, events: list[dict[str, Any]], offset: Integers, size: Integers) -> None:
        if not events:
            return
        text = self.building.text
        start, has_start = microseconds([str(event["ts"]) for event in events])
        duration, has_duration = microseconds([str(event["dur"]) for event in events])
        rows: list[tuple[int, int, int, int, int, int, int, bool]] = []
        for event, begins in zip(events, start.tolist(), strict=True):
            pid, tid = str(event.get("pid", "")), str(event.get("tid", ""))
            arguments = event.get("args")
            said = arguments if isinstance(arguments, dict) else {}
            shown = readable(str(event.get("name", "")))
            full = readable(str(said.get("fullname") or said.get("op_full_name") or shown))
            category = _category(pid, tid)
            if pid in (_COMMUNICATION, _AI_CPU) or tid == _STEPS:
                self.marks.setdefault(shown, begins)
            is_call = category in (Category.KERNEL, Category.OPERATOR)
            is_kernel = is_call and "op_full_name" in said
            operator = (
                -1 if is_kernel or not is_call else self.operators.get(full, self.operators.get(shown, -1))
            )
            kernel = self.kernels.get((shown, tid), -1) if is_kernel else -1
            scope, own = split_name(shown if is_kernel else full) if not is_kernel else ("", shown)
            is_new = is_call and not is_kernel and operator < 0
            if self.has_operators and category == Category.KERNEL:
                is_new = False
            kind = str(said.get("type") or type_of(full)) if is_new else ""
            rows.append(
                (
                    self._track(pid, tid),
                    text(own if is_call else shown),
                    category,
                    operator,
                    kernel,
                    text(kind),
                    text(scope) if is_call else -1,
                    bool(said),
                )
            )
        columns = np.array(rows, np.int64)
        fine = has_start & has_duration & (duration >= 0)
        names = ("track", "name", "category", "operator", "kernel", "type", "scope")
        self.building.add(
            "slices",
            start=start[fine],
            duration=duration[fine],
            offset=np.where(columns[fine, -1] == 1, offset[fine], -1),
            size=np.where(columns[fine, -1] == 1, size[fine], -1),
            **{name: columns[fine, place] for place, name in enumerate(names)},
        )

    def _track(self, pid: str, tid: str) -> int:
        if (pid, tid) not in self._tracks:
            if pid not in self._processes:
                label = _LABELS.get(pid, f"Device {pid}")
                device = -1 if pid == _HOST_CPU else self.device
                self._processes[pid] = self.building.track(Track("process", label, device=device))
            kind, label = _thread(pid, tid)
            on_host = pid == _HOST_CPU or tid in _GPU_OPERATORS
            order = int(tid) if tid.isdecimal() else 0
            self._tracks[pid, tid] = self.building.track(
                Track(kind, label, self._processes[pid], -1 if on_host else self.device, order)
            )
        return self._tracks[pid, tid]


def _is_slice(event: object) -> bool:
    return isinstance(event, dict) and event.get("ph") == "X" and "ts" in event and "dur" in event


def _thread(pid: str, tid: str) -> tuple[str, str]:
    """Kind and label of a track."""
    if tid == _STEPS:
        return "scope", "Steps"
    if tid == _SCOPES:
        return "scope", "Scope Layer"
    if pid == _OVERLAP or tid in _OVERLAPS:
        return "scope", f"Overlap {tid}"
    if tid in _GPU_OPERATORS or pid == _HOST_CPU:
        return "thread", "Operators" if tid in _GPU_OPERATORS else f"Thread {tid}"
    return ("communication" if pid == _COMMUNICATION else "stream"), f"Stream {tid}"


def _category(pid: str, tid: str) -> Category:
    if tid in (_STEPS, _SCOPES) or pid == _OVERLAP or tid in _OVERLAPS:
        return Category.OTHER
    if pid == _COMMUNICATION:
        return Category.COMMUNICATION
    return Category.OPERATOR if pid == _HOST_CPU or tid in _GPU_OPERATORS else Category.KERNEL
