"""Floating-point operations of calls of PyTorch operators, from the shapes in a trace.

A multiplication and an addition are two operations, as in ``torch.utils.flop_counter``. Only the operators
that compute are counted, not those that call them (``aten::linear`` calls ``aten::addmm``). Transposed
convolutions are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_Shapes = Sequence[Any]
_Values = Sequence[Any]


def _product(shapes: _Shapes, _: _Values, left: int = 0, right: int = 1) -> float:
    return 2.0 * math.prod(shapes[left]) * float(shapes[right][-1])


def _sum_and_product(shapes: _Shapes, values: _Values) -> float:
    return _product(shapes, values, 1, 2)


def _convolution(shapes: _Shapes, values: _Values, at: int) -> float:
    """``at`` is the place of padding, stride and dilation, in this order."""
    image, weight = shapes[0], shapes[1]
    padding, stride, dilation = (_whole_numbers(values[at + place]) for place in range(3))
    size = 1
    for place, (length, kernel) in enumerate(zip(image[2:], weight[2:], strict=True)):
        pads, steps, apart = (one[place % len(one)] for one in (padding, stride, dilation))
        size *= (length + 2 * pads - apart * (kernel - 1) - 1) // steps + 1
    return 2.0 * float(math.prod([image[0], *weight, size]))


def _convolution_backward(shapes: _Shapes, values: _Values) -> float:
    gradient, weight = shapes[0], shapes[2]
    if str(values[7]).lower() == "true":  # transposed
        return math.nan
    wanted = str(values[10]).lower().strip("[]").split(",")[:2] if len(values) > 10 else ["true", "true"]
    passes = sum(one.strip() == "true" for one in wanted)
    return 2.0 * float(math.prod([*gradient, *weight[1:], passes]))


def _attention(shapes: _Shapes, _: _Values, passes: float = 2.0, at: int = 0) -> float:
    """Queries [.., q, d], keys [.., k, d]: two products forward, five backward."""
    query, key = shapes[at], shapes[at + 1]
    return passes * 2.0 * math.prod(query) * float(key[-2])


_COUNTS: Mapping[str, Callable[[_Shapes, _Values], float]] = {
    "aten::mm": _product,
    "aten::bmm": _product,
    "aten::addmm": _sum_and_product,
    "aten::_addmm_activation": _sum_and_product,
    "aten::baddbmm": _sum_and_product,
    "aten::cudnn_convolution": lambda shapes, values: _convolution(shapes, values, 2),
    "aten::mkldnn_convolution": lambda shapes, values: _convolution(shapes, values, 3),
    "aten::convolution_backward": _convolution_backward,
    "aten::_scaled_dot_product_flash_attention": _attention,
    "aten::_scaled_dot_product_efficient_attention": _attention,
    "aten::_scaled_dot_product_cudnn_attention": _attention,
    "aten::_scaled_dot_product_flash_attention_backward": lambda s, v: _attention(s, v, 5.0, 1),
    "aten::_scaled_dot_product_efficient_attention_backward": lambda s, v: _attention(s, v, 5.0, 1),
    "aten::_scaled_dot_product_cudnn_attention_backward": lambda s, v: _attention(s, v, 5.0, 1),
}


def is_counted(name: str) -> bool:
    """Whether the operations of an operator of this name are counted."""
    return name in _COUNTS


def flops_of(name: str, shapes: object, values: object) -> float:
    """Operations of a call with these ``Input Dims`` and ``Concrete Inputs``; NaN if they do not tell."""
    if not isinstance(shapes, list):
        return math.nan
    try:
        return _COUNTS[name](shapes, values if isinstance(values, list) else [])
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        return math.nan


def _whole_numbers(text: object) -> list[int]:
    """Of ``[1, 1]``. Raises ValueError for anything else."""
    return [int(part) for part in str(text).strip("[]").split(",")]
