"""Floating-point operations of calls of PyTorch operators, from the shapes in a trace.

A multiplication and an addition are two operations, and a mask of attention leaves none out, as in
``torch.utils.flop_counter``. The operators that compute are counted, not those that call them
(``aten::linear`` calls ``aten::addmm``), but for ``aten::_convolution``, which calls a different one on each
kind of device. Of counted operators that lie in each other ``derived_flops`` leaves one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from insight_profiler.analysis.kernel_schemes import InputType

_Shapes = Sequence[Any]
_Values = Sequence[Any]
_Count = Callable[[_Shapes, _Values], float]

_MOST_HEADS = 512  # of attention


# --- products -----------------------------------------------------------------------------------------


def _product(shapes: _Shapes, _: _Values, left: int = 0) -> float:
    """Also of groups of rows or columns [.., m, k] x [g, k, n], of which each is multiplied by one matrix."""
    one, other = shapes[left], shapes[left + 1]
    if len(one) > len(other) > 1:  # groups of columns: each of these is in one of the groups
        one = one[1:]
    return 2.0 * float(math.prod([*one, other[-1]]))


def _sum_and_product(shapes: _Shapes, values: _Values) -> float:
    return _product(shapes, values, 1)


# --- convolutions -------------------------------------------------------------------------------------


def _convolution(order: str, transposed: int | None = None) -> _Count:
    """Of an image and a weight. ``order``: the lists among the other inputs by their first letters (kernel
    size, padding, stride, dilation). ``transposed``: the place of the input that says whether it is."""

    def count(shapes: _Shapes, values: _Values) -> float:
        if transposed is not None and _is_true(values[transposed]):
            return _transposed(shapes, values)
        image, weight = shapes[0], shapes[1]
        lists = dict(zip(order, filter(None, map(_whole_numbers, values)), strict=False))
        padding, stride, dilation = lists["p"], lists["s"], lists["d"] if "d" in order else [1]
        size = 1
        for place, (length, kernel) in enumerate(zip(image[2:], weight[2:], strict=True)):
            pads, steps, apart = (one[place % len(one)] for one in (padding, stride, dilation))
            size *= (length + 2 * pads - apart * (kernel - 1) - 1) // steps + 1
        return 2.0 * float(math.prod([image[0], *weight, size]))

    return count


def _transposed(shapes: _Shapes, _: _Values) -> float:
    """Each number of the image is multiplied by the weights of its channel."""
    return 2.0 * float(math.prod([*shapes[0], *shapes[1][1:]]))


def _backward(gradient: int, transposed: int | bool = False) -> _Count:
    """Of a gradient and an image, in either order, and a weight. The gradients of image and weight take as
    much each as the convolution did. ``transposed``: whether it is, or the place of the input that tells."""

    def count(shapes: _Shapes, values: _Values) -> float:
        is_transposed = transposed if isinstance(transposed, bool) else _is_true(values[transposed])
        wanted = [one for one in map(str, values) if re.match(r"\[(True|False)", one, re.IGNORECASE)]
        passes = sum(map(_is_true, wanted[-1].strip("[]").split(",")[:2])) if wanted else 2
        widest = shapes[1 - gradient if is_transposed else gradient]
        return passes * 2.0 * float(math.prod([*widest, *shapes[2][1:]]))

    return count


def _whole_numbers(value: object) -> list[int]:
    """Of ``[1, 1]``; nothing of anything else."""
    text = str(value)
    if not re.fullmatch(r"\[-?\d+(, *-?\d+)*\]", text):
        return []
    return [int(part) for part in text[1:-1].split(",")]


def _is_true(value: object) -> bool:
    return str(value).strip().lower() == "true"


# --- attention ----------------------------------------------------------------------------------------


def _attention(shapes: _Shapes, _: _Values, at: int = 0, passes: tuple[int, int] = (1, 1)) -> float:
    """Queries [.., q, d], keys [.., k, d], values [.., k, e]. ``passes``: products of width d, of width e."""
    query, key = shapes[at], shapes[at + 1]
    value = shapes[at + 2] if len(shapes) > at + 2 and len(shapes[at + 2]) == len(key) else key
    widths = passes[0] * query[-1] + passes[1] * value[-1]
    return 2.0 * float(math.prod([*query[:-1], key[-2], widths]))


def _attention_backward(shapes: _Shapes, values: _Values) -> float:
    """Scores again, then the gradients of scores, queries, keys and values."""
    return _attention(shapes, values, 1, (3, 2))


def _scores_again(shapes: _Shapes, values: _Values) -> float:
    """Of these the scores, which the forward pass had computed and did not keep."""
    return _attention(shapes, values, 1, (1, 0))


def _rows_first(count: _Count, at: int, offsets: int) -> _Count:
    """Of queries [batch, q, heads, d]. Of sequences in one row ([q, heads, d], or with a batch of 1) the
    input ``offsets`` has the beginnings; the log does not, so that they count as equally long."""

    def counted(shapes: _Shapes, values: _Values) -> float:
        turned = list(shapes)
        begins = shapes[offsets] if len(shapes) > offsets else []
        sequences = begins[0] - 1 if len(begins) == 1 else 1
        for place in range(3):
            shape = shapes[at + place]
            *batch, rows, heads, width = shape
            if batch and heads > _MOST_HEADS >= rows:  # written down as [batch, heads, q, d]
                rows, heads = heads, rows
            turned[at + place] = [math.prod(batch), heads, rows / sequences, width]
        return sequences * count(turned, values)

    return counted


# --- operators ----------------------------------------------------------------------------------------

_ATTENTIONS = [
    (f"_scaled_dot_product_{kind}", end)
    for kind, end in (
        ("flash", ""), ("efficient", ""), ("cudnn", ""), ("flash", "_for_cpu"), ("fused", "_overrideable")
    )
]  # fmt: skip
_COUNTS: Mapping[str, _Count] = {
    f"aten::{name}": count
    for names, count in (
        ("mm bmm _scaled_mm _scaled_mm_v2 _scaled_grouped_mm _scaled_grouped_mm_v2 _grouped_mm", _product),
        ("addmm addmm_ _addmm_activation baddbmm baddbmm_", _sum_and_product),
        ("cudnn_convolution mkldnn_convolution miopen_convolution", _convolution("psd")),
        ("miopen_depthwise_convolution _mps_convolution", _convolution("psd")),
        ("cudnn_convolution_relu cudnn_convolution_add_relu", _convolution("spd")),
        ("miopen_convolution_relu miopen_convolution_add_relu", _convolution("spd")),
        ("_slow_conv2d_forward thnn_conv2d_forward slow_conv3d_forward", _convolution("ksp")),
        ("_conv_depthwise2d conv_depthwise3d", _convolution("kspd")),
        ("slow_conv_dilated2d slow_conv_dilated3d", _convolution("kspd")),
        ("_convolution convolution_overrideable", _convolution("spd", 6)),
        ("cudnn_convolution_transpose miopen_convolution_transpose", _transposed),
        ("slow_conv_transpose2d slow_conv_transpose3d", _transposed),
        ("convolution_backward", _backward(0, 7)),
        ("convolution_backward_overrideable", _backward(0, 6)),
        ("_slow_conv2d_backward thnn_conv2d_backward slow_conv3d_backward", _backward(0)),
        ("_conv_depthwise2d_backward conv_depthwise3d_backward", _backward(0)),
        ("slow_conv_dilated2d_backward slow_conv_dilated3d_backward", _backward(0)),
        ("slow_conv_transpose2d_backward slow_conv_transpose3d_backward", _backward(0, transposed=True)),
        ("cudnn_convolution_backward miopen_convolution_backward", _backward(1)),
        ("mkldnn_convolution_backward miopen_depthwise_convolution_backward", _backward(1)),
        ("cudnn_convolution_transpose_backward", _backward(1, transposed=True)),
        ("miopen_convolution_transpose_backward", _backward(1, transposed=True)),
        (" ".join(f"{one}_attention{end}" for one, end in _ATTENTIONS), _attention),
        (" ".join(f"{one}_attention{end}_backward" for one, end in _ATTENTIONS), _attention_backward),
        ("_cudnn_attention_forward", _attention),
        ("_cudnn_attention_backward", _attention_backward),
        ("_flash_attention_forward", _rows_first(_attention, 0, 3)),
        ("_flash_attention_backward", _rows_first(_attention_backward, 1, 6)),
        ("_efficient_attention_forward", _rows_first(_attention, 0, 4)),
        ("_efficient_attention_backward", _rows_first(_attention_backward, 1, 6)),
    )
    for name in names.split()
}
_AGAIN: Mapping[str, _Count] = {  # of those that compute scores of attention again
    **{f"aten::{one}_attention{end}_backward": _scores_again for one, end in _ATTENTIONS},
    "aten::_cudnn_attention_backward": _scores_again,
    "aten::_flash_attention_backward": _rows_first(_scores_again, 1, 6),
    "aten::_efficient_attention_backward": _rows_first(_scores_again, 1, 6),
}
_TYPES = {
    "double": InputType.FLOAT64,
    "float": InputType.FLOAT32,
    "half": InputType.HALF,
    "bfloat16": InputType.HALF,
    "signed char": InputType.INT8,
}


def is_counted(name: str) -> bool:
    """Whether the operations of an operator of this name are counted."""
    return name in _COUNTS


def flops_of(name: str, shapes: object, values: object) -> float:
    """Operations of a call with these ``Input Dims`` and ``Concrete Inputs``; NaN if they do not tell."""
    return _counted(_COUNTS, name, shapes, values)


def repeated_of(name: str, shapes: object, values: object) -> float:
    """Of the operations of a call those that the forward pass had done before; 0 if there are none."""
    return _counted(_AGAIN, name, shapes, values) if name in _AGAIN else 0.0


def _counted(counts: Mapping[str, _Count], name: str, shapes: object, values: object) -> float:
    if not isinstance(shapes, list):
        return math.nan
    try:
        return counts[name](shapes, values if isinstance(values, list) else [])
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, ZeroDivisionError):
        return math.nan


def precision_of(types: object) -> InputType | None:
    """The narrowest type among the first three inputs: that with which a product is computed."""
    found = [_precision(str(one)) for one in types[:3]] if isinstance(types, list) else []
    return max((one for one in found if one is not None), default=None)


def _precision(text: str) -> InputType | None:
    name = text.removeprefix("c10::").removeprefix("complex<").rstrip(">").removeprefix("c10::").lower()
    if name.startswith(("float8", "float4")):
        return InputType.FLOAT8 if name[5] == "8" else InputType.FLOAT4
    return _TYPES.get(name)
