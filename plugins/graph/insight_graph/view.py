"""A view of a graph: its tree, and edges between leaf positions."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph, Indices, Kind
from insight_graph.order import by_two_keys
from insight_graph.stacks import stacked
from insight_graph.tree import Leaves, Tree, TreeBuilder


@frozen(eq=False)
class Shown:
    """What of a graph is shown: which nodes, in which scopes, and edges between them.

    ``folded`` are edges from nodes that are not drawn, but listed with those that take them."""

    nodes: NDArray[np.bool_]
    scopes: Indices
    edges: Edges
    folded: Edges

    @classmethod
    def all_of(cls, graph: Graph) -> Shown:
        """The whole graph, nothing removed."""
        return cls(np.ones(len(graph), bool), graph.scope, graph.edges, graph.edges.take(slice(0)))


@frozen(eq=False)
class GraphView:
    """``edges`` have positions for sources and targets, and are sorted by source and target; ``by_target`` is
    their order by target and source. ``folded`` has nodes of the graph for sources and targets."""

    graph: Graph
    tree: Tree
    edges: Edges
    by_target: NDArray[np.int32]
    folded: Edges

    @classmethod
    def of(cls, graph: Graph, shown: Shown) -> GraphView:
        """Builds the tree and sorts the edges of the shown nodes."""
        leaves, sources, targets = _leaves(graph, shown)
        edges = Edges(sources, targets, shown.edges.slots, shown.edges.outputs, shown.edges.controls)
        tree = stacked(TreeBuilder.of(graph, leaves), edges)
        sources, targets = tree.positions[sources], tree.positions[targets]
        with ThreadPoolExecutor(1, "graph-order") as thread:  # NumPy sorts without the GIL
            other_order = thread.submit(by_two_keys, targets, sources)
            order = by_two_keys(sources, targets)
            moved = Edges(sources, targets, edges.slots, edges.outputs, edges.controls).take(order)
            places = np.empty(len(order), np.int32)  # of edges among the moved
            places[order] = np.arange(len(order), dtype=np.int32)
            by_target = places[other_order.result()]
        return cls(graph, tree, moved, by_target, shown.folded)

    @property
    def nbytes(self) -> int:
        """Estimated memory in bytes."""
        return self.tree.nbytes + self.edges.nbytes + 4 * len(self.edges) + 12 * len(self.tree.nodes)

    def edges_from(self, low: int, high: int) -> slice:
        """Those whose source is from ``low`` to before ``high``."""
        start, end = np.searchsorted(self.edges.sources, (low, high))
        return slice(int(start), int(end))

    def edges_to(self, low: int, high: int) -> NDArray[np.int32]:
        """Indices of the edges into nodes ``low`` to before ``high``."""
        start, end = np.searchsorted(self._targets, (low, high))
        return self.by_target[start:end]

    @functools.cached_property
    def _targets(self) -> Indices:
        return self.edges.targets[self.by_target]

    @functools.cached_property
    def _kinds_before(self) -> NDArray[np.int32]:
        """How many leaves of each kind are before a position."""
        kinds = self.graph.kinds[self.tree.nodes]
        found = np.zeros((len(Kind), len(kinds) + 1), np.int32)
        for kind in Kind:
            np.cumsum(kinds == kind, out=found[kind, 1:])
        return found

    def kinds_in(self, lows: Indices, highs: Indices) -> NDArray[np.int32]:
        """[kind, place]: how many leaves are in each range of positions."""
        return self._kinds_before[:, highs] - self._kinds_before[:, lows]

    @functools.cached_property
    def shown_nodes(self) -> Indices:
        """Nodes that are shown, wherever and how often."""
        shown = np.zeros(len(self.graph), bool)
        shown[self.tree.nodes] = True
        return np.flatnonzero(shown).astype(np.int32)

    @functools.cached_property
    def node_order(self) -> NDArray[np.intp]:
        """Positions, those of the same node together."""
        return np.argsort(self.tree.nodes, kind="stable")

    def place_of_node(self, node: int) -> int | None:
        """The leaf of a node, or of the first one that takes it if it is folded; None if neither is shown."""
        positions = self.positions_of(node)
        if not positions:
            takers = self.folded.targets[self.folded.sources == node]
            positions = self.positions_of(int(takers[0])) if len(takers) else []
        return ~positions[0] if positions else None

    @functools.cached_property
    def _nodes_in_order(self) -> Indices:
        return self.tree.nodes[self.node_order]

    def positions_of(self, node: int) -> list[int]:
        """Where a node of the graph stands; none if it is not shown."""
        start, end = np.searchsorted(self._nodes_in_order, (node, node + 1))
        return [int(position) for position in self.node_order[start:end]]

    @functools.cached_property
    def flows(self) -> NDArray[np.int32]:
        """Of each edge: the number of what flows through it, in ``flow_types``; 0 is not known."""
        codes, starts = self._output_codes
        signatures = self.graph.signatures[self.tree.nodes[self.edges.sources]]
        at = starts[signatures] + self.edges.outputs
        known = (at < starts[signatures + 1]) & ~self.edges.controls & (self.edges.outputs >= 0)
        return (
            np.where(known, codes[np.where(known, at, 0)], 0) if len(codes) else np.zeros(len(at), np.int32)
        )

    @functools.cached_property
    def flow_types(self) -> list[str]:
        """Texts of all output types; the first is empty."""
        types = {str(one): None for outputs in self.graph.output_types for one in outputs}
        return ["", *types]

    @functools.cached_property
    def _output_codes(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """What flows out of each signature, end to end, and where each begins."""
        numbers = {text: number for number, text in enumerate(self.flow_types)}
        codes = [numbers[str(one)] for outputs in self.graph.output_types for one in outputs]
        lengths = [len(outputs) for outputs in self.graph.output_types]
        return np.array(codes, np.int32), np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def _leaves(graph: Graph, shown: Shown) -> tuple[Leaves, Indices, Indices]:
    """Nodes in their places, and those without in each scope that uses them; edges from leaf to leaf."""
    edges = shown.edges
    placed = np.flatnonzero(shown.nodes & graph.placed).astype(np.int32)
    leaf_of = np.full(len(graph), -1, np.int32)
    leaf_of[placed] = np.arange(len(placed), dtype=np.int32)
    orders = graph.order.astype(np.int64) * 2

    floating = np.flatnonzero(~graph.placed[edges.sources])
    scopes = shown.scopes[edges.targets[floating]].astype(np.int64)
    keys = edges.sources[floating] * np.int64(len(graph.scopes)) + scopes
    found, copies = np.unique(keys, return_inverse=True)
    nodes, places = np.divmod(found, max(1, len(graph.scopes)))
    first_use = np.full(len(found), np.iinfo(np.int64).max)
    np.minimum.at(first_use, copies, orders[edges.targets[floating]] - 1)

    unused = shown.nodes & ~graph.placed
    unused[nodes] = False
    alone = np.flatnonzero(unused)
    leaves = Leaves(
        np.concatenate((placed, nodes, alone)).astype(np.int32),
        np.concatenate((shown.scopes[placed], places, np.zeros(len(alone)))).astype(np.int32),
        np.concatenate((graph.scope[placed], places, np.zeros(len(alone)))).astype(np.int32),
        np.concatenate((orders[placed], first_use, orders[alone])),
    )
    sources = leaf_of[edges.sources]
    sources[floating] = len(placed) + copies
    return leaves, sources, leaf_of[edges.targets]
