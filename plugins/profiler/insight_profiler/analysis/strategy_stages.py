"""The stages of a parallel strategy from what the log says of it: graphs, strategy files, or both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from insight_profiler.analysis.sharding import Layout, cut_by_optimizer, layout_of
from insight_profiler.analysis.strategy_graph import StageGraph


def stages_of(document: Mapping[str, Any]) -> list[StageGraph]:
    """The stages of a document ``strategy``; of strategies without a graph one for each stage they name."""
    parameters: dict[str, dict[str, Any]] = {one["name"]: dict(one) for one in document["parameters"]}
    declared = {one["name"]: one for one in document.get("declared", ())}
    layouts: dict[int, dict[str, Layout]] = {}
    shapes: dict[str, Any] = {}
    for one in document.get("layouts", ()):
        if (layout := _saved(one)) is not None:
            layouts.setdefault(one["stage"], {})[one["name"]] = layout
            shapes[one["name"]] = one["shape"]
    if document["stages"]:
        every = {name: layout for of in layouts.values() for name, layout in of.items()}
        return [
            StageGraph(stage, parameters, declared, layouts.get(stage["stage"], every))
            for stage in document["stages"]
        ]
    numbers = sorted({one["stage"] for one in declared.values()} | layouts.keys())
    return [
        StageGraph(
            _without_graph(number, [one for one in declared.values() if one["stage"] == number], layouts),
            _parameters(layouts.get(number, {}), shapes),
            declared,
            layouts.get(number, {}),
        )
        for number in numbers
    ]


def _saved(one: Mapping[str, Any]) -> Layout | None:
    try:
        layout = layout_of(one["device_matrix"], one["tensor_map"])
    except ValueError:
        return None
    parts = one["optimizer_parts"]
    return layout if parts in (0, 1) else cut_by_optimizer(layout, parts)


def _parameters(layouts: Mapping[str, Layout], shapes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found = {}
    for name, layout in layouts.items():
        full = shapes.get(name)
        found[name] = {
            "name": name,
            "data_type": "",
            "shape": layout.shard_shape(full) if full else None,
            "full_shape": full,
        }
    return found


def _without_graph(
    number: int, operators: Iterable[Mapping[str, Any]], layouts: Mapping[int, Mapping[str, Layout]]
) -> dict[str, Any]:
    """A stage of operators that nothing links. Names are ``MatMul_backbone.layer.0.weight``: the type,
    and the parameter that tells where the operator is."""
    sizes = {prod(layout.devices) for layout in layouts.get(number, {}).values()}
    count = sizes.pop() if len(sizes) == 1 else 0
    groups = [list(range(place * count, (place + 1) * count)) for place in range(number + 1)]
    return {
        "stage": number,
        "rank": -1,
        "type": "",
        "devices": [rank for group in groups for rank in group],
        "stage_devices": groups,
        "operators": [_named(one) for one in operators],
    }


def _named(one: Mapping[str, Any]) -> dict[str, Any]:
    kind, _, parameter = one["name"].partition("_")
    path = parameter.split(".")
    return {
        "name": one["name"],
        "type": kind,
        "scope": "/".join(path[:-1]),
        "full_name": one["name"],
        "instance": "",
        "inputs": [parameter] if parameter else [],
        "attributes": {"strategy": json.dumps(one["strategy"])},
        "outputs": [],
    }
