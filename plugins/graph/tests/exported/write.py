"""Writes the models next to this file, and what PyTorch and ONNX say about them (``truth.json``).

pip install torch==2.13.0 onnx==1.23.2 onnxscript==0.7.2
python write.py
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc"

from __future__ import annotations

import json
from typing import Any

import onnx
import torch
from onnx import TensorProto, helper
from torch import nn

_OPERATORS = {
    "_convolution", "conv1d", "conv2d", "conv3d", "embedding", "batch_norm", "layer_norm", "group_norm",
    "instance_norm", "rms_norm", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool2d", "dropout", "feature_dropout", "softmax", "log_softmax", "gelu", "leaky_relu",
    "elu", "celu", "glu", "hardtanh", "softplus", "threshold", "clamp", "scaled_dot_product_attention",
    "pad", "constant_pad_nd", "reshape", "flatten", "permute", "transpose", "unsqueeze", "squeeze",
    "select", "slice", "narrow", "chunk", "unbind", "expand", "repeat", "roll", "cat", "stack", "add",
    "sub", "mul", "div", "argmax", "topk", "cumsum", "tril", "triu", "masked_fill", "pixel_shuffle",
}  # fmt: skip


class Block(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.fc = nn.Linear(size, size)
        self.norm = nn.LayerNorm(size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(torch.relu(self.fc(x)) + x)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.proj = nn.Linear(4, 8)
        self.proj.weight.requires_grad_(False)
        self.blocks = nn.Sequential(Block(8), Block(8))
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.relu(self.bn(self.conv(x))).mean((2, 3))
        y = self.blocks(self.proj(y))
        high, low = y.view(y.size(0), 2, -1).max(1)
        return high * self.scale, low


class Tied(nn.Module):
    """Its embedding and its last layer have one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(6, 4)
        self.head = nn.Linear(4, 6, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.embedding(x))


def of_exported(program: torch.export.ExportedProgram) -> dict[str, Any]:
    """Nodes with their operators, the nodes that they take, and the shapes of what they give."""
    signature = program.graph_signature
    named = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}

    def name_of(node: torch.fx.Node) -> str:
        while str(node.target) == "<built-in function getitem>":
            node = node.args[0]
        return str(named.get(node.name, node.name))

    found = {}
    for node in program.graph.nodes:
        if node.op == "placeholder" or (node.op == "call_function" and "getitem" not in str(node.target)):
            value = node.meta["val"]
            shape = [size if isinstance(size, int) else -1 for size in getattr(value, "shape", ())]
            found[name_of(node)] = {
                "operator": str(node.target) if node.op == "call_function" else None,
                "inputs": sorted(name_of(one) for one in node.all_input_nodes),
                "shape": shape if isinstance(value, torch.Tensor) else None,
                "module": [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()][-1:],
            }
    return found


def of_onnx(model: onnx.ModelProto) -> dict[str, Any]:
    makers = {name: node.name for node in model.graph.node for name in node.output}
    return {
        node.name: {
            "operator": node.op_type,
            "inputs": sorted(makers.get(name, name) for name in node.input if name),
        }
        for node in model.graph.node
    }


def argument_names() -> dict[str, list[list[str]]]:
    """Names of the arguments of operators that take a tensor or tensors first, for each overload."""
    found: dict[str, list[list[str]]] = {}
    for schema in torch._C._jit_get_all_schemas():
        is_wanted = schema.name.startswith("aten::") and schema.name.removeprefix("aten::") in _OPERATORS
        if is_wanted and not any(one.is_out for one in schema.arguments):
            first = str(schema.arguments[0].type) if schema.arguments else ""
            if first in ("Tensor", "List[Tensor]"):
                names = [one.name for one in schema.arguments]
                if names not in found.setdefault(schema.name, []):
                    found[schema.name].append(names)
    return found


def argument_defaults() -> dict[str, dict[str, str]]:
    """Defaults of these operators by argument, as a ``.pt2`` file states them, for overloads without a name.

    Left out are numbers that a file may state as 1 or 1.0, and empty lists, which stand for other arguments.
    """
    found = {}
    for name in argument_names():
        for schema in torch._C._jit_get_schemas_for_operator(name):
            if not schema.overload_name:
                found[name] = {
                    one.name: str(one.default_value)
                    for one in schema.arguments
                    if one.has_default_value() and one.default_value != [] and str(one.type) != "number"
                }
    return found


def with_branches() -> onnx.ModelProto:
    """A model with a function, and a subgraph that uses a tensor from around it."""
    float_tensor = TensorProto.FLOAT
    inner = helper.make_graph(
        [helper.make_node("Add", ["x", "bias"], ["sum"], "add")],
        "then",
        [],
        [helper.make_tensor_value_info("sum", float_tensor, [2])],
    )
    other = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["twice"], "double", domain="own")],
        "else",
        [],
        [helper.make_tensor_value_info("twice", float_tensor, [2])],
    )
    function = helper.make_function(
        "own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"], "again")],
        [helper.make_opsetid("", 18)],
    )  # fmt: skip
    graph = helper.make_graph(
        [helper.make_node("If", ["flag"], ["y"], "choice", then_branch=inner, else_branch=other)],
        "branches",
        [
            helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
            helper.make_tensor_value_info("x", float_tensor, ["n"]),
        ],
        [helper.make_tensor_value_info("y", float_tensor, [2])],
        [helper.make_tensor("bias", float_tensor, [2], [1.0, 2.0])],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, functions=[function], opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    torch.manual_seed(0)
    net = Net().eval()
    example = (torch.randn(2, 1, 6, 6),)
    program = torch.export.export(net, example, dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, "net.pt2")
    tied = Tied()
    torch.export.save(torch.export.export(tied, (torch.tensor([1, 2]),)), "tied.pt2")
    torch.onnx.export(net, example, "net.onnx", dynamo=True, external_data=False)
    torch.onnx.export(net, example, "net_script.onnx", dynamo=False, input_names=["x"])
    onnx.save(with_branches(), "branches.onnx")
    trained = [one for one in net.parameters() if one.requires_grad]
    frozen = [one for one in net.parameters() if not one.requires_grad]
    truth = {
        "trainable": [len(trained), sum(one.numel() for one in trained)],
        "other": [len(frozen), sum(one.numel() for one in frozen)],
        "buffer": [len(list(net.buffers())), sum(one.numel() for one in net.buffers())],
        "tied": [len(list(tied.parameters())), sum(one.numel() for one in tied.parameters())],
        "net.pt2": of_exported(program),
        "net.onnx": of_onnx(onnx.load("net.onnx")),
        "net_script.onnx": of_onnx(onnx.load("net_script.onnx")),
        "arguments": argument_names(),
        "defaults": argument_defaults(),
        "initializers": {
            name: {one.name: list(one.dims) for one in onnx.load(name).graph.initializer}
            for name in ("net.onnx", "net_script.onnx")
        },
    }
    with open("truth.json", "w") as file:
        json.dump(truth, file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
