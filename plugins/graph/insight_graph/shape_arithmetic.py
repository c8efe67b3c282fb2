"""Finds the operators that only compute sizes of tensors, in graphs of PyTorch and ONNX."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph, Kind

# Types of operators that give a size of a tensor, and those that may compute with sizes
_SIZES = {
    "tensorboard": {"aten::size", "aten::dim", "aten::numel", "aten::len", "prim::shape", "aten::sym_size"},
    "torch_export": {"aten.sym_size.int", "aten.sym_numel", "aten.sym_stride.int"},
    "onnx": {"Shape", "Size"},
}
_ARITHMETIC = {
    "tensorboard": {
        "prim::NumToTensor", "aten::Int", "aten::Float", "aten::Bool", "aten::ScalarImplicit", "aten::add",
        "aten::sub", "aten::mul", "aten::div", "aten::floor_divide", "aten::floordiv",
        "aten::remainder",
        "aten::neg", "aten::rsub", "aten::pow", "aten::sqrt", "aten::rsqrt", "aten::floor", "aten::ceil",
        "aten::reciprocal", "aten::to", "aten::detach", "aten::select", "aten::__getitem__", "aten::tensor",
        "prim::ListConstruct", "prim::TupleConstruct", "prim::ListUnpack", "aten::eq", "aten::ne",
        "aten::lt",
        "aten::gt", "aten::le", "aten::ge", "aten::max", "aten::min", "aten::sym_int",
    },
    "torch_export": {
        "add", "sub", "mul", "floordiv", "truediv", "mod", "neg", "pow", "eq", "ne", "lt", "gt", "le", "ge",
        "sym_max", "sym_min", "sym_float", "sym_sqrt", "aten._assert_scalar", "torch.sym_max",
        "torch.sym_min", "torch.sym_float", "torch.sym_not", "math.trunc",
    },
    "onnx": {
        "Gather", "Unsqueeze", "Squeeze", "Concat", "Slice", "Cast", "Add", "Sub", "Mul", "Div", "Mod",
        "Floor", "Ceil", "Sqrt", "Pow", "Neg", "ReduceProd", "Reshape", "Identity", "Equal", "Where", "Max",
        "Min", "Split", "ConstantOfShape",
    },
}  # fmt: skip
FORMATS = frozenset(_SIZES)


def of_shapes(graph: Graph, edges: Edges) -> NDArray[np.bool_]:
    """bool[nodes]: operators that give sizes, and those that take nothing but sizes and constants."""
    sizes = _of_types(graph, _SIZES.get(graph.format, set()))
    found = sizes.copy()
    if not found.any():
        return found
    arithmetic = _of_types(graph, _ARITHMETIC[graph.format])
    takes = ~edges.controls & (graph.kinds[edges.sources] != Kind.CONSTANT)
    sources, targets = edges.sources[takes], edges.targets[takes]
    needed = np.bincount(targets, minlength=len(graph))
    while True:
        known = np.bincount(targets[found[sources]], minlength=len(graph))
        more = arithmetic & ~found & (known > 0) & (known == needed)
        if not more.any():
            return found
        found |= more


def _of_types(graph: Graph, types: set[str]) -> NDArray[np.bool_]:
    chosen = np.array([name in types for name in graph.type_names] or [False])
    found: NDArray[np.bool_] = chosen[graph.types] & (graph.kinds == Kind.OPERATOR)
    return found
