"""Reads the header of a torch trace: everything outside the events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from insight_profiler.building import Building

_DATA_PARALLEL = re.compile(r"(?<![a-z])dp(?![a-z])|data_?parallel", re.IGNORECASE)
_FACTS = (
    "schemaVersion",
    "with_stack",
    "profile_memory",
    "record_shapes",
    "with_modules",
    "with_flops",
    "cuda_runtime_version",
    "cuda_driver_version",
    "trace_id",
)


def describe(building: Building, head: Mapping[str, Any]) -> None:
    """Host, rank, devices and facts."""
    building.host = str(head.get("host_name") or building.host)
    distributed = head.get("distributedInfo")
    if isinstance(distributed, dict):
        rank, size = distributed.get("rank"), distributed.get("world_size")
        building.rank = rank if isinstance(rank, int) else building.rank
        building.world_size = size if isinstance(size, int) else building.world_size
        if backend := distributed.get("backend"):
            building.facts["backend"] = str(backend)
        if group := _data_parallel(distributed.get("pg_config"), building.rank):
            building.facts["data_parallel"] = ",".join(map(str, group))
    for name in _FACTS:
        value = head.get(name)
        if isinstance(value, str | int):
            building.facts[name] = value
    properties = head.get("deviceProperties")
    for said in properties if isinstance(properties, list) else ():
        if not isinstance(said, dict):
            continue
        for place, device in enumerate(building.devices):
            if device.kind == "gpu" and device.facts.get("id") == said.get("id"):
                name = str(said.get("name") or device.name)
                building.devices[place] = evolve(device, name=name, facts=_numbers(said))
    if not building.platform:
        building.platform = "gpu" if any(device.kind == "gpu" for device in building.devices) else "cpu"


def _data_parallel(groups: object, rank: int) -> list[int]:
    """The ranks of the largest data-parallel process group with this rank; nothing if none is named so.

    ``pg_config`` has a description for each group: that of a DeviceMesh (``mesh_dp``) or of Megatron
    (``DATA_PARALLEL_GROUP``).
    """
    found: list[int] = []
    for group in groups if isinstance(groups, list) else ():
        if not isinstance(group, dict) or not _DATA_PARALLEL.search(str(group.get("pg_desc", ""))):
            continue
        ranks = group.get("ranks")
        if isinstance(ranks, list) and rank in ranks and len(ranks) > max(1, len(found)):
            found = sorted(one for one in ranks if isinstance(one, int))
    return found


def _numbers(said: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in said.items():
        if isinstance(value, str) and name != "name":  # decimals come as texts
            try:
                found[name] = float(value)
            except ValueError:
                found[name] = value
        elif isinstance(value, int):
            found[name] = value
    return found
