"""Nodes that PyTorch writes for outputs of one operator: each leads to the value that it gives out."""

from __future__ import annotations

from collections.abc import Sequence

from insight_graph import tensorflow
from insight_graph.model import GraphModel
from insight_graph.statistics import removed_of

from tests.graph_samples import shown_edges
from tests.support.graphs import tensorflow_node


def _model(*nodes: tuple[str, str, Sequence[str]]) -> GraphModel:
    return GraphModel(
        tensorflow.graph_of_event(
            b"".join(tensorflow_node(name, kind, inputs) for name, kind, inputs in nodes)
        )
    )


_PAIR = (
    ("x", "IO Node", ()),
    ("exp", "aten::exp", ("x",)),
    ("sin", "aten::sin", ("x",)),
    ("pair", "prim::TupleConstruct", ("exp", "sin")),
)


def test_each_node_of_an_unpacked_tuple_is_the_element_of_its_place_in_the_file() -> None:
    model = _model(
        *_PAIR,
        ("first", "prim::TupleUnpack", ("pair",)),
        ("second", "prim::TupleUnpack", ("pair",)),
        ("tanh", "aten::tanh", ("second",)),
        ("relu", "aten::relu", ("first",)),
    )
    assert shown_edges(model.view(True)) == {("x", "exp"), ("x", "sin"), ("exp", "relu"), ("sin", "tanh")}


def test_an_element_that_nobody_takes_does_not_move_the_others() -> None:
    model = _model(
        *_PAIR,
        ("first", "prim::TupleUnpack", ("pair",)),
        ("second", "prim::TupleUnpack", ("pair",)),
        ("tanh", "aten::tanh", ("second",)),
    )
    assert shown_edges(model.view(True)) == {("x", "exp"), ("x", "sin"), ("sin", "tanh")}


def test_a_tuple_may_be_unpacked_twice() -> None:
    unpacked = [(name, "prim::TupleUnpack", ("pair",)) for name in ("a", "b", "c", "d")]
    model = _model(*_PAIR, *unpacked, ("tanh", "aten::tanh", ("d",)), ("relu", "aten::relu", ("c",)))
    assert {("sin", "tanh"), ("exp", "relu")} < shown_edges(model.view(True))


def test_tuples_in_tuples_are_unpacked() -> None:
    model = _model(
        *_PAIR,
        ("cos", "aten::cos", ("x",)),
        ("outer", "prim::TupleConstruct", ("cos", "pair")),
        ("one", "prim::TupleUnpack", ("outer",)),
        ("inner", "prim::TupleUnpack", ("outer",)),
        ("first", "prim::TupleUnpack", ("inner",)),
        ("second", "prim::TupleUnpack", ("inner",)),
        ("tanh", "aten::tanh", ("second",)),
        ("relu", "aten::relu", ("one",)),
    )
    assert {("sin", "tanh"), ("cos", "relu")} < shown_edges(model.view(True))


def test_a_list_of_an_operator_is_numbered_outputs_of_it() -> None:
    model = _model(
        ("x", "IO Node", ()),
        ("chunk", "aten::chunk", ("x",)),
        ("a", "prim::ListUnpack", ("chunk",)),
        ("b", "prim::ListUnpack", ("chunk",)),
        ("relu", "aten::relu", ("b",)),
    )
    view = model.view(True)
    assert shown_edges(view) == {("x", "chunk"), ("chunk", "relu")}
    assert sorted(view.edges.outputs.tolist()) == [0, 1]


def test_an_element_of_which_the_number_is_not_certain_stays_in_sight() -> None:
    model = _model(*_PAIR, ("one", "prim::TupleUnpack", ("pair",)), ("relu", "aten::relu", ("one",)))
    assert shown_edges(model.view(True)) == {
        ("x", "exp"),
        ("x", "sin"),
        ("exp", "one"),
        ("sin", "one"),
        ("one", "relu"),
    }


def test_missing_elements_of_a_tuple_count() -> None:
    model = _model(
        ("x", "IO Node", ()),
        ("exp", "aten::exp", ("x",)),
        ("three", "prim::TupleConstruct", ("exp", "lost", "x")),
        *((name, "prim::TupleUnpack", ("three",)) for name in ("a", "b", "c")),
        ("relu", "aten::relu", ("c",)),
        ("tanh", "aten::tanh", ("b",)),
    )
    assert ("x", "relu") in shown_edges(model.view(True))
    assert not any(target == "tanh" for _, target in shown_edges(model.view(True)))


def _recurrent(*outputs: str) -> GraphModel:
    """An LSTM with a node for each of ``outputs``; the second one, if any, is taken by a tanh."""
    inputs = ["x", "w"]
    nodes = [tensorflow_node("x", "IO Node", shape=(2, 3)), tensorflow_node("w", "prim::GetAttr")]
    nodes += [
        tensorflow_node(f"net/{name}", "aten::lstm", inputs, shape=(place + 1, 4))
        for place, name in enumerate(outputs)
    ]
    nodes += [tensorflow_node("relu", "aten::relu", ["net/o"])]
    nodes += [tensorflow_node("tanh", "aten::tanh", ["net/h"])] if "h" in outputs else []
    return GraphModel(tensorflow.graph_of_event(b"".join(nodes)))


def test_an_operator_of_several_outputs_is_one_node_with_the_shape_of_each() -> None:
    model = _recurrent("o", "h", "c")
    view = model.view(True)
    flows = {
        (view.tree.id(~source), view.tree.id(~target)): view.flow_types[flow]
        for source, target, flow in zip(
            view.edges.sources.tolist(), view.edges.targets.tolist(), view.flows.tolist(), strict=True
        )
    }
    assert flows == {
        ("x", "net/o"): "float32[2,3]",
        ("net/o", "relu"): "float32[1,4]",
        ("net/o", "tanh"): "float32[2,4]",
    }
    assert [str(one) for one in view.graph.output_types[view.graph.signatures[2]]] == [
        "float32[1,4]",
        "float32[2,4]",
        "float32[3,4]",
    ]
    [bookkeeping] = [
        rule
        for rule in removed_of(model.graph, model.view(False), model.removed())["rules"]
        if rule["rule"] == "bookkeeping"
    ]
    assert [node["id"] for node in bookkeeping["nodes"]] == ["net/h", "net/c"]
    assert ("net/h", "tanh") in shown_edges(model.view(False))


def test_outputs_of_an_operator_that_is_cut_off_stay_as_they_are() -> None:
    view = _recurrent("o", "h").view(True)
    assert shown_edges(view) == {("x", "net/o"), ("x", "net/h"), ("net/o", "relu"), ("net/h", "tanh")}


def test_two_operators_with_the_same_inputs_are_two_nodes() -> None:
    model = _model(
        ("x", "IO Node", ()),
        *((name, "aten::lstm", ("x",)) for name in ("o1", "h1", "c1", "o2", "h2", "c2")),
        ("relu", "aten::relu", ("h1",)),
        ("tanh", "aten::tanh", ("c2",)),
    )
    assert shown_edges(model.view(True)) == {("x", "o1"), ("x", "o2"), ("o1", "relu"), ("o2", "tanh")}
