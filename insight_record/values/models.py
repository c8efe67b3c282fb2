"""Graphs of models: of PyTorch, and of ONNX files."""

from __future__ import annotations

import importlib
import os
from typing import Any

from insight_record.encoders.encoder import EncodedValue
from insight_record.events import GRAPH
from insight_record.formats.protobuf import int_field, message_field, text_field
from insight_record.graphs import graph_def, nodes_of
from insight_record.optional import needed

_RUN_METADATA = 8  # of an event
_TAG, _CONTENT = 1, 2  # of tagged run metadata
_NODE, _VERSIONS = 1, 4  # of a graph
_NAME, _OP, _INPUT, _ATTRIBUTE = 1, 2, 3, 5  # of a node
_PRODUCER = int_field(1, 22)  # the version that torch writes
_BYTES, _TYPE, _SHAPE = 2, 6, 7  # of an attribute's value


def torch_graph(model: Any, inputs: Any, *, verbose: bool, strict: bool) -> list[list[EncodedValue]]:  # noqa: ANN401
    """Events with the graph of a module, traced with ``inputs``.

    Where TensorBoard is installed, torch's own converter makes the graph, so that it is the one of torch's
    writer; else ``torch.fx`` and ``torch.export`` do. Raises the errors of the tracer.
    """
    try:
        converter = importlib.import_module("torch.utils.tensorboard._pytorch_graph")
    except ImportError:
        return [[_traced(model, inputs)]]
    graph, metadata = converter.graph(model, inputs, verbose, strict)
    run = text_field(_TAG, "step1") + message_field(_CONTENT, metadata.SerializeToString())
    return [
        [_event(message_field(GRAPH, graph.SerializeToString()))],
        [_event(message_field(_RUN_METADATA, run))],
    ]


def onnx_graph(path: str | os.PathLike[str]) -> EncodedValue:
    """The graph of an ONNX file: its inputs, outputs and operations.

    Raises ModuleNotFoundError without the package onnx.
    """
    graph = needed("onnx", "onnx", "an ONNX graph").load(os.fspath(path)).graph
    nodes = [_variable(one) for one in (*graph.input, *graph.output)]
    for one in graph.node:
        settings = ", ".join(
            " = ".join(str(field[1]) for field in each.ListFields()) for each in one.attribute
        )
        attribute = _attribute("parameters", message_field(_BYTES, settings.encode()))
        nodes.append(_node(one.output[0], one.op_type, one.input, attribute))
    return _event(
        message_field(
            GRAPH,
            b"".join(message_field(_NODE, node) for node in nodes) + message_field(_VERSIONS, _PRODUCER),
        )
    )


def _traced(model: Any, inputs: Any) -> EncodedValue:  # noqa: ANN401
    from insight_record.torch_graph import graph_nodes  # imports torch

    return _event(message_field(GRAPH, graph_def(nodes_of(graph_nodes(model, inputs)))))


def _variable(value: Any) -> bytes:  # noqa: ANN401
    tensor = value.type.tensor_type
    dims = b"".join(
        message_field(2, int_field(1, dim.dim_value) if dim.dim_value else b"") for dim in tensor.shape.dim
    )
    kind = int_field(_TYPE, tensor.elem_type) if tensor.elem_type else b""
    attributes = _attribute("dtype", kind) + _attribute("shape", message_field(_SHAPE, dims))
    return _node(value.name, "Variable", (), attributes)


def _node(name: str, op: str, inputs: Any, attributes: bytes) -> bytes:  # noqa: ANN401
    sources = b"".join(text_field(_INPUT, source) for source in inputs)
    return text_field(_NAME, name) + text_field(_OP, op) + sources + attributes


def _attribute(name: str, value: bytes) -> bytes:
    return message_field(_ATTRIBUTE, text_field(1, name) + message_field(2, value))


def _event(body: bytes) -> EncodedValue:
    return EncodedValue("", "event", len(body), lambda: [body])
