"""The readability pass for PyTorch and ONNX: shows no arithmetic with sizes, lists weights with operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from insight_graph import tensorflow
from insight_graph.columns import NodeDetails
from insight_graph.described import shortest_paths
from insight_graph.details import details_of
from insight_graph.graph_builder import GraphBuilder
from insight_graph.model import GraphModel, place_of
from insight_graph.onnx import graph_of_model
from insight_graph.order import topological
from insight_graph.statistics import removed_of, statistics_of
from insight_graph.torch_export import graph_of_archive

from tests.graph_samples import shown_edges
from tests.support.graphs import tensorflow_node

_FILES = Path(__file__).with_name("exported")


def _traced() -> GraphModel:
    """``head(x.view(x.size(0), -1)) / (x.size(1) // 2) ** 0.5`` as PyTorch traces it."""
    nodes: dict[str, tuple[str, list[str]]] = {
        "input/x": ("IO Node", []),
        "Net/c0": ("prim::Constant", []),
        "Net/size": ("aten::size", ["input/x", "Net/c0"]),
        "Net/number": ("prim::NumToTensor", ["Net/size"]),
        "Net/int": ("aten::Int", ["Net/number"]),
        "Net/list": ("prim::ListConstruct", ["Net/int", "Net/c0"]),
        "Net/view": ("aten::view", ["input/x", "Net/list"]),
        "Net/Linear[head]/weight/weight": ("prim::GetAttr", []),
        "Net/Linear[head]/bias/bias": ("prim::GetAttr", []),
        "Net/Linear[head]/out": (
            "aten::linear",
            ["Net/view", "Net/Linear[head]/weight/weight", "Net/Linear[head]/bias/bias"],
        ),
        "Net/half": ("aten::floor_divide", ["Net/number", "Net/c0"]),
        "Net/scale": ("aten::pow", ["Net/half", "Net/c0"]),
        "Net/div": ("aten::div", ["Net/Linear[head]/out", "Net/scale"]),
        "Net/learned": ("prim::GetAttr", []),
        "Net/sum": ("aten::add", ["Net/div", "Net/learned"]),  # of tensors: no arithmetic with sizes
        "output/y": ("IO Node", ["Net/sum"]),
    }
    return GraphModel(
        tensorflow.graph_of_event(
            b"".join(tensorflow_node(name, kind, inputs) for name, (kind, inputs) in nodes.items())
        )
    )


def _removed(model: GraphModel) -> dict[str, set[str]]:
    answer = removed_of(model.graph, model.view(False), model.removed())
    return {rule["rule"]: {node["id"] for node in rule["nodes"]} for rule in answer["rules"]}


def test_operators_of_the_model_are_all_that_is_drawn() -> None:
    model = _traced()
    assert shown_edges(model.view(True)) == {
        ("input/x", "Net/view"),
        ("Net/view", "Net/Linear[head]/out"),
        ("Net/Linear[head]/out", "Net/div"),
        ("Net/div", "Net/sum"),
        ("Net/sum", "output/y"),
    }
    removed = _removed(model)
    assert removed["shapes"] == {f"Net/{name}" for name in ("size", "number", "int", "half", "scale")}
    assert removed["weights"] == {
        "Net/Linear[head]/weight/weight",
        "Net/Linear[head]/bias/bias",
        "Net/learned",
        "Net/c0",
    }
    assert removed["bookkeeping"] == {"Net/list"}


def _details(model: GraphModel, id_: str) -> dict[str, Any]:
    view = model.view(True)
    return details_of(view, place_of(view, id_), None, model.tensors())


def test_weights_are_listed_and_counted_where_they_are_used() -> None:
    model = _traced()
    found = _details(model, "Net/Linear[head]/out")
    assert [one["name"] for one in found["folded"]] == ["weight", "bias"]
    assert [one["slot"] for one in found["folded"]] == [1, 2]
    assert found["stored"]["parameter"]["tensors"] == 2
    assert _details(model, "Net/Linear[head]")["stored"]["parameter"]["tensors"] == 2
    assert _details(model, "Net")["stored"]["parameter"]["tensors"] == 3
    assert [one["kind"] for one in _details(model, "Net/view")["folded"]] == ["constant"]
    assert _details(model, "Net/sum")["folded"][0]["kind"] == "parameter"
    assert _details(model, "output/y")["folded"] == []


def test_the_largest_weights_lead_to_the_operator_that_takes_them() -> None:
    model = GraphModel(graph_of_archive((_FILES / "net.pt2").read_bytes()))
    found = statistics_of(model.view(True), None, model.tensors())["largest_parameters"]
    assert found[0] | {"name": "blocks.0.fc.weight", "id": "blocks/0/fc/linear_1", "values": 64} == found[0]
    assert _removed(model)["shapes"] == {"sym_size_int_1"}


def test_sizes_are_not_computed_in_sight_in_a_model_of_onnx() -> None:
    model = GraphModel(graph_of_model((_FILES / "net_script.onnx").read_bytes()))
    view = model.view(True)
    assert not {"Shape", "Gather", "Unsqueeze", "Concat", "Constant", "Initializer"} & {
        view.graph.type_names[view.graph.types[node]] for node in view.shown_nodes
    }
    bias = [one for one in _details(model, "proj/Gemm")["folded"] if one["name"] == "proj.bias"]
    assert bias[0] | {"dtype": "float32", "shape": (8,), "slot": 2} == bias[0]


@pytest.mark.parametrize(
    ("name", "check", "same"),
    [("onnx", "Identity", "Identity"), ("torch_export", "aten._assert_tensor_metadata", "aten.detach")],
)
def test_operators_that_compute_nothing_are_not_drawn(name: str, check: str, same: str) -> None:
    builder = GraphBuilder(name)
    x = builder.node("x", "Input")
    checked, copied, relu = (
        builder.node(f"net/{one}", kind) for one, kind in (("a", check), ("b", same), ("c", "Relu"))
    )
    for source, target in ((x, checked), (x, copied), (copied, relu)):
        builder.edge(source, target, 0)
    model = GraphModel(builder.graph(lambda number: NodeDetails(), topological, 0))
    assert shown_edges(model.view(True)) == {("x", "net/c")}
    assert _removed(model)["bookkeeping"] == {"net/a", "net/b"}


def test_a_graph_of_tensorflow_keeps_its_variables() -> None:
    nodes = [
        tensorflow_node("w", "VarHandleOp"),
        tensorflow_node("c", "Const"),
        tensorflow_node("m", "MatMul", ["w", "c"]),
    ]
    model = GraphModel(tensorflow.graph_of_event(b"".join(nodes)))
    assert shown_edges(model.view(True)) == {("w", "m"), ("c", "m")}


def test_paths_are_as_long_as_it_takes_to_tell_nodes_apart() -> None:
    ids = ["a/b/MatMul", "a/c/MatMul", "a/b/Relu", "x/a/c/MatMul", "MatMul", "a/b/Relu"]
    assert shortest_paths(ids) == ["b/MatMul", "a/c/MatMul", "Relu", "x/a/c/MatMul", "MatMul", "Relu"]
    assert shortest_paths([]) == []


def test_neighbours_of_one_name_are_told_apart() -> None:
    nodes = [
        tensorflow_node("net/q/MatMul", "MatMul"),
        tensorflow_node("net/k/MatMul", "MatMul"),
        tensorflow_node("net/softmax", "Softmax", ["net/q/MatMul", "net/k/MatMul"]),
    ]
    model = GraphModel(tensorflow.graph_of_event(b"".join(nodes)))
    assert [one["path"] for one in _details(model, "net/softmax")["input_edges"]] == ["q/MatMul", "k/MatMul"]
