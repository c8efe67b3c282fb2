"""Nodes that PyTorch writes for outputs of one operator: each leads to the value that it gives out."""

from __future__ import annotations

from collections.abc import Sequence

from insight_graph import tensorflow
from insight_graph.model import GraphModel

from insight_core.plugin.testing.graphs import tensorflow_node
from tests.graph_samples import shown_edges


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
