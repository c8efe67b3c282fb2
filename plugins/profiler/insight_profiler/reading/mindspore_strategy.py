"""Reads how MindSpore spread a model over devices.

| file | adds to the document ``strategy`` |
|---|---|
| ``parallel_strategy_{}.json`` of the profiler | ``stages``, ``parameters``: the cut graph of a rank |
| ``*strategy*.ckpt``, ``*strategy*.json`` of ``strategy_ckpt_config`` | ``declared``, ``layouts`` |

Shapes in the graph are those of one device: MindSpore writes the graph after it replaced the shapes of
parameters and outputs by those of shards.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from insight_core.plugin.payloads import MessageTypes
from insight_profiler.reading.mindspore_files import ProfileParts

_LONGEST = 200  # letters of an attribute
_WHOLE = {"in_strategy", "out_strategy", "gen_strategy", "strategy", "group_ranks", "rank_list"}
_MOST_BYTES = 1 << 28
_DECLARED = r"(?!parallel_strategy_\d+\.json$).*strategy.*\.(ckpt|json)"


def read_strategy(parts: ProfileParts) -> None:
    """Reads the graph of a rank, and the files that say how operators and parameters are cut."""
    parts.attempt(r"parallel_strategy_\d+\.json", lambda name: _graph(parts, name))
    parts.attempt(_DECLARED, lambda name: _declared(parts, name))


def _document(parts: ProfileParts) -> dict[str, Any]:
    document: dict[str, Any] = parts.building.documents.setdefault(
        "strategy", {"stages": [], "parameters": [], "declared": [], "layouts": []}
    )
    return document


@cache
def _messages() -> MessageTypes:
    return MessageTypes(Path(__file__).with_name("node_strategy.binpb"))


def _declared(parts: ProfileParts, name: str) -> None:
    """Strategies of operators and layouts of parameters, as protobuf or JSON."""
    operators, layouts = (_json if name.endswith(".json") else _protobuf)(parts, name)
    if not operators and not layouts:
        raise ValueError("it has neither strategies of operators nor layouts of parameters")
    document = _document(parts)
    document["declared"] += operators
    document["layouts"] += layouts


_Found = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def _protobuf(parts: ProfileParts, name: str) -> _Found:
    with parts.files.open(name) as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it is longer than {_MOST_BYTES >> 20} MiB")
    found = _messages().parse("Strategy", content)
    operators = [
        {
            "name": one.name,
            "stage": int(one.cuts.stage),
            "strategy": [list(dims.dim) for dims in one.cuts.inputs],
        }
        for one in found.operators
    ]
    layouts = [
        _layout(
            one.name,
            found.current_stage,
            list(one.layout.dev_matrix[0].dim) if one.layout.dev_matrix else [],
            [list(dims.dim) for dims in one.layout.tensor_map if dims.dim]
            if len(one.layout.tensor_map) > 1
            else [int(axis) for dims in one.layout.tensor_map for axis in dims.dim],
            None,
            one.layout.opt_weight_shard_size,
        )
        for one in found.parameters
    ]
    return operators, layouts


def _json(parts: ProfileParts, name: str) -> _Found:
    found = parts.json(name)
    operators = [
        {
            "name": str(key),
            "stage": int(one["stage"]),
            "strategy": [list(dims) for dims in one["parallel_strategy"]],
        }
        for key, one in (found.get("parallel_strategy_item") or {}).items()
    ]
    layouts = [
        _layout(
            str(key),
            int(found.get("current_stage", 0)),
            one["dev_matrix"],
            one["tensor_map"],
            one.get("tensor_shape"),
            int(one.get("opt_weight_shard_size", 0)),
        )
        for key, one in (found.get("parallel_layout_item") or {}).items()
    ]
    return operators, layouts


def _layout(
    name: str, stage: int, matrix: list[int], tensor_map: list[Any], shape: list[int] | None, optimizer: int
) -> dict[str, Any]:
    """Files of all stages put the number of the stage before the name: ``1-backbone.weight``."""
    prefix, dash, rest = name.partition("-")
    if dash and prefix.isdecimal():
        stage, name = int(prefix), rest
    return {
        "name": name,
        "stage": stage,
        "device_matrix": [int(size) for size in matrix],
        "tensor_map": tensor_map,
        "shape": shape,
        "optimizer_parts": int(optimizer),
    }


def _graph(parts: ProfileParts, name: str) -> None:
    """The graph of a rank with how its operators are cut, as protobuf's JSON has it."""
    found = parts.json(name)
    config, graph = found["config"], found["graph"]
    groups = [
        [int(size["size"]) for size in group.get("dim") or ()] for group in config.get("stageDevices") or ()
    ]
    document = _document(parts)
    document["stages"].append(
        {
            "stage": int(config.get("stageId", 0)),
            "rank": int(config.get("rankId", 0)),
            "type": str(config.get("parallelType", "")),
            "devices": [device for group in groups for device in group],
            "stage_devices": groups,
            "operators": [_node(node) for node in graph.get("node") or ()],
        }
    )
    document["parameters"] += [
        {"name": str(parameter.get("name", "")), **_tensor(parameter.get("type") or {})}
        for parameter in graph.get("parameters") or ()
    ]


def _node(node: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": str(node.get("name", "")),
        "type": str(node.get("opType", "")),
        "scope": str(node.get("scope", "")),
        "full_name": str(node.get("fullName", "")),
        "instance": str(node.get("instanceName", "")),
        "inputs": [str(each.get("name", "")) for each in node.get("input") or ()],
        "attributes": {
            str(each.get("name", "")): text
            for each in node.get("attribute") or ()
            if len(text := _text(_plain(each.get("value") or {}))) <= _LONGEST or each.get("name") in _WHOLE
        },
        "outputs": _outputs(node.get("outputType") or {}),
    }


def _plain(value: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON
    """The one value that a message of values holds."""
    if "values" in value:
        return [_plain(each) for each in value["values"]]
    if "typeVal" in value:
        return value["typeVal"].get("dataType", "")
    held = [each for key, each in value.items() if key != "dtype"]
    return held[0] if held else ""


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_text(each) for each in value)}]"
    return str(value)


def _outputs(kind: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts = (kind.get("sequenceType") or {}).get("elemTypes")
    return [_tensor(each) for each in parts] if parts else [_tensor(kind)] if kind else []


def _tensor(kind: Mapping[str, Any]) -> dict[str, Any]:
    tensor = kind.get("tensorType") or {}
    dims = (tensor.get("shape") or {}).get("dim")
    return {
        "data_type": str(tensor.get("elemType", kind.get("dataType", ""))),
        "shape": None if dims is None else [int(size.get("size", 0)) for size in dims],
    }
