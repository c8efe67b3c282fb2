"""Reads the nodes of a GraphDef or FunctionDef as columns: names, types, devices, outputs and inputs.

Source: node_def.proto, attr_value.proto.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields
from insight_graph.columns import Indices, Kind, OutputType, Shape, Weight
from insight_graph.field_columns import FieldColumns
from insight_graph.graph_builder import GraphBuilder, InputNames
from insight_graph.interned import pieces_of
from insight_graph.messages import is_set, parsed
from insight_graph.names import FirstOf, Made, joined_pieces
from insight_graph.notices import node_at
from insight_graph.pieces import ahead
from insight_graph.scopes import Offsets
from insight_graph.tensorflow_values import attribute, shape_of, type_name
from insight_graph.texts import text_of

CONSTANT_TYPES = {"Const", "HostConst", "prim::Constant", "onnx::Constant"}
# PyTorch writes a tensor of a module as an operator that takes the module, and no node for the module
_TENSOR_OF_MODULE = "prim::GetAttr"
_PARAMETER_TYPES = {
    "Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", "TemporaryVariable", "prim::Param",
    _TENSOR_OF_MODULE, "Parameter", "Buffer",
}  # fmt: skip
_NAME, _OP, _INPUT, _DEVICE, _ATTRIBUTE = range(1, 6)  # fields of a NodeDef
# Attributes that say what a node gives out, as an entry of a map begins: field 1, length, name
_SHAPES = b"\n\x0e_output_shapes"
_SHAPE = b"\n\x05shape"
_VALUE = b"\n\x05value"  # of a constant
_VALUE_OF_ENTRY, _TENSOR, _SHAPE_OF_TENSOR = 2, 8, 2  # fields of an attribute, an AttrValue, a TensorProto
_NAMES_OF_TYPES = (b"dtype", b"T", b"DstT", b"Tout", b"output_type", b"out_type")
_TRAINABLE = b"\n\x09trainable"  # of the parameters that insight_record records
_OF_OUTPUTS = (_SHAPES, _SHAPE, *(b"\n%c%s" % (len(name), name) for name in _NAMES_OF_TYPES))
_OF_VARIABLES = _OF_OUTPUTS[1:]
_TAKEN = (*_OF_OUTPUTS, _TRAINABLE)
_LONG = 1 << 12  # bytes of attributes that are not kept to find the same again
_NONE = np.empty(0, np.intp)
_CONTROL = ord("^")
_TOLD = (None, False, True)  # what a log may say of a parameter: whether it is trainable


@frozen(eq=False)
class NodeColumns:
    """Offsets of the fields of nodes. Pairs are starts and ends, each int64[nodes]."""

    broken: Offsets  # of malformed nodes, which are left out
    starts: Offsets  # of the nodes
    names: tuple[Offsets, Offsets]
    types: tuple[Offsets, Offsets]
    devices: tuple[Offsets, Offsets]
    attributes: tuple[Offsets, Offsets]  # from the first attribute to the last
    inputs: InputNames  # of the nodes, counted from 0

    @classmethod
    def of(cls, data: bytes, starts: Offsets, columns: FieldColumns) -> NodeColumns:
        """Offsets of the nodes at ``starts``, which have these fields."""
        kept = np.flatnonzero(~columns.broken)
        inputs = columns.rows(_INPUT)
        return cls(
            starts[columns.broken],
            starts[kept],
            columns.last(_NAME, kept),
            columns.last(_OP, kept),
            columns.last(_DEVICE, kept),
            _around_attributes(columns, kept),
            InputNames(
                data,
                (np.cumsum(~columns.broken) - 1)[columns.owners[inputs]].astype(np.int32),
                columns.places_in(inputs).astype(np.int32),
                columns.starts[inputs],
                columns.ends[inputs],
            ),
        )

    def __len__(self) -> int:
        return len(self.starts)


def _around_attributes(columns: FieldColumns, kept: NDArray[np.intp]) -> tuple[Offsets, Offsets]:
    rows = columns.rows(_ATTRIBUTE)
    owners = columns.owners[rows]
    starts, ends = np.zeros((2, len(columns.broken)), np.int64)
    starts[owners[::-1]] = columns.firsts[rows[::-1]]
    ends[owners] = columns.ends[rows]
    return starts[kept], ends[kept]


@define(eq=False)
class NodeReader:
    """Adds nodes and edges to the graph of a builder."""

    builder: GraphBuilder
    data: bytes
    _types: Made = field(init=False)
    _devices: Made = field(init=False)
    _outputs: dict[bool, Made] = field(init=False)  # by whether it is a parameter
    _signature: Callable[[tuple[bytes, ...]], int] = field(init=False)
    _kinds: dict[int, Kind] = field(factory=dict)  # by code of the type
    _tensors_of_modules: list[NDArray[np.intp]] = field(factory=list)  # nodes

    def __attrs_post_init__(self) -> None:
        self._types = Made(lambda piece: self.builder.types[text_of(piece)])
        self._devices = Made(lambda piece: self.builder.device_codes[text_of(piece)])
        self._outputs = {
            of_parameter: Made(functools.partial(self._outputs_of, of_parameter))
            for of_parameter in (False, True)
        }
        self._signature = functools.lru_cache(maxsize=1 << 14)(self._signature_of)

    def read(self, base: int, nodes: NodeColumns) -> tuple[Indices, InputNames]:
        """Adds nodes in the scope ``base``; returns their numbers, and their inputs for ``connect``."""
        for start in nodes.broken.tolist():
            self.builder.notice("unreadable_nodes").add(node_at(start))
        scopes = self.builder.scopes
        placed = scopes.place(self.data, *nodes.names, base)
        types = self._types.each(self.data, *nodes.types)
        kinds = self._kinds_of(types)
        outputs = self._outputs_each(*nodes.attributes, kinds == Kind.PARAMETER)
        signatures, told = np.divmod(outputs, len(_TOLD))
        devices = self._devices.each(self.data, *nodes.devices)
        first = self.builder.nodes(
            scopes.of(placed), scopes.names_of(placed), types, kinds, signatures.astype(np.int32), devices
        )
        of_modules = types == self.builder.types.find(_TENSOR_OF_MODULE)
        self._tensors_of_modules.append(first + np.flatnonzero(of_modules))
        for row in np.flatnonzero(told).tolist():
            self.builder.weights.append(Weight(first + row, _TOLD[told[row]], int(signatures[row])))
        numbers = np.arange(first, first + len(nodes), dtype=np.int32)
        return numbers, nodes.inputs.counted_from(first)

    def connect(self, inputs: Sequence[InputNames], names: FirstOf) -> None:
        """Adds the edges of inputs, once all nodes are added."""
        found = ahead(lambda one: _sources(one, names), inputs)
        for one, (sources, outputs, controls) in zip(inputs, found, strict=True):
            missing = sources < 0
            if missing.any():
                missing &= ~np.isin(one.targets, np.concatenate([_NONE, *self._tensors_of_modules]))
            one.connect(self.builder, sources, outputs, controls, missing)

    def _kinds_of(self, types: Indices) -> Indices:
        texts = self.builder.types.texts
        for code in np.unique(types).tolist():
            if code not in self._kinds:
                self._kinds[code] = _kind(texts[code])
        of_types = np.zeros(len(texts), np.int32)
        of_types[list(self._kinds)] = list(self._kinds.values())
        return of_types[types]

    def _outputs_each(self, starts: Offsets, ends: Offsets, of_parameters: NDArray[np.bool_]) -> Indices:
        """What ``_outputs_of`` gives for the attributes of each node, which mostly lie side by side."""
        found = np.zeros(len(starts), np.int32)
        long = ends - starts > _LONG
        for of_parameter, made in self._outputs.items():
            chosen = np.flatnonzero((of_parameters == of_parameter) & ~long)
            found[chosen] = made.each(self.data, starts[chosen], ends[chosen])
        for row in np.flatnonzero(long).tolist():
            found[row] = self._outputs_of(
                bool(of_parameters[row]), self.data, int(starts[row]), int(ends[row])
            )
        return found

    def _outputs_of(self, of_parameter: bool, data: bytes, start: int = 0, end: int | None = None) -> int:
        """The signature that attributes state, and what they say of a parameter, as one number."""
        attributes: list[bytes] = []
        value: list[bytes] = []
        try:
            for number, wire_type, first, last, _ in fields(data, start, end):
                if number != _ATTRIBUTE or wire_type != LENGTH_DELIMITED:
                    continue
                if data.startswith(_TAKEN, first):
                    attributes.append(data[first:last])
                elif data.startswith(_VALUE, first):
                    value = _shape_of_value(data, first, last)
        except Malformed:  # never: these bytes were parsed
            return 0
        # the shape of a variable is that of its value; its output may be a handle, which is a scalar
        shaped = of_parameter and any(one.startswith(_SHAPE) for one in attributes)
        taken = _OF_VARIABLES if shaped else _OF_OUTPUTS
        signature = self._signature((*(one for one in attributes if one.startswith(taken)), *value))
        told = [attribute(one).value == "True" for one in attributes if one.startswith(_TRAINABLE)]
        return signature * len(_TOLD) + (_TOLD.index(told[-1]) if told and of_parameter else 0)

    def _signature_of(self, attributes: tuple[bytes, ...]) -> int:
        """What a node gives out, from its attributes: shapes if they are there, types if one says them."""
        shapes: list[Shape] = []
        types: list[str] = []
        for data in attributes:
            try:
                if data.startswith(_VALUE):
                    shapes = shapes or [shape_of(parsed("Shape", data[len(_VALUE) :]))]
                    continue
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


def _shape_of_value(data: bytes, start: int, end: int) -> list[bytes]:
    """``_VALUE`` and the shape of the tensor in this attribute, without its values; nothing for another."""
    places = [(start, end)]
    try:
        for wanted in (_VALUE_OF_ENTRY, _TENSOR, _SHAPE_OF_TENSOR):
            places = [
                (first, last)
                for place in places
                for number, wire_type, first, last, _ in fields(data, *place)
                if number == wanted and wire_type == LENGTH_DELIMITED
            ]
    except Malformed:
        return []
    return [_VALUE + data[first:last] for first, last in places[:1]]


def _sources(inputs: InputNames, names: FirstOf) -> tuple[Indices, Indices, NDArray[np.bool_]]:
    """Nodes (-1 for unknown names), their outputs, and whether the input is one of control.

    Inputs are written as ``node``, ``node:1`` or ``^node``, in functions as ``node:name of the output:1``.
    """
    data, ends = inputs.data, inputs.ends
    first = np.frombuffer(data or b"\0", np.uint8).take(inputs.starts, mode="clip")  # all names may be empty
    controls = (first == _CONTROL) & (ends > inputs.starts)
    starts = inputs.starts + controls
    sources = names.find(data, starts, ends)
    outputs = np.zeros(len(sources), np.int32)
    others = np.flatnonzero(sources < 0)
    parts = [piece.partition(b":") for piece in pieces_of(data, starts[others], ends[others])]
    sources[others] = names.find(*joined_pieces([head for head, _, _ in parts]))
    outputs[others] = [_output(tail) for _, _, tail in parts]
    return sources, outputs, controls


def _output(tail: bytes) -> int:
    """The output that an input names after its node."""
    index = tail.rpartition(b":")[2]
    return int(index) if index.isdigit() and len(index) < 9 else 0


def _kind(op: str) -> Kind:
    if op in CONSTANT_TYPES:
        return Kind.CONSTANT
    return Kind.PARAMETER if op in _PARAMETER_TYPES else Kind.OPERATOR
