"""Writes a small model quantised in three ways, and how many weights it had before (``truth.json``).

pip install onnx==1.23.2 onnxruntime==1.32.0
python write.py
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc"

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static


class Images(CalibrationDataReader):
    def __init__(self) -> None:
        self.images: Iterator[dict[str, np.ndarray]] = iter([{"x": np.ones((1, 1, 6, 6), np.float32)}])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.images, None)


def plain() -> onnx.ModelProto:
    """Two convolutions, the second without bias, and a layer of 16 to 3."""
    random = np.random.default_rng(0)
    shapes = {"w1": (2, 1, 3, 3), "b1": (2,), "w2": (4, 2, 3, 3), "w3": (16, 3), "b3": (3,)}
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "first"),
        helper.make_node("Relu", ["c1"], ["r1"], "relu"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], "second"),
        helper.make_node("Flatten", ["c2"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], "head"),
    ]
    weights = [
        numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name)
        for name, shape in shapes.items()
    ]
    graph = helper.make_graph(
        nodes,
        "plain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 6, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    model = plain()
    onnx.save(model, "plain.onnx")
    quantize_static("plain.onnx", "operators.onnx", Images(), quant_format=QuantFormat.QOperator)
    quantize_static("plain.onnx", "dequantised.onnx", Images(), QuantFormat.QDQ, per_channel=True)
    quantize_dynamic("plain.onnx", "dynamic.onnx")
    Path("plain.onnx").unlink()
    sizes = [int(np.prod(one.dims)) for one in model.graph.initializer]
    types = {
        name: sorted({node.op_type for node in onnx.load(name).graph.node})
        for name in ("operators.onnx", "dequantised.onnx", "dynamic.onnx")
    }
    truth = {"weights": [len(sizes), sum(sizes)], "types": types}
    Path("truth.json").write_text(json.dumps(truth, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
