"""Joins the nodes that PyTorch's ``add_graph`` writes for one operator: it writes one for each output."""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph, Indices
from insight_graph.names import mixed

_AS_PACKED = 0  # as many outputs as the tuple or list has elements
# By type: how many outputs an operator has. Nodes of other types with the same inputs may be several of them
_OUTPUTS = {
    "prim::TupleUnpack": _AS_PACKED,
    "prim::ListUnpack": _AS_PACKED,
    "aten::lstm": 3,
    "aten::gru": 2,
    "aten::rnn_tanh": 2,
    "aten::rnn_relu": 2,
    "aten::sort": 2,
    "aten::topk": 2,
}
_PACKS = ("prim::TupleConstruct", "prim::ListConstruct")


@frozen(eq=False)
class Joined:
    """A graph and its edges, where the first node of an operator has all its outputs.

    ``others`` are the nodes of the other outputs: they have no edges. ``unsure`` are nodes of which the graph
    does not show which output they are: they keep their edges.
    """

    graph: Graph
    edges: Edges
    others: NDArray[np.bool_]
    unsure: NDArray[np.bool_]


def joined_outputs(graph: Graph, edges: Edges) -> Joined:
    """Joins neighbours in the file that have the same type, scope and inputs, if there are as many of them
    as the operator has outputs.

    Source: ``GraphPy`` in torch/utils/tensorboard/_pytorch_graph.py. It writes the outputs of an operator in
    their order, unused ones too.
    """
    of_types = np.array([_OUTPUTS.get(name, -1) for name in graph.type_names] or [-1])
    nodes = np.flatnonzero(of_types[graph.types] >= 0)
    if not len(nodes):
        none = np.zeros(len(graph), bool)
        return Joined(graph, edges, none, none)
    begins = np.append(True, ~_alike(graph, edges, nodes))
    runs = np.cumsum(begins) - 1
    counts = np.bincount(runs)[runs]
    sizes = of_types[graph.types[nodes]]
    packed = sizes == _AS_PACKED
    sizes[packed] = _elements(graph)[nodes[packed]]
    sizes = np.where(sizes > 0, sizes, counts)
    sure = counts % sizes == 0
    unsure = np.zeros(len(graph), bool)
    unsure[nodes] = ~sure
    outputs = np.zeros(len(graph), np.int32)
    outputs[nodes] = np.where(sure, (np.arange(len(nodes)) - np.flatnonzero(begins)[runs]) % sizes, 0)
    others = outputs > 0
    moved = Edges(
        edges.sources - outputs[edges.sources],
        edges.targets,
        edges.slots,
        edges.outputs + outputs[edges.sources],
        edges.controls,
    )
    shown = nodes[~packed & others[nodes]]
    return Joined(_typed(graph, shown, outputs), moved.take(~others[edges.targets]), others, unsure)


def _alike(graph: Graph, edges: Edges, nodes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Of each node but the first: whether it has the type, scope and inputs of its neighbour before it."""
    wanted = np.zeros(len(graph), bool)
    wanted[nodes] = True
    into = edges.take(wanted[edges.targets])
    keys = _hashes(graph.types, graph.scope)
    inputs = mixed(_hashes(into.sources, into.outputs) ^ _hashes(into.slots, into.controls))
    np.add.at(keys, into.targets, inputs)
    found: NDArray[np.bool_] = (np.diff(nodes) == 1) & (keys[nodes[1:]] == keys[nodes[:-1]])
    return found


def _hashes(high: Indices, low: Indices | NDArray[np.bool_]) -> NDArray[np.uint64]:
    return mixed((high.astype(np.uint64) << np.uint64(32)) | low.astype(np.uint64))


def _elements(graph: Graph) -> NDArray[np.int64]:
    """Of each node: how many elements were packed into its first input; 0 if the graph does not show that."""
    edges = graph.edges
    packs = np.isin(graph.types, [code for code, name in enumerate(graph.type_names) if name in _PACKS])
    counts = np.bincount(edges.targets, packs[edges.targets], len(graph)).astype(np.int64)
    for node, missing in graph.missing.items():
        counts[node] += len(missing)
    into = edges.take(packs[edges.sources] & (edges.slots == 0))
    found = np.zeros(len(graph), np.int64)
    found[into.targets] = counts[into.sources]
    return found


def _typed(graph: Graph, nodes: NDArray[np.intp], outputs: Indices) -> Graph:
    """The graph in which first nodes list what these ``nodes``, their other outputs in order, give out."""
    if not len(nodes):
        return graph
    signatures = graph.signatures.copy()
    types = list(graph.output_types)
    codes = {one: code for code, one in enumerate(types)}
    for node in nodes.tolist():
        first = node - outputs[node]
        listed = (*types[signatures[first]], *types[graph.signatures[node]])
        if len(listed) != outputs[node] + 1:  # the file does not say of every output
            continue
        if listed not in codes:
            codes[listed] = len(types)
            types.append(listed)
        signatures[first] = codes[listed]
    return evolve(graph, signatures=signatures, output_types=types)
