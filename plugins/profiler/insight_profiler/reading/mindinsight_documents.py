"""Reads small JSON documents that MindSpore wrote for MindInsight.

| file | document or table |
|---|---|
| ``profiler_info_{}.json`` | facts, rank |
| ``flops_summary_{}.json``, ``flops_scope_{}.json`` | document ``flops`` |
| ``memory_usage_summary_{}.json``, ``memory_usage_details_{}.json`` | document ``memory`` |
| ``dynamic_shape_info_{}.json`` | table ``shape_runs`` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from insight_profiler.model import Side
from insight_profiler.reading.csv_columns import nanoseconds
from insight_profiler.reading.mindspore_files import ProfileParts
from insight_profiler.reading.mindspore_strategy import read_strategy

_MEGA, _GIGA, _PERCENT = 1e6, 1e9, 100.0
_GIB = 1 << 30
_FACTS = (
    "context_mode",
    "parallel_mode",
    "stage_num",
    "profiling_stop_time",
    "analyse_end_time",
    "ms_version",
    "is_heterogeneous",
)


def read_documents(parts: ProfileParts) -> None:
    """Reads facts, FLOPs, memory, parallel strategy and dynamic shapes from JSON files."""
    parts.attempt(r"profiler_info(_\d+)?\.json", lambda name: read_profiler_info(parts, name))
    parts.attempt(r"flops_summary_\d+\.json", lambda name: _flops_summary(parts, name))
    parts.attempt(r"flops_scope_\d+\.json", lambda name: _flops_scope(parts, name))
    parts.attempt(r"memory_usage_summary_\d+\.json", lambda name: _memory_summary(parts, name))
    parts.attempt(r"memory_usage_details_\d+\.json", lambda name: _memory_details(parts, name))
    read_strategy(parts)
    parts.attempt(r"dynamic_shape_info_\d+\.json", lambda name: _shapes(parts, name))


def read_profiler_info(parts: ProfileParts, name: str) -> None:
    """Reads rank, number of ranks, and facts of the job."""
    found = parts.json(name)
    building = parts.building
    building.facts |= {key: found[key] for key in _FACTS if found.get(key) not in (None, "")}
    if str(found.get("rank_id", "")).isdecimal() and building.rank < 0:
        building.rank = int(found["rank_id"])
    if str(found.get("rank_size", "")).isdecimal():
        building.world_size = int(found["rank_size"])


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _scaled(value: object, factor: float) -> float | None:
    number = _number(value)
    return None if number is None else number * factor


def _rates(found: Mapping[str, Any], prefix: str = "") -> dict[str, float | None]:
    return {
        "flops": _scaled(found.get(f"{prefix}FLOPs"), _MEGA),
        "flops_per_second": _scaled(found.get(f"{prefix}FLOPS"), _GIGA),
        "utilization": _scaled(found.get(f"{prefix}FLOPS_Utilization"), 1 / _PERCENT),
    }


def _flops_summary(parts: ProfileParts, name: str) -> None:
    """Millions of operations, thousands of millions a second, percent of what the device can; or each of
    cube and
    vector units."""
    found = parts.json(name)
    if "cube_FLOPs" in found or "vec_FLOPs" in found:
        cube, vector = _rates(found, "cube_"), _rates(found, "vec_")
        summary: dict[str, Any] = {
            "flops": (cube["flops"] or 0.0) + (vector["flops"] or 0.0),
            "flops_per_second": (cube["flops_per_second"] or 0.0) + (vector["flops_per_second"] or 0.0),
            "utilization": None,
            "cube": cube,
            "vector": vector,
        }
    else:
        summary = dict(_rates(found))
    parts.building.documents.setdefault("flops", {})["summary"] = summary


def _flops_scope(parts: ProfileParts, name: str) -> None:
    """A tree of scopes as links of a Sankey diagram, millions of operations each."""
    found = parts.json(name)
    tree = found["data"]
    parts.building.documents.setdefault("flops", {}).update(
        nodes=[str(node["name"]) for node in tree["nodes"]],
        links=[
            {
                "source": str(link["source"]),
                "target": str(link["target"]),
                "flops": _scaled(link["value"], _MEGA),
            }
            for link in tree["links"]
        ],
    )


def _bytes(value: object) -> int | None:
    """Sizes are in GiB."""
    number = _number(value)
    return None if number is None else round(number * _GIB)


def _memory_summary(parts: ProfileParts, name: str) -> None:
    found = parts.json(name)
    parts.building.documents.setdefault("memory", {})["summary"] = {
        "capacity_bytes": _bytes(found.get("capacity")),
        "peak_bytes": _bytes(found.get("peak_mem")),
        "static_bytes": _bytes(found.get("static_mem")),
        "allocations": found.get("allocations"),
        "deallocations": found.get("deallocations"),
    }


def _memory_details(parts: ProfileParts, name: str) -> None:
    """Of each graph: what is taken after each of its nodes, and by which tensors where that is most."""
    graphs = []
    for each in parts.json(name).values():
        lines = [_bytes(value) or 0 for value in each.get("lines") or ()]
        nodes = [
            str(node.get("name", "")) if isinstance(node, dict) else str(node)
            for node in each.get("nodes") or ()
        ]
        top = max(range(len(lines)), key=lines.__getitem__, default=-1)
        breakdowns = each.get("breakdowns") or []
        graphs.append(
            {
                "graph": each.get("graph_id"),
                "static_bytes": _bytes(each.get("static_mem")),
                "nodes": nodes,
                "bytes": lines,
                "peak_node": nodes[top] if 0 <= top < len(nodes) else None,
                "peak_bytes": lines[top] if top >= 0 else None,
                "holders": [_holder(tensor) for tensor in breakdowns[top]]
                if 0 <= top < len(breakdowns)
                else [],
            }
        )
    parts.building.documents.setdefault("memory", {})["graphs"] = graphs


def _holder(tensor: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": str(tensor.get("tensor_name", tensor.get("name", ""))),
        "bytes": _bytes(tensor.get("size")),
        "type": tensor.get("type"),
        "data_type": tensor.get("data_type", tensor.get("dtype")),
        "shape": tensor.get("shape"),
    }


def _shapes(parts: ProfileParts, name: str) -> None:
    """Runs of operators and kernels by step; durations in µs. Sums by type are made of them."""
    found = parts.json(name)
    building = parts.building
    for kind in ("operator", "kernel"):
        runs = [run for step in (found.get(kind) or {}).values() for run in step]
        if not runs:
            continue
        sides = [
            Side.HOST if str(run.get("op_side", "")).lower() in ("cpu", "host") else Side.DEVICE
            for run in runs
        ]
        building.add(
            "shape_runs",
            step=[int(run["step"]) for run in runs],
            kind=np.full(len(runs), building.text(kind)),
            type=building.texts(str(run.get("op_type", "")) for run in runs),
            name=building.texts(str(run.get("op_name") or "") for run in runs),
            side=sides,
            duration=np.array([nanoseconds(run.get("dur"), "us") for run in runs], np.int64),
            shapes=building.texts("; ".join(map(str, run.get("shape_info") or ())) for run in runs),
        )
