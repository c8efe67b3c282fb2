"""Finds attention that is computed as single products, softmax and masks, by operators and shapes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.advice.timeline_evidence import Rows, TimelineEvidence
from insight_profiler.analysis.device_peaks import PeakRate
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.model import Table

_Matrices: TypeAlias = tuple[int, int, int]  # how many, rows, columns
_SOFTMAX = frozenset({"aten::_softmax", "aten::_softmax_backward_data"})
_PRODUCTS = {"aten::bmm": 0, "aten::baddbmm": 1}  # with the place of their first factor
_LEFT = (0.6, 0.2)  # of the time that a fused kernel takes, where the peak of the device is not known
_REACHED = (0.2, 0.6)  # of the peak, by fused attention
_REACHED_WIDE = 0.5  # of the peak of float32
_LEAST_LEFT = 0.03


@frozen(eq=False)
class SplitAttention:
    """Work of attention that is not fused. ``shape``: of the largest scores, queries times keys. ``most`` and
    ``least``: the share of its time that a fused kernel takes, at worst and at best."""

    rows: Rows
    shape: str
    most: float
    least: float


def split_attention(evidence: TimelineEvidence, peaks: PeakRate | None) -> SplitAttention | None:
    """Attention by its scores: matrices that a product of narrower ones makes and a softmax reads. All work
    on tensors of their sizes is its work, in the backward pass too. None without such operators."""
    table = evidence.operators
    if table is None:
        return None
    texts = evidence.profile.texts
    names = [texts[place] if place >= 0 else "" for place in table["name"].tolist()]
    softmaxes = [row for row, name in enumerate(names) if name in _SOFTMAX]
    if not softmaxes:
        return None
    shapes = shapes_of(evidence, table)
    products = {
        row: _product(shapes[row], _PRODUCTS[name]) for row, name in enumerate(names) if name in _PRODUCTS
    }
    made = {made for made, width in filter(None, products.values()) if width < made[2]}
    scores = {one for row in softmaxes for one in map(_matrices, shapes[row][:1]) if one in made}
    if not scores:
        return None
    sized = scores | {(count, columns, rows) for count, rows, columns in scores}
    member = np.array(
        [
            any(_matrices(shape) in sized for shape in of_row)
            or ((found := products.get(row)) is not None and found[0] in sized)
            for row, of_row in enumerate(shapes)
        ]
    )
    operator = evidence.operator_of(evidence.work)
    rows = evidence.work[(operator >= 0) & member[operator]]
    if not len(rows):
        return None
    largest = max(
        softmaxes, key=lambda row: math.prod(_matrices(shapes[row][0]) or (0,)) if shapes[row] else 0
    )
    return SplitAttention(rows, str(shapes[largest][0]), *_left(table, member, peaks))


def _left(table: Table, member: NDArray[np.bool_], peaks: PeakRate | None) -> tuple[float, float]:
    """The share of its time that fused attention takes, at worst and at best: its products at a share of the
    peak, without the matrices of scores in memory."""
    counted = member & (table["flops"] > 0)
    time = int(table["device_self"][member].clip(0).sum())
    if peaks is None or not counted.any() or not time:
        return _LEFT
    operations = float(table["flops"][counted].sum()) * 1e9 / time
    is_wide = bool((table["precision"][counted] < InputType.HALF).any())
    slow = _REACHED_WIDE * peaks.plain if is_wide else _REACHED[0] * peaks.matrix
    most, least = (operations / rate for rate in (slow, _REACHED[1] * peaks.matrix))
    return min(1.0, max(most, _LEAST_LEFT)), min(1.0, max(least, _LEAST_LEFT))


def shapes_of(evidence: TimelineEvidence, table: Table) -> list[Sequence[Any]]:
    """The shapes of the inputs of each operator, empty where they are not known."""
    places, inverse = np.unique(table["shapes"], return_inverse=True)
    found = [_parsed(evidence.text(place)) for place in places.tolist()]
    return [found[place] for place in inverse.reshape(-1).tolist()]


def _parsed(text: str) -> Sequence[Any]:
    try:
        shapes = json.loads(text) if text else []
    except ValueError:
        return []
    return shapes if isinstance(shapes, list) else []


def _matrices(shape: object) -> _Matrices | None:
    """Of [8, 12, 1024, 1024]: 96 matrices of 1024 rows and columns."""
    if not isinstance(shape, list) or len(shape) < 3 or not all(isinstance(size, int) for size in shape):
        return None
    return math.prod(shape[:-2]), shape[-2], shape[-1]


def _product(shapes: Sequence[Any], at: int) -> tuple[_Matrices, int] | None:
    """The matrices that a product makes, and the width of its factors."""
    left, right = (map(_matrices, shapes[at : at + 2])) if len(shapes) >= at + 2 else (None, None)
    if left is None or right is None:
        return None
    return (left[0], left[1], right[2]), left[2]
