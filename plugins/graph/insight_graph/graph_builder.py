"""Builds the columns of a graph from its nodes and edges."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_graph.columns import Edges, Graph, Indices, Kind, NodeDetails, OutputType, Weight
from insight_graph.names_apart import NamesApart
from insight_graph.notices import GraphNotice
from insight_graph.scopes import Offsets, Scopes
from insight_graph.texts import Codes, NodeTexts, text_of

NAMELESS = "(unnamed)"
_INPUT_OF = ReasonKind("graph_input_of", "{name} (of {node})")
_UNNAMED_NODE = ReasonKind("graph_unnamed_node", "{type} (node {number})")


class GraphBuilder:
    """Takes nodes and edges in any order; ``graph`` makes the columns."""

    def __init__(self, name: str) -> None:
        self.format = name
        self.types = Codes()
        self.device_codes = Codes("")
        self.missing: dict[int, list[tuple[int, str]]] = {}
        self.whole_numbers: dict[int, int] = {}  # that constants are
        self.duplicates: dict[int, str] = {}  # nodes that have the name of another
        self.weights: list[Weight] = []  # that the log describes
        self.handles: dict[int, OutputType] = {}  # by node: the variable that it hands out a handle of
        self.names = NodeTexts()
        self.scopes = Scopes(self.names.codes)
        # arrays, not lists: a number in a list is an object
        self._nodes = array("i")  # of each its scope, whether it is placed, kind, type, signature, device
        self._edges = array("i")  # of each its source, target, slot, output, whether it is one of control
        self._signature_codes: dict[tuple[OutputType, ...], int] = {(): 0}
        self._notices: dict[str, GraphNotice] = {}

    def signature(self, outputs: Iterable[OutputType]) -> int:
        """The number of what a node gives out."""
        return self._signature_codes.setdefault(tuple(outputs), len(self._signature_codes))

    def node(
        self,
        path: str,
        type_name: str,
        kind: Kind = Kind.OPERATOR,
        signature: int = 0,
        device: str = "",
        *,
        placed: bool = True,
    ) -> int:
        """Adds a node and gives its number. One that is not ``placed`` has a name, not a path."""
        scope, name = self.scopes.split(path) if placed else (0, path)
        number = len(self.names)
        if not name:
            name = NAMELESS
            self.notice("unnamed").add(_unnamed(type_name, number))
        self.names.append(name)
        self._nodes.extend(
            (
                scope,
                placed,
                kind,
                self.types[type_name],
                signature,
                self.device_codes[device] if device else 0,
            )
        )
        return number

    def nodes(
        self,
        scopes: Indices,
        names: Indices,
        types: Indices,
        kinds: Indices,
        signatures: Indices,
        devices: Indices | int = 0,
        *,
        placed: bool = True,
    ) -> int:
        """Adds nodes, with codes of names, types and devices; the number of the first."""
        first = len(self.names)
        unnamed = np.flatnonzero(names == self.names.codes.find(""))
        if len(unnamed):
            names = names.copy()
            names[unnamed] = self.names.codes[NAMELESS]
        for row in unnamed.tolist():
            self.notice("unnamed").add(_unnamed(self.types.texts[types[row]], first + row))
        self.names.extend(names)
        _add_rows(self._nodes, (scopes, placed, kinds, types, signatures, devices), len(names))
        return first

    def edges(self, edges: Edges) -> None:
        """Adds many edges."""
        columns = edges.sources, edges.targets, edges.slots, edges.outputs, edges.controls
        _add_rows(self._edges, columns, len(edges))

    def edge(self, source: int, target: int, slot: int, output: int = 0, control: bool = False) -> None:
        """Adds an edge from output ``output`` of node ``source`` to input ``slot`` of node ``target``."""
        self._edges.extend((source, target, slot, output, control))

    def add_edges(self, rows: list[int]) -> None:
        """Many edges at once: of each source, target, slot, output, and whether it is one of control."""
        self._edges.fromlist(rows)

    def missing_input(self, target: int, slot: int, name: str) -> None:
        """Records that input ``slot`` of node ``target`` names an absent node."""
        self.missing.setdefault(target, []).append((slot, name))
        node = self.names[target]
        self.notice("missing_inputs").add(_INPUT_OF(name=name, node=node))

    def notice(self, code: str) -> GraphNotice:
        """The notice with this code, created at first use."""
        known = self._notices.get(code)
        if known is None:
            known = self._notices[code] = GraphNotice(code)
        return known

    def truncated(self, reason: Reason) -> None:
        """Reports that the graph ends early, with the number of nodes read so far."""
        parts = len(self.names)
        if reason.code == "graph_file_ends":
            sizes = {name: int(str(value)) for name, value in reason.details.items()}
            self._notices["file_ends"] = GraphNotice("file_ends", {**sizes, "parts": parts}, 1)
        else:
            self._notices["truncated"] = GraphNotice("truncated", {"reason": reason, "parts": parts}, 1)

    def graph(
        self,
        details: Callable[[int], NodeDetails],
        order: Callable[[int, Edges], tuple[Indices, int]],
        payload_bytes: int,
    ) -> Graph:
        """``order`` gives topological ranks, and how many nodes are on cycles."""
        sources, targets, slots, outputs, controls = _columns(self._edges, 5)
        edges = Edges(sources, targets, slots, outputs, controls.astype(bool))
        scope, is_placed, kinds, types, signatures, devices = _columns(self._nodes, 6)
        placed = is_placed.astype(bool)
        NamesApart(self.names, self.scopes, scope, self.duplicates).among(placed)
        # what has no place has no inputs: it is shown before what uses it, wherever it is written
        ranks, cyclic = order(len(self.names), edges.take(placed[edges.sources]))
        if cyclic:
            self.notice("cycles").count = cyclic
        for name in self.duplicates.values():
            self.notice("duplicate_names").add(name)
        return Graph(
            format=self.format,
            names=self.names,
            scopes=self.scopes,
            scope=scope,
            placed=placed,
            kinds=kinds.astype(np.uint8),
            types=types,
            type_names=self.types.texts,
            signatures=signatures,
            output_types=list(self._signature_codes),
            devices=devices,
            device_names=self.device_codes.texts,
            order=ranks,
            edges=edges,
            missing=self.missing,
            whole_numbers=self.whole_numbers,
            notices=tuple(self._notices.values()),
            details=details,
            weights=self.weights,
            handles=self.handles,
            payload_bytes=payload_bytes,
        )


def _unnamed(type_name: str, number: int) -> Reason:
    return _UNNAMED_NODE(type=type_name, number=number)


def _add_rows(rows: array[int], columns: Sequence[Indices | NDArray[np.bool_] | int], count: int) -> None:
    """Adds the rows of columns, each an array or one value for all rows."""
    added = np.empty((count, len(columns)), np.int32)
    for place, column in enumerate(columns):
        added[:, place] = column
    rows.frombytes(added.tobytes())


def _columns(rows: array[int], width: int) -> list[Indices]:
    """Columns of what was added row by row, of which nothing is kept."""
    whole = np.frombuffer(rows, np.int32) if rows else np.empty(0, np.int32)
    found = [whole[column::width].copy() for column in range(width)]
    del whole
    del rows[:]
    return found


@frozen(eq=False)
class InputNames:
    """Offsets in ``data`` of the names of inputs, with the nodes that take them and the slots."""

    data: bytes
    targets: Indices
    slots: Indices
    starts: Offsets
    ends: Offsets

    def counted_from(self, first: int) -> InputNames:
        """The inputs of nodes that were counted from 0 and have the numbers from ``first`` on."""
        return evolve(self, targets=self.targets + first)

    def connect(
        self,
        builder: GraphBuilder,
        sources: Indices,
        outputs: Indices,
        controls: NDArray[np.bool_],
        missing: NDArray[np.bool_],
    ) -> None:
        """Adds an edge from each source, but not from -1. Inputs that are ``missing`` are reported."""
        for row in np.flatnonzero(missing).tolist():
            name = text_of(self.data[self.starts[row] : self.ends[row]])
            builder.missing_input(int(self.targets[row]), int(self.slots[row]), name)
        edges = Edges(sources, self.targets, self.slots, outputs, controls)
        builder.edges(edges.take(sources >= 0))
