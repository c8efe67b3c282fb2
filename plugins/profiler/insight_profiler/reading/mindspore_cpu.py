"""Reads MindSpore's CPU operators, of 2.x and older versions.

``cpu_op_execute_timestamp_{rank}.txt`` has a line for each operator,
``full name;HostCpuOps;start,duration,thread start,duration,thread ...``: starts in ns since the epoch,
durations in ms. All else is a digest of it, or goes with it: ``cpu_framework_{rank}.txt`` has a line for
each run, ``type;name;number;input_1:[32, 10];...;``, in the order of time; the CSVs have sums. The same runs
are in ``trace_view.json``, with their times rounded to 0.25 µs or worse, and a layer of scopes made of
them, which is made here as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.model import Category, Counter, Device, Side, Track
from insight_profiler.reading.csv_columns import Integers, decimals
from insight_profiler.reading.mindspore_files import ProfileParts, split_name, type_of

_TOLERANCE = 1e-3  # of sums in CSVs, which have six digits


@define(eq=False)
class CpuRuns:
    """Runs of operators in the order of time; ``operator`` is a place in ``names``."""

    names: list[str]
    operator: NDArray[np.int64]
    start: Integers
    duration: Integers
    thread: Integers


def read_cpu(parts: ProfileParts, *, with_times: bool = True) -> None:
    """Operators, slices, scopes, shapes and memory of the CPU; without times only the sums of operators, for
    profiles whose times are those of another clock."""
    device = -1
    if parts.named(r"cpu_(op|ms|framework)_.*"):
        device = parts.building.device(Device("CPU", "cpu"))
    found: list[CpuRuns] = []
    if with_times:
        parts.attempt(r"cpu_op_execute_timestamp_\d+\.txt", lambda name: found.append(read_runs(parts, name)))
    for runs in found:
        _add_runs(parts, runs, device)
        _cross_check(parts, runs)
    if not found and not parts.attempt(r"cpu_op_detail_info_\d+\.csv", lambda name: _details(parts, name)):
        parts.attempt(r"cpu_op_type_info_\d+\.csv", lambda name: _types(parts, name))
    if with_times:
        parts.attempt(r"cpu_ms_memory_record_\d+\.txt", lambda name: _memory(parts, name, device))


def read_runs(parts: ProfileParts, name: str) -> CpuRuns:
    """The runs of one file. A line that is cut loses its last run, with a note."""
    names: list[str] = []
    columns: list[tuple[int, Integers, Integers, Integers]] = []
    lost = 0
    with parts.files.open(name) as lines:
        for line in lines:
            head, _, rest = line.decode("utf-8", "replace").rstrip("\r\n").rpartition(";")
            if not head:
                lost += bool(rest.strip())
                continue
            cells = rest.replace(",", " ").split()
            whole = len(cells) // 3 * 3
            starts, has_start = decimals(cells[0:whole:3], 0)
            durations, has_duration = decimals(cells[1:whole:3], 6)
            threads, has_thread = decimals(cells[2:whole:3], 0)
            fine = has_start & has_duration & has_thread
            lost += int((~fine).sum()) + (whole < len(cells))
            columns.append((len(names), starts[fine], durations[fine], threads[fine]))
            names.append(head.split(";")[0])
    if lost:
        parts.building.note(
            "lines_cut", f"{lost} runs in {name} cannot be read and are left out", file=name, count=lost
        )
    if not columns:
        raise ValueError("it holds no runs of operators")
    operator = np.repeat([place for place, *_ in columns], [len(starts) for _, starts, *_ in columns])
    start, duration, thread = (np.concatenate([column[at] for column in columns]) for at in (1, 2, 3))
    order = np.argsort(start, kind="stable")
    return CpuRuns(names, operator[order], start[order], duration[order], thread[order])


def _add_runs(parts: ProfileParts, runs: CpuRuns, device: int) -> None:
    building = parts.building
    process = building.track(Track("process", "CPU OP", device=device))
    shapes = np.full(len(runs.start), -1, np.int32)
    parts.attempt(r"cpu_framework_\d+\.txt", lambda name: np.copyto(shapes, _shapes(parts, name, runs)))
    scopes = [split_name(name)[0] for name in runs.names]
    tracks = {
        thread: building.track(Track("thread", f"Thread {thread}", process, device, place))
        for place, thread in enumerate(np.unique(runs.thread).tolist())
    }
    kinds, operator = np.unique(np.stack([runs.operator, shapes]), axis=1, return_inverse=True)
    first = building.add(
        "operators",
        name=building.texts(split_name(runs.names[place])[1] for place in kinds[0].tolist()),
        type=building.texts(type_of(runs.names[place]) for place in kinds[0].tolist()),
        scope=building.texts(scopes[place] for place in kinds[0].tolist()),
        shapes=kinds[1],
        side=np.full(kinds.shape[1], Side.HOST),
        device=np.full(kinds.shape[1], device),
    )
    rows = first + operator.reshape(-1)
    building.add(
        "slices",
        track=np.array([tracks[thread] for thread in runs.thread.tolist()], np.int32),
        start=runs.start,
        duration=runs.duration,
        name=building.texts(split_name(name)[1] for name in runs.names)[runs.operator],
        operator=rows,
        category=np.full(len(rows), Category.OPERATOR),
    )
    add_scopes(building, scopes, runs.operator, runs.start, runs.duration, process + 1)


def add_scopes(
    building: Building,
    scopes: Sequence[str],
    operator: NDArray[np.int64],
    start: Integers,
    duration: Integers,
    order: int,
) -> None:
    """A track of scopes: neighbours in time that share a part of their scope are one slice of it, down to
    where they differ. Runs must be in the order of time; ``scopes`` is by operator."""
    split = [tuple(scope.split("/")) if scope else () for scope in scopes]
    deepest = max(map(len, split), default=0)
    places = np.array([place for place in range(len(operator)) if split[operator[place]]], np.int64)
    if not deepest or not len(places):
        return
    track = building.track(Track("scope", "Scope Layer", order=order))
    ends = (start + duration)[places]
    starts = start[places]
    ids: dict[tuple[str, ...], int] = {}
    for depth in range(1, deepest + 1):
        by_operator = np.array(
            [ids.setdefault(parts[:depth], len(ids)) if len(parts) >= depth else -1 for parts in split],
            np.int64,
        )
        level = by_operator[operator[places]]
        first = np.flatnonzero(np.concatenate(([True], level[1:] != level[:-1])))
        end = np.maximum.reduceat(ends, first)
        kept = level[first] >= 0
        by_id = {place: path for path, place in ids.items()}
        building.add(
            "slices",
            track=np.full(int(kept.sum()), track),
            start=starts[first][kept],
            duration=(end - starts[first])[kept],
            name=building.texts(by_id[place][-1] for place in level[first][kept].tolist()),
            category=np.full(int(kept.sum()), Category.OTHER),
        )


def _shapes(parts: ProfileParts, name: str, runs: CpuRuns) -> NDArray[np.int32]:
    """Shapes of each run, when the file has a line for each and names its type (or nothing, in PyNative
    mode)."""
    types = [type_of(full).encode() for full in runs.names]
    found = np.full(len(runs.operator), -1, np.int32)
    places: dict[bytes, int] = {}
    expected = iter(runs.operator.tolist())
    row = 0
    with parts.files.open(name) as lines:
        for line in filter(None, map(bytes.strip, lines)):
            kind, _, rest = line.partition(b";")
            operator = next(expected, None)
            if operator is None or kind not in (b"", types[operator]):
                break
            shapes = rest.split(b";", 2)[-1]
            if shapes not in places:
                cells = shapes.decode("utf-8", "replace").split(";")
                places[shapes] = parts.building.text(_shape_text(cells))
            found[row] = places[shapes]
            row += 1
        else:
            if next(expected, None) is None:
                return found
    parts.building.note(
        "shapes_not_joined",
        f"the lines of {name} do not go with the runs of operators: shapes are left out",
        file=name,
    )
    return np.full(len(found), -1, np.int32)


def _shape_text(cells: Sequence[str]) -> str:
    """``input_1:[32, 10];input_2:[10]`` as ``[32, 10]; [10]``, without inputs that have no shape."""
    shapes = [cell.partition(":")[2].strip() for cell in cells]
    return "; ".join(shape for shape in shapes if shape and shape != "NoShape")


def _cross_check(parts: ProfileParts, runs: CpuRuns) -> None:
    """Whether the CSVs have the same sums; they are those of the same runs."""
    totals = np.bincount(runs.operator, runs.duration, len(runs.names))
    calls = np.bincount(runs.operator, minlength=len(runs.names))
    by_name: dict[str, tuple[float, int]] = {}
    by_type: dict[str, tuple[float, int]] = {}
    for full, total, count in zip(runs.names, totals.tolist(), calls.tolist(), strict=True):
        for sums, key in ((by_name, full), (by_type, type_of(full))):
            before = sums.get(key, (0.0, 0))
            sums[key] = before[0] + total, before[1] + count

    def compare(name: str, sums: dict[str, tuple[float, int]], key: str, count: str, total: str) -> None:
        cells = parts.cells(name)
        rows = zip(
            cells.texts(key),
            cells.integers(count).tolist(),
            cells.nanoseconds(total, unit="ms").tolist(),
            strict=True,
        )
        differing = [
            text
            for text, times, spent in rows
            if text not in sums
            or sums[text][1] != times
            or abs(sums[text][0] - spent) > max(_TOLERANCE * spent, 1000)
        ]
        if differing:
            parts.building.note(
                "totals_differ",
                f"the sums of {name} are not those of the runs at {len(differing)} operators, {differing[0]}"
                " among them; the runs are shown",
                file=name,
                count=len(differing),
                example=differing[0],
            )

    parts.attempt(
        r"cpu_op_type_info_\d+\.csv",
        lambda name: compare(name, by_type, "op_type", "type_occurrences", "total_compute_time"),
    )
    parts.attempt(
        r"cpu_op_detail_info_\d+\.csv",
        lambda name: compare(name, by_name, "full_op_name", "op_occurrences", "op_total_time"),
    )


def _details(parts: ProfileParts, name: str) -> None:
    cells = parts.cells(name)
    named = [split_name(full) for full in cells.texts("full_op_name")]
    parts.building.add(
        "operators",
        name=parts.building.texts(name for _, name in named),
        scope=parts.building.texts(scope for scope, _ in named),
        type=parts.building.texts(cells.texts("op_type")),
        side=np.full(cells.count, Side.HOST),
        calls=cells.integers("op_occurrences"),
        total=cells.nanoseconds("op_total_time", unit="ms"),
        self=cells.nanoseconds("op_total_time", unit="ms"),
    )


def _types(parts: ProfileParts, name: str) -> None:
    cells = parts.cells(name)
    types = parts.building.texts(cells.texts("op_type"))
    parts.building.note("types_only", f"only {name} has operators: they are known by their types", file=name)
    parts.building.add(
        "operators",
        name=types,
        type=types,
        side=np.full(cells.count, Side.HOST),
        calls=cells.integers("type_occurrences"),
        total=cells.nanoseconds("total_compute_time", unit="ms"),
        self=cells.nanoseconds("total_compute_time", unit="ms"),
    )


def _memory(parts: ProfileParts, name: str, device: int) -> None:
    building = parts.building
    counters: dict[str, int] = {}
    with parts.csv(name) as file:
        for cells in file.chunks():
            times = cells.nanoseconds("timestamp", unit="ns")
            for label in ("allocated", "reserved", "active"):
                values = cells.bytes(f"Total {label}", unit="b")
                fine = (times >= 0) & (values >= 0)
                if not fine.any():
                    continue
                if label not in counters:
                    counters[label] = building.counter(Counter(label, "memory", "bytes", device))
                building.add(
                    "counters",
                    counter=np.full(int(fine.sum()), counters[label]),
                    time=times[fine],
                    value=values[fine],
                )
