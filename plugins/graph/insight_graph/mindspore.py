"""MindSpore's graphs: GraphProto of events, and of .pb files with or without a ModelProto around it.

Source: mindinsight_anf_ir.proto.
"""

from __future__ import annotations

import functools
from typing import Any

from attrs import frozen

from insight_core.values.wire import LENGTH_DELIMITED, fields
from insight_graph.columns import Graph, GraphBuilder, Kind, NodeDetails, joined
from insight_graph.messages import empty, parsed
from insight_graph.mindspore_values import (
    attribute,
    constant_type,
    output_types,
    text_of,
    value_of,
    value_text,
    whole_number,
)
from insight_graph.order import topological

CONSTANT, PARAMETER = "Const", "Parameter"  # what a page calls their types
_GRAPH_OF_MODEL = 4
_PARTS = {1: "node", 3: "parameters", 4: "outputs", 5: "const_vals"}
_KINDS = {
    "node": "MindSporeNode",
    "parameters": "MindSporeParameter",
    "outputs": "MindSporeParameter",
    "const_vals": "MindSporeConstant",
}
_CONTROL = 1


def graph_of_event(data: bytes) -> Graph:
    """The graph of an event. Raises ValueError for bytes of which nothing can be read."""
    return _graph(data)


def graph_of_file(data: bytes) -> Graph:
    """The graph of a .pb file. Raises ValueError for bytes of which nothing can be read."""
    bounds = _model_graph(data)
    return _graph(data if bounds is None else data[slice(*bounds)])


def _model_graph(data: bytes) -> tuple[int, int] | None:
    """Where in a ModelProto its graph is; None for bytes that begin as a graph does."""
    position = 0
    try:
        for number, wire_type, start, end, _ in fields(data):
            if number == _GRAPH_OF_MODEL and wire_type == LENGTH_DELIMITED:
                return start, end
            if number == 1 and wire_type == LENGTH_DELIMITED:
                return None  # a node: version numbers of models are numbers
            position = end
    except ValueError:
        cut = _cut_field(data, position)
        return (cut, len(data)) if cut else None
    return None


def _cut_field(data: bytes, position: int) -> int:
    """Where the content of the graph begins, in a model that is cut off within it; 0 if it is not."""
    if position >= len(data) or data[position] != _GRAPH_OF_MODEL << 3 | LENGTH_DELIMITED:
        return 0
    position += 1
    while position < len(data) and data[position] >= 0x80:
        position += 1
    return position + 1


def _graph(data: bytes) -> Graph:
    builder = GraphBuilder("mindspore")
    try:
        message = parsed("MindSporeGraph", data)
    except ValueError:
        message = _salvaged(data, builder)
    reader = _Reader(message, builder)
    reader.read()
    return builder.graph(reader.details, topological, len(data))


def _salvaged(data: bytes, builder: GraphBuilder) -> Any:  # noqa: ANN401
    """What can be read of a graph that is broken. Raises ValueError if that is nothing."""
    graph = empty("MindSporeGraph")
    found = 0
    try:
        for number, wire_type, start, end, _ in fields(data):
            part = _PARTS.get(number)
            if part is None or wire_type != LENGTH_DELIMITED:
                continue
            try:
                one = parsed(_KINDS[part], data[start:end])
            except ValueError:
                builder.notice("unreadable_nodes", "nodes cannot be read").add(f"{part} at byte {start}")
            else:
                getattr(graph, part).append(one)
                found += 1
    except ValueError as error:
        builder.notice("truncated", f"the graph ends before its end ({error})").add(
            f"{found} parts were read"
        )
    if not found:
        raise ValueError("the bytes are no graph of MindSpore")
    return graph


@frozen(eq=False)
class _Reader:
    message: Any
    builder: GraphBuilder

    def read(self) -> None:
        """Nodes, then parameters, then constants: ``details`` counts on that order."""
        message, builder = self.message, self.builder
        numbers: dict[bytes, int] = {}
        signature = functools.lru_cache(maxsize=1 << 16)(self._signature)
        names: dict[bytes, str] = {}  # texts that repeat are decoded once
        for node in message.node:
            key = node.op_type
            type_name = names.get(key) or names.setdefault(key, text_of(key))
            numbers_key = _input_key(node.name)
            number = builder.node(
                _path(node, type_name), type_name, Kind.OPERATOR, signature(node.output_type)
            )
            if not numbers_key:
                builder.notice("unnamed", "nodes have no name").add(type_name)
            elif numbers.setdefault(numbers_key, number) != number:
                builder.notice("duplicate_names", "nodes have the name of another").add(text_of(node.name))
        for parameter in message.parameters:
            number = builder.node(
                text_of(parameter.name), PARAMETER, Kind.PARAMETER, signature(parameter.type), placed=False
            )
            numbers.setdefault(parameter.name, number)
        for constant in message.const_vals:
            outputs, whole = self._constant(constant.value)
            number = builder.node(text_of(constant.key), CONSTANT, Kind.CONSTANT, outputs, placed=False)
            if whole is not None:
                builder.whole_numbers[number] = whole
            numbers.setdefault(constant.key, number)
        edge = builder.edge
        for target, node in enumerate(message.node):
            for slot, one in enumerate(node.input):
                name = one.name
                source = numbers.get(name)
                if source is None:
                    source = numbers.get(_input_key(name))
                if source is not None:
                    edge(source, target, slot, 0, one.type == _CONTROL)
                elif name:
                    builder.missing_input(target, slot, text_of(name))

    def details(self, number: int) -> NodeDetails:
        message = self.message
        if number < len(message.node):
            node = message.node[number]
            return NodeDetails(
                full_name=text_of(node.full_name),
                scope=text_of(node.scope),
                source=text_of(node.source_address),
                attributes=[attribute(one) for one in node.attribute],
            )
        number -= len(message.node)
        if number < len(message.parameters):
            parameter = message.parameters[number]
            return NodeDetails(text_of(parameter.name), value=_value(parameter.default_val))
        constant = message.const_vals[number - len(message.parameters)]
        return NodeDetails(text_of(constant.full_name or constant.key), value=_value(constant.value))

    def _signature(self, output_type: bytes) -> int:
        try:
            return self.builder.signature(output_types(output_type))
        except ValueError:
            self.builder.notice("unknown_types", "types of outputs cannot be read").add(
                repr(output_type[:40])
            )
            return 0

    def _constant(self, data: bytes) -> tuple[int, int | None]:
        """What it is, and the whole number that it may be."""
        try:
            value = value_of(data)
        except ValueError:
            self.builder.notice("unreadable_nodes", "nodes cannot be read").add("a constant")
            return 0, None
        return self.builder.signature([constant_type(value)]), whole_number(value)


def _path(node: Any, type_name: str) -> str:  # noqa: ANN401
    """Scope and name of an operator.

    A summary's full name ends with the tag of the user, which may hold anything, and ``[:Image]`` or so.
    """
    full_name = text_of(node.full_name)
    scope = text_of(node.scope)
    if full_name and not full_name.endswith("]"):
        return full_name if "/" in full_name else joined(scope, full_name)
    if full_name and "[:" not in full_name:
        return full_name
    return joined(scope, f"{type_name}-op{text_of(_input_key(node.name))}")


def _input_key(name: bytes) -> bytes:
    """By which an input is found: old graphs write the path of the node and ``op`` with its number."""
    return name.rpartition(b"op")[2] if b"/" in name else name


def _value(data: bytes) -> str:
    try:
        return value_text(value_of(data)) if data else ""
    except ValueError as error:
        return f"unreadable: {error}"
