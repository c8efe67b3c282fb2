"""Constants that nodes take, and lists of them, as text."""

from __future__ import annotations

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_graph.columns import Graph, Kind

_LISTS = {"prim::ListConstruct", "prim::TupleConstruct", "MakeTuple", "MakeList"}
DEEPEST = 4  # lists in each other


@frozen
class TakenOutput:
    """What a node takes: an output of another."""

    slot: int
    is_control: bool
    source: int
    output: int


@define(eq=False)
class Literals:
    """Inputs of the nodes of one graph, and which of them are constants."""

    graph: Graph
    _into: NDArray[np.intp] = field(init=False)  # edges by target
    _into_starts: NDArray[np.intp] = field(init=False)
    _from: NDArray[np.intp] = field(init=False)  # edges by source
    _from_starts: NDArray[np.intp] = field(init=False)
    _texts: dict[int, str | None] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        edges, ends = self.graph.edges, np.arange(len(self.graph) + 1)
        self._into = np.lexsort((edges.slots, edges.controls, edges.targets))
        self._into_starts = np.searchsorted(edges.targets[self._into], ends)
        self._from = np.argsort(edges.sources, kind="stable")
        self._from_starts = np.searchsorted(edges.sources[self._from], ends)

    def inputs(self, node: int) -> list[TakenOutput]:
        """What a node takes: data in the order of their slots, then control."""
        start, end = self._into_starts[node : node + 2]
        some = self.graph.edges.take(self._into[start:end])
        columns = some.slots.tolist(), some.controls.tolist(), some.sources.tolist(), some.outputs.tolist()
        return list(map(TakenOutput, *columns))

    def takers(self, node: int) -> list[int]:
        """The nodes that take a node."""
        start, end = self._from_starts[node : node + 2]
        found: list[int] = self.graph.edges.targets[self._from[start:end]].tolist()
        return found

    def may_be(self, node: int) -> bool:
        """Whether the node is a constant or makes a list; ``text`` tells what the list holds."""
        graph = self.graph
        return bool(graph.kinds[node] == Kind.CONSTANT) or graph.type_names[graph.types[node]] in _LISTS

    def text(self, node: int, depth: int = 0) -> str | None:
        """The value of a constant, or of a list of nothing but constants; None for other nodes."""
        if depth > DEEPEST or not self.may_be(node):
            return None
        if node not in self._texts:
            self._texts[node] = self._text(node, depth)
        return self._texts[node]

    def _text(self, node: int, depth: int) -> str | None:
        if self.graph.kinds[node] == Kind.CONSTANT:
            return self.graph.details(node).value or None
        parts = [self.text(one.source, depth + 1) for one in self.inputs(node) if not one.is_control]
        known = [one for one in parts if one is not None]
        return f"[{', '.join(known)}]" if len(known) == len(parts) else None
