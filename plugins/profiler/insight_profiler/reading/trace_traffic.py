"""Bytes that calls of PyTorch operators move at least, from the shapes and types in a trace.

A call reads each input once and writes its output once. Workspaces and repeated reads are left out, so that
this is a lower bound of what memory moves, but for inputs that are one tensor (``x * x``) or still in a
cache.
Inputs that were expanded (stride 0) count as the numbers that they hold.

Operators that read only a part of an input (``aten::embedding``), lists of tensors and operators that are not
in the table have no bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from insight_profiler.reading.trace_flops import is_counted

_SIZES: Mapping[str, int] = {  # bytes of a number, by the name of its type
    "double": 8, "float": 4, "half": 2, "bfloat16": 2, "long": 8, "long int": 8, "int": 4, "short": 2,
    "short int": 2, "char": 1, "signed char": 1, "unsigned char": 1, "byte": 1, "bool": 1,
    "complex<double>": 16, "complex<float>": 8, "complex<half>": 4,
}  # fmt: skip

_LIKE_FIRST = (  # the output has the shape and the type of the first input
    "relu gelu silu sigmoid tanh leaky_relu elu mish softplus hardswish hardtanh neg exp log sqrt rsqrt "
    "square abs pow sin cos reciprocal clamp clamp_min clamp_max threshold_backward gelu_backward "
    "silu_backward sigmoid_backward tanh_backward leaky_relu_backward elu_backward hardswish_backward "
    "native_layer_norm native_layer_norm_backward native_batch_norm native_batch_norm_backward "
    "cudnn_batch_norm cudnn_batch_norm_backward miopen_batch_norm miopen_batch_norm_backward "
    "native_group_norm native_group_norm_backward _fused_rms_norm _fused_rms_norm_backward _softmax "
    "_log_softmax _softmax_backward_data _log_softmax_backward_data native_dropout "
    "native_dropout_backward masked_fill tril triu"
)
_BROADCAST = "add sub rsub mul div where maximum minimum addcmul addcdiv lerp"  # to the largest input
_ALL_IN_INPUTS = (  # what is written is one of the inputs, or small
    "copy_ fill_ zero_ normal_ uniform_ bernoulli_ random_ exponential_ sum mean norm linalg_vector_norm"
)
_OUTPUT_AS: Mapping[str, str] = {
    f"aten::{name}{end}": rule
    for rule, names, ends in (
        ("first", _LIKE_FIRST, ("", "_")),
        ("largest", _BROADCAST, ("", "_")),
        ("", _ALL_IN_INPUTS, ("",)),
    )
    for name in names.split()
    for end in ends
}
_PRODUCT = re.compile(r"mm(_v2|_activation)?_?$")
_UNKNOWN_OUTPUT = re.compile(r"transpose|aten::_convolution$|convolution_overrideable$")
_IMAGE_FIRST = ("aten::cudnn", "aten::miopen", "aten::mkldnn")  # before the gradient, in a backward pass
_WANTED = re.compile(r"\[(True|False)", re.IGNORECASE)


def is_measured(name: str) -> bool:
    """Whether the bytes of calls of an operator of this name are known."""
    return name in _OUTPUT_AS or is_counted(name)


def traffic_of(name: str, said: Mapping[str, Any], flops: float = math.nan) -> float:
    """Bytes of a call whose event says so (``Input Dims``, ``Input type``, ``Input Strides``, ``Concrete
    Inputs``); NaN if that does not tell.

    ``flops``: its operations, where they are counted: with the inputs they tell the size of the output.
    """
    try:
        return _traffic(name, said, flops)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, ZeroDivisionError):
        return math.nan


def _traffic(name: str, said: Mapping[str, Any], flops: float) -> float:
    shapes: Sequence[Any] = said.get("Input Dims") or said["Input dims"]
    types: Sequence[Any] = said["Input type"]
    strides: Sequence[Any] = said.get("Input Strides") or []
    if "TensorList" in types:
        return math.nan
    sizes = [size_of(str(kind)) for kind in types]
    tensors = [at for at, size in enumerate(sizes) if size and at < len(shapes)]
    read = sum(sizes[at] * _held(shapes[at], strides[at] if at < len(strides) else None) for at in tensors)
    if not tensors:
        return math.nan
    if is_counted(name):
        written = _computed(name, shapes, said.get("Concrete Inputs") or [], flops)
        return float(read + sizes[tensors[0]] * (written - _passed_over(name, shapes, written)))
    rule = _OUTPUT_AS[name]
    if not rule:
        return float(read)
    one = tensors[0] if rule == "first" else max(tensors, key=lambda at: math.prod(shapes[at]))
    return float(read + sizes[one] * math.prod(shapes[one]))


def size_of(kind: str) -> int:
    """Bytes of a number of a type of PyTorch; 0 for what is no tensor."""
    name = kind.removeprefix("c10::").lower()
    if name.startswith(("float8", "float4")):
        return 1  # of float4 two numbers are in a byte, which the shapes count
    return _SIZES.get(name.replace("c10::", ""), 0)


def _held(shape: Sequence[int], strides: object) -> int:
    """The numbers that a tensor holds: those along a stride of 0 are one."""
    if isinstance(strides, list) and len(strides) == len(shape):
        return math.prod(length for length, stride in zip(shape, strides, strict=True) if stride != 0)
    return math.prod(shape)


def _passed_over(name: str, shapes: Sequence[Any], written: float) -> float:
    """The numbers of an image that a convolution does not read: between the places of a small kernel, where
    the stride is larger than it."""
    if "conv" not in name or _UNKNOWN_OUTPUT.search(name):
        return 0.0
    if name.endswith("backward"):
        image, gradient = (0, 1) if name.startswith(_IMAGE_FIRST) else (1, 0)
        places = math.prod(shapes[gradient][2:])
    else:
        image = 0
        places = written / (shapes[0][0] * shapes[1][0])
    weight = shapes[2] if name.endswith("backward") else shapes[1]
    read = math.prod([*shapes[image][:2], *weight[2:]]) * places
    return float(max(0.0, math.prod(shapes[image]) - read))


def _computed(name: str, shapes: Sequence[Any], values: Sequence[Any], flops: float) -> float:
    """The numbers that a product, a convolution or attention writes."""
    if name.endswith("backward"):
        if "attention" in name:  # gradients of queries, keys and values
            return float(sum(math.prod(shape) for shape in shapes[1:4]))
        image = 0 if name.startswith(_IMAGE_FIRST) else 1
        wanted = [str(one).lower() for one in values if _WANTED.match(str(one))]
        both = wanted[-1].strip("[]").split(",")[:2] if wanted else ["true", "true"]
        gradients = (math.prod(shapes[image]), math.prod(shapes[2]))
        return float(
            sum(size for size, is_wanted in zip(gradients, both, strict=True) if "true" in is_wanted)
        )
    if "attention" in name:
        query, value = shapes[0], shapes[2] if len(shapes) > 2 else shapes[1]
        return float(math.prod([*query[:-1], value[-1]]))
    if _PRODUCT.search(name):
        left = 1 if name.startswith(("aten::add", "aten::_add", "aten::badd")) else 0
        return float(flops / (2 * shapes[left][-1]))
    if _UNKNOWN_OUTPUT.search(name):
        return math.nan
    return float(flops / (2 * math.prod(shapes[1][1:])))
