"""Reads the header of a torch trace: everything outside the events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from insight_profiler.building import Building
from insight_profiler.model import Device
from insight_profiler.reading.trace_kinds import GPU

_NUMBERED = r"(?=_?\d*(?:\s|$))"  # a name of a group that ends so: pipeline_0
_DATA_PARALLEL = re.compile(rf"(?<![a-z])dp(?![a-z])|data_?parallel|(?<![a-z])data{_NUMBERED}", re.IGNORECASE)
_PIPELINE = re.compile(
    rf"(?<![a-z])pp(?![a-z])|pipeline_?(model_?)?parallel|(?<![a-z])pipe(line)?{_NUMBERED}", re.IGNORECASE
)
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
        groups = distributed.get("pg_config")
        if group := _largest_group(groups, building.rank, _DATA_PARALLEL):
            building.facts["data_parallel"] = ",".join(map(str, sorted(group)))
        if stages := _largest_group(groups, building.rank, _PIPELINE):
            building.facts["stage"] = stages.index(building.rank)
    for name in _FACTS:
        value = head.get(name)
        if isinstance(value, str | int):
            building.facts[name] = value
    properties = head.get("deviceProperties")
    _describe_devices(building, properties if isinstance(properties, list) else [])
    kinds = (device.kind for device in building.devices if device.kind != "cpu")
    building.platform = building.platform or next(kinds, "cpu")


def _describe_devices(building: Building, properties: list[Any]) -> None:
    """Gives GPUs the facts of their number. Where the others are as many as the properties that are left, or
    these are all of one model, they belong together too: work counts the devices of the machine, and
    properties those that ROCR_VISIBLE_DEVICES leaves."""
    left = {place: device for place, device in enumerate(building.devices) if device.kind == GPU}
    unused = []
    for said in properties:
        if not isinstance(said, dict):
            continue
        place = next((place for place, one in left.items() if one.facts.get("id") == said.get("id")), None)
        if place is None:
            unused.append(said)
        else:
            building.devices[place] = _described(left.pop(place), said)
    others = sorted(left, key=lambda place: int(left[place].facts["id"]))
    is_one_model = len({str(said.get("name")) for said in unused}) == 1
    if is_one_model or len(unused) == len(others):
        for number, place in enumerate(others):
            building.devices[place] = _described(left[place], unused[number % len(unused)])


def _described(device: Device, said: Mapping[str, Any]) -> Device:
    facts = _numbers(said) | {"id": device.facts["id"]}
    return evolve(device, name=str(said.get("name") or device.name), facts=facts)


def _largest_group(groups: object, rank: int, kind: re.Pattern[str]) -> list[int]:
    """The ranks of the largest process group of one kind with this rank, in its order, which for stages of a
    pipeline is theirs; nothing if none is named so.

    ``pg_config`` has a description for each group: that of a DeviceMesh (``mesh_dp``, ``mesh_pp``) or of
    Megatron (``DATA_PARALLEL_GROUP``, ``PIPELINE_MODEL_PARALLEL_GROUP``), or a name with a number
    (``pipeline_0``), which may also stand in ``pg_name``. One that is of both kinds is of neither.
    """
    found: list[int] = []
    for group in groups if isinstance(groups, list) else ():
        names = [group.get("pg_desc", ""), group.get("pg_name", "")] if isinstance(group, dict) else []
        named = " ".join(map(str, names))
        if [one for one in (_DATA_PARALLEL, _PIPELINE) if one.search(named)] != [kind]:
            continue
        ranks = group.get("ranks")
        if isinstance(ranks, list) and rank in ranks and len(ranks) > max(1, len(found)):
            found = [one for one in ranks if isinstance(one, int)]
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
