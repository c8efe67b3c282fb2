"""Reads device steps that MindSpore wrote for MindInsight.

``step_trace_raw_{rank}_detail_time.csv`` counts in ticks of 10 ns of the device's own clock: a row for each
step, ``step_num, start_point, end_point, total, fp_point, bp_point, iteration_interval, fp_and_bp (or fp),
tail``, and after that, three columns for each stretch of communication (``stream_43_parallel_0``, with
``_start_point`` and ``_end_point``). Its last row holds means, of all steps but the first, and is not read:
of a file that was cut down it is wrong.

``{ascend,gpu}_cluster_analyse_{mode}_{stages}_{ranks}_{rank}.csv`` has a row for each step and one of
means: in ms, but for data parallelism, where it has columns of the step trace again.
"""

from __future__ import annotations

import re

import numpy as np
from attrs import define

from insight_profiler.building import Building
from insight_profiler.model import StepOrigin
from insight_profiler.reading.csv_columns import CsvColumns, Integers
from insight_profiler.reading.mindspore_files import ProfileParts

TICK = 10  # ns
_CLUSTER = re.compile(
    r"(?:ascend|gpu)_cluster_analyse_(?P<mode>.+)_(?P<stages>\d+)_(?P<ranks>\d+)_(?P<rank>\d+)\.csv"
)
_CLUSTER_COLUMNS = {
    "computing": "computation",
    "communication_not_overlapped": "communication_alone",
    "stage": "stage",
    "receive": "receive_alone",
    "collective": "collective_communication_alone",
}


@define(eq=False)
class StepTrace:
    """Columns of the step trace in ns, on the clock of the device."""

    number: Integers
    start: Integers
    columns: dict[str, Integers]
    lanes: list[tuple[str, Integers, Integers]]  # name, start and duration by step; -1: missing


def read_step_trace(parts: ProfileParts) -> StepTrace | None:
    """The steps of the first readable step trace; None without one."""
    found: list[StepTrace] = []
    parts.attempt(r"step_trace_raw_\d+_detail_time\.csv", lambda name: found.append(_trace(parts, name)))
    points: dict[str, str] = {}
    if not parts.attempt(
        r"step_trace_point_info_\d+\.json", lambda name: points.update(_points(parts, name))
    ):
        parts.attempt(r"step_trace_point_info\.json", lambda name: points.update(_points(parts, name)))
    parts.building.facts.update(points)
    return found[0] if found else None


def _trace(parts: ProfileParts, name: str) -> StepTrace:
    cells = parts.cells(name)
    texts = cells.texts("step_num")
    is_mean = [text == "-" or (place > 0 and text == "0") for place, text in enumerate(texts)]
    return _columns(cells.taken(np.flatnonzero(~np.array(is_mean, bool))))


def _columns(cells: CsvColumns) -> StepTrace:
    def ticks(name: str) -> Integers:
        values = cells.integers(name)
        return np.where(values >= 0, values * TICK, -1)

    start, forward, backward = ticks("start_point"), ticks("fp_point"), ticks("bp_point")
    interval = ticks("iteration_interval")
    if len(interval) and interval[0] == 0:
        interval[0] = -1  # no step precedes the first one, so it has no interval
    columns = {
        "duration": ticks("total"),
        "iteration_interval": interval,
        "forward_backward": ticks("fp_and_bp") if "fp_and_bp" in cells else ticks("fp"),
        "tail": ticks("tail"),
        "forward_start": np.where(forward >= 0, forward - start, -1),
        "backward_end": np.where(backward >= 0, backward - start, -1),
    }
    lanes = []
    for name in cells.names:
        if name.startswith("stream_") and not name.endswith("_point"):
            begins, ends = ticks(f"{name}_start_point"), ticks(f"{name}_end_point")
            fine = (begins > 0) & (ends >= begins)
            lanes.append((name, np.where(fine, begins - start, -1), np.where(fine, ends - begins, -1)))
    return StepTrace(cells.integers("step_num"), start, columns, lanes)


def _points(parts: ProfileParts, name: str) -> dict[str, str]:
    """The operators with which a step's forward begins and its backward ends; of several graphs, those of the
    first."""
    found = parts.json(name)
    first = found[0] if isinstance(found, list) and found else found
    return {key: str(value) for key, value in first.items() if key in ("fp_start", "bp_end")}


def read_cluster(parts: ProfileParts) -> dict[str, Integers]:
    """Further columns of steps, by the row: computing and communication, as the mode of parallelism has
    them."""
    found: dict[str, Integers] = {}

    def read(name: str) -> None:
        matched = _CLUSTER.fullmatch(name.rpartition("/")[2])
        if matched is None:
            raise ValueError("its name does not say mode, stages, ranks and rank")
        stages, ranks, rank = (int(matched[part]) for part in ("stages", "ranks", "rank"))
        parts.building.facts |= {"parallel_mode": matched["mode"], "stages": stages}
        parts.building.facts["stage"] = min(rank * stages // max(ranks, 1), stages - 1)
        parts.building.world_size = parts.building.world_size or ranks
        cells = parts.cells(name)
        for column, stem in _CLUSTER_COLUMNS.items():
            if stem in cells or f"{stem}_time" in cells:
                found[column] = cells.nanoseconds(f"{stem}_time", stem, unit="ms")[:-1]

    parts.attempt(r"(ascend|gpu)_cluster_analyse_.+\.csv", read)
    return found


def add_steps(building: Building, trace: StepTrace, more: dict[str, Integers], zero: int | None) -> None:
    """Tables ``steps`` and ``lanes``; ``zero`` is the time of the device at which the other times of the
    profile begin, None when nothing tells."""
    count = len(trace.number)
    starts = (
        np.full(count, -1, np.int64) if zero is None else np.where(trace.start >= 0, trace.start - zero, -1)
    )
    columns = dict(trace.columns)
    for name, values in more.items():
        if len(values) != count:
            building.note(
                "steps_differ",
                f"{len(values)} steps have {name}, and {count} a trace: {name} is left out",
                column=name,
            )
        else:
            columns[name] = values
    first = building.add("steps", number=trace.number, start=starts, **columns)
    building.step_origin = StepOrigin.RECORDED
    for name, begins, durations in trace.lanes:
        rows = np.flatnonzero(durations >= 0)
        building.add(
            "lanes",
            step=first + rows,
            name=np.full(len(rows), building.text(name)),
            start=begins[rows],
            duration=durations[rows],
        )
