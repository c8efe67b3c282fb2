"""Reads the nodes, parameters and constants of a GraphProto as columns.

Source: mindinsight_anf_ir.proto.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.payloads import VARINT
from insight_graph.columns import Indices, Kind, Weight
from insight_graph.field_columns import FieldColumns
from insight_graph.graph_builder import GraphBuilder, InputNames
from insight_graph.interned import last_places, pieces_of
from insight_graph.mindspore_values import constant_type, output_types, value_of, whole_number
from insight_graph.names import FirstOf, Made, joined_pieces
from insight_graph.notices import constant_at, node_at, parameter_at
from insight_graph.pieces import ahead
from insight_graph.scopes import Offsets, Placed
from insight_graph.texts import text_of

CONSTANT, PARAMETER = "Const", "Parameter"  # what a page calls their types
_INPUT, _NAME, _OP, _SCOPE, _OUTPUTS, _FULL_NAME = 1, 2, 3, 4, 6, 8  # fields of a NodeProto
_NAME_OF_INPUT, _TYPE_OF_INPUT = 1, 2
_KEY, _VALUE = 1, 2  # of a parameter its name and type; of a constant its key and value
_TRAINABLE = 100  # of the parameters that insight_record records
_CONTROL = 1  # type of an input
_SLASH, _BRACKET = b"/]"
_LONG = 1 << 12  # bytes of a value that are not kept to find the same again


@frozen(eq=False)
class OperatorColumns:
    """Offsets of the fields of operators. Pairs are starts and ends, each int64[operators]."""

    broken: Offsets  # of malformed operators, which are left out
    starts: Offsets  # of the operators
    names: tuple[Offsets, Offsets]
    types: tuple[Offsets, Offsets]
    scopes: tuple[Offsets, Offsets]
    full_names: tuple[Offsets, Offsets]
    outputs: tuple[Offsets, Offsets]
    inputs: InputNames  # of the operators, counted from 0
    controls: NDArray[np.bool_]  # by input

    @classmethod
    def of(cls, data: bytes, starts: Offsets, columns: FieldColumns) -> OperatorColumns:
        """Offsets of the operators at ``starts``, which have these fields."""
        rows = columns.rows(_INPUT)
        inputs = FieldColumns.of(data, columns.starts[rows], columns.ends[rows])
        owners = columns.owners[rows]
        broken = columns.broken.copy()
        broken[owners[inputs.broken]] = True
        kept = np.flatnonzero(~broken)
        sound = ~broken[owners]
        begins, ends = inputs.last(_NAME_OF_INPUT)
        return cls(
            starts[broken],
            starts[kept],
            columns.last(_NAME, kept),
            columns.last(_OP, kept),
            columns.last(_SCOPE, kept),
            columns.last(_FULL_NAME, kept),
            columns.last(_OUTPUTS, kept),
            InputNames(
                data,
                (np.cumsum(~broken) - 1)[owners[sound]].astype(np.int32),
                columns.places_in(rows)[sound].astype(np.int32),
                begins[sound],
                ends[sound],
            ),
            inputs.numbers(data, _TYPE_OF_INPUT)[sound] == _CONTROL,
        )

    def __len__(self) -> int:
        return len(self.starts)


@define(eq=False)
class MindSporeNodes:
    """Adds nodes and edges to the graph of a builder."""

    builder: GraphBuilder
    data: bytes
    _nodes: FirstOf = field(factory=FirstOf)  # by what inputs call them
    _types: Made = field(init=False)
    _signatures: Made = field(init=False)
    _constants: Made = field(init=False)
    _value_signatures: list[int] = field(factory=list)  # of constants, by number of the value
    _whole_numbers: dict[int, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._types = Made(lambda piece: self.builder.types[text_of(piece)])
        self._signatures = Made(self._signature)
        self._constants = Made(self._constant)

    def operators(self, operators: OperatorColumns) -> InputNames:
        """Adds operators; returns their inputs for ``connect``."""
        self._report_broken(node_at, operators.broken)
        types = self._types.each(self.data, *operators.types)
        placed = self._placed(operators, types)
        scopes = self.builder.scopes
        signatures = self._signatures.each(self.data, *operators.outputs)
        kinds = np.full(len(operators), Kind.OPERATOR, np.int32)
        first = self.builder.nodes(scopes.of(placed), scopes.names_of(placed), types, kinds, signatures)
        self._find_by_name(first, types, *operators.names)
        return operators.inputs.counted_from(first)

    def parameters(self, starts: Offsets, columns: FieldColumns) -> Offsets:
        """Adds parameters. Where those begin that can be read."""
        self._report_broken(parameter_at, starts[columns.broken])
        kept = np.flatnonzero(~columns.broken)
        signatures = self._signatures.each(self.data, *columns.last(_VALUE, kept))
        first = self._without_scope(columns, kept, PARAMETER, Kind.PARAMETER, signatures)
        stated = np.zeros(len(columns.broken), bool)
        stated[columns.owners[columns.rows(_TRAINABLE, VARINT)]] = True
        trainable = columns.numbers(self.data, _TRAINABLE)[kept] != 0
        for row in np.flatnonzero(stated[kept]).tolist():
            self.builder.weights.append(Weight(first + row, bool(trainable[row]), int(signatures[row])))
        return starts[kept]

    def constants(self, starts: Offsets, columns: FieldColumns) -> Offsets:
        """Adds constants. Where those begin that can be read."""
        self._report_broken(constant_at, starts[columns.broken])
        kept = np.flatnonzero(~columns.broken)
        begins, ends = columns.last(_VALUE, kept)
        values = np.zeros(len(kept), np.int32)
        long = ends - begins > _LONG
        values[~long] = self._constants.each(self.data, begins[~long], ends[~long])
        values[long] = list(map(self._constant, pieces_of(self.data, begins[long], ends[long])))
        for _ in range(int((values < 0).sum())):
            self.builder.notice("unreadable_nodes").add(Reason("a constant", "graph_constant"))
        signatures = np.array([*self._value_signatures, 0], np.int32)[values]
        first = self._without_scope(columns, kept, CONSTANT, Kind.CONSTANT, signatures)
        is_whole = np.isin(values, list(self._whole_numbers))
        for row in np.flatnonzero(is_whole).tolist():
            self.builder.whole_numbers[first + row] = self._whole_numbers[int(values[row])]
        return starts[kept]

    def connect(self, inputs: Sequence[tuple[InputNames, NDArray[np.bool_]]]) -> None:
        """Adds the edges of inputs, once all nodes are added; flags mark inputs of control."""
        found = ahead(lambda one: self._sources(one[0]), inputs)
        for (one, controls), sources in zip(inputs, found, strict=True):
            is_missing = (sources < 0) & (one.ends > one.starts)
            one.connect(self.builder, sources, np.zeros(len(sources), np.int32), controls, is_missing)

    def _sources(self, inputs: InputNames) -> Indices:
        sources = self._nodes.find(self.data, inputs.starts, inputs.ends)
        left = np.flatnonzero(sources < 0)
        if len(left):
            keys = map(input_key, pieces_of(self.data, inputs.starts[left], inputs.ends[left]))
            sources[left] = self._nodes.find(*joined_pieces(list(keys)))
        return sources

    def _report_broken(self, example: Callable[[int], Reason], starts: Offsets) -> None:
        for start in starts.tolist():
            self.builder.notice("unreadable_nodes").add(example(start))

    def _placed(self, operators: OperatorColumns, types: Indices) -> Placed:
        """Scopes and names of operators.

        A summary's full name ends with the tag of the user, which may hold anything, and ``[:Image]`` or so.
        """
        starts, ends = operators.full_names
        last = np.frombuffer(self.data, np.uint8).take(ends - 1, mode="clip")
        is_path = (ends > starts) & (last != _BRACKET)
        is_path &= last_places(self.data, starts, ends, _SLASH) >= 0
        others = np.flatnonzero(~is_path)
        placed = self.builder.scopes.place(self.data, starts[is_path], ends[is_path])
        if not len(others):
            return placed
        texts = [
            pieces_of(self.data, begins[others], stops[others])
            for begins, stops in (operators.full_names, operators.scopes, operators.names)
        ]
        names = self.builder.types.texts
        paths = [
            _path(full_name, scope, name, names[kind])
            for full_name, scope, name, kind in zip(*texts, types[others].tolist(), strict=True)
        ]
        also = self.builder.scopes.place(*joined_pieces(paths))
        branches, numbers = np.empty((2, len(operators)), np.int32)
        branches[is_path], branches[others] = placed.branches, also.branches
        numbers[is_path], numbers[others] = placed.names, also.names
        return Placed(branches, numbers)

    def _find_by_name(self, first: int, types: Indices, starts: Offsets, ends: Offsets) -> None:
        """Makes operators known by what inputs call them."""
        data, keys, key_ends = self.data, starts, ends
        if (last_places(data, starts, ends, _SLASH) >= 0).any():
            data, keys, key_ends = joined_pieces(list(map(input_key, pieces_of(data, starts, ends))))
        named = np.flatnonzero(key_ends > keys)
        for row in np.flatnonzero(key_ends == keys).tolist():
            self.builder.notice("unnamed").add(self.builder.types.texts[types[row]])
        again = named[self._nodes.add(data, keys[named], key_ends[named], first + named)]
        for row in again.tolist():
            self.builder.duplicates[first + row] = text_of(self.data[starts[row] : ends[row]])

    def _without_scope(
        self, columns: FieldColumns, kept: NDArray[np.intp], type_name: str, kind: Kind, signatures: Indices
    ) -> int:
        """Adds what is shown wherever it is used; the number of the first."""
        starts, ends = columns.last(_KEY, kept)
        count, codes = len(kept), self.builder.names.codes
        first = self.builder.nodes(
            np.zeros(count, np.int32),
            codes.of(codes.tree.names.add(self.data, starts, ends)),
            np.full(count, self.builder.types[type_name], np.int32),
            np.full(count, kind, np.int32),
            signatures,
            placed=False,
        )
        self._nodes.add(self.data, starts, ends, first + np.arange(count))
        return first

    def _signature(self, output_type: bytes) -> int:
        try:
            return self.builder.signature(output_types(output_type))
        except ValueError:
            self.builder.notice("unknown_types").add(repr(output_type[:40]))
            return 0

    def _constant(self, data: bytes) -> int:
        """The number of the value; -1 if it cannot be read."""
        try:
            value = value_of(data)
        except ValueError:
            return -1
        number = len(self._value_signatures)
        self._value_signatures.append(self.builder.signature([constant_type(value)]))
        whole = whole_number(value)
        if whole is not None:
            self._whole_numbers[number] = whole
        return number


def input_key(name: bytes) -> bytes:
    """By which an input is found: old graphs write the path of the node and ``op`` with its number."""
    return name.rpartition(b"op")[2] if b"/" in name else name


def _path(full_name: bytes, scope: bytes, name: bytes, type_name: str) -> bytes:
    if full_name and not full_name.endswith(b"]"):
        last = full_name
    elif full_name and b"[:" not in full_name:
        return full_name
    else:
        last = type_name.encode("utf-8", "surrogatepass") + b"-op" + input_key(name)
    return b"/".join((scope, last)) if scope else last
