"""Tells weights of quantised ONNX models from the scales and zero points that they are stored with.

Source: onnx/defs/quantization, onnx/defs/nn (QLinearConv, ConvInteger), onnxruntime/docs/ContribOperators.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from insight_graph.columns import Graph, Kind, Weight

# Inputs that are scales or zero points, by operator
_SCALES = {
    "QuantizeLinear": (1, 2),
    "DequantizeLinear": (1, 2),
    "QLinearConv": (1, 2, 4, 5, 6, 7),
    "QLinearMatMul": (1, 2, 4, 5, 6, 7),
    "ConvInteger": (2, 3),
    "MatMulInteger": (2, 3),
    "QGemm": (1, 2, 4, 5, 7, 8),
    "QLinearAdd": (1, 2, 4, 5, 6, 7),
    "QLinearMul": (1, 2, 4, 5, 6, 7),
    "QLinearSigmoid": (1, 2, 3, 4),
    "QLinearLeakyRelu": (1, 2, 3, 4),
    "QLinearSoftmax": (1, 2, 3, 4),
    "QLinearAveragePool": (1, 2, 3, 4),
    "QLinearGlobalAveragePool": (1, 2, 3, 4),
    "QLinearReduceMean": (1, 2, 3, 4),
    "MatMulIntegerToFloat": (2, 3, 4, 5),
    "DynamicQuantizeMatMul": (2, 3),
    "DynamicQuantizeLSTM": (8, 9, 10, 11),
    "QAttention": (3, 4, 6, 7),
}
# Inputs that are weights although they are whole numbers of 32 bits, as constants of other operators are
_WHOLE_WEIGHTS = {"DequantizeLinear": (0,), "QLinearConv": (8,), "QGemm": (6,)}


def quantised(graph: Graph) -> Graph:
    """The graph with biases as parameters, and with scales and zero points as constants."""
    if not any(name in _SCALES or name == "DynamicQuantizeLinear" for name in graph.type_names):
        return graph
    stored = np.isin(graph.types, [_code(graph, "Initializer"), _code(graph, "Constant")])
    stored &= ~graph.placed
    scales = _given(graph, _SCALES) | _factors(graph)
    weights = _given(graph, _WHOLE_WEIGHTS) & stored & ~scales & (graph.kinds == Kind.CONSTANT)
    scales &= stored
    kinds, types = graph.kinds.copy(), graph.types.copy()
    type_names = list(graph.type_names)
    for chosen, kind, name in ((scales, Kind.CONSTANT, "Constant"), (weights, Kind.PARAMETER, "Initializer")):
        if name not in type_names:
            type_names.append(name)
        kinds[chosen], types[chosen] = kind, type_names.index(name)
    listed = [one for one in graph.weights if not scales[one.node]]
    listed += [Weight(node, None, int(graph.signatures[node])) for node in np.flatnonzero(weights).tolist()]
    return attrs.evolve(graph, kinds=kinds, types=types, type_names=type_names, weights=listed)


def _code(graph: Graph, name: str) -> int:
    return graph.type_names.index(name) if name in graph.type_names else -1


def _given(graph: Graph, slots_of: Mapping[str, Sequence[int]]) -> NDArray[np.bool_]:
    """bool[nodes]: those that an operator takes as one of these inputs."""
    edges = graph.edges
    found = np.zeros(len(graph), bool)
    for code, name in enumerate(graph.type_names):
        if name in slots_of:
            taken = (graph.types[edges.targets] == code) & np.isin(edges.slots, slots_of[name])
            found[edges.sources[taken]] = True
    return found


def _factors(graph: Graph) -> NDArray[np.bool_]:
    """bool[nodes]: scales of weights that are multiplied with the scale of an input that is quantised while
    the model runs."""
    edges = graph.edges
    is_dynamic = graph.types[edges.sources] == _code(graph, "DynamicQuantizeLinear")
    of_scales = np.zeros(len(graph), bool)
    of_scales[edges.targets[is_dynamic & (edges.outputs == 1)]] = True
    of_scales &= graph.types == _code(graph, "Mul")
    found = np.zeros(len(graph), bool)
    found[edges.sources[of_scales[edges.targets] & ~is_dynamic]] = True
    return found
