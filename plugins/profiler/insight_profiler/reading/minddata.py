"""Reads MindSpore's data preparation: ``pipeline_profiling``, ``minddata_pipeline_raw``, queues,
processors.

| file | what it has |
|---|---|
| ``pipeline_profiling_{rank}.json`` | operators, children, workers, sizes of their output queues |
| ``minddata_pipeline_raw_{rank}.csv`` | the same, with parents; read where the first is missing |
| ``minddata_pipeline_summary_{rank}.json`` | what MindSpore itself says of it |
| ``minddata_cpu_utilization_{rank}.json`` | use of processors and memory over time, also by operator |
| ``device_queue_profiling_{rank}.txt``, ``dataset_iterator_...`` | a batch in four rows, see below |
| ``minddata_aicpu_{rank}.txt`` | ``GetNext... start end size`` of each batch, in µs |
| ``minddata_getnext_profiling_{rank}.txt`` | the same in ns |
| ``dataset.csv`` | stages of operations: occurrences, average time |

Rows of queues are ``type sub step value time``. Type 0 is a time in ms (sub: 0 get, 1 push, 2 all), type 1
the queue (sub: its capacity, value: its size); ``time`` is in ms since the system began.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from insight_profiler.reading.csv_columns import json_cell, nanoseconds
from insight_profiler.reading.mindspore_files import ProfileParts

_TIMES = {0: "get", 1: "push", 2: "total"}  # of a batch, by the second number of its row


def read_minddata(parts: ProfileParts) -> None:
    """Table ``batches``, document ``pipeline``."""
    pipeline: dict[str, Any] = {}
    if not parts.attempt(r"pipeline_profiling_\d+\.json", lambda name: _pipeline(parts, name, pipeline)):
        parts.attempt(r"minddata_pipeline_raw_\d+\.csv", lambda name: _raw_pipeline(parts, name, pipeline))
    parts.attempt(r"minddata_cpu_utilization_\d+\.json", lambda name: _processors(parts, name, pipeline))
    parts.attempt(r"minddata_pipeline_summary_\d+\.json", lambda name: _summary(parts, name, pipeline))
    parts.attempt(r"dataset\.csv", lambda name: _operations(parts, name, pipeline))
    for queue in ("device_queue", "dataset_iterator"):
        parts.attempt(rf"{queue}_profiling_\d+\.txt", lambda name, queue=queue: _queue(parts, name, queue))  # type: ignore[misc]
    parts.attempt(r"minddata_aicpu_\d+\.txt", lambda name: _get_next(parts, name, "us"))
    parts.attempt(r"minddata_getnext_profiling_\d+\.txt", lambda name: _get_next(parts, name, "ns"))
    if pipeline:
        parts.building.documents["pipeline"] = pipeline


def _operator(
    number: int, kind: str, workers: int | None, children: list[int], queue: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": number,
        "type": kind,
        "workers": workers,
        "parent": None,
        "children": children,
        "queue": queue,
        "cpu": None,
    }


def _queue_of(capacity: int | None, samples: list[int] | None) -> dict[str, Any] | None:
    """Average and usage are those of the samples; null for a queue without capacity or without samples."""
    if not capacity and not samples:
        return None
    average = sum(samples) / len(samples) if samples else None
    return {
        "capacity": capacity,
        "average": average,
        "usage": average / capacity if average is not None and capacity else None,
        "samples": samples or [],
    }


def _pipeline(parts: ProfileParts, name: str, pipeline: dict[str, Any]) -> None:
    found = parts.json(name)
    operators = []
    for each in found["op_info"]:
        queue = (each.get("metrics") or {}).get("output_queue") or {}
        operators.append(
            _operator(
                int(each["op_id"]),
                str(each["op_type"]).removesuffix("Op"),
                each.get("num_workers"),
                [int(child) for child in each.get("children") or ()],
                _queue_of(queue.get("length"), queue.get("size")),
            )
        )
    _set_operators(pipeline, operators)
    pipeline["interval_ms"] = found.get("sampling_interval")


def _raw_pipeline(parts: ProfileParts, name: str, pipeline: dict[str, Any]) -> None:
    cells = parts.cells(name)
    rows = zip(
        cells.integers("op_id").tolist(),
        cells.texts("op_type"),
        cells.integers("num_workers").tolist(),
        cells.texts("children_id"),
        cells.integers("output_queue_length").tolist(),
        cells.texts("output_queue_size"),
        strict=True,
    )
    _set_operators(
        pipeline,
        [
            _operator(
                number,
                kind.removesuffix("Op"),
                workers if workers >= 0 else None,
                json_cell(children) or [],
                _queue_of(capacity if capacity >= 0 else None, json_cell(samples)),
            )
            for number, kind, workers, children, capacity, samples in rows
        ],
    )
    intervals = cells.integers("sample_interval")
    pipeline["interval_ms"] = int(intervals[0]) if len(intervals) and intervals[0] >= 0 else None


def _set_operators(pipeline: dict[str, Any], operators: list[dict[str, Any]]) -> None:
    by_id = {operator["id"]: operator for operator in operators}
    for operator in operators:
        for child in operator["children"]:
            if child in by_id:
                by_id[child]["parent"] = operator["id"]
    pipeline["operators"] = sorted(operators, key=lambda operator: int(operator["id"]))


def _average(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _processors(parts: ProfileParts, name: str, pipeline: dict[str, Any]) -> None:
    found = parts.json(name)
    series = []
    for group, unit in (
        ("device", ""),
        ("process", ""),
        ("process_memory", "megabytes"),
        ("system_memory", "megabytes"),
    ):
        for label, values in (found.get(f"{group}_info") or {}).items():
            known = [float(value) for value in values]
            series.append(
                {
                    "group": group,
                    "label": label,
                    "unit": unit or ("percent" if label.endswith("utilization") else "count"),
                    "values": known,
                    "average": _average(known),
                }
            )
    by_id = {operator["id"]: operator for operator in pipeline.get("operators", [])}
    for each in found.get("op_info") or ():
        metrics = each.get("metrics") or {}
        operator = by_id.get(each.get("op_id"))
        if operator is not None:
            operator["cpu"] = {
                short: _average([float(value) for value in metrics.get(f"{key}_utilization") or ()])
                for short, key in (("user", "user"), ("system", "sys"))
            }
    pipeline["cpu"] = {
        "processors": found.get("cpu_processor_num"),
        "interval_ms": found.get("sampling_interval"),
        "times_ms": found.get("time_stamp") or [],
        "series": series,
    }


def _summary(parts: ProfileParts, name: str, pipeline: dict[str, Any]) -> None:
    """Sentences of MindSpore's own analysis, in English as it wrote them."""
    found = parts.json(name)
    pipeline["suggestions"] = [
        str(text)
        for key in ("bottleneck_suggestion", "queue_analysis_details", "cpu_analysis_details")
        for text in found.get(key) or ()
        if text
    ]


def _operations(parts: ProfileParts, name: str, pipeline: dict[str, Any]) -> None:
    cells = parts.cells(name)
    pipeline["operations"] = [
        {"operation": operation, "stage": stage, "calls": calls, "average": average, "information": more}
        for operation, stage, calls, average, more in zip(
            cells.texts("Operation"),
            cells.texts("Stage"),
            cells.integers("Occurrences").tolist(),
            cells.nanoseconds("Avg. time", "avg time", unit="us").tolist(),
            cells.texts("Custom Info"),
            strict=True,
        )
    ]


def _rows(parts: ProfileParts, name: str) -> Iterator[list[str]]:
    with parts.files.open(name) as lines:
        for line in lines:
            if row := line.decode("utf-8", "replace").split():
                yield row


def _queue(parts: ProfileParts, name: str, queue: str) -> None:
    batches: dict[int, dict[str, int]] = {}
    lost = 0
    for row in _rows(parts, name):
        try:
            kind, sub, number = (int(cell) for cell in row[:3])
            value = row[3]
            size = int(value) if kind == 1 else -1
        except (ValueError, IndexError):
            lost += 1
            continue
        batch = batches.setdefault(number, {})
        if kind == 0 and sub in _TIMES:
            batch[_TIMES[sub]] = nanoseconds(value, "ms")
        elif kind == 1:
            batch["queue_capacity"], batch["queue_size"] = sub, size
            batch["time"] = nanoseconds(row[4], "ms") if len(row) > 4 else -1
    _note_lost(parts, name, lost)
    numbers = sorted(batches)
    columns = {
        column: [batches[number].get(column, -1) for number in numbers]
        for column in ("get", "push", "total", "time", "queue_size", "queue_capacity")
    }
    place = parts.building.text(queue)
    parts.building.add("batches", number=numbers, queue=np.full(len(numbers), place), **columns)


def _get_next(parts: ProfileParts, name: str, unit: str) -> None:
    gets, sizes, times, lost = [], [], [], 0
    for row in _rows(parts, name):
        if not row[0].startswith("GetNext"):
            continue
        try:
            size = int(row[3]) if len(row) > 3 else -1
        except ValueError:
            size = -1
        start, end = (nanoseconds(cell, unit) for cell in row[1:3]) if len(row) > 2 else (-1, -1)
        if start < 0 or end < start:
            lost += 1
            continue
        gets.append(end - start)
        times.append(start)
        sizes.append(size)
    _note_lost(parts, name, lost)
    count = len(gets)
    parts.building.add(
        "batches",
        number=np.arange(1, count + 1),
        get=gets,
        time=times,
        queue_size=sizes,
        queue=np.full(count, parts.building.text("get_next")),
    )


def _note_lost(parts: ProfileParts, name: str, lost: int) -> None:
    if lost:
        parts.building.note(
            "lines_cut", f"{lost} lines of {name} cannot be read and are left out", file=name, count=lost
        )
