"""Weights whose names state their modules are compared with the weights of these names."""

from __future__ import annotations

from insight_graph.columns import Kind, NodeDetails
from insight_graph.difference import KINDS, Difference
from insight_graph.graph_builder import GraphBuilder
from insight_graph.model import GraphModel
from insight_graph.order import topological


def _layers(count: int, module: str = "body", weight: str = "{scope}.weight") -> GraphModel:
    """Layers of a convolution and a norm that are alike, and an addition to the input."""
    builder = GraphBuilder("torch_export")
    flow = first = builder.node("x", "Input")
    for layer in range(count):
        for type_name in ("conv2d", "batch_norm"):
            name = weight.format(
                scope=f"{module}.{layer}.{type_name}", number=2 * layer + (type_name == "conv2d")
            )
            node = builder.node(name, "Parameter", Kind.PARAMETER, placed=False)
            operator = builder.node(f"{module}/{layer}/{type_name}", type_name)
            builder.edge(flow, operator, 0)
            builder.edge(node, operator, 1)
            flow = operator
    add = builder.node("add", "add")
    builder.edge(first, add, 0)
    builder.edge(flow, add, 1)
    return GraphModel(builder.graph(lambda number: NodeDetails(), topological, 0))


def _entries(before: GraphModel, after: GraphModel) -> set[tuple[str, str]]:
    answer = Difference.of(before, after).answer(frozenset(KINDS), "", 0, 100)
    return {(entry["kind"], entry["name"]) for entry in answer["entries"]}


def test_weights_of_an_added_layer_are_added() -> None:
    assert _entries(_layers(3), _layers(4)) == {
        ("added", "body.3.conv2d.weight"),
        ("added", "conv2d"),
        ("added", "body.3.batch_norm.weight"),
        ("added", "batch_norm"),
        ("changed", "add"),
    }


def test_weights_of_a_removed_layer_are_removed() -> None:
    removed = {name for kind, name in _entries(_layers(4), _layers(3)) if kind == "removed"}
    assert removed == {"body.3.conv2d.weight", "body.3.batch_norm.weight", "conv2d", "batch_norm"}


def test_weights_of_a_module_of_another_name_have_moved() -> None:
    found = _entries(_layers(1), _layers(1, "stem"))
    assert found == {
        ("moved", "conv2d"),
        ("moved", "batch_norm"),
        ("moved", "stem.0.conv2d.weight"),
        ("moved", "stem.0.batch_norm.weight"),
    }


def test_weights_that_are_numbered_anew_are_the_same() -> None:
    before, after = (_layers(2, weight=name) for name in ("onnx::Conv_{number}", "onnx::Conv_1{number}"))
    assert _entries(before, after) == set()
