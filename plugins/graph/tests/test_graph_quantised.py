"""A quantised ONNX model has the weights that it had before, whichever way onnxruntime quantised it.

``quantised/write.py`` wrote the models and, from the model before, ``quantised/truth.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from insight_graph.columns import Kind
from insight_graph.onnx import graph_of_model
from insight_graph.stored import summed
from insight_graph.tensors import tensors_of

_FILES = Path(__file__).with_name("quantised")
_TRUTH: dict[str, Any] = json.loads((_FILES / "truth.json").read_text())


@pytest.mark.parametrize("name", _TRUTH["types"])
def test_biases_are_weights_scales_and_zero_points_are_constants(name: str) -> None:
    graph = graph_of_model((_FILES / name).read_bytes())
    assert set(_TRUTH["types"][name]) <= set(graph.type_names)
    stored = summed(tensors_of(graph))
    assert [stored["parameter"]["tensors"], stored["parameter"]["values"]] == _TRUTH["weights"]
    parameters = {graph.names[node] for node in range(len(graph)) if graph.kinds[node] == Kind.PARAMETER}
    assert {one.partition("_")[0] for one in parameters} == {"w1", "b1", "w2", "w3", "b3"}
    assert not any("scale" in one or "zero_point" in one for one in parameters)
