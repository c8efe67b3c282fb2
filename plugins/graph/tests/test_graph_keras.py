"""Graphs of Keras models: layers, models in models, and which output of a layer an edge comes from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from insight_graph import keras
from insight_graph.columns import Graph

from tests.graph_samples import edges_of, node_of


def _layer(name: str, kind: str, inbound: list[Any] | None = None, **config: Any) -> dict[str, Any]:  # noqa: ANN401
    layer: dict[str, Any] = {"class_name": kind, "config": {"name": name, **config}}
    return layer if inbound is None else {**layer, "inbound_nodes": inbound}


def _model(layers: list[Any], name: str = "model", kind: str = "Sequential", **config: Any) -> bytes:  # noqa: ANN401
    return json.dumps(_layer(name, kind, layers=layers, **config)).encode()


def test_a_sequence_of_layers() -> None:
    graph = keras.graph_of_model(
        _model(
            [
                _layer("in", "InputLayer", batch_shape=[None, 3], dtype="float32"),
                _layer("out", "Dense", units=2),
            ]
        )
    )
    assert edges_of(graph) == {("model/in", "model/out")}
    assert [str(one) for one in graph.output_types[graph.signatures[node_of(graph, "model/in")]]] == [
        "float32[?,3]"
    ]
    attributes = graph.details(1).attributes
    assert [(one.name, one.type, one.value) for one in attributes] == [
        ("name", "str", "out"),
        ("units", "int", "2"),
    ]


def test_layers_of_keras_2() -> None:
    layers = [
        _layer("left", "InputLayer", []),
        _layer("right", "InputLayer", []),
        _layer("join", "Add", [[["left", 0, 0, {}], ["right", 0, 0, {}]]]),
    ]
    ends: dict[str, Any] = {
        "input_layers": [["left", 0, 0], ["right", 0, 0]],
        "output_layers": [["join", 0, 0]],
    }
    graph = keras.graph_of_model(_model(layers, kind="Functional", **ends))
    assert edges_of(graph) == {("model/left", "model/join"), ("model/right", "model/join")}


def _taken(graph: Graph, node: str) -> list[tuple[str, int]]:
    """By slot: the node that an edge comes from, and the output of it."""
    edges = graph.edges.take(graph.edges.targets == node_of(graph, node))
    rows = sorted(zip(edges.slots.tolist(), edges.sources.tolist(), edges.outputs.tolist(), strict=True))
    return [(graph.path(source), output) for _, source, output in rows]


def _kept(layer: str, output: int = 0) -> dict[str, Any]:
    """A tensor as Keras 3 writes it."""
    return {"class_name": "__keras_tensor__", "config": {"keras_history": [layer, 0, output]}}


def test_edges_of_keras_name_the_output_of_a_layer() -> None:
    """As ``keras_history`` of a model with an LSTM that returns its state, and of ``ops.split``."""
    both = {"args": [[_kept("halves"), _kept("halves", 1)]], "kwargs": {"mask": _kept("lstm", 1)}}
    graph = keras.graph_of_model(
        _model(
            [
                _layer("in", "InputLayer", []),
                _layer("lstm", "LSTM", [{"args": [_kept("in")], "kwargs": {}}]),
                _layer("cell", "Dense", [{"args": [_kept("lstm", 2)], "kwargs": {}}]),
                _layer("halves", "Split", [[["cell", 0, 0, {"size": ["lstm", 0, 1]}]]]),  # as Keras 2 does
                _layer("larger", "Maximum", [both]),
                _layer("named", "Pair", [{"args": [{"b": _kept("in"), "a": _kept("lstm")}], "kwargs": {}}]),
            ],
            kind="Functional",
            input_layers=["in", 0, 0],
        )
    )
    assert _taken(graph, "model/cell") == [("model/lstm", 2)]
    assert _taken(graph, "model/halves") == [("model/cell", 0), ("model/lstm", 1)]
    assert _taken(graph, "model/larger") == [("model/halves", 0), ("model/halves", 1), ("model/lstm", 1)]
    assert _taken(graph, "model/named") == [("model/lstm", 0), ("model/in", 0)]  # Keras sorts by key


@pytest.mark.parametrize(
    "ends",
    [[["cut", 0, 1], ["lstm", 0, 2]], {"b": ["lstm", 0, 2], "a": ["cut", 0, 1]}],
    ids=["list", "dictionary"],
)
def test_outputs_of_models_in_models_of_keras_are_those_of_their_layers(ends: Any) -> None:  # noqa: ANN401
    inner = _layer(
        "inner",
        "Functional",
        [{"args": [_kept("x")], "kwargs": {}}, {"args": [_kept("y")], "kwargs": {}}],  # it is called twice
        layers=[
            _layer("in", "InputLayer", []),
            _layer("lstm", "LSTM", [{"args": [_kept("in")], "kwargs": {}}]),
            _layer("cut", "Split", [{"args": [_kept("lstm")], "kwargs": {}}]),
        ],
        input_layers=[["in", 0, 0]],
        output_layers=ends,
    )
    layers = [
        _layer("x", "InputLayer", []),
        _layer("y", "InputLayer", []),
        inner,
        _layer("sum", "Add", [{"args": [[_kept("inner"), _kept("inner", 1)]], "kwargs": {}}]),
    ]
    inputs = [["x", 0, 0], ["y", 0, 0]]
    graph = keras.graph_of_model(_model(layers, kind="Functional", input_layers=inputs))
    assert _taken(graph, "model/inner/in") == [("model/x", 0), ("model/y", 0)]
    assert _taken(graph, "model/sum") == [("model/inner/cut", 1), ("model/inner/lstm", 2)]


def test_models_in_models() -> None:
    inner = _layer("inner", "Sequential", layers=[_layer("first", "Dense"), _layer("second", "Dense")])
    graph = keras.graph_of_model(_model([_layer("in", "InputLayer"), inner, _layer("out", "Dense")]))
    assert edges_of(graph) == {
        ("model/in", "model/inner/first"),
        ("model/inner/first", "model/inner/second"),
        ("model/inner/second", "model/out"),
    }


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b"\xff", b'{"config": 1}', b'{"config": {"layers": null}}', b"[" * 100_000]
)
def test_a_text_that_is_no_model_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="model"):
        keras.graph_of_model(text)
