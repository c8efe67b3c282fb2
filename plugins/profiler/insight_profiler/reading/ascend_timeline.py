"""Timelines of NPUs: ``trace_view.json`` of MindSpore 2.4+ and torch_npu, ``msprof_*.json`` before.

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

from insight_profiler.arguments import packed_offset
from insight_profiler.building import Building
from insight_profiler.model import Category, Counter, FlowKind, Track
from insight_profiler.reading.ascend_kernels import KernelRuns
from insight_profiler.reading.ascend_layers import DEVICE_LAYERS, slice_category, task_category, track_kind
from insight_profiler.reading.csv_columns import Integers, decimals, nanoseconds
from insight_profiler.reading.json_events import Events, readable
from insight_profiler.reading.mindspore_names import split_name, type_of

_STEP = re.compile(r"ProfilerStep#(\d+)")
_ITERATION = re.compile(r"Iteration (\d+)")
_LAUNCHES = ("HostToDevice", "async_npu", "async_task_queue", "async_mindspore", "async_acl_to_npu")


@define(eq=False)
class Steps:
    """Steps that the timeline marks: number -> start and duration, and what divides it."""

    spans: dict[int, tuple[int, int]] = field(factory=dict)
    parts: dict[int, dict[str, int]] = field(factory=dict)


@define(eq=False)
class _Slices:
    """Of one window or file, by column; ``task`` is a place in the texts of tasks."""

    thread: list[int] = field(factory=list)
    start: list[str] = field(factory=list)
    duration: list[str] = field(factory=list)
    name: list[int] = field(factory=list)
    task: list[int] = field(factory=list)
    offset: list[int] = field(factory=list)
    size: list[int] = field(factory=list)


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
        self._names: dict[str, tuple[int, int, int]] = {}  # full name -> name, type, scope
        self._flows: dict[str, int] = {}

    def read(self, stream: BinaryIO, name: str) -> None:
        """One file. Raises ValueError when it is no trace."""
        layers: dict[str, str] = {}  # pid -> label
        threads: dict[tuple[str, str], str] = {}
        orders: dict[tuple[str, str], int] = {}
        keys: dict[tuple[str, str], int] = {}
        chunks: list[_Columns] = []
        arrows: list[tuple[str, int, int, str, int]] = []
        names: dict[str, int] = {}
        tasks: dict[str, int] = {"": 0}
        traces: list[str] = self._building.documents.setdefault("traces", [])
        traces.append(name)
        file = len(traces) - 1
        events = Events(stream)
        for window in events.windows():
            slices = _Slices()
            for event, begins, ends in zip(window.events, window.starts, window.ends, strict=True):
                if not isinstance(event, dict):
                    continue
                kind = event.get("ph")
                pid, tid = str(event.get("pid", "")), str(event.get("tid", ""))
                if kind == "X":
                    full = event.get("name")
                    arguments = event.get("args")
                    task = ""
                    if isinstance(arguments, dict):
                        task = arguments.get("Task Type") or arguments.get("task type") or ""
                    slices.thread.append(keys.setdefault((pid, tid), len(keys)))
                    slices.start.append(str(event.get("ts", "")))
                    slices.duration.append(str(event.get("dur", 0)))
                    slices.name.append(names.setdefault(str(full), len(names)))
                    slices.offset.append(packed_offset(file, begins) if arguments else -1)
                    slices.size.append(ends - begins if arguments else -1)
                    slices.task.append(tasks.setdefault(f"{event.get('cat') or ''}|{task}", len(tasks)))
                    if type(full) is str and full.startswith(("Iteration ", "ProfilerStep#")):
                        self._mark(event, full, arguments)
                elif kind == "M":
                    _describe(event, pid, tid, layers, threads, orders)
                elif kind in ("s", "t", "f"):
                    time = nanoseconds(event.get("ts"), "us")
                    flow = f"{event.get('cat')}|{event.get('id')}"
                    key = keys.setdefault((pid, tid), len(keys))
                    arrows.append((str(event.get("cat", "")), self._flow(flow), key, str(kind), time))
                elif kind == "C":
                    self._count(event, layers.get(pid, pid))
            chunks.append(_converted(slices))
            self._building.reached()
        self._add(chunks, list(keys), layers, threads, orders, list(names), list(tasks), arrows)
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
        tracks = {
            stream: self._track("Ascend Hardware", f"Stream {texts[stream]}" if stream >= 0 else "Stream", 0)
            for stream in np.unique(runs.stream).tolist()
        }
        cores = {core: texts[core] if core >= 0 else "" for core in np.unique(runs.core).tolist()}
        self._building.add(
            "slices",
            track=[tracks[stream] for stream in runs.stream.tolist()],
            start=runs.start,
            duration=runs.duration,
            name=runs.name,
            category=[task_category(cores[core]) for core in runs.core.tolist()],
            operator=runs.operator,
            kernel=runs.kernel,
        )

    def _flow(self, flow: str) -> int:
        return self._flows.setdefault(flow, len(self._flows))

    def _mark(self, event: Mapping[str, Any], full: str, arguments: object) -> None:
        start, duration = nanoseconds(event.get("ts"), "us"), nanoseconds(event.get("dur"), "us")
        if start < 0 or duration < 0:
            return
        if step := _STEP.fullmatch(full):
            number = int(step[1])
            known = self.steps.spans.get(number)
            if known is None or duration > known[1]:
                self.steps.spans[number] = start, duration
        elif (iteration := _ITERATION.fullmatch(full)) and isinstance(arguments, dict):
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

    def _count(self, event: Mapping[str, Any], layer: str) -> None:
        time, arguments = nanoseconds(event.get("ts"), "us"), event.get("args")
        if time < 0 or not isinstance(arguments, dict):
            return
        for label, value in arguments.items():
            try:
                number = float(value)
            except (TypeError, ValueError):
                continue
            key = (str(event.get("name", layer)), str(label))
            if key not in self._counters:
                shown = key[0] if key[1] in ("", "value", key[0]) else f"{key[0]} {key[1]}"
                self._counters[key] = self._building.counter(Counter(shown, "other", "", self._device))
            self._building.add("counters", counter=self._counters[key], time=time, value=number)

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

    def _add(
        self,
        chunks: list[_Columns],
        keys: list[tuple[str, str]],
        layers: Mapping[str, str],
        threads: Mapping[tuple[str, str], str],
        orders: Mapping[tuple[str, str], int],
        names: list[str],
        tasks: list[str],
        arrows: list[tuple[str, int, int, str, int]],
    ) -> None:
        if not keys:
            return
        where = [
            (layers.get(pid, f"Process {pid}"), threads.get((pid, tid), f"Thread {tid}")) for pid, tid in keys
        ]
        tracks = np.array(
            [
                self._track(layer, label, orders.get(key, place), orders.get((key[0], ""), 0))
                for place, (key, (layer, label)) in enumerate(zip(keys, where, strict=True))
            ],
            np.int64,
        )
        named = np.array([self._named(name) for name in names] or [(-1, -1, -1)], np.int64)
        rows = np.array([self._operators.get(name, -1) for name in names] or [-1], np.int64)
        lost = 0
        for chunk in chunks:
            fine = chunk.is_fine
            lost += int((~fine).sum())
            thread, name, task, start, duration, offset, size = (column[fine] for column in chunk.columns())
            if not len(start):
                continue
            code = (thread * len(tasks) + task) * len(names) + name
            _, first, place = np.unique(code, return_index=True, return_inverse=True)
            category = np.array(
                [
                    slice_category(where[int(thread[row])], tasks[int(task[row])], names[int(name[row])])
                    for row in first.tolist()
                ],
                np.int64,
            )[place.reshape(-1)]
            is_call = np.isin(category, (Category.KERNEL, Category.OPERATOR))
            is_new = is_call & ~((category == Category.KERNEL) & self._has_operators)
            operator, kernel = self._linked(start, named[name, 0], category)
            operator = np.where((operator < 0) & is_call, rows[name], operator)
            self._building.add(
                "slices",
                track=tracks[thread],
                start=start,
                duration=duration,
                name=named[name, 0],
                type=np.where(is_new & (operator < 0), named[name, 1], -1),
                scope=np.where(is_call, named[name, 2], -1),
                category=category,
                operator=operator,
                kernel=kernel,
                offset=offset,
                size=size,
            )
        if lost:
            self._building.note(
                "events_skipped", f"{lost} events have no times and are left out", file="", count=lost
            )
        if arrows:
            self._building.add(
                "arrows",
                flow=[flow for _, flow, *_ in arrows],
                kind=[FlowKind.LAUNCH if kind in _LAUNCHES else FlowKind.OTHER for kind, *_ in arrows],
                begins=[phase == "s" for *_, phase, _ in arrows],
                track=tracks[[key for _, _, key, *_ in arrows]],
                time=[time for *_, time in arrows],
            )

    def _named(self, full: str) -> tuple[int, int, int]:
        """Places of name, type and scope."""
        if full not in self._names:
            text, shown = self._building.text, readable(full)
            is_scoped = shown.startswith(("Default/", "Gradients/", "recompute_Default/"))
            scope, name = split_name(shown) if is_scoped else ("", shown)
            self._names[full] = text(name), text(type_of(name)), text(scope)
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
        same = (begins[places] == start) & (runs.name[found] == name) & (category != Category.OPERATOR)
        return np.where(same, runs.operator[found], -1), np.where(same, runs.kernel[found], -1)


@define(eq=False)
class _Columns:
    thread: Integers
    name: Integers
    task: Integers
    start: Integers
    duration: Integers
    offset: Integers
    size: Integers
    is_fine: NDArray[np.bool_]

    def columns(self) -> tuple[Integers, ...]:
        return self.thread, self.name, self.task, self.start, self.duration, self.offset, self.size


def _converted(slices: _Slices) -> _Columns:
    start, has_start = decimals(slices.start, 3)
    duration, has_duration = decimals(slices.duration, 3)
    thread, name, task, offset, size = (
        np.array(column, np.int64)
        for column in (slices.thread, slices.name, slices.task, slices.offset, slices.size)
    )
    is_fine = has_start & has_duration & (duration >= 0)
    return _Columns(thread, name, task, start, duration, offset, size, is_fine)


def _describe(
    event: Mapping[str, Any],
    pid: str,
    tid: str,
    layers: dict[str, str],
    threads: dict[tuple[str, str], str],
    orders: dict[tuple[str, str], int],
) -> None:
    arguments = event.get("args")
    if not isinstance(arguments, dict):
        return
    what = event.get("name")
    if what == "process_name":
        layers[pid] = readable(str(arguments.get("name", "")))
    elif what == "thread_name":
        threads[pid, tid] = readable(str(arguments.get("name", "")))
    elif what in ("process_sort_index", "thread_sort_index"):
        order = arguments.get("sort_index")
        if isinstance(order, int):
            orders[(pid, "") if what == "process_sort_index" else (pid, tid)] = order
