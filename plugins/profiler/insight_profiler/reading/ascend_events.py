"""Reads the events of an NPU's Chrome trace into columns, window by window, and tells its layers apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_profiler.model import Category
from insight_profiler.reading.arguments import packed_offset
from insight_profiler.reading.csv_columns import Integers, microseconds
from insight_profiler.reading.json_events import Window, readable

Key = tuple[str, str]  # a process and a thread, as the trace names them; ("1", "") for the process
_STEPS = ("Iteration ", "ProfilerStep#")


@frozen(eq=False)
class SliceColumns:
    """Of a window. ``thread``, ``name`` and ``task`` are places among those of the trace; times in ns."""

    thread: Integers
    name: Integers
    task: Integers
    start: Integers
    duration: Integers
    offset: Integers
    size: Integers
    lost: int  # events without times


@frozen(eq=False)
class ArrowColumns:
    """Ends of flows; ``category`` is a place among those of the trace."""

    category: Integers
    flow: Integers
    thread: Integers
    begins: NDArray[np.bool_]
    time: Integers


@define(eq=False)
class TraceColumns:
    """What was read of a trace. ``file`` is its place among the traces of the profile."""

    file: int
    layers: dict[str, str] = field(factory=dict)  # process -> label
    threads: dict[Key, str] = field(factory=dict)
    orders: dict[Key, int] = field(factory=dict)
    names: dict[str, int] = field(factory=dict)
    tasks: dict[tuple[str, str], int] = field(factory=dict)  # category of the event and type of the task
    slices: list[SliceColumns] = field(factory=list)
    arrows: list[ArrowColumns] = field(factory=list)
    counts: dict[tuple[str, str], list[tuple[str, object]]] = field(
        factory=dict
    )  # time and value, as they are
    marks: list[Mapping[str, Any]] = field(factory=list)  # events that mark steps
    _keys: dict[tuple[object, object], int] = field(factory=dict)
    _categories: dict[object, int] = field(factory=dict)  # of flows
    _flows: dict[tuple[int, object], int] = field(factory=dict)  # those that have no number

    def keys(self) -> list[Key]:
        """Process and thread of each place."""
        return [(str(pid), str(tid)) for pid, tid in self._keys]

    def categories(self) -> list[str]:
        """Category names, indexed by the numbers in the columns."""
        return list(map(str, self._categories))

    def add(self, window: Window) -> None:
        """Appends the slices and arrows of a window of events."""
        slices: list[tuple[int, int, int, int, int]] = []
        times: list[str] = []
        durations: list[str] = []
        arrows: list[tuple[int, int, int, bool]] = []
        arrow_times: list[str] = []
        keys, names, tasks, categories = self._keys, self.names, self.tasks, self._categories
        for event, begins, ends in zip(window.events, window.starts, window.ends, strict=True):
            if not isinstance(event, dict):
                continue
            kind = event.get("ph")
            if kind == "X":
                name = event.get("name")
                arguments = event.get("args")
                task = ""
                if isinstance(arguments, dict):
                    task = arguments.get("Task Type") or arguments.get("task type") or ""
                if type(name) is not str:
                    name = str(name)
                if name.startswith(_STEPS):
                    self.marks.append(event)
                times.append(str(event.get("ts", "")))
                durations.append(str(event.get("dur", 0)))
                slices.append(
                    (
                        keys.setdefault((event.get("pid", ""), event.get("tid", "")), len(keys)),
                        names.setdefault(name, len(names)),
                        tasks.setdefault((str(event.get("cat") or ""), str(task)), len(tasks)),
                        packed_offset(self.file, begins) if arguments else -1,
                        ends - begins if arguments else -1,
                    )
                )
            elif kind in ("s", "t", "f"):
                category = event.get("cat")
                place = categories.setdefault(category, len(categories))
                arrow_times.append(str(event.get("ts", "")))
                arrows.append(
                    (
                        place,
                        self._flow(place, event.get("id")),
                        keys.setdefault((event.get("pid", ""), event.get("tid", "")), len(keys)),
                        kind == "s",
                    )
                )
            elif kind == "M":
                self._describe(event)
            elif kind == "C":
                self._count(event)
        if slices:
            self.slices.append(_slice_columns(slices, times, durations))
        if arrows:
            self.arrows.append(_arrow_columns(arrows, arrow_times))

    def _flow(self, category: int, name: object) -> int:
        """A number for a flow, which no other flow of the profile has."""
        text = str(name)
        if text.isdecimal() and len(text) < 12 and category < 64:
            own = category << 40 | int(text)
        else:
            own = 1 << 46 | self._flows.setdefault((category, name), len(self._flows))
        return self.file << 47 | own

    def _describe(self, event: Mapping[str, Any]) -> None:
        arguments = event.get("args")
        if not isinstance(arguments, dict):
            return
        what = event.get("name")
        pid, tid = str(event.get("pid", "")), str(event.get("tid", ""))
        if what == "process_name":
            self.layers[pid] = readable(str(arguments.get("name", "")))
        elif what == "thread_name":
            self.threads[pid, tid] = readable(str(arguments.get("name", "")))
        elif what in ("process_sort_index", "thread_sort_index"):
            order = arguments.get("sort_index")
            if isinstance(order, int):
                self.orders[(pid, "") if what == "process_sort_index" else (pid, tid)] = order

    def _count(self, event: Mapping[str, Any]) -> None:
        arguments = event.get("args")
        if isinstance(arguments, dict):
            for label, value in arguments.items():
                points = self.counts.setdefault((str(event.get("name", "")), str(label)), [])
                points.append((str(event.get("ts", "")), value))


def _slice_columns(
    rows: list[tuple[int, int, int, int, int]], times: list[str], durations: list[str]
) -> SliceColumns:
    start, has_start = microseconds(times)
    duration, has_duration = microseconds(durations)
    fine = has_start & has_duration & (duration >= 0)
    columns = np.array(rows, np.int64)[fine]
    thread, name, task, offset, size = (columns[:, place] for place in range(5))
    return SliceColumns(
        thread.astype(np.int32),
        name.astype(np.int32),
        task.astype(np.int32),
        start[fine],
        duration[fine],
        offset.copy(),
        size.astype(np.int32),
        int((~fine).sum()),
    )


def _arrow_columns(rows: list[tuple[int, int, int, bool]], times: list[str]) -> ArrowColumns:
    time, fine = microseconds(times)
    columns = np.array(rows, np.int64)[fine]
    return ArrowColumns(
        columns[:, 0].astype(np.int32),
        columns[:, 1].copy(),
        columns[:, 2].astype(np.int32),
        columns[:, 3] == 1,
        time[fine],
    )


DEVICE_LAYERS = ("Ascend Hardware", "HCCL", "Communication", "Overlap Analysis")
_RUNTIME = ("AscendCL@", "Node@launch", "Runtime@", "aclnn")


def track_kind(layer: str, label: str) -> str:
    """The kind of a track, from the names of its layer and itself."""
    if layer.startswith("Ascend Hardware"):
        return "scope" if label.startswith("Step Trace") else "stream"
    if layer.startswith(("HCCL", "Communication")):
        return "communication"
    return "scope" if layer.startswith(("Scope Layer", "Overlap Analysis", "Step Trace")) else "thread"


def task_category(task: str) -> Category:
    """What a device does, by the type of its task."""
    lower = task.lower()
    if lower.startswith(("notify", "event", "profiling", "model_", "stream", "flip", "label")):
        return Category.OTHER
    if lower.startswith("memcpy") or "sdma" in lower:
        return Category.MEMCPY
    if lower.startswith(("reduce", "hccl", "communication", "rdma")):
        return Category.COMMUNICATION
    return Category.MEMSET if lower.startswith("memset") else Category.KERNEL


def slice_category(where: tuple[str, str], task: tuple[str, str], name: str) -> Category:
    """Of a slice: its layer and thread, category and task of its event, name."""
    layer, label = where
    kind, work = task
    if layer.startswith("Ascend Hardware"):
        return Category.OTHER if label.startswith("Step Trace") else task_category(work)
    if layer.startswith(("HCCL", "Communication")):
        return Category.COMMUNICATION
    if layer.startswith("CPU OP") or kind == "cpu_op":
        return Category.OPERATOR
    if layer.startswith("CANN") and name.startswith(_RUNTIME):
        return Category.RUNTIME
    return Category.OTHER
