"""Parses TensorFlow's GraphDef of events, traces and meta graphs, and PyTorch's, which has the same form.

Source: graph.proto, node_def.proto, function.proto, op_def.proto, config.proto, meta_graph.proto.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Sequence

from attrs import define, field

from insight_core.plugin import Reason
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields
from insight_graph.columns import (
    Codes,
    Graph,
    GraphBuilder,
    Kind,
    NodeDetails,
    OutputType,
    Shape,
    Weight,
    joined,
)
from insight_graph.messages import is_set, parsed
from insight_graph.mindspore_values import text_of
from insight_graph.order import topological
from insight_graph.pieces import Pieces, content_at
from insight_graph.tensorflow_values import attribute, shape_of, type_name

_CONSTANTS = {"Const", "HostConst", "prim::Constant", "onnx::Constant"}
_PARAMETERS = {
    "Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", "TemporaryVariable", "prim::Param",
    "prim::GetAttr", "Parameter", "Buffer",
}  # fmt: skip
_NODES, _LIBRARY = 1, 2
_OF_GRAPH = {_NODES: "node", _LIBRARY: "library"}
_FUNCTIONS = 1  # of a library
_NODES_OF_FUNCTION = 3
_OF_FUNCTION = {1: "signature", _NODES_OF_FUNCTION: "node_def", 4: "ret", 6: "control_ret"}
_HEAD = (1, 4, 6)  # of a function
_GRAPHS_OF_TRACE = (4, 2)
_GRAPH_OF_META_GRAPH = 2
_CALLS = ("f", "body", "cond", "then_branch", "else_branch", "branches")  # attributes that name functions
# Attributes that say what a node gives out, as an entry of a map begins: field 1, length, name
_SHAPES = b"\n\x0e_output_shapes"
_SHAPE = b"\n\x05shape"
_NAMES_OF_TYPES = (b"dtype", b"T", b"DstT", b"Tout", b"output_type", b"out_type")
_TRAINABLE = b"\n\x09trainable"  # of the parameters that insight_record records
_OF_OUTPUTS = (_SHAPES, _SHAPE, *(b"\n%c%s" % (len(name), name) for name in _NAMES_OF_TYPES))
_OF_VARIABLES = _OF_OUTPUTS[1:]


def graph_of_event(data: bytes) -> Graph:
    """The graph of an event. Raises ValueError for bytes of which nothing can be read."""
    return _graph(data, [("", 0, len(data))])


def graph_of_meta_graph(data: bytes) -> Graph:
    """The graph of a MetaGraphDef."""
    return _graph(data, [("", start, end) for start, end in _within(data, [_GRAPH_OF_META_GRAPH])[-1:]])


def graph_of_trace(data: bytes) -> Graph:
    """The graphs of functions in RunMetadata; if several, each in a scope of its own as in TensorBoard."""
    graphs = _within(data, _GRAPHS_OF_TRACE)
    if len(graphs) == 1:
        return _graph(data, [("", *graphs[0])])
    return _graph(data, [(f"graph_{number}", *one) for number, one in enumerate(graphs, 1)])


def _within(data: bytes, path: Sequence[int]) -> list[tuple[int, int]]:
    """Where the messages are that a path of field numbers leads to. Raises ValueError for no message."""
    found = [(0, len(data))]
    for wanted in path:
        found = [
            (first, last)
            for start, end in found
            for number, wire_type, first, last, _ in fields(data, start, end)
            if number == wanted and wire_type == LENGTH_DELIMITED
        ]
    return found


def _graph(data: bytes, graphs: Sequence[tuple[str, int, int]]) -> Graph:
    """Of the GraphDefs that lie there, each with the scope that it is in."""
    builder = GraphBuilder("tensorboard")
    reader = _Reader(builder, data)
    broken = [reason for prefix, start, end in graphs if (reason := reader.read(prefix, start, end))]
    if broken:
        if not len(builder.names):
            text = f"the bytes are not a GraphDef: {broken[0]}"
            raise ValueError(Reason(text, "graph_not_tensorflow", cause=Reason.of(broken[0])))
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
    _decoded: dict[bytes, str] = field(factory=dict)

    def read(self, prefix: str, start: int, end: int) -> str:
        """Why the graph ends before its end; empty if it does not."""
        pieces = Pieces.of("GraphDef", _OF_GRAPH, self.data, start, end)
        broken = [pieces.broken]
        functions: list[tuple[int, int]] = []
        for library in pieces.places[_LIBRARY].contents(self.data):
            of_library = Pieces.of("FunctionLibrary", {_FUNCTIONS: "function"}, self.data, *library)
            broken.append(of_library.broken)
            functions += of_library.places[_FUNCTIONS].contents(self.data)
        self._body(prefix, pieces, _NODES, {})
        broken += [self._function(prefix, *function) for function in functions]
        return next(filter(None, broken), "")

    def details(self, number: int) -> NodeDetails:
        start, scope = self.starts[number], self.scopes.texts[self.scope_of[number]]
        if start < 0:
            return NodeDetails(scope=scope)
        node = parsed("NodeDef", content_at(self.data, start))
        attributes = [attribute(one) for one in node.attr]
        values = {one.name: one.value for one in attributes}
        name, op = text_of(node.name), text_of(node.op)
        called = [op, *(values[key] for key in _CALLS if key in values)]
        return NodeDetails(
            full_name=name,
            scope=joined(scope, name.rpartition("/")[0]) if "/" in name else scope,
            source=", ".join(map(text_of, node.debug_info.original_node_names)),
            value=values.get("value", "") if op in _CONSTANTS else "",
            attributes=attributes,
            calls=next((self.functions[one] for one in called if one in self.functions), ""),
        )

    def _text(self, data: bytes) -> str:
        known = self._decoded.get(data)
        if known is None:
            known = self._decoded[data] = text_of(data)
        return known

    def _function(self, prefix: str, start: int, end: int) -> str:
        """Its arguments are nodes, and so are its results, as TensorBoard shows them. Why it ends before its
        end; empty if it does not."""
        pieces = Pieces.of("FunctionDef", _OF_FUNCTION, self.data, start, end)
        try:
            head = parsed("FunctionDef", b"".join(pieces.places[one].bytes(self.data) for one in _HEAD))
        except ValueError:
            self.builder.notice("unreadable_nodes").add(f"function at byte {start}")
            return pieces.broken
        name = text_of(head.signature.name)
        scope = self.functions[name] = joined(prefix, name)
        numbers: dict[bytes, int] = {}
        for argument in head.signature.input_arg:
            types = [OutputType(type_name(argument.type), None)] if argument.type else []
            path = joined(scope, text_of(argument.name))
            outputs = self.builder.signature(types)
            numbers[argument.name] = self._node(-1, scope, path, "input_arg", outputs)
        self._body(scope, pieces, _NODES_OF_FUNCTION, numbers)
        for entries, output in ((head.ret, True), (head.control_ret, False)):
            for entry in entries:
                number = self._node(-1, scope, joined(scope, text_of(entry.key)), "output_arg", 0)
                self._input(number, 0, entry.value if output else b"^" + entry.value, numbers)
        return pieces.broken

    def _body(self, prefix: str, pieces: Pieces, field: int, numbers: dict[bytes, int]) -> None:
        signature = functools.lru_cache(maxsize=1 << 14)(self._signature)
        text = self._text
        first = len(self.starts)
        for start, node in pieces.each(field):
            if node is None:
                self.builder.notice("unreadable_nodes").add(f"{_OF_GRAPH[_NODES]} at byte {start}")
                continue
            op, name = text(node.op), node.name
            kind = _kind(op)
            # the shape of a variable is that of its value; its output may be a handle, which is a scalar
            taken = _OF_VARIABLES if kind == Kind.PARAMETER and _shaped(node.attr) else _OF_OUTPUTS
            outputs = signature(tuple([one for one in node.attr if one.startswith(taken)]))
            path = text_of(name)
            path = joined(prefix, path) if prefix else path
            number = self._node(start, prefix, path, op, outputs, kind, text(node.device))
            numbers.setdefault(name, number)
            if kind == Kind.PARAMETER:
                self._stated(number, node.attr, outputs)
        readable = (node for _, node in pieces.each(field) if node is not None)
        for number, node in enumerate(readable, first):
            for slot, name in enumerate(node.input):
                self._input(number, slot, name, numbers)

    def _node(
        self,
        start: int,
        scope: str,
        path: str,
        op: str,
        outputs: int,
        kind: Kind = Kind.OPERATOR,
        device: str = "",
    ) -> int:
        self.starts.append(start)
        self.scope_of.append(self.scopes[scope])
        return self.builder.node(path, op, kind, outputs, device)

    def _stated(self, number: int, attributes: Sequence[bytes], outputs: int) -> None:
        """Takes the attribute that says whether a parameter is trainable."""
        for data in attributes:
            if data.startswith(_TRAINABLE):
                self.builder.weights.append(Weight(number, attribute(data).value == "True", outputs))

    def _input(self, number: int, slot: int, name: bytes, numbers: dict[bytes, int]) -> None:
        """``node``, ``node:1``, ``^node``, and in functions ``node:name of the output:1``."""
        source = numbers.get(name)
        if source is not None:
            self.builder.edge(source, number, slot)
            return
        control = name.startswith(b"^")
        bare = name[1:] if control else name
        head, _, tail = bare.partition(b":")
        source = numbers.get(bare, numbers.get(head))
        if source is None:
            self.builder.missing_input(number, slot, text_of(name))
            return
        index = tail.rpartition(b":")[2]
        output = int(index) if source != numbers.get(bare) and index.isdigit() and len(index) < 9 else 0
        self.builder.edge(source, number, slot, output, control)

    def _signature(self, attributes: tuple[bytes, ...]) -> int:
        """What a node gives out, from its attributes: shapes if they are there, types if one says them."""
        shapes: list[Shape] = []
        types: list[str] = []
        for data in attributes:
            try:
                entry = parsed("AttrEntry", data)
            except ValueError:
                self.builder.notice("unknown_types").add(repr(data[:40]))
                continue
            value = entry.value
            if entry.key == b"_output_shapes":
                shapes = [shape_of(one) for one in value.list.shape]
            elif entry.key == b"shape" and is_set(value, "shape") and not shapes:
                shapes = [shape_of(value.shape)]
            elif is_set(value, "type") and not types:
                types = [type_name(value.type)]
            elif entry.key == b"Tout" and value.list.type:
                types = [type_name(one) for one in value.list.type]
        count = max(len(shapes), len(types))
        if not count:
            return 0
        types += types[-1:] * (count - len(types)) if types else [""] * count
        shapes += [None] * (count - len(shapes))
        return self.builder.signature(map(OutputType, types, shapes))


def _shaped(attributes: Sequence[bytes]) -> bool:
    return any(one.startswith(_SHAPE) for one in attributes)


def _kind(op: str) -> Kind:
    if op in _CONSTANTS:
        return Kind.CONSTANT
    return Kind.PARAMETER if op in _PARAMETERS else Kind.OPERATOR
