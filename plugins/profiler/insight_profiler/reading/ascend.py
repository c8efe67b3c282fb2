"""Reads NPU profiles of MindSpore 2.4+ (``*_ascend_ms``) and torch_npu (``*_ascend_pt``).

All lies below ASCEND_PROFILER_OUTPUT. Tables are read by the names in their headers, which differ by level
and version. Written from those names and samples made by hand, since no real directory was to be had.
"""

from __future__ import annotations

import numpy as np

from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Counter, Device, StepOrigin
from insight_profiler.reading.ascend_communication import read_communication
from insight_profiler.reading.ascend_kernels import read_kernels
from insight_profiler.reading.ascend_timeline import AscendTimeline, Steps
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.minddata import read_minddata
from insight_profiler.reading.mindinsight_documents import read_profiler_info
from insight_profiler.reading.mindspore_files import ProfileParts, host_of

_TABLES = (
    r"(kernel_details|op_statistic|operator_details|step_trace_time|operator_memory|memory_record)\.csv"
    r"|communication(_matrix)?\.json"
)
_STEP_COLUMNS = {
    "computing": "Computing",
    "communication_not_overlapped": "Communication(Not Overlapped)",
    "overlapped": "Overlapped",
    "free": "Free",
    "stage": "Stage",
    "bubble": "Bubble",
    "collective": "Communication(Not Overlapped and Exclude Receive)",
    "preparing": "Preparing",
}


def read(files: Files, building: Building) -> None:
    """Reads one profile directory. Raises Unreadable if no file is readable."""
    parts = ProfileParts(files, building)
    building.host = host_of(building.worker)
    read_device(parts)
    read_minddata(parts)
    parts.require_something()


def has_device(parts: ProfileParts) -> bool:
    """Whether the profile is of an NPU: what it has of one, or a timeline and nothing of a CPU."""
    has_cpu = bool(parts.named(r"cpu_op_.*"))
    return bool(parts.named(_TABLES)) or (bool(parts.named(r"trace_view\.json")) and not has_cpu)


def read_device(parts: ProfileParts) -> None:
    """Reads kernels, timeline, steps, memory and communication of an Ascend device."""
    building = parts.building
    building.platform = "npu"
    parts.attempt(r"profiler_info(_\d+)?\.json", lambda name: read_profiler_info(parts, name))
    device = building.device(Device(f"NPU {building.rank}" if building.rank >= 0 else "NPU", "npu"))
    runs = read_kernels(parts, device)
    timeline = AscendTimeline(building, device, {}, runs, has_operators=building.rows("operators") > 0)

    def read_timeline(name: str) -> None:
        with parts.files.open(name) as stream:
            timeline.read(stream, name)

    if not parts.attempt(r"trace_view\.json", read_timeline):
        timeline.add_runs()
    if not parts.attempt(r"step_trace_time\.csv", lambda name: _steps(parts, name, timeline.steps)):
        add_marked_steps(building, timeline.steps)
    read_memory(parts, device)
    read_communication(parts)


def add_marked_steps(building: Building, steps: Steps) -> None:
    """The steps that a timeline marks."""
    if not steps.spans:
        return
    numbers = sorted(steps.spans)
    columns = sorted({column for part in steps.parts.values() for column in part})
    building.add(
        "steps",
        number=numbers,
        start=[steps.spans[number][0] for number in numbers],
        duration=[steps.spans[number][1] for number in numbers],
        **{column: [steps.parts.get(number, {}).get(column, -1) for number in numbers] for column in columns},
    )
    building.step_origin = StepOrigin.RECORDED


def _steps(parts: ProfileParts, name: str, marked: Steps) -> None:
    """Steps as the table divides them; when they were, as the timeline marks them. A step that it does not
    mark
    is as long as its parts."""
    cells = parts.cells(name)
    if not cells.count:
        raise ValueError("it has no steps")
    texts = cells.texts("Step")
    numbers = [
        int(text.partition(".")[0] or "0") if text.replace(".", "", 1).isdecimal() else place
        for place, text in enumerate(texts)
    ]
    columns: dict[str, Integers] = {
        column: cells.nanoseconds(title, unit="us")
        for column, title in _STEP_COLUMNS.items()
        if title in cells
    }
    known = [
        columns[column]
        for column in ("computing", "communication_not_overlapped", "free")
        if column in columns
    ]
    duration = (
        np.sum([np.maximum(values, 0) for values in known], axis=0) if known else np.full(len(numbers), -1)
    )
    spans = [marked.spans.get(number) for number in numbers]
    if "collective" in columns and "communication_not_overlapped" in columns:
        receive = columns["communication_not_overlapped"] - columns["collective"]
        columns["receive"] = np.where(columns["collective"] >= 0, np.maximum(receive, 0), -1)
    parts.building.add(
        "steps",
        number=numbers,
        start=[span[0] if span else -1 for span in spans],
        duration=[span[1] if span else own for span, own in zip(spans, duration.tolist(), strict=True)],
        **columns,
    )
    parts.building.step_origin = StepOrigin.RECORDED


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
