"""The data pipeline of a MindSpore run, from the dataset graph in a lineage file.

Source: mindinsight_lineage.proto; records are framed as in event files.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from insight_core.plugin.payloads import HEADER_SIZE, RecordProblem, contents
from insight_graph.messages import is_set, parsed
from insight_graph.mindspore_values import text_of
from insight_graph.notices import GraphNotice

MAX_NODES = 2000
_TYPE, _OPERATION = "op_type", "tensor_op_name"
_SOURCE = "source"


@frozen
class Parameter:
    name: str
    value: str


@frozen
class PipelineOperation:
    """An operation of a Map, or the sampler of a source."""

    name: str
    parameters: tuple[Parameter, ...]


@frozen
class PipelineStage:
    """One step of the pipeline. ``inputs`` are the numbers of the steps that it takes its data from."""

    type: str
    parameters: tuple[Parameter, ...]
    operations: tuple[PipelineOperation, ...]
    sampler: PipelineOperation | None
    inputs: tuple[int, ...]


@frozen
class Pipeline:
    """Steps in the order of the data: sources before what takes from them. None: the file has no pipeline."""

    stages: tuple[PipelineStage, ...] | None
    notices: tuple[GraphNotice, ...] = ()

    @property
    def nbytes(self) -> int:
        return 2000 * (1 + len(self.stages or ()))


def pipeline_of(data: bytes) -> Pipeline:
    """The pipeline of the last dataset graph in a lineage file; every training appends one."""
    notices: list[GraphNotice] = []
    last = None
    problems: list[RecordProblem] = []
    for start, end in contents(data, problems):
        try:
            event = parsed("LineageEvent", data[start:end])
        except ValueError as error:
            problems.append(RecordProblem(start - HEADER_SIZE, str(error)))
            continue
        if is_set(event, "dataset_graph"):
            last = event.dataset_graph
    for problem in problems:
        code = "pipeline_cut_off" if problem.cut_off else "pipeline_unreadable"
        notices.append(GraphNotice(code, {"offset": problem.offset}, 1))
    return Pipeline(_stages(last, notices) if last is not None else None, tuple(notices))


def _stages(root: Any, notices: list[GraphNotice]) -> tuple[PipelineStage, ...]:  # noqa: ANN401
    found: list[tuple[Any, list[int]]] = []  # from the end of the pipeline to its sources
    waiting = [(root, -1)]
    while waiting:
        graph, consumer = waiting.pop()
        if len(found) == MAX_NODES:
            notices.append(GraphNotice("pipeline_too_long", {"limit": MAX_NODES}, 1))
            break
        number = len(found)
        found.append((graph, []))
        if consumer >= 0:
            found[consumer][1].append(number)
        waiting.extend((child, number) for child in reversed(graph.children))
    last = len(found) - 1
    return tuple(
        _stage(graph, tuple(last - number for number in inputs)) for graph, inputs in reversed(found)
    )


def _stage(graph: Any, inputs: tuple[int, ...]) -> PipelineStage:  # noqa: ANN401
    parameters = _parameters(graph.parameter)
    return PipelineStage(
        type=_take(parameters, _TYPE),
        parameters=tuple(parameters),
        operations=tuple(_operation(one) for one in graph.operations),
        sampler=_operation(graph.sampler) if is_set(graph, "sampler") else None,
        inputs=inputs,
    )


def _operation(message: Any) -> PipelineOperation:  # noqa: ANN401
    parameters = _parameters(message.operation_param)
    if message.size:
        parameters.append(Parameter("size", ", ".join(map(str, message.size))))
    if message.weights:
        parameters.append(Parameter("weights", ", ".join(f"{one:.6g}" for one in message.weights)))
    name = _take(parameters, _OPERATION) or _take(parameters, "sampler_name") or _take(parameters, _TYPE)
    return PipelineOperation(name, tuple(parameters))


def _parameters(message: Any) -> list[Parameter]:  # noqa: ANN401
    found = [Parameter(text_of(one.key), text_of(one.value)) for one in message.map_str]
    for one in message.map_str_list:
        found.append(Parameter(text_of(one.key), ", ".join(map(text_of, one.value.str_value))))
    found += [Parameter(text_of(one.key), str(one.value).lower()) for one in message.map_bool]
    found += [Parameter(text_of(one.key), str(one.value)) for one in message.map_int]
    found += [Parameter(text_of(one.key), f"{one.value:.6g}") for one in message.map_double]
    return found


def _take(parameters: list[Parameter], name: str) -> str:
    """Takes a parameter out of the list and gives its value."""
    for place, one in enumerate(parameters):
        if one.name == name:
            return parameters.pop(place).value
    return ""
