"""Reads operator tables that MindSpore wrote for MindInsight.

Columns are found by the names of both generations: ``full_kernel_time``, ``full_kernel_name`` or
``full_op_name``, ``kernel_type`` or ``op_type`` and so on. Shares that files state are not read: some are
fractions, some percent.

| file | unit | what it has |
|---|---|---|
| ``aicore_intermediate_{}_detail.csv`` | ms | mean time of an operator, how often it ran in a step |
| ``aicore_intermediate_{}_type.csv`` | ms | sums by type; read if the details are missing |
| ``framework_raw_{}.csv`` | | type, name, stream, blocks, inputs and outputs of these |
| ``flops_{}.txt`` | MFLOPs | floating-point operations of one run |
| ``aicpu_intermediate_{}.csv`` | ms | a row for each run on the AI CPU |
| ``pynative_op_intermediate_{}_{detail,type}.csv`` | ms | in PyNative mode |
| ``gpu_op_detail_info_{}.csv``, ``gpu_op_type_info_{}.csv`` | µs | operators of a GPU |
| ``gpu_activity_data_{}.csv`` | µs | kernels |
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from insight_profiler.model import Side
from insight_profiler.reading.csv_columns import Floats, Integers, json_cell, whole
from insight_profiler.reading.mindspore_files import ProfileParts, split_name, type_of

FULL_NAMES = ("full_kernel_time", "full_kernel_name", "full_op_name", "op_full_name")
_TYPES = ("kernel_type", "op_type")
_MEGA = 1e6
_MS = 1e6  # nanoseconds


def read_operators(parts: ProfileParts, device: int) -> None:
    """Tables ``operators`` and ``kernels``."""
    _aicore(parts, device)
    parts.attempt(r"aicpu_intermediate_\d+\.csv", lambda name: _aicpu(parts, name, device))
    if not parts.attempt(
        r"pynative_op_intermediate_\d+_detail\.csv", lambda name: _means(parts, name, device, {}, {})
    ):
        parts.attempt(
            r"pynative_op_intermediate_\d+_type\.csv",
            lambda name: _types(parts, name, device, "execution_time"),
        )
    if not parts.attempt(r"gpu_op_detail_info_\d+\.csv", lambda name: _gpu(parts, name, device)):
        parts.attempt(r"gpu_op_type_info_\d+\.csv", lambda name: _gpu_types(parts, name, device))
    parts.attempt(r"gpu_activity_data_\d+\.csv", lambda name: _kernels(parts, name, device))


def _aicore(parts: ProfileParts, device: int) -> None:
    described: dict[str, _Described] = {}
    flops: dict[str, float] = {}
    if not parts.named(r"aicore_intermediate_\d+_(detail|type)\.csv"):
        return
    parts.attempt(r"framework_raw_\d+\.csv", lambda name: described.update(_framework(parts, name)))
    parts.attempt(r"flops_\d+\.txt", lambda name: flops.update(_flops(parts, name)))
    if not parts.attempt(
        r"aicore_intermediate_\d+_detail\.csv",
        lambda name: _means(parts, name, device, described, flops, "AI_CORE"),
    ):
        parts.attempt(
            r"aicore_intermediate_\d+_type\.csv",
            lambda name: _types(parts, name, device, "total_time", "AI_CORE"),
        )


_Described = tuple[str, str, str]  # type, shapes, information


def _framework(parts: ProfileParts, name: str) -> dict[str, _Described]:
    """By full name; of operators that are there more than once (in several graphs), the last."""
    cells = parts.cells(name)
    rows = zip(
        cells.texts(*FULL_NAMES),
        cells.texts(*_TYPES),
        cells.texts("op_info"),
        cells.texts("stream_id"),
        cells.texts("block_dim"),
        cells.texts("subgraph"),
        strict=True,
    )
    return {
        full: (
            kind,
            shapes_of(information),
            _information(information, stream=stream, blocks=blocks, subgraph=subgraph),
        )
        for full, kind, information, stream, blocks, subgraph in rows
    }


def _information(inputs: str, **more: str) -> str:
    found: dict[str, object] = {name: text for name, text in more.items() if text}
    described = json_cell(inputs)
    if isinstance(described, dict):
        found |= described
    return json.dumps(found) if found else ""


def shapes_of(information: str) -> str:
    """Shapes of the inputs in ``op_info``: ``{"input_0": {"shape": "2,3" or [2, 3], ...}, "output_0":
    ...}``."""
    described = json_cell(information)
    if not isinstance(described, dict):
        return ""
    shapes = []
    for key, value in described.items():
        shape = value.get("shape") if isinstance(value, dict) and key.startswith("input") else None
        if shape:
            sizes = shape.split(",") if isinstance(shape, str) else shape
            shapes.append(f"[{', '.join(str(size).strip() for size in sizes)}]")
    return "; ".join(shapes)


def _flops(parts: ProfileParts, name: str) -> dict[str, float]:
    """Operations of one run, of cube and vector units, by full name. The older header says ``FLOPs``, and
    means
    millions as well."""
    cells = parts.cells(name)
    cube = cells.floats("MFLOPs(10^6 cube)", "MFLOPs(10^6)", "MFLOPs", "FLOPs")
    vector = cells.floats("MFLOPs(10^6 vector)")
    total = np.where(np.isnan(cube) & np.isnan(vector), np.nan, np.nan_to_num(cube) + np.nan_to_num(vector))
    names = cells.texts(*FULL_NAMES)
    return {full: value * _MEGA for full, value in zip(names, total.tolist(), strict=True)}


def _sums(means: Floats, calls: Integers, unit: float) -> Integers:
    """Times of all calls, in ns, of their mean."""
    return whole(np.where(calls >= 0, means * unit * calls, np.nan))


def _means(
    parts: ProfileParts,
    name: str,
    device: int,
    described: dict[str, _Described],
    flops: dict[str, float],
    core: str = "",
) -> None:
    """Operators of which the mean time is known, and how often they ran (once in a step, in the older
    files)."""
    cells = parts.cells(name)
    full = cells.texts(*FULL_NAMES)
    if "execution_frequency" in cells:
        calls = cells.integers("execution_frequency")
    else:
        calls = np.ones(cells.count, np.int64)
        parts.building.note(
            "counts_unknown", f"{name} does not say how often operators ran: each is counted once", file=name
        )
    missing = sum(text not in described for text in full) if described else 0
    if missing:
        parts.building.note(
            "operators_not_described",
            f"{missing} of {len(full)} operators of {name} are not in framework_raw: names tell types",
            file=name,
            count=missing,
        )
    known = [described.get(text, (type_of(text), "", "")) for text in full]
    total = _sums(cells.floats("execution_time"), calls, _MS)
    building = parts.building
    building.add(
        "operators",
        name=building.texts(split_name(text)[1] for text in full),
        scope=building.texts(split_name(text)[0] for text in full),
        type=building.texts(kind for kind, _, _ in known),
        shapes=building.texts(shapes for _, shapes, _ in known),
        information=building.texts(information for _, _, information in known),
        side=np.full(len(full), Side.DEVICE),
        device=np.full(len(full), device),
        core=np.full(len(full), building.text(core)),
        calls=calls,
        total=total,
        self=total,
        flops=np.array([flops.get(text, float("nan")) for text in full], np.float64) * calls,
    )


def _types(parts: ProfileParts, name: str, device: int, total: str, core: str = "") -> None:
    """Sums by type, where no file has operators."""
    cells = parts.cells(name)
    types_only(parts, name)
    times = cells.nanoseconds(total, "execution_time", unit="ms")
    _add_types(
        parts, cells.texts(*_TYPES), device, core, Side.DEVICE, cells.integers("execution_frequency"), times
    )


def types_only(parts: ProfileParts, name: str) -> None:
    """Notes that operators are known only by type."""
    parts.building.note("types_only", f"only {name} has operators: they are known by their types", file=name)


def _add_types(
    parts: ProfileParts,
    types: Sequence[str],
    device: int,
    core: str,
    side: Side,
    calls: Integers,
    times: Integers,
) -> None:
    places = parts.building.texts(types)
    parts.building.add(
        "operators",
        name=places,
        type=places,
        side=np.full(len(places), side),
        device=np.full(len(places), device),
        core=np.full(len(places), parts.building.text(core)),
        calls=calls,
        total=times,
        self=times,
    )


def _aicpu(parts: ProfileParts, name: str, device: int) -> None:
    """A row for each run; ``total_time`` is with dispatch."""
    cells = parts.cells(name)
    if not cells.count:
        return
    distinct, place = np.unique(cells.texts(*_TYPES), return_inverse=True)
    total, dispatch, execution = (
        cells.nanoseconds(column, unit="ms", missing=0)
        for column in ("total_time", "dispatch_time", "execution_time")
    )
    order = np.lexsort((total, place))
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    sums, dispatched, executed = (
        np.add.reduceat(column[order], starts) for column in (total, dispatch, execution)
    )
    building = parts.building
    building.add(
        "operators",
        name=building.texts(distinct.tolist()),
        type=building.texts(each.split("-")[0] for each in distinct.tolist()),
        information=building.texts(
            json.dumps({"dispatch_ns": first, "execution_ns": second})
            for first, second in zip(dispatched.tolist(), executed.tolist(), strict=True)
        ),
        side=np.full(len(distinct), Side.DEVICE),
        device=np.full(len(distinct), device),
        core=np.full(len(distinct), building.text("AI_CPU")),
        calls=np.bincount(place, minlength=len(distinct)),
        total=sums,
        self=sums,
        minimum=np.minimum.reduceat(total[order], starts),
        maximum=np.maximum.reduceat(total[order], starts),
    )


def _gpu(parts: ProfileParts, name: str, device: int) -> None:
    cells = parts.cells(name)
    full = cells.texts("op_full_name")
    total = cells.nanoseconds("op_total_time", unit="us")
    spent = cells.nanoseconds("cuda_activity_cost_time", unit="us")
    building = parts.building
    building.add(
        "operators",
        name=building.texts(cells.texts("op_name")),
        scope=building.texts(split_name(text)[0] for text in full),
        type=building.texts(cells.texts("op_type")),
        information=building.texts(
            json.dumps({"side": side, "kernels": count})
            for side, count in zip(
                cells.texts("op_side"), cells.integers("cuda_activity_call_count").tolist(), strict=True
            )
        ),
        side=np.full(cells.count, Side.HOST),
        device=np.full(cells.count, device),
        calls=cells.integers("op_occurrences"),
        total=total,
        self=total,
        device_total=spent,
        device_self=spent,
    )


def _gpu_types(parts: ProfileParts, name: str, device: int) -> None:
    cells = parts.cells(name)
    types_only(parts, name)
    _add_types(
        parts,
        cells.texts("op_type"),
        device,
        "",
        Side.HOST,
        cells.integers("type_occurrences", "occurrences", "op_occurrences"),
        cells.nanoseconds("total_time", "total", unit="us"),
    )


def _kernels(parts: ProfileParts, name: str, device: int) -> None:
    """Kernels; those of an operator that is in the table are linked to it by its full name."""
    cells = parts.cells(name)
    building = parts.building
    texts = building.all_texts()
    table = building.table("operators")
    rows = {
        (texts[scope] + "/" if scope >= 0 else "") + texts[own]: row
        for row, (scope, own) in enumerate(zip(table["scope"].tolist(), table["name"].tolist(), strict=True))
        if own >= 0
    }
    building.add(
        "kernels",
        name=building.texts(cells.texts("name")),
        operator=[rows.get(full, -1) for full in cells.texts("op_full_name")],
        device=np.full(cells.count, device),
        stream=building.texts(cells.texts("stream_id")),
        grid=building.texts(_times(text) for text in cells.texts("grid_dim")),
        block=building.texts(_times(text) for text in cells.texts("block_dim")),
        calls=cells.integers("occurrences"),
        total=cells.nanoseconds("total_duration", "total", unit="us"),
        minimum=cells.nanoseconds("min_duration", "min", unit="us"),
        maximum=cells.nanoseconds("max_duration", "max", unit="us"),
    )


def _times(dimensions: str) -> str:
    """``8,1,1`` as ``8 x 1 x 1``."""
    return " x ".join(cell.strip() for cell in dimensions.split(",") if cell.strip())
