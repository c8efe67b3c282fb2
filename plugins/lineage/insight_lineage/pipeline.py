"""Parses the data pipeline of a MindSpore run from a lineage file.

Source: mindinsight_lineage.proto of MindInsight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import field, frozen

from insight_lineage.messages import Message

MAX_STAGES = 2000
Value: TypeAlias = str | bool | int | float | list[str | None] | list[int] | list[float] | None
Parameters: TypeAlias = Mapping[str, Value]

_CHILDREN, _PARAMETER, _OPERATIONS, _SAMPLER = 1, 2, 3, 4
_OPERATION_PARAMETER, _SIZE, _WEIGHTS = 1, 2, 3
_MAP_STR, _MAP_STR_LIST, _MAP_BOOL, _MAP_INT, _MAP_DOUBLE = 1, 2, 3, 4, 5
_NAMES = ("op_type", "tensor_op_name", "sampler_name", "tensor_op_module")
_VALUE = 2  # of a map entry


def _exact(parameters: Parameters) -> tuple[object, ...]:
    """What tells parameters from others: 1 is not true, and NaN is itself."""
    return tuple((name, repr(value)) for name, value in parameters.items())


@frozen(cache_hash=True)
class Operation:
    """An operation of a Map, or the sampler of a source."""

    name: str
    parameters: Parameters = field(eq=_exact)


@frozen(cache_hash=True)
class Stage:
    """One step of a pipeline. ``inputs`` are the numbers of the steps that it takes its data from."""

    name: str
    parameters: Parameters = field(eq=_exact)
    operations: tuple[Operation, ...]
    sampler: Operation | None
    inputs: tuple[int, ...]


Pipeline: TypeAlias = tuple[Stage, ...]  # in the order of the data: sources first


def pipeline_of(graph: Message) -> tuple[Pipeline, bool]:
    """The last MAX_STAGES steps of a DatasetGraph, and whether these are all.

    Raises ValueError for a malformed message.
    """
    found: list[tuple[Message, list[int]]] = []  # from the end of the pipeline to its sources
    waiting = [(graph, -1)]
    while waiting:
        if len(found) == MAX_STAGES:
            break
        message, consumer = waiting.pop()
        if consumer >= 0:
            found[consumer][1].append(len(found))
        children = [(child, len(found)) for child in message.messages(_CHILDREN)]
        found.append((message, []))
        waiting.extend(reversed(children))
    last = len(found) - 1
    stages = tuple(
        _stage(message, tuple(last - number for number in inputs)) for message, inputs in reversed(found)
    )
    return stages, not waiting


def cells_of(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """The pipeline as columns: name and text of each step, operation and sampler."""
    seen: dict[str, int] = {}

    def named(name: str) -> str:
        number = seen[name] = seen.get(name, 0) + 1
        return name if number == 1 else named(f"{name}#{number}")

    for stage in pipeline:
        name = named(stage.name)
        yield name, text_of(stage.parameters)
        for operation in stage.operations:
            yield named(f"{name}/{operation.name}"), text_of(operation.parameters)
        if stage.sampler is not None:
            sampler = text_of(stage.sampler.parameters)
            yield named(f"{name}/sampler"), ", ".join(filter(None, (stage.sampler.name, sampler)))


def text_of(parameters: Parameters) -> str:
    """Parameters of an operator as one line of text."""
    return ", ".join(f"{name}: {value_text(value)}" for name, value in parameters.items())


def value_text(value: Value) -> str:
    """A parameter as text; lists are nested in brackets."""
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, bool) or value is None:
        return str(value).lower() if value is not None else "none"
    return str(value)


def _stage(message: Message, inputs: tuple[int, ...]) -> Stage:
    parameters = _parameters(message.message(_PARAMETER))
    name = str(parameters.pop("op_type", None) or "?")
    sampler = message.message(_SAMPLER)
    return Stage(
        name=name,
        parameters=parameters,
        operations=tuple(map(_operation, message.messages(_OPERATIONS))),
        sampler=_operation(sampler) if sampler is not None and sampler.fields else None,
        inputs=inputs,
    )


def _operation(message: Message) -> Operation:
    parameters = _parameters(message.message(_OPERATION_PARAMETER))
    if sizes := message.integers(_SIZE):
        parameters["size"] = sizes
    if weights := message.floats(_WEIGHTS):
        parameters["weights"] = weights
    name = next((str(parameters.pop(key)) for key in _NAMES if parameters.get(key)), "?")
    return Operation(name, parameters)


def _parameters(message: Message | None) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if message is None:
        return found
    for key, entry in message.entries(_MAP_STR):
        value = entry.text(_VALUE) or ""
        found[key] = None if value == "None" else value
    for key, entry in message.entries(_MAP_BOOL):
        found[key] = bool(entry.integer(_VALUE))
    for key, entry in message.entries(_MAP_INT):
        found[key] = entry.integer(_VALUE) or 0
    for key, entry in message.entries(_MAP_DOUBLE):
        found[key] = entry.floating(_VALUE) or 0.0
    for key, entry in message.entries(_MAP_STR_LIST):
        listed = entry.message(_VALUE)
        found[key] = [text or None for text in listed.texts(1)] if listed is not None else []
    return dict(sorted(found.items()))  # a map has no order, and writers keep none
