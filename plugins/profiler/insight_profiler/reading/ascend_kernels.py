"""Reads kernels and operators of an NPU from the tables of MindSpore 2.4+ and torch_npu.

| file | what it has |
|---|---|
| ``kernel_details.csv`` | each run: name, type, core, stream, start, duration (µs), blocks, shapes |
| ``op_statistic.csv`` | sums by type (µs); read if the details are missing |
| ``operator_details.csv`` | operators of the host, with times of the device (torch_npu only) |

Which columns there are depends on the level of profiling; cells may end in a tab.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.derived.operators import groups
from insight_profiler.model import Side
from insight_profiler.reading.ascend_operations import Operations, operations_of
from insight_profiler.reading.csv_columns import CsvColumns, Integers
from insight_profiler.reading.mindspore_files import ProfileParts, split_scope

_NAMES = {  # column -> names that it has had
    "name": ("Name", "Op Name"),
    "type": ("Type", "OP Type"),
    "core": ("Accelerator Core", "Task Type"),
    "shapes": ("Input Shapes",),
    "stream": ("Stream ID",),
    "block": ("Block Num", "Block Dim"),
    "input_types": ("Input Data Types",),
    "input_formats": ("Input Formats",),
    "output_shapes": ("Output Shapes",),
    "output_types": ("Output Data Types",),
    "output_formats": ("Output Formats",),
}
KERNEL_TEXTS = tuple(_NAMES)
_DETAILS = ("input_types", "input_formats", "output_shapes", "output_types", "output_formats")


@frozen(eq=False)
class KernelRuns:
    """Runs of kernels: rows in ``operators`` and ``kernels``; the other texts are places."""

    name: NDArray[np.int32]  # without scope
    full_name: NDArray[np.int32]
    stream: NDArray[np.int32]
    core: NDArray[np.int32]
    start: Integers
    duration: Integers
    operator: NDArray[np.int64]
    kernel: NDArray[np.int64]


def read_kernels(parts: ProfileParts, device: int) -> KernelRuns | None:
    """Tables ``operators`` and ``kernels``; the runs, of which slices can be made."""
    found: list[KernelRuns] = []
    if not parts.attempt(r"kernel_details\.csv", lambda name: found.extend(_details(parts, name, device))):
        parts.attempt(r"op_statistic\.csv", lambda name: _statistic(parts, name, device))
    parts.attempt(r"operator_details\.csv", lambda name: _host_operators(parts, name))
    return found[0] if found else None


def _details(parts: ProfileParts, name: str, device: int) -> list[KernelRuns]:
    building = parts.building
    chunks: list[dict[str, Integers]] = []
    with parts.csv(name) as file:
        for cells in file.chunks():
            chunk: dict[str, Integers] = {
                column: building.texts(cells.labels(*names)).astype(np.int64)
                for column, names in _NAMES.items()
            }
            chunk["start"] = cells.nanoseconds("Start Time", "Task Start Time", unit="us")
            chunk["duration"] = cells.nanoseconds("Duration", "Task Duration", unit="us")
            chunks.append(chunk)
    if not chunks:
        return []
    columns = {column: np.concatenate([chunk[column] for chunk in chunks]) for column in chunks[0]}
    fine = (columns["start"] >= 0) & (columns["duration"] >= 0)
    if not fine.all():
        columns = {column: values[fine] for column, values in columns.items()}
    if not len(columns["start"]):
        raise ValueError("no row has start and duration")
    columns["device"] = np.full(len(columns["start"]), device)
    return [add_kernel_runs(building, columns)]


def add_kernel_runs(building: Building, columns: Mapping[str, Integers]) -> KernelRuns:
    """Adds the operators and kernels of runs, and returns the runs: ``start``, ``duration`` and ``device``,
    and the places of the texts of ``KERNEL_TEXTS``."""
    texts = building.all_texts()
    distinct, place = np.unique(columns["name"], return_inverse=True)
    split = [split_scope(texts[each]) if each >= 0 else ("", "") for each in distinct.tolist()]
    scope, short = (building.texts(column)[place] for column in zip(*split, strict=True))
    first, operator = groups([columns[column] for column in ("name", "type", "core", "shapes", "device")])
    calls = np.bincount(operator, minlength=len(first))
    operations = [_operations(columns, texts, row) for row in first.tolist()]
    operators = building.add(
        "operators",
        name=short[first],
        scope=scope[first],
        **{column: columns[column][first] for column in ("type", "core", "shapes")},
        information=building.texts(_information(columns, texts, row) for row in first.tolist()),
        side=np.full(len(first), Side.DEVICE),
        device=columns["device"][first],
        **_sums(operator, columns["duration"], len(first)),
        self=_sums(operator, columns["duration"], len(first))["total"],
        flops=np.array([one.flops for one in operations]) * calls,
        traffic=np.array([one.traffic for one in operations]) * calls,
        precision=np.array([one.precision for one in operations], np.int32),
    )
    of_kernel, kernel = groups([operator, columns["stream"], columns["block"]])
    kernels = building.add(
        "kernels",
        name=short[of_kernel],
        operator=operators + operator[of_kernel],
        device=columns["device"][of_kernel],
        **{column: columns[column][of_kernel] for column in ("stream", "block", "core")},
        **_sums(kernel, columns["duration"], len(of_kernel)),
    )
    return KernelRuns(
        short,
        columns["name"].astype(np.int32),
        columns["stream"].astype(np.int32),
        columns["core"].astype(np.int32),
        start=columns["start"],
        duration=columns["duration"],
        operator=operators + operator,
        kernel=kernels + kernel,
    )


def _information(columns: Mapping[str, Integers], texts: Sequence[str], row: int) -> str:
    places = {column: int(columns[column][row]) for column in _DETAILS}
    found = {column: texts[place] for column, place in places.items() if place >= 0}
    return json.dumps(found) if found else ""


def _operations(columns: Mapping[str, Integers], texts: Sequence[str], row: int) -> Operations:
    told = {column: _text(texts, int(columns[column][row])) for column in ("shapes", *_DETAILS)}
    return operations_of(_text(texts, int(columns["type"][row])), told)


def _text(texts: Sequence[str], place: int) -> str:
    return texts[place] if place >= 0 else ""


def _sums(place: NDArray[np.int64], duration: Integers, count: int) -> dict[str, Integers]:
    total = np.zeros(count, np.int64)
    np.add.at(total, place, duration)
    minimum = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(minimum, place, duration)
    maximum = np.zeros(count, np.int64)
    np.maximum.at(maximum, place, duration)
    return {
        "calls": np.bincount(place, minlength=count),
        "total": total,
        "minimum": minimum,
        "maximum": maximum,
    }


def _statistic(parts: ProfileParts, name: str, device: int) -> None:
    cells = parts.cells(name)
    building = parts.building
    building.note("types_only", f"only {name} has operators: they are known by their types", file=name)
    types = building.texts(cells.texts("OP Type"))
    total = cells.nanoseconds("Total Time", unit="us")
    building.add(
        "operators",
        name=types,
        type=types,
        core=building.texts(cells.texts("Core Type")),
        side=np.full(cells.count, Side.DEVICE),
        device=np.full(cells.count, device),
        calls=cells.integers("Count"),
        total=total,
        self=total,
        minimum=cells.nanoseconds("Min Time", unit="us"),
        maximum=cells.nanoseconds("Max Time", unit="us"),
    )


def _host_operators(parts: ProfileParts, name: str) -> None:
    """Rows are calls; MindSpore's have no times, and say nothing that others do not."""
    building = parts.building
    with parts.csv(name) as file:
        chunks = [_host_columns(parts, cells) for cells in file.chunks() if "Host Total Duration" in cells]
    if not chunks:
        return
    columns = {column: np.concatenate([chunk[column] for chunk in chunks]) for column in chunks[0]}
    first, place = groups([columns["name"], columns["shapes"]])

    def summed(column: str) -> Integers:
        found = np.zeros(len(first), np.int64)
        np.add.at(found, place, np.maximum(columns[column], 0))
        return found

    building.add(
        "operators",
        name=columns["name"][first],
        type=columns["name"][first],
        shapes=columns["shapes"][first],
        side=np.full(len(first), Side.HOST),
        **(_sums(place, columns["total"], len(first)) | {"self": summed("self")}),
        device_total=summed("device_total"),
        device_self=summed("device_self"),
    )


def _host_columns(parts: ProfileParts, cells: CsvColumns) -> dict[str, Integers]:
    return {
        "name": parts.building.texts(cells.texts("Name")).astype(np.int64),
        "shapes": parts.building.texts(cells.labels("Input Shapes")).astype(np.int64),
        "total": cells.nanoseconds("Host Total Duration", unit="us", missing=0),
        "self": cells.nanoseconds("Host Self Duration", unit="us", missing=0),
        "device_total": cells.nanoseconds("Device Total Duration", unit="us", missing=0),
        "device_self": cells.nanoseconds("Device Self Duration", unit="us", missing=0),
    }
