"""Small graphs that several tests look at."""

from __future__ import annotations

from insight_graph.columns import Graph
from insight_graph.described import kind_of
from insight_graph.tree import Tree
from insight_graph.view import GraphView

from insight_authoring.testing.wire import message_field
from tests.support.graphs import mindspore_constant, mindspore_node, mindspore_parameter, tensorflow_node


def mindspore(*parts: bytes) -> bytes:
    return b"".join(parts)


def chain(*names: str, op: str = "ReLU") -> bytes:
    """A GraphDef of nodes that feed each other."""
    return b"".join(
        tensorflow_node(name, op, names[index - 1 : index] if index else ())
        for index, name in enumerate(names)
    )


def small_network() -> bytes:
    """Two layers, a parameter and a constant that both use, gradients, an optimizer, bookkeeping."""
    return mindspore(
        mindspore_parameter("x", (4, 8)),
        mindspore_parameter("w", (8, 8)),
        mindspore_constant("c0", 0),
        mindspore_constant("c1", 1),
        mindspore_node("1", "UpdateState", "Default/UpdateState-op1", ["c0"], shape=None),
        mindspore_node("2", "Load", "Default/net/a-Dense/Load-op2", ["w", "1"], shape=(8, 8)),
        mindspore_node(
            "3", "MatMul", "Default/net/a-Dense/MatMul-op3", ["x", "2"], shape=(4, 8), attributes={"t": 1}
        ),
        mindspore_node("4", "MakeTuple", "Default/net/MakeTuple-op4", ["3", "x"], shape=None),
        mindspore_node("5", "TupleGetItem", "Default/net/TupleGetItem-op5", ["4", "c0"], shape=(4, 8)),
        mindspore_node("6", "MatMul", "Default/net/b-Dense/MatMul-op6", ["5", "w"], shape=(4, 8)),
        mindspore_node(
            "7", "MatMulGrad", "Gradients/Default/net/b-Dense/MatMulGrad-op7", ["6"], shape=(8, 8)
        ),
        mindspore_node(
            "8", "Adam", "Default/optimizer-Adam/Adam-op8", ["w", "7"], shape=(8, 8), control=["1"]
        ),
    )


def node_of(graph: Graph, path: str) -> int:
    """The number of the node with that path, or name if it has no scope of its own."""
    for node, (name, placed) in enumerate(zip(graph.names, graph.placed.tolist(), strict=True)):
        if (graph.path(node) if placed else name) == path:
            return node
    raise AssertionError(f"there is no {path}")


def edges_of(graph: Graph) -> set[tuple[str, str]]:
    names = [graph.path(node) for node in range(len(graph))]
    edges = graph.edges
    return {
        (names[source], names[target])
        for source, target in zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)
    }


def shown_edges(view: GraphView) -> set[tuple[str, str]]:
    edges = view.edges
    return {
        (view.tree.id(~source), view.tree.id(~target))
        for source, target in zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)
    }


def ids_in(tree: Tree, id_: str = "") -> list[str]:
    branch = tree.find(id_)
    assert branch is not None
    return [tree.id(place) for place in tree.children(branch).tolist()]


def kinds_in(view: GraphView, id_: str = "") -> dict[str, str]:
    branch = view.tree.find(id_)
    assert branch is not None
    return {view.tree.id(place): kind_of(view, place) for place in view.tree.children(branch).tolist()}


def in_model(graph: bytes) -> bytes:
    """A GraphProto as the graph of a ModelProto, with the fields before it that MindSpore writes."""
    return b"\x08\x01" + message_field(2, b"mindspore") + b"\x18\x01" + message_field(4, graph)
