"""Decodes one part of a shape: a tensor of points, of triangles or of colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of

_NUMBERS = "bfiu"  # kinds of numpy types
_NOT_NUMBERS = ReasonKind("mesh_not_numbers", "the tensor holds values of type {type}, not numbers")
_SHAPE = ReasonKind("mesh_shape", "the tensor has the shape {shape}, not [samples, rows, 3]")


@frozen(eq=False)
class Part:
    """Rows of three numbers for each sample of a batch: shape (samples, rows, 3), as recorded."""

    values: NDArray[Any]


def is_part(shape: tuple[int, ...]) -> bool:
    """Whether a tensor of this shape is rows of three, of one sample or of a batch."""
    return len(shape) in (2, 3) and shape[-1] == 3 and shape[0] > 0


def part_of(payload: Payload) -> Part:
    """Reads a tensor of shape (rows, 3) or (samples, rows, 3).

    Raises ValueError for bytes that are not a tensor, and for other types and shapes.
    """
    tensor = tensor_of(payload)
    if tensor.values.dtype.kind not in _NUMBERS:
        raise ValueError(_NOT_NUMBERS(type=tensor.dtype))
    if not is_part(tensor.shape):
        shape = str(list(tensor.shape))
        raise ValueError(_SHAPE(shape=shape))
    return Part(tensor.values if len(tensor.shape) == 3 else tensor.values[np.newaxis])


def described(part: Part) -> object:
    """Shape and type of a part; ``/shape`` answers the numbers."""
    return {"shape": list(part.values.shape), "type": part.values.dtype.name}


def boxes_of(part: Part) -> NDArray[np.float64]:
    """The box around the points of each sample: shape (samples, 2, 3), low and high; NaN without points.

    A few points far from all others (beyond five times the spread between the percentiles 1 and 99) do not
    count, so that the others can be seen.
    """
    boxes = np.full((len(part.values), 2, 3), np.nan)
    for sample, points in enumerate(part.values):
        finite = points[np.isfinite(points).all(axis=1)]
        if len(finite):
            boxes[sample] = _box(finite.astype(np.float64))
    return boxes


_FEWEST = 100  # points for which percentiles say something
_LOOKED_AT = 20_000  # points of which these are taken


def _box(points: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = points.min(axis=0), points.max(axis=0)
    if len(points) < _FEWEST:
        return np.array([low, high])
    some = points[:: max(1, len(points) // _LOOKED_AT)]
    near, far = np.quantile(some, [0.01, 0.99], axis=0)
    spread = far - near
    is_far = (spread > 0) & ((high > far + 5 * spread) | (low < near - 5 * spread))
    return np.array([np.where(is_far, near - spread / 2, low), np.where(is_far, far + spread / 2, high)])
