"""Parses MindSpore's GraphProto, from events and from .pb files with or without a ModelProto.

Source: mindinsight_anf_ir.proto.
"""

from __future__ import annotations

import functools
from array import array

from attrs import field, frozen

from insight_core.plugin import ReasonKind
from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields
from insight_graph.columns import Graph, NodeDetails
from insight_graph.field_columns import FieldColumns
from insight_graph.graph_builder import GraphBuilder
from insight_graph.messages import parsed
from insight_graph.mindspore_nodes import MindSporeNodes, OperatorColumns
from insight_graph.mindspore_values import attribute, value_of, value_text
from insight_graph.order import topological
from insight_graph.pieces import Pieces, content_at
from insight_graph.scopes import Offsets
from insight_graph.texts import text_of
from insight_graph.unreadable import EMPTY, cut_field, file_ends

_GRAPH_OF_MODEL = 4
_NODES, _PARAMETERS, _CONSTANTS = 1, 3, 5
_FIELDS = {_NODES: "node", _PARAMETERS: "parameters", _CONSTANTS: "const_vals"}
_NOT_MINDSPORE = ReasonKind("graph_not_mindspore", "the bytes are not a MindSpore graph: {cause}")


def graph_of_event(data: bytes) -> Graph:
    """The graph of an event. Raises ValueError for bytes of which nothing can be read."""
    return _graph(data, 0, len(data))


def graph_of_file(data: bytes) -> Graph:
    """The graph of a .pb file. Raises ValueError for bytes of which nothing can be read."""
    if not data:
        raise ValueError(_NOT_MINDSPORE(cause=EMPTY))
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
        cut = cut_field(data, position)
        return (cut.start, cut.end) if cut is not None and cut.number == _GRAPH_OF_MODEL else None


def _graph(data: bytes, start: int, end: int) -> Graph:
    builder = GraphBuilder("mindspore")
    pieces = Pieces.of("MindSporeGraph", _FIELDS, data, start, min(end, len(data)))
    reader = _Reader(pieces, builder)
    reader.read()
    broken = file_ends(len(data), end) if end > len(data) else pieces.broken
    if broken:
        if not len(builder.names):
            raise ValueError(_NOT_MINDSPORE(cause=broken))
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
        reader = MindSporeNodes(self.builder, self.pieces.data)
        inputs = []
        self.firsts.append(0)
        read = functools.partial(OperatorColumns.of, self.pieces.data)
        for operators in self.pieces.columns(_NODES, read):
            inputs.append((reader.operators(operators), operators.controls))
            self._take(operators.starts)
        for number, add in ((_PARAMETERS, reader.parameters), (_CONSTANTS, reader.constants)):
            self.firsts.append(len(self.starts))
            for starts, columns in self.pieces.columns(number, _as_they_are):
                self._take(add(starts, columns))
        reader.connect(inputs)

    def _take(self, starts: Offsets) -> None:
        self.starts.frombytes(starts.tobytes())

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


def _as_they_are(starts: Offsets, columns: FieldColumns) -> tuple[Offsets, FieldColumns]:
    return starts, columns


def _value(data: bytes) -> str:
    try:
        return value_text(value_of(data)) if data else ""
    except ValueError as error:
        return f"unreadable: {error}"
