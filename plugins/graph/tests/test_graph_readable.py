"""The readability pass: what it takes away, and how what is left is tied together."""

from __future__ import annotations

import numpy as np
import pytest
from insight_graph import mindspore, statistics, tensorflow
from insight_graph.columns import Graph
from insight_graph.model import GraphModel
from insight_graph.readable import RULES
from insight_graph.statistics import removed_of

from tests.graph_samples import ids_in, shown_edges, small_network
from tests.support.graphs import mindspore_constant, mindspore_node, mindspore_parameter, tensorflow_node


def _removed(model: GraphModel) -> dict[str, set[str]]:
    answer = removed_of(model.graph, model.view(False), model.removed())
    assert answer["total"] == sum(rule["removed"] for rule in answer["rules"])
    assert all(rule["removed"] == sum(one["count"] for one in rule["types"]) for rule in answer["rules"])
    return {rule["rule"]: {node["id"] for node in rule["nodes"]} for rule in answer["rules"]}


def _left(graph: Graph) -> tuple[set[str], set[tuple[str, str]]]:
    view = GraphModel(graph).view(True)
    return {view.tree.id(~position) for position in range(len(view.tree.nodes))}, shown_edges(view)


def test_training_and_bookkeeping_go_and_their_ends_are_tied() -> None:
    model = GraphModel(mindspore.graph_of_event(small_network()))
    assert _removed(model) == {
        "gradients": {"Gradients/Default/net/b-Dense/MatMulGrad-op7"},
        "optimizer": {"Default/optimizer-Adam/Adam-op8"},
        "bookkeeping": {
            "Default/UpdateState-op1",
            "Default/net/a-Dense/Load-op2",
            "Default/net/MakeTuple-op4",
            "Default/net/TupleGetItem-op5",
        },
        "unconnected": {"Default/c0", "c1"},
    }
    assert shown_edges(model.view(True)) == {
        ("Default/net/a-Dense/x", "Default/net/a-Dense/MatMul-op3"),
        ("Default/net/a-Dense/w", "Default/net/a-Dense/MatMul-op3"),
        ("Default/net/a-Dense/MatMul-op3", "Default/net/b-Dense/MatMul-op6"),
        ("Default/net/b-Dense/w", "Default/net/b-Dense/MatMul-op6"),
    }


def _mindspore(*parts: bytes) -> Graph:
    return mindspore.graph_of_event(b"".join(parts))


def test_an_element_of_a_tuple_is_what_was_put_there() -> None:
    graph = _mindspore(
        *(mindspore_constant(f"c{n}", n) for n in range(3)),
        *(mindspore_node(name, name.upper(), f"s/{name.upper()}-op{name}") for name in "abc"),
        mindspore_node("t", "make_tuple", "s/make_tuple-op4", ["a", "b"]),
        mindspore_node("u", "MakeTuple", "s/MakeTuple-op5", ["c", "t"]),
        mindspore_node("g", "TupleGetItem", "s/TupleGetItem-op6", ["u", "c1"]),
        mindspore_node("h", "tuple_getitem", "s/tuple_getitem-op7", ["g", "c0"]),
        mindspore_node("x", "X", "s/X-op8", ["h"]),
        mindspore_node("y", "Y", "s/Y-op9", ["u"]),
    )
    assert _left(graph)[1] == {
        ("s/A-opa", "s/X-op8"),
        *((f"s/{name}", "s/Y-op9") for name in ("A-opa", "B-opb", "C-opc")),
    }


def test_an_element_of_what_stays_is_an_output_of_it() -> None:
    output = mindspore_node("1", "LayerNorm", "s/LayerNorm-op1")
    graph = _mindspore(
        mindspore_constant("two", 2),
        output,
        mindspore_node("2", "TupleGetItem", "s/TupleGetItem-op2", ["1", "two"]),
        mindspore_node("3", "Add", "s/Add-op3", ["2"]),
    )
    view = GraphModel(graph).view(True)
    assert view.edges.outputs.tolist() == [2]


def test_bookkeeping_of_tensorflow_and_pytorch() -> None:
    graph = tensorflow.graph_of_event(
        tensorflow_node("x", "Placeholder")
        + tensorflow_node("v", "VarHandleOp")
        + tensorflow_node("v/read", "ReadVariableOp", ["v"])
        + tensorflow_node("many", "IdentityN", ["x", "v/read", "^init"])
        + tensorflow_node("init", "NoOp", ["^x"])
        + tensorflow_node("list", "prim::ListConstruct", ["many:1", "x"])
        + tensorflow_node("first", "prim::ListUnpack", ["list"])
        + tensorflow_node("second", "prim::ListUnpack", ["list"])
        + tensorflow_node("y", "MatMul", ["many", "many:1", "second", "^init"])
    )
    left, edges = _left(graph)
    assert left == {"x", "v/(v)", "y"}
    assert edges == {("x", "y"), ("v/(v)", "y")}


def test_training_of_tensorflow() -> None:
    graph = tensorflow.graph_of_event(
        tensorflow_node("x", "Placeholder")
        + tensorflow_node("w", "MatMul", ["x"])
        + tensorflow_node("gradients_1/w_grad/MatMul", "MatMul", ["w"])
        + tensorflow_node("gradient_tape/model/x", "Mul", ["w"])
        + tensorflow_node("train/AdamOptimizer/a", "Mul", ["w"])
        + tensorflow_node("step/w/apply", "ResourceApplyAdam", ["w"])
        + tensorflow_node("my_gradients_of/z", "Mul", ["w"])
    )
    assert _left(graph)[0] == {"x", "w", "my_gradients_of/z"}


def test_operators_alone_with_their_like_are_shown_one_scope_up_under_their_ids() -> None:
    graph = _mindspore(
        mindspore_parameter("x"),
        mindspore_node("1", "ReLU", "Default/net/relu-ReLU/ReLU-op1", ["x"]),
        mindspore_node("2", "ReLU", "Default/net/relu-ReLU/ReLU-op2", ["1"]),
        mindspore_node("3", "Conv", "Default/net/conv/Conv-op3", ["2"]),
        mindspore_node("4", "Add", "Default/net/conv/Add-op4", ["3"]),
    )
    model = GraphModel(graph)
    assert ids_in(model.view(True).tree, "Default/net") == [
        "Default/net/x",
        "Default/net/relu-ReLU/ReLU-op1",
        "Default/net/relu-ReLU/ReLU-op2",
        "Default/net/conv",
    ]
    lifted = removed_of(graph, model.view(False), model.removed())["lifted"]
    assert lifted == [
        {"id": f"Default/net/relu-ReLU/ReLU-op{n}", "from": "Default/net/relu-ReLU", "to": "Default/net"}
        for n in (1, 2)
    ]
    tree = model.view(True).tree
    place = tree.find("Default/net/relu-ReLU/ReLU-op1")
    assert place is not None
    assert [tree.id(branch) for branch in tree.around(place)] == ["Default", "Default/net"]


def test_a_tuple_that_would_make_too_many_edges_stays() -> None:
    sources = [tensorflow_node(f"in{n}", f"T{n}") for n in range(200)]
    names = [f"in{n}" for n in range(200)]
    users = [tensorflow_node(f"out{n}", f"U{n}", ["all"]) for n in range(200)]
    everything = b"".join([*sources, tensorflow_node("all", "prim::ListConstruct", names), *users])
    left, edges = _left(tensorflow.graph_of_event(everything))
    assert "all" in left
    assert len(edges) == 400


def test_what_goes_round_in_circles_ends() -> None:
    graph = tensorflow.graph_of_event(
        tensorflow_node("a", "Identity", ["b"])
        + tensorflow_node("b", "Identity", ["a"])
        + tensorflow_node("c", "C", ["a"])
    )
    assert _left(graph) == (set(), set())
    model = GraphModel(graph)
    assert np.bincount(model.removed().rules).tolist()[RULES.index("bookkeeping")] == 2


def test_an_element_of_itself_comes_from_nowhere() -> None:
    graph = _mindspore(
        mindspore_constant("zero", 0),
        mindspore_node("1", "TupleGetItem", "s/TupleGetItem-op1", ["1", "zero"]),
        mindspore_node("2", "Add", "s/Add-op2", ["1"]),
        mindspore_node("3", "Mul", "s/Mul-op3", ["2"]),
    )
    assert _left(graph)[1] == {("s/Add-op2", "s/Mul-op3")}


def test_a_long_row_of_nodes_that_only_pass_on_is_one_edge() -> None:
    row = [tensorflow_node(f"n{n + 1}", "Identity", [f"n{n}"]) for n in range(1000)]
    ends = tensorflow_node("n0", "Split"), tensorflow_node("x", "Split", ["n1000", "n500:1", "n0:1", "^n7"])
    view = GraphModel(tensorflow.graph_of_event(b"".join([*row, *ends]))).view(True)
    assert view.edges.outputs.tolist() == [0, 0, 1, 0]
    assert view.edges.controls.tolist() == [False, False, False, True]


@pytest.mark.parametrize("data", [b"", small_network()])
def test_ids_are_the_same_with_and_without_the_pass(data: bytes) -> None:
    model = GraphModel(tensorflow.graph_of_event(data) if not data else mindspore.graph_of_event(data))
    whole, readable = model.view(False).tree, model.view(True).tree
    placed = [~position for position, node in enumerate(readable.nodes.tolist()) if model.graph.placed[node]]
    assert all(whole.find(readable.id(place)) is not None for place in placed)


def test_all_that_was_removed_is_listed_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "MAX_NODES", 2)
    parameter = mindspore_parameter("x")
    gradients = b"".join(
        mindspore_node(str(n), "ReluGrad", f"Gradients/relu/ReluGrad-op{n}", ["x"]) for n in range(5)
    )
    model = GraphModel(_mindspore(parameter, gradients))
    parts = [removed_of(model.graph, model.view(False), model.removed(), offset) for offset in (0, 2, 4, 6)]
    [listed] = {
        tuple(node["id"] for part in parts for rule in part["rules"] if rule["rule"] == "gradients"
              for node in rule["nodes"])
    }  # fmt: skip
    assert sorted(listed) == [f"Gradients/relu/ReluGrad-op{n}" for n in range(5)]
    assert [part["rules"][0]["removed"] for part in parts] == [5, 5, 5, 5]
    assert {part["lifted_total"] for part in parts} == {0}
