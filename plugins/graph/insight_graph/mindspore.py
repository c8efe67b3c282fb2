"""Parses MindSpore's GraphProto, from events and from .pb files with or without a ModelProto.

Source: mindinsight_anf_ir.proto.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from insight_core.plugin import Reason
from insight_core.plugin.payloads import LENGTH_DELIMITED, Malformed, fields, varint
from insight_graph.columns import Graph, Kind, NodeDetails, Weight
from insight_graph.graph_builder import GraphBuilder
from insight_graph.messages import is_set, parsed
from insight_graph.mindspore_values import (
    attribute,
    constant_type,
    output_types,
    value_of,
    value_text,
    whole_number,
)
from insight_graph.order import topological
from insight_graph.pieces import Pieces, content_at
from insight_graph.scopes import joined
from insight_graph.texts import text_of

CONSTANT, PARAMETER = "Const", "Parameter"  # what a page calls their types
_GRAPH_OF_MODEL = 4
_NODES, _PARAMETERS, _CONSTANTS = 1, 3, 5
_FIELDS = {_NODES: "node", _PARAMETERS: "parameters", _CONSTANTS: "const_vals"}
_CONTROL = 1
_ROWS_AT_ONCE = 1 << 16  # numbers in rows of edges


def graph_of_event(data: bytes) -> Graph:
    """The graph of an event. Raises ValueError for bytes of which nothing can be read."""
    return _graph(data, 0, len(data))


def graph_of_file(data: bytes) -> Graph:
    """The graph of a .pb file. Raises ValueError for bytes of which nothing can be read."""
    start, end = _model_graph(data) or (0, len(data))
    return _graph(data, start, end)


def _model_graph(data: bytes) -> tuple[int, int] | None:
    """Where in a ModelProto its graph is, maybe beyond the end of the bytes; None for bytes that begin as a
    graph does."""
    position = 0
    try:
        for number, wire_type, start, end, _ in fields(data):
            if number == _GRAPH_OF_MODEL and wire_type == LENGTH_DELIMITED:
                return start, end
            if number == _NODES and wire_type == LENGTH_DELIMITED:
                return None  # a node: version numbers of models are numbers
            position = end
        return None
    except Malformed:
        return _cut_field(data, position)


def _cut_field(data: bytes, position: int) -> tuple[int, int] | None:
    """Where the content of the graph is, in a model that is cut off within it."""
    if position >= len(data) or data[position] != _GRAPH_OF_MODEL << 3 | LENGTH_DELIMITED:
        return None
    try:
        size, start = varint(data, position + 1, len(data))
    except Malformed:
        return None
    return start, start + size


def _graph(data: bytes, start: int, end: int) -> Graph:
    builder = GraphBuilder("mindspore")
    pieces = Pieces.of("MindSporeGraph", _FIELDS, data, start, min(end, len(data)))
    reader = _Reader(pieces, builder)
    reader.read()
    broken = pieces.broken or ("the file ends before its graph" if end > len(data) else "")
    if broken:
        if not len(builder.names):
            text = f"the bytes are not a MindSpore graph: {broken}"
            raise ValueError(Reason(text, "graph_not_mindspore", cause=Reason.of(broken)))
        builder.truncated(broken)
    return builder.graph(reader.details, topological, len(data))


@frozen(eq=False)
class _Reader:
    pieces: Pieces
    builder: GraphBuilder
    starts: array[int] = field(factory=lambda: array("q"))  # by node: where it begins
    firsts: list[int] = field(factory=list)  # number of the first node, parameter, constant

    def read(self) -> None:
        """Nodes, then parameters, then constants: ``details`` counts on that order."""
        builder = self.builder
        numbers: dict[bytes, int] = {}
        signature = functools.lru_cache(maxsize=1 << 16)(self._signature)
        names: dict[bytes, str] = {}  # texts that repeat are decoded once
        for node in self._each(_NODES):
            key, name = node.op_type, node.name
            type_name = names.get(key) or names.setdefault(key, text_of(key))
            number = builder.node(
                _path(node, name, type_name), type_name, Kind.OPERATOR, signature(node.output_type)
            )
            input_key = _input_key(name)
            if not input_key:
                builder.notice("unnamed").add(type_name)
            elif numbers.setdefault(input_key, number) != number:
                builder.duplicates[number] = text_of(name)
        for parameter in self._each(_PARAMETERS):
            outputs = signature(parameter.type)
            number = builder.node(text_of(parameter.name), PARAMETER, Kind.PARAMETER, outputs, placed=False)
            if is_set(parameter, "trainable"):
                builder.weights.append(Weight(number, parameter.trainable, outputs))
            numbers.setdefault(parameter.name, number)
        for constant in self._each(_CONSTANTS):
            outputs, whole = self._constant(constant.value)
            number = builder.node(text_of(constant.key), CONSTANT, Kind.CONSTANT, outputs, placed=False)
            if whole is not None:
                builder.whole_numbers[number] = whole
            numbers.setdefault(constant.key, number)
        self._connect(numbers)

    def _each(self, number: int) -> Iterator[Any]:
        self.firsts.append(len(self.starts))
        add = self.starts.append
        for start, message in self.pieces.each(number):
            if message is None:
                self.builder.notice("unreadable_nodes").add(f"{_FIELDS[number]} at byte {start}")
                continue
            add(start)
            yield message

    def _connect(self, numbers: dict[bytes, int]) -> None:
        builder = self.builder
        rows: list[int] = []
        target = -1
        for _, node in self.pieces.each(_NODES):
            if node is None:
                continue
            target += 1
            if len(rows) > _ROWS_AT_ONCE:
                builder.add_edges(rows)
                rows.clear()
            for slot, one in enumerate(node.input):
                name = one.name
                source = numbers.get(name)
                if source is None:
                    source = numbers.get(_input_key(name))
                if source is not None:
                    rows += (source, target, slot, 0, one.type == _CONTROL)
                elif name:
                    builder.missing_input(target, slot, text_of(name))
        builder.add_edges(rows)

    def details(self, number: int) -> NodeDetails:
        data = content_at(self.pieces.data, self.starts[number])
        _, parameters, constants = self.firsts
        if number < parameters:
            node = parsed("MindSporeNode", data)
            return NodeDetails(
                full_name=text_of(node.full_name),
                scope=text_of(node.scope),
                source=text_of(node.source_address),
                attributes=[attribute(one) for one in node.attribute],
            )
        if number < constants:
            parameter = parsed("MindSporeParameter", data)
            return NodeDetails(text_of(parameter.name), value=_value(parameter.default_val))
        constant = parsed("MindSporeConstant", data)
        return NodeDetails(text_of(constant.full_name or constant.key), value=_value(constant.value))

    def _signature(self, output_type: bytes) -> int:
        try:
            return self.builder.signature(output_types(output_type))
        except ValueError:
            self.builder.notice("unknown_types").add(repr(output_type[:40]))
            return 0

    def _constant(self, data: bytes) -> tuple[int, int | None]:
        """What it is, and the whole number that it may be."""
        try:
            value = value_of(data)
        except ValueError:
            self.builder.notice("unreadable_nodes").add("a constant")
            return 0, None
        return self.builder.signature([constant_type(value)]), whole_number(value)


def _path(node: Any, name: bytes, type_name: str) -> str:  # noqa: ANN401
    """Scope and name of an operator.

    A summary's full name ends with the tag of the user, which may hold anything, and ``[:Image]`` or so.
    """
    full_name = text_of(node.full_name)
    if full_name and not full_name.endswith("]"):
        return full_name if "/" in full_name else joined(text_of(node.scope), full_name)
    if full_name and "[:" not in full_name:
        return full_name
    return joined(text_of(node.scope), f"{type_name}-op{text_of(_input_key(name))}")


def _input_key(name: bytes) -> bytes:
    """By which an input is found: old graphs write the path of the node and ``op`` with its number."""
    return name.rpartition(b"op")[2] if b"/" in name else name


def _value(data: bytes) -> str:
    try:
        return value_text(value_of(data)) if data else ""
    except ValueError as error:
        return f"unreadable: {error}"
