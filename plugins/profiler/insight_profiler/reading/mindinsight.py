"""Reads profiles that MindSpore wrote for MindInsight: a directory ``profiler*`` of one rank."""

from __future__ import annotations

import numpy as np

from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Device, Side
from insight_profiler.reading.ascend_steps import add_marked_steps
from insight_profiler.reading.ascend_timeline import AscendTimeline
from insight_profiler.reading.csv_columns import nanoseconds
from insight_profiler.reading.minddata import read_minddata
from insight_profiler.reading.mindinsight_cluster import read_communication
from insight_profiler.reading.mindinsight_documents import read_documents
from insight_profiler.reading.mindinsight_operators import read_operators
from insight_profiler.reading.mindinsight_steps import (
    TICK,
    StepTrace,
    add_steps,
    read_cluster,
    read_step_trace,
)
from insight_profiler.reading.mindinsight_timeline import DisplayTimeline
from insight_profiler.reading.mindspore_cpu import read_cpu
from insight_profiler.reading.mindspore_files import ProfileParts

_ON_NPU = r"ascend_.*|aicore_.*|aicpu_.*|hccl_raw_.*|msprof_.*|timeline_display_.*|framework_raw_.*"
_TIMELINES = r"msprof_.*\.json|(ascend_|gpu_)?timeline_display_\d+\.json"
_ON_GPU = r"gpu_.*|minddata_getnext_.*"


def read(files: Files, building: Building) -> None:
    """Reads one profile directory. Raises Unreadable if no file is readable."""
    parts = ProfileParts(files, building)
    read_documents(parts)
    kind = "npu" if parts.named(_ON_NPU) else "gpu" if parts.named(_ON_GPU) else ""
    device = -1
    if kind:
        label = f"{kind.upper()} {building.rank}" if building.rank >= 0 else kind.upper()
        memory = building.documents.get("memory", {}).get("summary", {}).get("capacity_bytes")
        device = building.device(Device(label, kind, {"memory_bytes": memory} if memory else {}))
    building.platform = kind or ("cpu" if parts.named(r"cpu_.*") else "")
    read_operators(parts, device)
    read_cpu(parts, with_times=not parts.named(_TIMELINES))
    _timeline_and_steps(parts, device)
    read_communication(parts)
    read_minddata(parts)
    parts.require_something()


def _timeline_and_steps(parts: ProfileParts, device: int) -> None:
    building = parts.building
    operators = _rows_by_name(building)
    trace, more = read_step_trace(parts), read_cluster(parts)
    has_operators = bool((building.table("operators")["side"] == Side.DEVICE).any())
    merged = AscendTimeline(building, device, operators, has_operators=has_operators)
    shown = DisplayTimeline(building, device, operators, _kernels_by_name(building), has_operators)

    def read_merged(name: str) -> None:
        with parts.files.open(name) as stream:
            merged.read(stream, name)

    def read_shown(name: str) -> None:
        with parts.files.open(name) as stream:
            shown.read(stream, name)

    before = building.rows("slices")
    if not parts.attempt(r"msprof_.*\.json", read_merged):
        for prefix in ("ascend_", "gpu_", ""):
            if parts.attempt(rf"{prefix}timeline_display_\d+\.json", read_shown):
                break
    if trace is None:
        add_marked_steps(building, merged.steps)
    elif building.rows("slices") == before:
        add_steps(building, trace, more, 0 if before == 0 else None)
    else:
        add_steps(building, trace, more, _zero(parts, trace, shown.marks))


def _zero(parts: ProfileParts, trace: StepTrace, marks: dict[str, int]) -> int | None:
    """The time on the clock of steps at which the timeline begins to count: where both tell of the same, or
    where
    the log says it. None when nothing does, or when the steps would not lie in the timeline."""
    candidates: list[int] = []
    for name, begins, _ in trace.lanes:
        rows = np.flatnonzero(begins >= 0)
        if name in marks and len(rows):
            candidates.append(int(trace.start[rows[0]] + begins[rows[0]]) - marks[name])
            break
    for row, number in enumerate(trace.number.tolist()):
        if str(number) in marks:
            candidates.append(int(trace.start[row]) - marks[str(number)])
            break

    def cycles(name: str) -> None:
        candidates.append(nanoseconds(parts.files.text(name).strip(), "ns") * TICK)

    def ai_cpu(name: str) -> None:
        cells = parts.cells(name)
        rows = zip(
            cells.texts("kernel_type", "op_type"),
            cells.nanoseconds("run_start", unit="us").tolist(),
            strict=True,
        )
        candidates.extend(begins - marks[kind] for kind, begins in rows if kind in marks and begins >= 0)

    parts.attempt(r"min_cycle_counter_\d+\.txt", cycles)
    parts.attempt(r"aicpu_intermediate_\d+\.csv", ai_cpu)
    slices = parts.building.table("slices")
    low, high = int(slices["start"].min()), int((slices["start"] + slices["duration"]).max())
    for zero in [*candidates, 0]:
        starts = trace.start[trace.start >= 0] - zero
        if len(starts) and starts[0] <= high and int(starts[-1]) + int(trace.columns["duration"][-1]) >= low:
            return zero
    parts.building.note(
        "steps_not_aligned", "nothing tells when steps were on the timeline: only how long they took is known"
    )
    return None


def _rows_by_name(building: Building) -> dict[str, int]:
    """Rows of operators by scope and name, those of the device first."""
    texts = building.all_texts()
    table = building.table("operators")
    found: dict[str, int] = {}
    for row in np.argsort(table["side"] != Side.DEVICE, kind="stable").tolist():
        scope, name = int(table["scope"][row]), int(table["name"][row])
        if name >= 0:
            found.setdefault((texts[scope] + "/" if scope >= 0 else "") + texts[name], row)
    return found


def _kernels_by_name(building: Building) -> dict[tuple[str, str], int]:
    texts = building.all_texts()
    table = building.table("kernels")
    rows = zip(table["name"].tolist(), table["stream"].tolist(), strict=True)
    return {
        (texts[name], texts[stream] if stream >= 0 else ""): row
        for row, (name, stream) in enumerate(rows)
        if name >= 0
    }
