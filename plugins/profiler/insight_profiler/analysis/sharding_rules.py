"""Layouts of the inputs and outputs of an operator from its strategy, by MindSpore's rules for its type.

A strategy says into how many parts each dimension of each input is cut. Which axis of the device matrix cuts
it depends on the type of the operator; the rules of common types are here, others have parts but no layout.
Devices that are left over repeat the work; they are the last axis of the device matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from attrs import frozen

from insight_profiler.analysis.sharding import Dims, Layout

# fmt: off
_ELEMENTWISE = frozenset({
    "Abs", "Add", "AddN", "Assign", "AssignAdd", "AssignSub", "Cast", "Cos", "Div", "Dropout",
    "Equal", "Erf", "Exp", "FastGeLU", "FastGelu", "FloorDiv", "GeLU", "Gelu", "Greater",
    "GreaterEqual", "Less", "LessEqual", "Log", "LogSoftmax", "LogicalAnd", "LogicalNot",
    "LogicalOr", "Maximum", "Minimum", "Mul", "Neg", "NotEqual", "Pow", "ReLU", "ReLU6", "RealDiv",
    "Reciprocal", "Rsqrt", "Sigmoid", "SiLU", "Sin", "Softmax", "Softplus", "Sqrt", "Square",
    "SquaredDifference", "Sub", "Tanh", "TensorAdd", "ZerosLike",
})
# fmt: on
_MATMUL = frozenset({"MatMul", "BatchMatMul", "MatMulExt", "BatchMatMulExt"})
Strategy = Sequence[Sequence[int]]


@frozen
class OperatorLayouts:
    """None where it is not known. ``repeated`` devices compute the same part."""

    devices: Dims | None
    inputs: tuple[Layout | None, ...]
    output: Layout | None
    repeated: int = 1


def operator_layouts(
    kind: str, strategy: Strategy, attributes: Mapping[str, str], devices: int
) -> OperatorLayouts:
    """The layouts of an operator of the type ``kind`` on ``devices`` devices of its stage."""
    nothing = OperatorLayouts(None, (None,) * len(strategy), None)
    if not strategy or any(part < 1 for dims in strategy for part in dims):
        return nothing
    if kind in _MATMUL and len(strategy) >= 2:
        made = _matmul(strategy, attributes)
    elif kind in _ELEMENTWISE:
        made = _elementwise(strategy)
    else:
        return nothing
    if made is None:
        return nothing
    matrix, inputs, output = made
    repeated, rest = divmod(devices, prod(matrix)) if devices else (1, 0)
    if rest or not repeated:
        return nothing
    if repeated > 1:
        matrix = (*matrix, repeated)
    return OperatorLayouts(
        matrix, tuple(Layout(matrix, axes) for axes in inputs), Layout(matrix, output), repeated
    )


_Axes = tuple[Dims, ...]


def _elementwise(strategy: Strategy) -> tuple[Dims, list[_Axes], _Axes] | None:
    """Inputs are broadcast: their dimensions are matched from the right, and the parts of 1 are not cut."""
    rank = max(len(dims) for dims in strategy)
    padded = [(1,) * (rank - len(dims)) + tuple(dims) for dims in strategy]
    matrix = tuple(max(parts) for parts in zip(*padded, strict=True))
    if any(part not in (1, matrix[place]) for dims in padded for place, part in enumerate(dims)):
        return None

    def axes(dims: Sequence[int]) -> _Axes:
        missing = rank - len(dims)
        return tuple((place + missing,) if part > 1 else () for place, part in enumerate(dims))

    return matrix, [axes(dims) for dims in strategy], axes(matrix)


def _matmul(strategy: Strategy, attributes: Mapping[str, str]) -> tuple[Dims, list[_Axes], _Axes] | None:
    """The device matrix is batch dimensions, rows of a, the dimension that is summed, columns of b."""
    first, second = list(strategy[0]), list(strategy[1])
    if min(len(first), len(second)) < 2:
        return None
    turned_a, turned_b = (_is_true(attributes.get(name)) for name in ("transpose_a", "transpose_b"))
    m, k = first[-2:][::-1] if turned_a else first[-2:]
    other_k, n = second[-2:][::-1] if turned_b else second[-2:]
    if k != other_k:
        return None
    rank = max(len(first), len(second)) - 2
    batches = [(1,) * (rank + 2 - len(dims)) + tuple(dims[:-2]) for dims in (first, second)]
    batch = tuple(max(parts) for parts in zip(*batches, strict=True)) if rank else ()
    if any(part not in (1, batch[place]) for dims in batches for place, part in enumerate(dims)):
        return None
    matrix = (*batch, m, k, n)

    def axes(dims: Sequence[int], last: tuple[int, int]) -> _Axes:
        missing = rank + 2 - len(dims)
        names = [*range(missing, rank), *last]
        return tuple((name,) if part > 1 else () for name, part in zip(names, dims, strict=True))

    rows, summed, columns = rank, rank + 1, rank + 2
    inputs = [
        axes(first, (summed, rows) if turned_a else (rows, summed)),
        axes(second, (columns, summed) if turned_b else (summed, columns)),
    ]
    inputs += [_bias(dims, columns) for dims in strategy[2:]]
    return matrix, inputs, axes((*batch, m, n), (rows, columns))


def _bias(dims: Sequence[int], columns: int) -> _Axes:
    return tuple((columns,) if part > 1 and place == len(dims) - 1 else () for place, part in enumerate(dims))


def _is_true(text: str | None) -> bool:
    return (text or "").lower() in ("true", "1")
