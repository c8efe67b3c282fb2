"""Finds which nodes of two graphs are the same, by structure first: names may have other numbers.

Weights are paired by names that state their module. Nodes with the same surroundings are paired (as in the
colour refinement of Weisfeiler and Leman), in the same scope first. What is left is paired along edges from
pairs that are known, then by name, then by place alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph, Indices, Kind
from insight_graph.names import mixed
from insight_graph.texts import Codes

_RADIUS = 3  # edges around a node that are its surroundings
_PASSES = 20  # along the edges
_MOST_EDGES = 200  # of a node that are followed
_IN, _OUT = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)

Hashes = NDArray[np.uint64]


def matched(before: Graph, after: Graph) -> Indices:
    """int32[nodes of ``before``]: the node of ``after`` that is the same; -1 without one.

    Pairs have one kind, and mostly one type: a node that takes what another took, and gives it to the same
    nodes, is that node with another type.
    """
    types, scopes = Codes(), Codes()
    one, two = _Side.of(before, types, scopes), _Side.of(after, types, scopes)
    pairs = _Pairs(one, two)
    pairs.of_one_name(one.weights, two.weights)
    pairs.alike(one.surroundings[_RADIUS] ^ one.in_scope, two.surroundings[_RADIUS] ^ two.in_scope)
    pairs.alike(one.surroundings[1] ^ one.in_scope, two.surroundings[1] ^ two.in_scope, most=1)
    pairs.along_edges()
    pairs.alike(one.surroundings[_RADIUS], two.surroundings[_RADIUS])
    pairs.along_edges()
    pairs.of_one_name(np.flatnonzero(pairs.found < 0), np.flatnonzero(~pairs.taken))
    pairs.along_edges()
    pairs.alike(one.surroundings[0] ^ one.in_scope, two.surroundings[0] ^ two.in_scope)
    pairs.along_edges(of_one_type=False)
    return pairs.found


def weights_of_modules(graph: Graph) -> dict[int, str]:
    """By node: the module of a weight whose name states it, as ``body.2.weight`` states ``body.2``."""
    nodes = np.flatnonzero(~graph.placed & (graph.kinds == Kind.PARAMETER)).tolist()
    modules = {node: graph.names[node].rpartition(".")[0] for node in nodes}
    return {node: module for node, module in modules.items() if module}


@frozen(eq=False)
class _Neighbours:
    """Edges by the node at one end: their other ends and what tells them apart."""

    starts: list[int]
    ends: list[int]
    labels: list[int]

    @classmethod
    def of(cls, count: int, near: Indices, far: Indices, labels: NDArray[np.int64]) -> _Neighbours:
        order = np.argsort(near, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(near, minlength=count))))
        return cls(starts.tolist(), far[order].tolist(), labels[order].tolist())

    def at(self, node: int) -> list[tuple[int, int]]:
        start, end = self.starts[node : node + 2]
        end = min(end, start + _MOST_EDGES)
        return list(zip(self.ends[start:end], self.labels[start:end], strict=True))


@frozen(eq=False)
class _Side:
    """One of the graphs; ``surroundings`` are hashes of what is within 0, 1, … edges of each node."""

    graph: Graph
    types: NDArray[np.int64]  # with kinds; the same numbers in both graphs
    scopes: NDArray[np.int64]
    weights: list[int]  # whose names state their modules
    in_scope: Hashes
    surroundings: list[Hashes]
    sources: _Neighbours
    targets: _Neighbours

    @classmethod
    def of(cls, graph: Graph, type_codes: Codes, scope_codes: Codes) -> _Side:
        of_types = np.array([type_codes[name] for name in graph.type_names] or [0], np.int64)
        types = of_types[graph.types] * 3 + graph.kinds
        of_scopes = np.array([scope_codes[path] for path in graph.scopes.paths], np.int64)
        scopes = np.where(graph.placed, of_scopes[graph.scope], -1)
        modules = weights_of_modules(graph)
        scopes[list(modules)] = [scope_codes[module] for module in modules.values()]
        edges = graph.edges
        labels = (edges.slots.astype(np.int64) << 20) + (edges.outputs << 1) + edges.controls
        count = len(graph)
        return cls(
            graph,
            types,
            scopes,
            list(modules),
            mixed(scopes.astype(np.uint64)),
            _surroundings(mixed(types.astype(np.uint64)), edges, mixed(labels.astype(np.uint64))),
            _Neighbours.of(count, edges.targets, edges.sources, labels),
            _Neighbours.of(count, edges.sources, edges.targets, labels),
        )


def _surroundings(hashes: Hashes, edges: Edges, labels: Hashes) -> list[Hashes]:
    found = [hashes]
    for _ in range(_RADIUS):
        near, far = np.zeros((2, len(hashes)), np.uint64)
        np.add.at(near, edges.targets, mixed(hashes[edges.sources] ^ labels))
        np.add.at(far, edges.sources, mixed(hashes[edges.targets] ^ labels ^ _OUT))
        hashes = mixed(hashes ^ mixed(near ^ _IN) ^ mixed(far ^ _OUT))
        found.append(hashes)
    return found


@define(eq=False)
class _Pairs:
    one: _Side
    two: _Side
    found: Indices = field(init=False)
    taken: NDArray[np.bool_] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.found = np.full(len(self.one.graph), -1, np.int32)
        self.taken = np.zeros(len(self.two.graph), bool)

    def alike(self, keys_of_one: Hashes, keys_of_two: Hashes, most: int = 1 << 30) -> None:
        """Pairs nodes in topological order by keys that as many nodes of both have, at most ``most``."""
        left, right = np.flatnonzero(self.found < 0), np.flatnonzero(~self.taken)
        left = left[np.lexsort((self.one.graph.order[left], keys_of_one[left]))]
        right = right[np.lexsort((self.two.graph.order[right], keys_of_two[right]))]
        first, counts = np.unique(keys_of_one[left], return_counts=True)
        second, others = np.unique(keys_of_two[right], return_counts=True)
        _, at_first, at_second = np.intersect1d(first, second, assume_unique=True, return_indices=True)
        same = counts[at_first] == others[at_second]
        same &= counts[at_first] <= most
        keys = first[at_first[same]]
        left = left[np.isin(keys_of_one[left], keys)]
        right = right[np.isin(keys_of_two[right], keys)]
        self.found[left] = right
        self.taken[right] = True

    def of_one_name(self, left: Iterable[int], right: Iterable[int]) -> None:
        """Pairs those of ``left`` and ``right`` that have one type and path."""
        by_path = {(_path(self.two.graph, node), self.two.types[node]): node for node in right}
        for node in left:
            other = by_path.pop((_path(self.one.graph, node), self.one.types[node]), None)
            if other is not None:
                self._pair(node, other)

    def along_edges(self, *, of_one_type: bool = True) -> None:
        """Pairs nodes that have the most edges with the same ends, until none are left."""
        for number in range(_PASSES):
            left = np.flatnonzero(self.found < 0)
            backwards = -1 if number % 2 else 1
            left = left[np.argsort(self.one.graph.order[left] * backwards, kind="stable")]
            paired = sum(self._pair_by_edges(node, of_one_type) for node in left.tolist())
            if not paired and number:
                return

    def _pair_by_edges(self, node: int, of_one_type: bool) -> bool:
        votes: Counter[int] = Counter()
        one, two = self.one, self.two
        for near, others in ((one.sources, two.targets), (one.targets, two.sources)):
            for neighbour, label in near.at(node):
                pair = self.found[neighbour]
                if pair < 0:
                    continue
                for other, its_label in others.at(int(pair)):
                    if its_label == label and not self.taken[other] and self._may(node, other, of_one_type):
                        votes[other] += 2
        if not votes:
            return False
        scope = one.scopes[node]
        ranked = (
            (count + (two.scopes[other] == scope), -int(two.graph.order[other]), other)
            for other, count in votes.items()
        )
        count, _, best = max(ranked)
        if not of_one_type and count < 4:
            return False
        self._pair(node, best)
        return True

    def _may(self, node: int, other: int, of_one_type: bool) -> bool:
        kind_only = self.one.types[node] % 3 == self.two.types[other] % 3
        return bool(self.one.types[node] == self.two.types[other] if of_one_type else kind_only)

    def _pair(self, node: int, other: int) -> None:
        self.found[node] = other
        self.taken[other] = True


def _path(graph: Graph, node: int) -> str:
    return graph.path(node) if graph.placed[node] else graph.names[node]
