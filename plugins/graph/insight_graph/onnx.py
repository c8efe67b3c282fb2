"""Parses models of ONNX: nodes, initializers, subgraphs and functions, never the values of weights.

Source: onnx.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import define, field, frozen

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields
from insight_graph.columns import Graph, Kind, NodeDetails, OutputType, Weight
from insight_graph.graph_builder import GraphBuilder
from insight_graph.notices import node_at
from insight_graph.onnx_values import (
    attribute_at,
    constant_type,
    input_type,
    metadata_of,
    module_of,
    tensor_head,
)
from insight_graph.order import topological
from insight_graph.pieces import MOST_MESSAGES, TOO_LARGE
from insight_graph.quantization import quantised
from insight_graph.scopes import joined
from insight_graph.texts import text_of
from insight_graph.torch_arguments import line_of_code
from insight_graph.unreadable import EMPTY, CutField, cut_field, file_ends

FORMAT = "onnx"
_DEEPEST = 50  # graphs in each other
_GRAPH_OF_MODEL, _FUNCTIONS = 7, 25
_NODE, _INITIALIZER, _SPARSE, _INPUT, _OUTPUT, _VALUE = 1, 5, 15, 11, 12, 13  # fields of a graph
_GRAPH_OF_ATTRIBUTE, _GRAPHS_OF_ATTRIBUTE = 6, 11
# Whole numbers of these types are shapes and indices of operators, not weights
_NO_WEIGHTS = ("int64", "int32", "bool", "string")

Span: TypeAlias = tuple[int, int]
Values: TypeAlias = dict[bytes, tuple[int, int]]  # node and output by the name of a tensor
_NOT_ONNX = ReasonKind("graph_not_onnx", "the bytes are not a model of ONNX: {cause}")
_TOO_NESTED = ReasonKind("graph_too_nested", "the model has more than {most} models in each other")


def graph_of_model(data: bytes) -> Graph:
    """The graph of a ModelProto. Raises ValueError for bytes of which nothing can be read."""
    reader = _Reader(GraphBuilder(FORMAT), data)
    model = _Message.of(data, (0, len(data)))
    graphs = model.spans(_GRAPH_OF_MODEL)
    broken = [model.broken]
    if not graphs and model.cut is not None and model.cut.number == _GRAPH_OF_MODEL:
        graphs = [(model.cut.start, len(data))]
        broken = [file_ends(len(data), model.cut.end)]
    if not graphs:
        raise _not_onnx(model.broken or (Reason("it has no graph", "graph_onnx_empty") if data else EMPTY))
    functions = [_Message.of(data, span) for span in model.spans(_FUNCTIONS)]
    for function in functions:
        reader.functions[function.text(1)] = function.text(1)
    broken.append(reader.graph(graphs[-1], "", {}, 0))
    broken += [reader.function(function) for function in functions]
    if reason := next(filter(None, broken), None):
        if not reader.builder.names:
            raise _not_onnx(reason)
        reader.builder.truncated(reason)
    return quantised(reader.builder.graph(reader.details, topological, len(data)))


def _not_onnx(cause: Reason) -> ValueError:
    return ValueError(_NOT_ONNX(cause=cause))


@frozen(eq=False)
class _Message:
    """Where the fields of a message lie, by number; ``broken`` says why it ends early, ``cut`` is the field
    that the file ends in."""

    data: bytes
    fields: Mapping[int, list[Span]]
    broken: Reason
    cut: CutField | None

    @classmethod
    def of(cls, data: bytes, span: Span) -> _Message:
        found: dict[int, list[Span]] = {}
        position = span[0]
        try:
            for number, wire_type, start, end, _ in fields(data, *span):
                if wire_type == LENGTH_DELIMITED:
                    found.setdefault(number, []).append((start, end))
                position = end
        except Malformed as error:
            return cls(data, found, Reason.of(error), cut_field(data, position))
        return cls(data, found, Reason(), None)

    def spans(self, number: int) -> list[Span]:
        return self.fields.get(number, [])

    def each(self, number: int) -> list[bytes]:
        return [self.data[start:end] for start, end in self.spans(number)]

    def text(self, number: int) -> str:
        return next((text_of(one) for one in self.each(number)[-1:]), "")


@define(eq=False)
class _Reader:
    builder: GraphBuilder
    data: bytes
    spans: list[Span] = field(factory=list)  # of nodes; (0, 0) for what has no message
    functions: dict[str, str] = field(factory=dict)  # scopes by name

    def graph(self, span: Span, prefix: str, outer: Values, depth: int) -> Reason:
        """Why the graph ends before its end; empty if it does not. ``outer`` are tensors from around it."""
        if depth > _DEEPEST:
            raise ValueError(_TOO_NESTED(most=_DEEPEST))
        message = _Message.of(self.data, span)
        types = self._types(message.spans(_VALUE) + message.spans(_INPUT) + message.spans(_OUTPUT))
        values = dict(outer)
        for start, end in message.spans(_INITIALIZER):
            name, one = tensor_head(self.data, start, end)
            self._stored(name, one, values)
        for start, end in message.spans(_SPARSE):  # values are a tensor
            inner = _Message.of(self.data, (start, end)).spans(1)
            if inner:
                self._stored(*tensor_head(self.data, *inner[-1]), values)
        for span_of_input in message.spans(_INPUT):
            name = _Message.of(self.data, span_of_input).text(1).encode()
            if name not in values or name in outer:
                kind = "input_arg" if depth else "Input"
                values[name] = self._add(joined(prefix, text_of(name)), kind, [types.get(name)]), 0
        self._nodes(message.spans(_NODE), prefix, values, types, depth)
        for span_of_output in message.spans(_OUTPUT):
            name = _Message.of(self.data, span_of_output).text(1).encode()
            path = joined(prefix, f"output {text_of(name)}")
            number = self._add(path, "output_arg" if depth else "Output", [types.get(name)])
            self._connect(number, [name], values)
        return message.broken

    def function(self, message: _Message) -> Reason:
        scope = self.functions[message.text(1)]
        values: Values = {}
        for name in message.each(4):
            values[name] = self._add(joined(scope, text_of(name)), "input_arg", []), 0
        self._nodes(message.spans(7), scope, values, self._types(message.spans(12)), 0)
        for name in message.each(5):
            self._connect(
                self._add(joined(scope, f"output {text_of(name)}"), "output_arg", []), [name], values
            )
        return message.broken

    def details(self, number: int) -> NodeDetails:
        start, end = self.spans[number]
        if start == end:
            return NodeDetails()
        message = _Message.of(self.data, (start, end))
        metadata = metadata_of(self.data, message.spans(9))
        attributes = [attribute_at(self.data, *span) for span in message.spans(5)]
        values = {one.name: one.value for one in attributes}
        return NodeDetails(
            full_name=message.text(3),
            scope=module_of(metadata) or message.text(3).strip("/").rpartition("/")[0],
            source=line_of_code(metadata.get("pkg.torch.onnx.stack_trace", "")),
            value=next((values[name] for name in values if name.startswith("value")), "")
            if message.text(4) == "Constant"
            else "",
            attributes=attributes,
            calls=self.functions.get(message.text(4), ""),
        )

    def _types(self, spans: Iterable[Span]) -> dict[bytes, OutputType]:
        return dict(input_type(self.data, *span) for span in spans)

    def _stored(self, name: bytes, one: OutputType, values: Values) -> None:
        kind = Kind.CONSTANT if one.dtype in _NO_WEIGHTS else Kind.PARAMETER
        type_name = "Constant" if kind == Kind.CONSTANT else "Initializer"
        number = self._add(text_of(name), type_name, [one], kind)
        if kind == Kind.PARAMETER:  # a model of ONNX does not tell what is trained
            self.builder.weights.append(Weight(number, None, self.builder.signature([one])))
        values[name] = number, 0

    def _add(
        self,
        path: str,
        type_name: str,
        types: Iterable[OutputType | None],
        kind: Kind = Kind.OPERATOR,
        span: Span = (0, 0),
    ) -> int:
        if len(self.spans) >= MOST_MESSAGES:
            raise ValueError(TOO_LARGE(most=MOST_MESSAGES))
        self.spans.append(span)
        known = [one or OutputType("", None) for one in types]
        signature = self.builder.signature(known if any(one.dtype for one in known) else ())
        return self.builder.node(path, type_name, kind, signature, placed=kind == Kind.OPERATOR)

    def _nodes(
        self, spans: list[Span], prefix: str, values: Values, types: Mapping[bytes, OutputType], depth: int
    ) -> None:
        waiting = []
        for place, span in enumerate(spans):
            message = _Message.of(self.data, span)
            if message.broken:
                self.builder.notice("unreadable_nodes").add(node_at(span[0]))
                continue
            type_name = message.text(4)
            kind = Kind.CONSTANT if type_name == "Constant" else Kind.OPERATOR
            path = joined(prefix, self._path(message, type_name, place, kind))
            number = self._add(path, type_name, self._given_out(message, types), kind, span)
            values.update((name, (number, slot)) for slot, name in enumerate(message.each(2)) if name)
            waiting.append((number, path, message))
        for number, path, message in waiting:
            self._connect(number, message.each(1), values)
            for attribute in message.spans(5):
                inner = _Message.of(self.data, attribute)
                for graph in inner.spans(_GRAPH_OF_ATTRIBUTE) + inner.spans(_GRAPHS_OF_ATTRIBUTE):
                    self.graph(graph, joined(path, inner.text(1)), values, depth + 1)

    def _given_out(self, message: _Message, types: Mapping[bytes, OutputType]) -> list[OutputType | None]:
        """The types of a node's outputs. Those of constants follow from their values."""
        found = [types.get(name) for name in message.each(2)]
        if found and message.text(4) == "Constant":
            stated = (constant_type(self.data, *span) for span in message.spans(5))
            found[0] = next(filter(None, stated), found[0])
        return found

    def _path(self, message: _Message, type_name: str, place: int, kind: Kind) -> str:
        """The scope of a node and its name: the modules that the exporter notes, or those in the name."""
        name = message.text(3).strip("/") or next(map(text_of, message.each(2)), "") or f"{type_name}_{place}"
        if kind == Kind.CONSTANT:
            return name
        return joined(module_of(metadata_of(self.data, message.spans(9))), name)

    def _connect(self, number: int, names: Iterable[bytes], values: Values) -> None:
        for slot, name in enumerate(names):
            if name in values:
                source, output = values[name]
                self.builder.edge(source, number, slot, output)
            elif name:  # an empty name is an optional input that is left out
                self.builder.missing_input(number, slot, text_of(name))
