"""TensorFlow's GraphDef: of events, of traces, of meta graphs; and PyTorch's, which has the same form.

Source: graph.proto, node_def.proto, function.proto, op_def.proto, config.proto, meta_graph.proto.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from insight_core.values.wire import LENGTH_DELIMITED, fields
from insight_graph.columns import Graph, GraphBuilder, Kind, NodeDetails, OutputType, Shape, joined
from insight_graph.messages import empty, is_set, parsed
from insight_graph.mindspore_values import text_of
from insight_graph.order import topological
from insight_graph.tensorflow_values import attribute, shape_of, type_name

_CONSTANTS = {"Const", "HostConst", "prim::Constant", "onnx::Constant"}
_PARAMETERS = {
    "Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", "TemporaryVariable", "prim::Param",
}  # fmt: skip
_PARTS = {1: ("node", "NodeDef"), 2: ("library", "FunctionLibrary")}
_CALLS = ("f", "body", "cond", "then_branch", "else_branch", "branches")  # attributes that name functions
# Attributes that say what a node gives out, as an entry of a map begins: field 1, length, name
_SHAPES = b"\n\x0e_output_shapes"
_SHAPE = b"\n\x05shape"
_NAMES_OF_TYPES = (b"dtype", b"T", b"DstT", b"Tout", b"output_type", b"out_type")
_TYPES = tuple(b"\n%c%s" % (len(name), name) for name in _NAMES_OF_TYPES)


def graph_of_event(data: bytes) -> Graph:
    """The graph of an event. Raises ValueError for bytes of which nothing can be read."""
    builder = GraphBuilder("tensorboard")
    try:
        message = parsed("GraphDef", data)
    except ValueError:
        message = _salvaged(data, builder)
    return _graph(builder, [("", message)], len(data))


def graph_of_meta_graph(data: bytes) -> Graph:
    """The graph of a MetaGraphDef."""
    return _graph(GraphBuilder("tensorboard"), [("", parsed("MetaGraphDef", data).graph_def)], len(data))


def graph_of_trace(data: bytes) -> Graph:
    """The graphs of functions in RunMetadata; if several, each in a scope of its own as in TensorBoard."""
    message = parsed("RunMetadata", data)
    graphs = [one.pre_optimization_graph for one in message.function_graphs]
    if len(graphs) == 1:
        named = [("", graphs[0])]
    else:
        named = [(f"graph_{number}", one) for number, one in enumerate(graphs, 1)]
    return _graph(GraphBuilder("tensorboard"), named, len(data))


def _graph(builder: GraphBuilder, graphs: Sequence[tuple[str, Any]], size: int) -> Graph:
    reader = _Reader(builder)
    for prefix, graph in graphs:
        reader.read(prefix, graph)
    return builder.graph(reader.details, topological, size)


def _salvaged(data: bytes, builder: GraphBuilder) -> Any:  # noqa: ANN401
    """What can be read of a graph that is broken. Raises ValueError if that is nothing."""
    graph = empty("GraphDef")
    found = 0
    try:
        for number, wire_type, start, end, _ in fields(data):
            if number not in _PARTS or wire_type != LENGTH_DELIMITED:
                continue
            part, kind = _PARTS[number]
            try:
                one = parsed(kind, data[start:end])
            except ValueError:
                builder.notice("unreadable_nodes", "nodes cannot be read").add(f"{part} at byte {start}")
                continue
            if part == "node":
                graph.node.append(one)
            else:
                graph.library.MergeFrom(one)
            found += 1
    except ValueError as error:
        builder.notice("truncated", f"the graph ends before its end ({error})").add(
            f"{found} parts were read"
        )
    if not found:
        raise ValueError("the bytes are no GraphDef")
    return graph


@define(eq=False)
class _Reader:
    """Takes graphs, and the functions of their libraries, each in a scope of its own."""

    builder: GraphBuilder
    messages: list[Any] = field(factory=list)  # by node: a NodeDef, or None for an argument of a function
    scopes: list[str] = field(factory=list)  # by node: of the graph or function it is in
    functions: dict[str, str] = field(factory=dict)  # their scopes by name
    _decoded: dict[bytes, str] = field(factory=dict)

    def read(self, prefix: str, graph: Any) -> None:  # noqa: ANN401
        library = graph.library.function
        for function in library:
            name = text_of(function.signature.name)
            self.functions[name] = joined(prefix, name)
        self._body(prefix, graph.node, {})
        for function in library:
            self._function(prefix, function)

    def details(self, number: int) -> NodeDetails:
        node, scope = self.messages[number], self.scopes[number]
        if node is None:
            return NodeDetails(scope=scope)
        attributes = [attribute(one) for one in node.attr]
        values = {one.name: one.value for one in attributes}
        name = text_of(node.name)
        called = [text_of(node.op), *(values[key] for key in _CALLS if key in values)]
        return NodeDetails(
            full_name=name,
            scope=joined(scope, name.rpartition("/")[0]) if "/" in name else scope,
            source=", ".join(map(text_of, node.debug_info.original_node_names)),
            value=values.get("value", "") if text_of(node.op) in _CONSTANTS else "",
            attributes=attributes,
            calls=next((self.functions[one] for one in called if one in self.functions), ""),
        )

    def _text(self, data: bytes) -> str:
        known = self._decoded.get(data)
        if known is None:
            known = self._decoded[data] = text_of(data)
        return known

    def _function(self, prefix: str, function: Any) -> None:  # noqa: ANN401
        """Its arguments are nodes, and so are its results, as TensorBoard shows them."""
        signature = function.signature
        scope = joined(prefix, text_of(signature.name))
        numbers: dict[bytes, int] = {}
        for argument in signature.input_arg:
            types = [OutputType(type_name(argument.type), None)] if argument.type else []
            path = joined(scope, text_of(argument.name))
            outputs = self.builder.signature(types)
            numbers[argument.name] = self._node(None, scope, path, "input_arg", outputs)
        self._body(scope, function.node_def, numbers)
        for entries, output in ((function.ret, True), (function.control_ret, False)):
            for entry in entries:
                number = self._node(None, scope, joined(scope, text_of(entry.key)), "output_arg", 0)
                self._input(number, 0, entry.value if output else b"^" + entry.value, numbers)

    def _body(self, prefix: str, nodes: Iterable[Any], numbers: dict[bytes, int]) -> None:
        first = len(self.messages)
        signature = functools.lru_cache(maxsize=1 << 14)(self._signature)
        text = self._text
        for node in nodes:
            op = text(node.op)
            kind = _kind(op)
            outputs = signature(tuple(one for one in node.attr if one.startswith((_SHAPES, _SHAPE, *_TYPES))))
            path = text_of(node.name)
            path = joined(prefix, path) if prefix else path
            number = self._node(node, prefix, path, op, outputs, kind, text(node.device))
            if numbers.setdefault(node.name, number) != number:
                self.builder.notice("duplicate_names", "nodes have the name of another").add(path)
        for number, node in enumerate(nodes, first):
            for slot, name in enumerate(node.input):
                self._input(number, slot, name, numbers)

    def _node(
        self,
        message: Any,  # noqa: ANN401
        scope: str,
        path: str,
        op: str,
        outputs: int,
        kind: Kind = Kind.OPERATOR,
        device: str = "",
    ) -> int:
        self.messages.append(message)
        self.scopes.append(scope)
        return self.builder.node(path, op, kind, outputs, device)

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
                self.builder.notice("unknown_types", "types of outputs cannot be read").add(repr(data[:40]))
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


def _kind(op: str) -> Kind:
    if op in _CONSTANTS:
        return Kind.CONSTANT
    return Kind.PARAMETER if op in _PARAMETERS else Kind.OPERATOR
