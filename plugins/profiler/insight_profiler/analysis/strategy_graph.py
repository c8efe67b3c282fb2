"""The operators of one pipeline stage with the layouts of their tensors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from math import prod
from typing import Any

from attrs import define, frozen

from insight_profiler.analysis.sharding import (
    Dims,
    Layout,
    item_size,
    redistribution,
    same,
)
from insight_profiler.analysis.sharding_rules import OperatorLayouts, operator_layouts
from insight_profiler.analysis.strategy_communication import communication_of

_STRATEGIES = ("in_strategy", "gen_strategy", "strategy")


@frozen
class ShardedTensor:
    """A tensor of an operator. ``shard`` is the shape on one device; None where it is not known."""

    role: str  # input, output
    name: str
    data_type: str
    shape: Dims | None
    shard: Dims | None
    parts: Dims | None
    layout: Layout | None

    @property
    def bytes(self) -> int | None:
        """Bytes on one device."""
        size = item_size(self.data_type)
        return prod(self.shard) * size if self.shard is not None and size else None

    def described(self) -> dict[str, Any]:
        """As JSON. ``axes`` has the axes of the device matrix that cut each dimension, from the left."""
        return {
            "role": self.role,
            "name": self.name,
            "data_type": self.data_type,
            "shape": self.shape,
            "shard": self.shard,
            "parts": self.parts,
            "bytes": self.bytes,
            "devices": self.layout and self.layout.devices,
            "axes": self.layout and self.layout.axes,
        }


@define(eq=False, slots=False)
class StageGraph:
    """One stage of a document ``strategy``. ``stage`` has its operators and ranks."""

    stage: Mapping[str, Any]
    parameters: Mapping[str, Mapping[str, Any]]
    declared: Mapping[str, Mapping[str, Any]]
    saved_layouts: Mapping[str, Layout]

    @cached_property
    def groups(self) -> list[list[int]]:
        """The ranks of each pipeline stage."""
        groups: list[list[int]] = self.stage.get("stage_devices") or []
        return groups

    @cached_property
    def ranks(self) -> list[int]:
        """The ranks of this stage."""
        number: int = self.stage["stage"]
        return self.groups[number] if number < len(self.groups) else []

    @cached_property
    def _by_name(self) -> dict[str, Mapping[str, Any]]:
        return {operator["name"]: operator for operator in self.stage["operators"]}

    @cached_property
    def _layouts(self) -> dict[str, OperatorLayouts]:
        return {name: self._layouts_of(operator) for name, operator in self._by_name.items()}

    def strategy_of(self, operator: Mapping[str, Any]) -> list[list[int]] | None:
        """Into how many parts each dimension of each input is cut; None if the log does not say."""
        for name in _STRATEGIES:
            if (found := _numbers(operator["attributes"].get(name))) is not None:
                return found
        names = [name for name in operator["inputs"] if name in self.parameters]
        declared = self.declared.get(f"{operator['type']}_{names[0]}" if names else operator["name"])
        strategy: list[list[int]] | None = None if declared is None else declared["strategy"]
        return strategy

    def _layouts_of(self, operator: Mapping[str, Any]) -> OperatorLayouts:
        strategy = self.strategy_of(operator)
        if not strategy:
            return OperatorLayouts(None, (), None)
        return operator_layouts(operator["type"], strategy, operator["attributes"], len(self.ranks))

    def tensors(self, name: str) -> list[ShardedTensor]:
        """Inputs and outputs of an operator. Raises KeyError for an unknown name."""
        operator = self._by_name[name]
        strategy = self.strategy_of(operator) or []
        layouts = self._layouts[name]
        found = []
        tensors = [one for one in operator["inputs"] if one in self._by_name or one in self.parameters]
        for place, source in enumerate(tensors):
            kind, shard = self._produced(source)
            layout = self.saved_layouts.get(source) or (
                layouts.inputs[place] if place < len(layouts.inputs) else None
            )
            parts = layout.parts if layout else tuple(strategy[place]) if place < len(strategy) else None
            found.append(_sharded("input", self._title(source), kind, shard, parts, layout))
        for place, output in enumerate(operator["outputs"]):
            layout = layouts.output if place == 0 else None
            shard = None if output["shape"] is None else tuple(output["shape"])
            parts = layout.parts if layout else None
            found.append(_sharded("output", "", output["data_type"], shard, parts, layout))
        return found

    def _title(self, source: str) -> str:
        operator = self._by_name.get(source)
        return source if operator is None else operator["full_name"] or f"{operator['type']} {source}"

    def _produced(self, source: str) -> tuple[str, Dims | None]:
        outputs = [self.parameters[source]] if source in self.parameters else self._by_name[source]["outputs"]
        if len(outputs) != 1 or outputs[0]["shape"] is None:
            return (outputs[0]["data_type"] if outputs else ""), None
        return outputs[0]["data_type"], tuple(outputs[0]["shape"])

    def _held(self, operator: Mapping[str, Any]) -> int:
        """Bytes that a device puts into a communication operator: its first input, or what it receives."""
        for source in operator["inputs"]:
            if source in self._by_name or source in self.parameters:
                kind, shard = self._produced(source)
                return prod(shard) * item_size(kind) if shard is not None else 0
        outputs = operator["outputs"]
        if operator["type"].lower() == "receive" and outputs and outputs[0]["shape"] is not None:
            return int(prod(outputs[0]["shape"])) * item_size(outputs[0]["data_type"])
        return 0

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every operator as the graph shows it."""
        for operator in self.stage["operators"]:
            strategy = self.strategy_of(operator)
            layouts = self._layouts[operator["name"]]
            shards = max((prod(dims) for dims in strategy), default=1) if strategy else None
            if layouts.devices is not None:
                shards = prod(layouts.devices) // layouts.repeated
            outputs = [one["shape"] for one in operator["outputs"]]
            size = sum(
                prod(one["shape"]) * item_size(one["data_type"])
                for one in operator["outputs"]
                if one["shape"] is not None
            )
            yield {
                "id": operator["name"],
                "type": operator["type"],
                "scope": operator["scope"],
                "full_name": operator["full_name"],
                "inputs": [name for name in operator["inputs"] if name in self._by_name],
                "parameters": [name for name in operator["inputs"] if name in self.parameters],
                "strategy": strategy,
                "shards": shards,
                "devices": layouts.devices,
                "output_axes": layouts.output and layouts.output.axes,
                "output_shapes": outputs,
                "bytes": size or None,
                "communication": communication_of(
                    operator, self._held(operator), self.groups, self.stage["stage"]
                ),
            }

    def changes(self) -> Iterator[dict[str, Any]]:
        """Edges at whose ends the layouts differ, with the collectives that this needs."""
        for operator in self.stage["operators"]:
            layouts = self._layouts[operator["name"]].inputs
            tensors = [one for one in operator["inputs"] if one in self._by_name or one in self.parameters]
            for source, wanted in zip(tensors, layouts, strict=False):
                given = self._layouts[source].output if source in self._by_name else None
                if (
                    given is None
                    or wanted is None
                    or len(given.axes) != len(wanted.axes)
                    or same(given, wanted)
                ):
                    continue
                kind, shard = self._produced(source)
                yield {
                    "from": source,
                    "to": operator["name"],
                    "before": given.parts,
                    "after": wanted.parts,
                    "collectives": redistribution(
                        given, wanted, shard or (), item_size(kind) if shard else 0
                    ),
                }

    def parameter_rows(self) -> Iterator[dict[str, Any]]:
        """Every parameter with how it is cut: as the strategy file says, or as the first operator that reads
        it wants it."""
        readers: dict[str, ShardedTensor] = {}
        for operator in self.stage["operators"]:
            if any(name in self.parameters for name in operator["inputs"]):
                for tensor in self.tensors(operator["name"]):
                    if tensor.role == "input" and tensor.parts is not None:
                        readers.setdefault(tensor.name, tensor)
        for name in dict.fromkeys([*self.parameters, *self.saved_layouts]):
            known = self.parameters.get(name, {"data_type": "", "shape": None})
            layout = self.saved_layouts.get(name)
            reader = readers.get(name)
            shard = None if known["shape"] is None else tuple(known["shape"])
            layout = layout or (reader.layout if reader else None)
            parts = layout.parts if layout else reader.parts if reader else None
            made = _sharded("parameter", name, known["data_type"], shard, parts, layout)
            yield {**made.described(), "shape": made.shape or known.get("full_shape")}


def _sharded(
    role: str, name: str, data_type: str, shard: Dims | None, parts: Dims | None, layout: Layout | None
) -> ShardedTensor:
    fits = shard is not None and parts is not None and len(shard) == len(parts)
    shape = tuple(a * b for a, b in zip(shard, parts, strict=True)) if fits and shard and parts else None
    if shard == () or (shard is not None and parts is None):
        shape = shard if shard == () else None
    return ShardedTensor(
        role, name, data_type, shape, shard, parts, layout if fits or shard is None else None
    )


def _numbers(text: str | None) -> list[list[int]] | None:
    try:
        found = json.loads(text or "")
    except ValueError:
        return None
    if isinstance(found, list) and all(isinstance(dims, list) for dims in found):
        flat = [part for dims in found for part in dims]
        return found if all(isinstance(part, int) for part in flat) else None
    return None
