"""Operations and bytes of a run of an NPU kernel, from its shapes, types and formats.

Counted are products of matrices in the format ND and forward convolutions in NCHW or NCDHW: those in padded
formats (FRACTAL_NZ, NC1HWC0), gradients of convolutions and fused attention do not tell their sizes. Bytes
are those of inputs and outputs, once each: a lower bound, but for kernels that read a part of an input, which
have none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from insight_profiler.analysis.kernel_schemes import InputType

_PRODUCT = re.compile(r"(Batch)?MatMul(V\d|Common)?|Gemm(V\d)?")
_CONVOLUTION = re.compile(r"(Depthwise)?Conv(2D|3D)(V\d)?")
_READS_PARTS = re.compile(r"Gather|Embedding|Slice|Scatter|Index|Inplace|Lookup|Assign|Resize")
_KINDS: Mapping[str, tuple[int, InputType | None]] = {  # bytes of a number, and how it is multiplied
    "DOUBLE": (8, InputType.FLOAT64), "FLOAT": (4, InputType.FLOAT32), "FLOAT32": (4, InputType.FLOAT32),
    "FLOAT16": (2, InputType.HALF), "BF16": (2, InputType.HALF), "BFLOAT16": (2, InputType.HALF),
    "INT8": (1, InputType.INT8), "UINT8": (1, None), "BOOL": (1, None), "INT16": (2, None),
    "UINT16": (2, None), "INT32": (4, None), "UINT32": (4, None), "INT64": (8, None), "UINT64": (8, None),
    "COMPLEX64": (8, None), "COMPLEX128": (16, None),
}  # fmt: skip
_UNDEFINED = ("", "UNDEFINED")  # of an input that was not given


class Operations(NamedTuple):
    """Of one run: FLOPs and bytes, NaN where they are not known, and the type that is multiplied."""

    flops: float = math.nan
    traffic: float = math.nan
    precision: int = -1


def operations_of(kind: str, told: Mapping[str, str]) -> Operations:
    """Of a kernel of a type. ``told``: ``shapes``, ``input_types``, ``input_formats``, ``output_shapes`` and
    ``output_types``, as the profiler writes them: ``32,64;64,10``."""
    try:
        inputs, outputs = _shapes(told["shapes"]), _shapes(told["output_shapes"])
        types, made = _types(told["input_types"]), _types(told["output_types"])
        formats = [one.strip() for one in told["input_formats"].split(";")]
        flops = _flops(kind, inputs, outputs, formats)
        moved = _bytes(inputs, types) + _bytes(outputs, made)
        precision = _KINDS[types[0]][1] if flops > 0 else None
    except (KeyError, IndexError, ValueError):
        return Operations()
    traffic = math.nan if _READS_PARTS.search(kind) or not moved else moved
    return Operations(flops, traffic, -1 if precision is None else int(precision))


def _shapes(text: str) -> list[list[int]]:
    """Of ``32,64;;1``: a number without axes is empty. Raises ValueError for a cell that says nothing."""
    if not text:
        raise ValueError("no shapes")
    return [
        [int(size) for size in one.split(",")] if one.strip() else [] for one in text.strip('"').split(";")
    ]


def _types(text: str) -> list[str]:
    return [one.strip().upper().removeprefix("DT_") for one in text.split(";")]


def _bytes(shapes: list[list[int]], types: list[str]) -> float:
    """NaN if a type is not known; raises ValueError where the lists do not go together."""
    return float(
        sum(
            0 if kind in _UNDEFINED else math.prod(shape) * _KINDS[kind][0]
            for shape, kind in zip(shapes, types, strict=True)
        )
    )


def _flops(kind: str, inputs: list[list[int]], outputs: list[list[int]], formats: list[str]) -> float:
    out = outputs[0]
    if _PRODUCT.fullmatch(kind) and set(formats[:2]) <= {"ND", "NCHW"}:
        # either may be transposed: what is summed over is what the result lacks
        one, other = inputs[0], inputs[1]
        summed, rest = divmod(math.prod(one[-2:]), out[-2])
        is_product = not rest and math.prod(other[-2:]) == summed * out[-1]
        return 2.0 * math.prod(out) * summed if is_product else math.nan
    if _CONVOLUTION.fullmatch(kind) and formats[0] == formats[1] and formats[0] in ("NCHW", "NCDHW"):
        return 2.0 * math.prod(out) * math.prod(inputs[1][1:])
    return math.nan
