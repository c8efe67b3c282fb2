"""Reads NPU profiles of MindSpore 2.4+ (``*_ascend_ms``) and torch_npu (``*_ascend_pt``).

All lies below ASCEND_PROFILER_OUTPUT. Tables are read by the names in their headers, which differ by level
and version. Written from those names and samples made by hand, since no real directory was to be had.
"""

from __future__ import annotations

import numpy as np

from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Counter, Device
from insight_profiler.reading.ascend_communication import read_communication
from insight_profiler.reading.ascend_database import DATABASES, read_databases, set_rank
from insight_profiler.reading.ascend_kernels import read_kernels
from insight_profiler.reading.ascend_steps import add_divided_steps, add_marked_steps
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
    return _has_text(parts, has_cpu=has_cpu) or bool(parts.named(DATABASES))


def _has_text(parts: ProfileParts, *, has_cpu: bool = False) -> bool:
    """Whether it is exported as text too, which is read rather than the same in databases."""
    return bool(parts.named(_TABLES)) or (bool(parts.named(r"trace_view\.json")) and not has_cpu)


def read_device(parts: ProfileParts) -> None:
    """Reads kernels, timeline, steps, memory and communication of an Ascend device."""
    building = parts.building
    building.platform = "npu"
    parts.attempt(r"profiler_info(_\d+)?\.json", lambda name: read_profiler_info(parts, name))
    set_rank(parts)
    device = building.device(Device(f"NPU {building.rank}" if building.rank >= 0 else "NPU", "npu"))
    if not _has_text(parts):
        add_marked_steps(building, read_databases(parts, device))
        return
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


def _steps(parts: ProfileParts, name: str, marked: Steps) -> None:
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
    add_divided_steps(parts.building, numbers, columns, marked)


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
