"""Reads timelines of NPUs: ``trace_view.json`` of MindSpore 2.4+ and torch_npu, ``msprof_*.json`` of older
versions.

Chrome traces whose processes are layers: "Ascend Hardware" (a thread for each stream), "HCCL" or
"Communication", "CANN", "CPU OP", "Python" or "MindSpore", "Scope Layer", "Overlap Analysis". Steps are
``ProfilerStep#n`` on the host, or ``Iteration n`` of the device with where forward begins and backward
ends. Flows of the categories ``HostToDevice`` and ``async_*`` go from a call to the work that it launched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.model import Category, Counter, FlowKind, Track
from insight_profiler.reading.ascend_events import (
    DEVICE_LAYERS,
    TraceColumns,
    slice_category,
    task_category,
    track_kind,
)
from insight_profiler.reading.ascend_kernels import KernelRuns
from insight_profiler.reading.csv_columns import Integers, microseconds, nanoseconds
from insight_profiler.reading.json_events import Events, readable
from insight_profiler.reading.mindspore_files import split_scope, type_of

_STEP = re.compile(r"ProfilerStep#(\d+)")
_ITERATION = re.compile(r"Iteration (\d+)")
_LAUNCHES = ("HostToDevice", "async_npu", "async_task_queue", "async_mindspore", "async_acl_to_npu")


@define(eq=False)
class Steps:
    """Steps that the timeline marks: number -> start and duration, and what divides it."""

    spans: dict[int, tuple[int, int]] = field(factory=dict)
    parts: dict[int, dict[str, int]] = field(factory=dict)


class AscendTimeline:
    """Reads files into one set of tracks: a layer and a thread of the same names are one.

    ``operators`` are rows by full names, ``runs`` those of kernels: slices of the device are linked to them.
    Where there are operators of the device already, the timeline adds none to them.
    """

    def __init__(
        self,
        building: Building,
        device: int,
        operators: Mapping[str, int],
        runs: KernelRuns | None = None,
        *,
        has_operators: bool,
    ) -> None:
        self.steps = Steps()
        self._building = building
        self._device = device
        self._operators = operators
        self._runs = runs
        self._has_operators = has_operators
        self._order = np.argsort(runs.start, kind="stable") if runs else np.zeros(0, np.int64)
        self._processes: dict[str, int] = {}  # label -> track
        self._tracks: dict[tuple[str, str], int] = {}
        self._counters: dict[tuple[str, str], int] = {}
        self._names: dict[str, tuple[int, int, int, int]] = {}  # full name -> name, type, scope, full name

    def read(self, stream: BinaryIO, name: str) -> None:
        """One file. Raises ValueError if it is not a trace."""
        traces: list[str] = self._building.documents.setdefault("traces", [])
        traces.append(name)
        columns = TraceColumns(len(traces) - 1)
        events = Events(stream)
        for window in events.windows():
            columns.add(window)
            self._building.reached()
        self._add(columns, name)
        for event in columns.marks:
            self._mark(event)
        if events.is_cut:
            self._building.note("truncated", f"{name} is cut: what is there is shown", file=name)
        if events.skipped:
            self._building.note(
                "events_skipped",
                f"{events.skipped} stretches of {name} cannot be read and are left out",
                file=name,
                count=events.skipped,
            )

    def add_runs(self) -> None:
        """Slices of the runs of kernels, when no timeline has them."""
        runs = self._runs
        if runs is None:
            return
        texts = self._building.all_texts()
        streams, stream = np.unique(runs.stream, return_inverse=True)
        cores, core = np.unique(runs.core, return_inverse=True)
        tracks = [
            self._track("Ascend Hardware", f"Stream {texts[place]}" if place >= 0 else "Stream", 0)
            for place in streams.tolist()
        ]
        categories = [task_category(texts[place] if place >= 0 else "") for place in cores.tolist()]
        self._building.add(
            "slices",
            track=np.array(tracks)[stream],
            start=runs.start,
            duration=runs.duration,
            name=runs.name,
            category=np.array(categories)[core],
            operator=runs.operator,
            kernel=runs.kernel,
        )

    def _mark(self, event: Mapping[str, Any]) -> None:
        start, duration = nanoseconds(event.get("ts"), "us"), nanoseconds(event.get("dur"), "us")
        name, arguments = str(event["name"]), event.get("args")
        if start < 0 or duration < 0:
            return
        if step := _STEP.fullmatch(name):
            number = int(step[1])
            known = self.steps.spans.get(number)
            if known is None or duration > known[1]:
                self.steps.spans[number] = start, duration
        elif (iteration := _ITERATION.fullmatch(name)) and isinstance(arguments, dict):
            number = int(iteration[1])
            self.steps.spans[number] = start, duration
            forward, backward = (nanoseconds(arguments.get(key), "us") for key in ("FP Start", "BP End"))
            if forward >= start and backward >= forward:
                self.steps.parts[number] = {
                    "iteration_interval": forward - start,
                    "forward_backward": backward - forward,
                    "tail": start + duration - backward,
                    "forward_start": forward - start,
                    "backward_end": backward - start,
                }

    def _add_counts(self, columns: TraceColumns) -> None:
        for key, points in columns.counts.items():
            name, label = key
            times, is_time = microseconds([time for time, _ in points])
            values = np.array([_number(value) for _, value in points])
            fine = is_time & np.isfinite(values)
            if not fine.any():
                continue
            if key not in self._counters:
                shown = name if label in ("", "value", name) else f"{name} {label}"
                self._counters[key] = self._building.counter(Counter(shown, "other", "", self._device))
            self._building.add(
                "counters",
                counter=np.full(int(fine.sum()), self._counters[key]),
                time=times[fine],
                value=values[fine],
            )

    def _process(self, label: str, order: int) -> int:
        if label not in self._processes:
            device = self._device if label.startswith(DEVICE_LAYERS) else -1
            track = Track("process", label, device=device, order=order)
            self._processes[label] = self._building.track(track)
        return self._processes[label]

    def _track(self, layer: str, label: str, order: int, process_order: int = 0) -> int:
        if (layer, label) not in self._tracks:
            process = self._process(layer, process_order)
            device = self._device if layer.startswith(DEVICE_LAYERS) else -1
            self._tracks[layer, label] = self._building.track(
                Track(track_kind(layer, label), label, process, device, order)
            )
        return self._tracks[layer, label]

    def _add(self, columns: TraceColumns, name_of_file: str) -> None:
        self._add_counts(columns)
        keys = columns.keys()
        where = [
            (columns.layers.get(pid, f"Process {pid}"), columns.threads.get((pid, tid), f"Thread {tid}"))
            for pid, tid in keys
        ]
        tracks = np.array(
            [
                self._track(layer, label, columns.orders.get(key, place), columns.orders.get((key[0], ""), 0))
                for place, (key, (layer, label)) in enumerate(zip(keys, where, strict=True))
            ],
            np.int64,
        )
        names, tasks = list(columns.names), list(columns.tasks)
        named = np.array([self._named(name) for name in names] or [(-1, -1, -1, -1)], np.int64)
        rows = np.array([self._operators.get(name, -1) for name in names] or [-1], np.int64)
        marks = np.array([_STEP.fullmatch(name) is not None for name in names] or [False])
        for chunk in columns.slices:
            code = (chunk.thread.astype(np.int64) * len(tasks) + chunk.task) * len(names) + chunk.name
            _, first, place = np.unique(code, return_index=True, return_inverse=True)
            category = np.array(
                [
                    slice_category(where[chunk.thread[row]], tasks[chunk.task[row]], names[chunk.name[row]])
                    for row in first.tolist()
                ],
                np.int64,
            )[place.reshape(-1)]
            is_call = np.isin(category, (Category.KERNEL, Category.OPERATOR))
            is_new = is_call & ~((category == Category.KERNEL) & self._has_operators)
            operator, kernel = self._linked(chunk.start, named[chunk.name, 3], category)
            operator = np.where((operator < 0) & is_call, rows[chunk.name], operator)
            self._building.add(
                "slices",
                track=tracks[chunk.thread],
                start=chunk.start,
                duration=chunk.duration,
                name=named[chunk.name, 0],
                type=np.where(is_new & (operator < 0), named[chunk.name, 1], -1),
                scope=np.where(is_call, named[chunk.name, 2], -1),
                category=category,
                operator=operator,
                kernel=kernel,
                marker=marks[chunk.name],
                offset=chunk.offset,
                size=chunk.size,
            )
        if lost := sum(chunk.lost for chunk in columns.slices):
            self._building.note(
                "events_odd",
                f"{lost} events of {name_of_file} have no times and are left out",
                file=name_of_file,
                count=lost,
            )
        kinds = np.array(
            [FlowKind.LAUNCH if kind in _LAUNCHES else FlowKind.OTHER for kind in columns.categories()],
            np.int64,
        )
        for arrow in columns.arrows:
            self._building.add(
                "arrows",
                flow=arrow.flow,
                kind=kinds[arrow.category],
                begins=arrow.begins,
                track=tracks[arrow.thread],
                time=arrow.time,
            )

    def _named(self, full: str) -> tuple[int, int, int, int]:
        """Places of name, type, scope and the name as it is."""
        if full not in self._names:
            text, shown = self._building.text, readable(full)
            scope, name = split_scope(shown)
            self._names[full] = text(name), text(type_of(name)), text(scope), text(shown)
        return self._names[full]

    def _linked(
        self, start: Integers, name: Integers, category: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Operator and kernel of each slice: those of the run that began at the same time and has the
        name."""
        nothing = np.full(len(start), -1, np.int64)
        runs = self._runs
        if runs is None:
            return nothing, nothing
        begins = runs.start[self._order]
        places = np.minimum(np.searchsorted(begins, start), len(begins) - 1)
        found = self._order[places]
        same = (begins[places] == start) & (runs.full_name[found] == name) & (category != Category.OPERATOR)
        return np.where(same, runs.operator[found], -1), np.where(same, runs.kernel[found], -1)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        return float("nan")
