"""Finding nodes by their names."""

from __future__ import annotations

from insight_graph import tensorflow
from insight_graph.search import Search, found_by
from insight_graph.view import GraphView, Shown

from tests.support.graphs import tensorflow_node


def test_the_best_are_first_and_the_rest_in_the_order_of_the_graph() -> None:
    names = ["x/conv", "conv/a", "conv_2", "y/preconv", "conv_1"]
    nodes = b"".join(tensorflow_node(name, f"T{row}") for row, name in enumerate(names))
    graph = tensorflow.graph_of_event(nodes)
    view = GraphView.of(graph, Shown.all_of(graph))
    found = found_by(view, Search("Conv", False, "any"))
    ids = [view.tree.id(place) for place in found.tolist()]
    assert ids == ["x/conv", "conv", "conv_2", "conv_1", "conv/a", "y/preconv"]
    assert [view.tree.id(place) for place in found_by(view, Search("^t[01]$", True, "type")).tolist()] == [
        "x/conv",
        "conv/a",
    ]
