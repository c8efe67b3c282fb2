"""Encodes graphs of MindSpore and TensorFlow, small by hand or of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from insight_record.graphs import mindspore_constant as mindspore_constant
from insight_record.graphs import mindspore_node as mindspore_node
from insight_record.graphs import mindspore_parameter as mindspore_parameter
from insight_record.graphs import mindspore_type as mindspore_type
from insight_record.graphs import tensorflow_node as tensorflow_node


def large_mindspore_graph(operators: int) -> bytes:
    """A GraphProto of a deep network with about so many operators: blocks, their gradients, an optimizer."""
    return b"".join(_large(operators))


def _large(operators: int) -> Iterator[bytes]:
    of_block = 35
    blocks = max(1, operators // of_block)
    number = 0
    flow = "inputs0"
    yield mindspore_parameter("inputs0", (16, 64))
    yield b"".join(mindspore_constant(f"cst{index}", index) for index in range(4))

    def node(scope: str, op: str, inputs: Sequence[str], shape: Sequence[int] = (16, 64)) -> bytes:
        nonlocal number
        number += 1
        attributes = {"transpose_a": 0, "transpose_b": 1} if op == "MatMul" else {}
        full_name = f"{scope}/{op}-op{number}"
        return mindspore_node(str(number), op, full_name, inputs, shape=shape, attributes=attributes)

    for block in range(blocks):
        root = f"Default/network-WithLossCell/_backbone-Net/stage{block // 100}-Stage/{block % 100}-Block"
        backwards = f"Gradients/{root}"
        entry = flow
        for layer in ("q", "k", "v", "o", "f"):
            weight, bias = f"blocks.{block}.{layer}.weight", f"blocks.{block}.{layer}.bias"
            yield mindspore_parameter(weight, (64, 64)) + mindspore_parameter(bias, (64,))
            scope = f"{root}/{layer}-Dense"
            yield node(scope, "Load", [weight, "cst0"], (64, 64))
            yield node(scope, "MatMul", [flow, str(number), "cst1"])
            yield node(scope, "BiasAdd", [str(number), bias])
            flow = str(number)
            yield node(f"{backwards}/{layer}-Dense/gradMatMul", "MatMul", [flow, weight, "cst1"])
            yield node(f"{backwards}/{layer}-Dense/gradBiasAdd", "BiasAddGrad", [str(number)])
            yield node("Default/optimizer-Adam", "Adam", [weight, str(number), "cst2"], (64, 64))
        yield node(root, "Add", [flow, entry])
        flow = str(number)
        yield node(root, "LayerNorm", [flow, "cst3"])
        yield node(root, "TupleGetItem", [str(number), "cst0"])
        flow = str(number)
        yield node(root, "Reshape", [flow])
        yield node(root, "Depend", [str(number), flow])
        flow = str(number)


def large_tensorflow_graph(operators: int) -> bytes:
    """A GraphDef of a deep network with about so many operators, not in topological order."""
    nodes = list(_large_tensorflow(operators))
    return b"".join(nodes[::-1])


def _large_tensorflow(operators: int) -> Iterator[bytes]:
    flow = "input"
    yield tensorflow_node("input", "Placeholder", shape=(-1, 64))
    for block in range(max(1, operators // 10)):
        root = f"model/stage_{block // 100}/block_{block % 100}"
        device = f"/device:GPU:{block % 2}"
        weight, constant = f"{root}/dense/kernel", f"{root}/dense/shape"
        yield tensorflow_node(weight, "VarHandleOp", device=device, shape=(64, 64))
        yield tensorflow_node(constant, "Const", device=device, shape=(2,))
        yield tensorflow_node(f"{weight}/Read", "ReadVariableOp", [weight], device=device, shape=(64, 64))
        entry = flow
        for op, inputs in (
            ("MatMul", [flow, f"{weight}/Read"]),
            ("Reshape", [f"{root}/dense/MatMul", constant]),
            ("Relu", [f"{root}/dense/Reshape"]),
            ("Identity", [f"{root}/dense/Relu", f"^{constant}"]),
        ):
            yield tensorflow_node(f"{root}/dense/{op}", op, inputs, device=device, shape=(-1, 64))
        yield tensorflow_node(
            f"{root}/add", "AddV2", [f"{root}/dense/Identity", entry], device=device, shape=(-1, 64)
        )
        yield tensorflow_node(f"{root}/norm", "LayerNorm", [f"{root}/add"], device=device, shape=(-1, 64))
        flow = f"{root}/out"
        yield tensorflow_node(flow, "Identity", [f"{root}/norm"], device=device, shape=(-1, 64))
