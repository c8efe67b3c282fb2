"""Parses TensorFlow's GraphDef of events, traces and meta graphs, and PyTorch's, which has the same form.

Source: graph.proto, node_def.proto, function.proto, op_def.proto, config.proto, meta_graph.proto.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from attrs import define, field, frozen

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields
from insight_graph.columns import Graph, Kind, NodeDetails, OutputType
from insight_graph.graph_builder import GraphBuilder, InputNames
from insight_graph.messages import parsed
from insight_graph.names import FirstOf, joined_pieces
from insight_graph.notices import function_at
from insight_graph.order import topological
from insight_graph.pieces import Pieces, ahead, content_at
from insight_graph.scopes import joined
from insight_graph.tensorflow_nodes import CONSTANT_TYPES, NodeColumns, NodeReader
from insight_graph.tensorflow_values import attribute, shape_of, type_name, value_of
from insight_graph.texts import Codes, text_of

_NODES, _LIBRARY = 1, 2
_OF_GRAPH = {_NODES: "node", _LIBRARY: "library"}
_FUNCTIONS = 1  # of a library
_NODES_OF_FUNCTION = 3
_OF_FUNCTION = {1: "signature", _NODES_OF_FUNCTION: "node_def", 4: "ret", 6: "control_ret"}
_HEAD = (1, 4, 6)  # of a function
_FUNCTIONS_OF_TRACE = 4
_BEFORE, _AFTER = 2, 3  # TensorFlow optimises a function, which notes what its handles refer to
_GRAPH_OF_META_GRAPH = 2
_CALLS = ("f", "body", "cond", "then_branch", "else_branch", "branches")  # attributes that name functions
_NOT_TENSORFLOW = ReasonKind("graph_not_tensorflow", "the bytes are not a GraphDef: {cause}")
_NODE = 1  # of a GraphDef
_TYPES, _SHAPES = b"_handle_dtypes", b"_handle_shapes"


def graph_of_event(data: bytes) -> Graph:
    """The graph of an event. Raises ValueError for bytes of which nothing can be read."""
    return _graph(data, [_Place("", 0, len(data))])


def graph_of_meta_graph(data: bytes) -> Graph:
    """The graph of a MetaGraphDef."""
    return _graph(data, [_Place("", *one) for one in _within(data, [_GRAPH_OF_META_GRAPH])[-1:]])


def graph_of_trace(data: bytes) -> Graph:
    """The graphs of functions in RunMetadata; if several, each in a scope of its own as in TensorBoard."""
    found = []
    for function in _within(data, [_FUNCTIONS_OF_TRACE]):
        handles: dict[bytes, OutputType] = {}
        for one in _within(data, [_AFTER], function):
            handles |= handles_in(data, *one)
        found += [_Place("", *one, handles) for one in _within(data, [_BEFORE], function)]
    if len(found) == 1:
        return _graph(data, found)
    return _graph(data, [attrs.evolve(one, scope=f"graph_{number}") for number, one in enumerate(found, 1)])


def _within(data: bytes, path: Sequence[int], inside: tuple[int, int] | None = None) -> list[tuple[int, int]]:
    """Where the messages are that a path of field numbers leads to. Raises ValueError for no message."""
    found = [inside or (0, len(data))]
    for wanted in path:
        found = [
            (first, last)
            for start, end in found
            for number, wire_type, first, last, _ in fields(data, start, end)
            if number == wanted and wire_type == LENGTH_DELIMITED
        ]
    return found


@frozen(eq=False)
class _Place:
    """Where a GraphDef lies, the scope that it is in, and the variables behind the handles of its nodes."""

    scope: str
    start: int
    end: int
    handles: Mapping[bytes, OutputType] = field(factory=dict)


def _graph(data: bytes, graphs: Sequence[_Place]) -> Graph:
    """Of the GraphDefs that lie there."""
    builder = GraphBuilder("tensorboard")
    reader = _Reader(builder, data)
    broken = [reason for one in graphs if (reason := reader.read(one))]
    if broken:
        if not len(builder.names):
            raise ValueError(_NOT_TENSORFLOW(cause=broken[0]))
        builder.truncated(broken[0])
    return builder.graph(reader.details, topological, len(data))


@define(eq=False)
class _Reader:
    """Takes graphs, and the functions of their libraries, each in a scope of its own."""

    builder: GraphBuilder
    data: bytes
    starts: array[int] = field(factory=lambda: array("q"))  # by node: where it lies; -1: it has no message
    scopes: Codes = field(factory=lambda: Codes(""))  # of graphs and functions
    scope_of: array[int] = field(factory=lambda: array("i"))  # by node
    functions: dict[str, str] = field(factory=dict)  # their scopes by name
    nodes: NodeReader = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.nodes = NodeReader(self.builder, self.data)

    def read(self, place: _Place) -> Reason:
        """Why the graph ends before its end; empty if it does not."""
        pieces = Pieces.of("GraphDef", _OF_GRAPH, self.data, place.start, place.end)
        broken = [pieces.broken]
        functions: list[tuple[int, int]] = []
        for library in pieces.places[_LIBRARY].contents():
            of_library = Pieces.of("FunctionLibrary", {_FUNCTIONS: "function"}, self.data, *library)
            broken.append(of_library.broken)
            functions += of_library.places[_FUNCTIONS].contents()
        names = self._body(place.scope, pieces, _NODES, {})
        numbers = names.find(*joined_pieces(list(place.handles))).tolist()
        self.builder.handles |= dict(zip(numbers, place.handles.values(), strict=True))
        broken += [self._function(place.scope, *function) for function in functions]
        return next(filter(None, broken), Reason())

    def details(self, number: int) -> NodeDetails:
        start, scope = self.starts[number], self.scopes.texts[self.scope_of[number]]
        if start < 0:
            return NodeDetails(scope=scope)
        try:
            node = parsed("NodeDef", content_at(self.data, start))
        except ValueError as error:  # in a field that columns do not need
            return NodeDetails(scope=scope, value=f"unreadable: {error}")
        attributes = [attribute(one) for one in node.attr]
        values = {one.name: one.value for one in attributes}
        name, op = text_of(node.name), text_of(node.op)
        called = [op, *(values[key] for key in _CALLS if key in values)]
        return NodeDetails(
            full_name=name,
            scope=joined(scope, name.rpartition("/")[0]) if "/" in name else scope,
            source=", ".join(map(text_of, node.debug_info.original_node_names)),
            value=value_of(values) if op in CONSTANT_TYPES else "",
            attributes=attributes,
            calls=next((self.functions[one] for one in called if one in self.functions), ""),
        )

    def _function(self, prefix: str, start: int, end: int) -> Reason:
        """Its arguments are nodes, and so are its results, as TensorBoard shows them. Why it ends before its
        end; empty if it does not."""
        pieces = Pieces.of("FunctionDef", _OF_FUNCTION, self.data, start, end)
        try:
            head = parsed("FunctionDef", b"".join(pieces.places[one].bytes(self.data) for one in _HEAD))
        except ValueError:
            self.builder.notice("unreadable_nodes").add(function_at(start))
            return pieces.broken
        name = text_of(head.signature.name)
        scope = self.functions[name] = joined(prefix, name)
        numbers: dict[bytes, int] = {}
        for argument in head.signature.input_arg:
            types = [OutputType(type_name(argument.type), None)] if argument.type else []
            path = joined(scope, text_of(argument.name))
            outputs = self.builder.signature(types)
            numbers[argument.name] = self._node(scope, path, "input_arg", outputs)
        names = self._body(scope, pieces, _NODES_OF_FUNCTION, numbers)
        results = [
            (self._node(scope, joined(scope, text_of(entry.key)), "output_arg", 0), mark + entry.value)
            for entries, mark in ((head.ret, b""), (head.control_ret, b"^"))
            for entry in entries
        ]
        targets = np.array([number for number, _ in results], np.int32)
        data, starts, ends = joined_pieces([name for _, name in results])
        inputs = InputNames(data, targets, np.zeros(len(targets), np.int32), starts, ends)
        self.nodes.connect([inputs], names)
        return pieces.broken

    def _body(self, prefix: str, pieces: Pieces, field: int, numbers: Mapping[bytes, int]) -> FirstOf:
        """Takes the nodes, then their inputs, which may name any of them. ``numbers`` are nodes by name that
        are there already."""
        scope = self.scopes[prefix]
        base = self.builder.scopes.number(prefix)
        names = FirstOf()
        names.add(*joined_pieces(list(numbers)), np.array(list(numbers.values()), np.int32))
        inputs = []
        read = functools.partial(NodeColumns.of, self.data)
        for nodes, added in ahead(lambda one: (one, self.nodes.read(base, one)), pieces.columns(field, read)):
            numbers_of_nodes, names_of_inputs = added
            names.add(self.data, *nodes.names, numbers_of_nodes)
            inputs.append(names_of_inputs)
            self.starts.frombytes(nodes.starts.tobytes())
            self.scope_of.frombytes(np.full(len(nodes), scope, np.int32).tobytes())
        self.nodes.connect(inputs, names)
        return names

    def _node(self, scope: str, path: str, op: str, outputs: int) -> int:
        """Adds a node that has no message."""
        self.starts.append(-1)
        self.scope_of.append(self.scopes[scope])
        return self.builder.node(path, op, Kind.OPERATOR, outputs)


def handles_in(data: bytes, start: int, end: int) -> Mapping[bytes, OutputType]:
    """By name of a node of the GraphDef that lies there: type and shape of the variable behind its output."""
    found: dict[bytes, OutputType] = {}
    if data.find(_SHAPES, start, end) < 0:
        return found
    try:
        for number, wire_type, first, last, _ in fields(data, start, end):
            if number == _NODE and wire_type == LENGTH_DELIMITED and data.find(_SHAPES, first, last) >= 0:
                name, one = _handle(data[first:last])
                if one is not None:
                    found[name] = one
    except Malformed:  # what was found before stays true
        pass
    return found


def _handle(data: bytes) -> tuple[bytes, OutputType | None]:
    try:
        node = parsed("NodeDef", data)
        values = {entry.key: entry.value for entry in (parsed("AttrEntry", one) for one in node.attr)}
    except ValueError:
        return b"", None
    if _TYPES not in values or _SHAPES not in values:
        return b"", None
    types, shapes = values[_TYPES].list.type, values[_SHAPES].list.shape
    # a handle of several values is not a variable
    known = len(types) == 1 and len(shapes) == 1
    return node.name, OutputType(type_name(types[0]), shape_of(shapes[0])) if known else None
