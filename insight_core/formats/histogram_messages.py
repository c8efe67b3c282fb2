"""Histograms as writers encode them: ``HistogramProto``, MindSpore's ``Histogram``, a tensor of [k, 3].

Field numbers: tensorflow/core/framework/summary.proto (tensorboard/compat/proto/histogram.proto) and
MindSpore's mindinsight_summary.proto; the tensor is that of tensorboard/plugins/histogram/summary_v2.py.
"""

from __future__ import annotations

import math
import struct

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.formats.dialects import Dialect
from insight_core.formats.histograms import MAX_COUNTED, Floats, Histogram, checked
from insight_core.formats.tensors import read_tensor
from insight_record.formats.protobuf import EIGHT_BYTES, LENGTH_DELIMITED, VARINT, fields, signed
from insight_record.formats.reason import Reason, ReasonKind

MAX_BUCKETS = 1_000_000
_ENDLESS = 1e300  # writers have limits of 1.8e308 and 1e308 that mean infinity
_BUCKET = np.dtype(  # as far as its length is always the same: the count follows
    [("left_key", "u1"), ("left", "<f8"), ("width_key", "u1"), ("width", "<f8"), ("count_key", "u1")]
)
_LEFT, _WIDTH, _COUNT = 0x09, 0x11, 0x18  # these keys
_HISTOGRAM_FIELD = ReasonKind("histogram_field", "field {number} of the histogram is not a list of doubles")
_HISTOGRAM_LIMITS = ReasonKind("histogram_limits", "the histogram has {buckets} buckets and {limits} limits")
_HISTOGRAM_SHAPE = ReasonKind(
    "histogram_shape", "the histogram is {type} [{shape}], not numbers of [buckets, 3]"
)
_HISTOGRAM_TOO_LONG = ReasonKind(
    "histogram_too_long", "the histogram has {buckets:,} buckets: at most {most:,} are read"
)


@frozen(eq=False)
class HistogramProto:
    """TensorBoard's message. Bucket i reaches from limit i - 1 to limit i, the first from -infinity."""

    limits: Floats
    counts: Floats
    min: float = 0.0
    max: float = 0.0
    num: float = 0.0
    sum: float = 0.0


@frozen(eq=False)
class MindSporeHistogram:
    """MindSpore's message; ``count`` includes non-finite values, ``sum`` does not.

    Writers may leave ``count`` out: then it is that of the buckets and of the non-finite values.
    """

    left: Floats
    width: Floats
    counts: Floats
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    max: float = 0.0
    min: float = 0.0
    sum: float = 0.0
    count: int = 0


def histogram_proto(data: bytes) -> HistogramProto:
    """Parses the message. Raises ValueError for other bytes, or if limits and counts differ in number."""
    numbers = {1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0}
    columns: dict[int, list[Floats]] = {6: [], 7: []}
    for number, kind, start, end, _ in fields(data):
        if number in numbers:
            numbers[number] = _double(data, number, kind, start)
        elif number in columns:
            if kind not in (EIGHT_BYTES, LENGTH_DELIMITED) or (end - start) % 8:
                raise ValueError(_HISTOGRAM_FIELD(number=number))
            columns[number].append(np.frombuffer(data, "<f8", (end - start) // 8, start))
    limits, counts = (np.concatenate(columns[number] or [np.empty(0)]) for number in (6, 7))
    if len(limits) != len(counts):
        raise ValueError(_HISTOGRAM_LIMITS(buckets=len(counts), limits=len(limits)))
    return HistogramProto(limits, counts, *(numbers[number] for number in (1, 2, 3, 4)))


def mindspore_histogram(data: bytes) -> MindSporeHistogram:
    """Parses the message. Raises ValueError for other bytes."""
    starts: list[int] = []
    ends: list[int] = []
    numbers: dict[int, float] = {}
    for number, kind, start, end, value in fields(data):
        if number == 1 and kind == LENGTH_DELIMITED:
            starts.append(start)
            ends.append(end)
        elif number in (5, 6, 7):
            numbers[number] = _double(data, number, kind, start)
        elif number in (2, 3, 4, 8) and kind == VARINT:
            numbers[number] = signed(value)
    left, width, counts = _buckets(data, np.array(starts, np.intp), np.array(ends, np.intp))
    nan, pos_inf, neg_inf, count = (int(numbers.get(number, 0)) for number in (2, 3, 4, 8))
    if not count:
        count = round(float(counts.sum())) + sum(max(0, other) for other in (nan, pos_inf, neg_inf))
    largest, smallest, total = (numbers.get(number, 0.0) for number in (5, 6, 7))
    return MindSporeHistogram(left, width, counts, nan, pos_inf, neg_inf, largest, smallest, total, count)


def read_histogram_proto(data: bytes) -> Histogram:
    """The histogram of a ``HistogramProto``. Raises ValueError for other bytes and impossible buckets."""
    found = histogram_proto(data)
    limits, counts = found.limits, found.counts
    if (limits[1:] < limits[:-1]).any():
        raise ValueError(Reason("the limits of the buckets do not rise", "histogram_limits_order"))
    left, right = np.concatenate([[-np.inf], limits])[: len(limits)], limits
    checked(left, right, counts)
    bounds = _believed(found.min, found.max, found.num, left, right, counts)
    left, right, counts = _bounded(left, right, counts, bounds)
    counted = found.num if math.isfinite(found.num) and found.num > 0 else float(found.counts.sum())
    _check_totals(counted)
    return Histogram(
        left=left,
        right=right,
        counts=counts,
        count=round(counted),
        min=bounds[0] if bounds else None,
        max=bounds[1] if bounds else None,
        mean=_mean(found.sum, found.num) if bounds else None,
    )


def read_mindspore_histogram(data: bytes) -> Histogram:
    """The histogram of MindSpore's message. Raises ValueError for other bytes and impossible buckets."""
    found = mindspore_histogram(data)
    with np.errstate(invalid="ignore", over="ignore"):
        left, right, counts = found.left, found.left + found.width, found.counts
    checked(left, right, counts)
    _check_totals(found.count, found.nan, found.pos_inf, found.neg_inf)
    finite = found.count - found.nan - found.pos_inf - found.neg_inf
    bounds = _believed(found.min, found.max, finite, left, right, counts)
    # edges are computed in float32: they may be a little beyond the values, and stay
    left, right, counts = _bounded(left, right, counts, bounds if _endless(left, right).any() else None)
    return Histogram(
        left=left,
        right=right,
        counts=counts,
        count=found.count,
        nan=found.nan,
        pos_inf=found.pos_inf,
        neg_inf=found.neg_inf,
        min=bounds[0] if bounds else None,
        max=bounds[1] if bounds else None,
        mean=_mean(found.sum, finite) if bounds else None,
    )


def read_histogram_tensor(data: bytes) -> Histogram:
    """The histogram of a TensorFlow tensor of shape [buckets, 3]: left edge, right edge, count.

    Raises ValueError for other tensors and impossible buckets.
    """
    tensor = read_tensor(data, Dialect.TENSORBOARD)
    if len(tensor.shape) != 2 or tensor.shape[1] != 3 or tensor.values.dtype.kind not in "fiu":
        shape = ", ".join(str(size) for size in tensor.shape)
        raise ValueError(_HISTOGRAM_SHAPE(type=str(tensor.dtype), shape=shape))
    if tensor.shape[0] > MAX_BUCKETS:  # a few bytes may stand for any number of them
        raise ValueError(_HISTOGRAM_TOO_LONG(buckets=tensor.shape[0], most=MAX_BUCKETS))
    left, right, counts = tensor.values.astype(np.float64).T
    empty = (counts == 0) & (right < left)  # a data server puts min and max where the outer limits were
    left, right, counts = left[~empty], right[~empty], counts[~empty]
    checked(left, right, counts)
    left, right, counts = _bounded(left, right, counts, None)
    counted = counts > 0
    some = bool(counted.any())
    return Histogram(
        left=left,
        right=right,
        counts=counts,
        count=round(float(counts.sum())),
        min=float(left[counted].min()) if some else None,
        max=float(right[counted].max()) if some else None,
    )


def _believed(
    low: float, high: float, count: float, left: Floats, right: Floats, counts: Floats
) -> tuple[float, float] | None:
    """Minimum and maximum as recorded; None if they contradict the buckets.

    A writer that does not record them leaves both 0, and then buckets beyond 0 have counts.
    """
    counted = counts > 0
    if not (count > 0 and math.isfinite(low) and math.isfinite(high) and low <= high):
        return None
    if (right[counted] < low).any() or (left[counted] > high).any():
        return None
    return low, high


def _check_totals(*totals: float) -> None:
    for total in totals:
        if not 0 <= total <= MAX_COUNTED:
            text = f"the histogram says that it counts {total:.4g} values"
            raise ValueError(Reason(text, "histogram_total", total=f"{total:.4g}"))


def _mean(total: float, count: float) -> float | None:
    mean = total / count if count > 0 else math.nan
    return mean if math.isfinite(mean) else None


def _endless(left: Floats, right: Floats) -> NDArray[np.bool_]:
    return (np.abs(left) >= _ENDLESS) | (np.abs(right) >= _ENDLESS)


def _bounded(
    left: Floats, right: Floats, counts: Floats, bounds: tuple[float, float] | None
) -> tuple[Floats, Floats, Floats]:
    """The buckets in ascending order, clipped to the bounds; empty buckets outside are dropped.

    Without bounds, values of a bucket that reaches to infinity are placed at its finite edge.
    """
    order = np.argsort(left, kind="stable")
    left, right, counts = left[order], right[order], counts[order]
    if bounds is not None:
        left, right = np.clip(left, *bounds), np.clip(right, *bounds)
        kept = (counts > 0) | (right > left)
        return left[kept], right[kept], counts[kept]
    endless = _endless(left, right)
    if not endless.any():
        return left, right, counts
    kept = (counts > 0) | ~endless
    left, right, counts = left[kept], right[kept], counts[kept]
    left, right = np.where(left <= -_ENDLESS, right, left), np.where(right >= _ENDLESS, left, right)
    if _endless(left, right).any():
        text = "a bucket of the histogram has no end, and min and max are not known"
        raise ValueError(Reason(text, "histogram_endless"))
    return left, right, counts


def _double(data: bytes, number: int, kind: int, start: int) -> float:
    if kind != EIGHT_BYTES:
        text = f"field {number} of the histogram is not a double"
        raise ValueError(Reason(text, "histogram_field", number=number))
    value: float = struct.unpack_from("<d", data, start)[0]
    return value


def _buckets(data: bytes, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
    """Left edge, width and count of the messages at these places."""
    if not len(starts):
        none = np.empty(0)
        return none, none, none
    buffer = np.frombuffer(data, np.uint8)
    sizes = ends - starts - _BUCKET.itemsize  # of the count, the last field of a bucket
    if (sizes < 1).any() or (sizes > 9).any():
        return _buckets_one_by_one(data, starts, ends)
    rows = buffer[starts[:, None] + np.arange(_BUCKET.itemsize)].view(_BUCKET)[:, 0]
    place = np.arange(int(sizes.max()))
    positions = starts[:, None] + _BUCKET.itemsize + place
    digits = np.where(
        place < sizes[:, None], buffer[np.minimum(positions, len(data) - 1)], 0
    )  # of the varint
    goes_on = (digits & 0x80) > 0
    usual = (rows["left_key"] == _LEFT) & (rows["width_key"] == _WIDTH) & (rows["count_key"] == _COUNT)
    if not usual.all() or (goes_on != (place < sizes[:, None] - 1)).any():
        return _buckets_one_by_one(data, starts, ends)
    counts = ((digits & 0x7F).astype(np.int64) << (7 * place)).sum(axis=1)
    return rows["left"].copy(), rows["width"].copy(), counts.astype(np.float64)


def _buckets_one_by_one(
    data: bytes, starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> tuple[Floats, Floats, Floats]:
    """``_buckets`` for fields in any order, or omitted."""
    rows = np.zeros((len(starts), 3))
    for row, (begin, stop) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        for number, kind, start, _, value in fields(data, begin, stop):
            if number in (1, 2):
                rows[row, number - 1] = _double(data, number, kind, start)
            elif number == 3 and kind == VARINT:
                rows[row, 2] = signed(value)
    return rows[:, 0], rows[:, 1], rows[:, 2]
