"""Histograms of layers, reduced to what rules ask: whether all values are zero, a digest, and their size."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from insight_core.plugin import InsightError, PluginNameEnum
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.payloads import Histogram, decoded_histogram

LayerKind: TypeAlias = Literal["weight", "gradient", "activation"]

_HISTOGRAM = PluginNameEnum.HISTOGRAM
_RECORDS = 8  # of a series that are read, from the first to the last
_LASTING = 3  # records at the end that are zero; fewer may be chance
_MOST = 400  # series of a run
_ZERO = 2e-12  # the innermost buckets of TensorBoard's histograms end here
_WORDS = re.compile(r"[A-Za-z]+")
_GRADIENT_WORDS = frozenset({"grad", "grads", "gradient", "gradients"})
_BIAS_WORDS = frozenset({"bias", "biases", "beta", "b"})
_KINDS: tuple[tuple[LayerKind, frozenset[str]], ...] = (
    ("gradient", _GRADIENT_WORDS),
    ("activation", frozenset({"activation", "activations", "act", "acts", "output", "outputs", "relu"})),
    ("weight", frozenset({"weight", "weights", "kernel", "bias", "param", "params", "w", "b", "embedding"})),
)


@frozen
class LayerRecord:
    """One histogram: whether all values are zero, their root mean square, and a digest of all buckets."""

    step: int
    is_zero: bool
    scale: float
    digest: bytes


@frozen(eq=False)
class Layer:
    """Histograms of one tag, by step: ``_RECORDS`` of all, and those around the step at which it died."""

    tag: str
    kind: LayerKind | None
    records: Sequence[LayerRecord] = field(factory=list)

    def zero_since(self) -> int | None:
        """The step since which all values are zero, of three records at least; None if some are not."""
        count = 0
        for record in reversed(self.records):
            if not record.is_zero:
                break
            count += 1
        return self.records[-count].step if count >= _LASTING else None

    def scale(self, records: Sequence[LayerRecord]) -> float:
        """The median root mean square of these records."""
        return float(np.median([record.scale for record in records])) if records else 0.0


def kind_of(tag: str) -> LayerKind | None:
    """What the values of a tag are, by its words."""
    words = {word.lower() for word in _WORDS.findall(tag)}
    return next((kind for kind, known in _KINDS if words & known), None)


def is_bias(tag: str) -> bool:
    """Whether a tag names a bias: the last of its words, but for those of gradients."""
    words = [word.lower() for word in _WORDS.findall(tag)]
    named = [word for word in words if word not in _GRADIENT_WORDS]
    return bool(named) and named[-1] in _BIAS_WORDS


def layers_of(data: DataProvider, run: str) -> list[Layer]:
    """The layers of a run in the order of their names (numbers count as numbers), at most ``_MOST``."""
    tags = [info.key.tag for info in data.series(_HISTOGRAM, runs=[run])]
    return [_read(data, SeriesKey(run, tag)) for tag in sorted(tags, key=_in_order)[:_MOST]]


def of_kind(layers: Iterable[Layer], kind: LayerKind) -> list[Layer]:
    """The layers of a kind that have records."""
    return [layer for layer in layers if layer.kind == kind and layer.records]


def _read(data: DataProvider, key: SeriesKey) -> Layer:
    """Some records of a series at even distances, and those between which its values became 0, by halving."""
    try:
        steps = data.records(_HISTOGRAM, key).steps
    except InsightError:  # gone meanwhile
        steps = np.zeros(0, np.int64)
    found: dict[int, LayerRecord] = {}

    def read(index: int) -> None:
        try:
            histogram = decoded_histogram(data.payload(_HISTOGRAM, key, index))
        except (InsightError, ValueError):  # damage is listed elsewhere
            return
        found[index] = _record(int(steps[index]), histogram)

    if len(steps):
        for index in np.unique(np.linspace(0, len(steps) - 1, _RECORDS).round().astype(int)).tolist():
            read(index)
    while (middle := _died_between(found)) is not None:
        read(middle)
        if middle not in found:
            break
    return Layer(key.tag, kind_of(key.tag), [found[index] for index in sorted(found)])


def _died_between(found: Mapping[int, LayerRecord]) -> int | None:
    """The place in the middle between the last record that is not zero and the zeros after it.

    None where the two are neighbours, and where a layer lives or never did.
    """
    alive = [index for index, record in found.items() if not record.is_zero]
    last = max(alive, default=-1)
    dead = [index for index in found if index > last]
    if last < 0 or len(dead) < _LASTING or min(dead) - last <= 1:
        return None
    return (last + min(dead)) // 2


def _record(step: int, histogram: Histogram) -> LayerRecord:
    counted = histogram.counts > 0
    left, right, counts = histogram.left[counted], histogram.right[counted], histogram.counts[counted]
    total = float(counts.sum())
    limit = _ZERO
    if histogram.min is not None and histogram.max is not None:
        limit = 0.0  # what is only rounding lies in the innermost buckets too, but is not 0
        left, right = left.clip(histogram.min, histogram.max), right.clip(histogram.min, histogram.max)
    square = (left * left + left * right + right * right) / 3  # of values that lie evenly in a bucket
    with np.errstate(over="ignore", invalid="ignore"):
        scale = float(np.sqrt((counts * square).sum() / total)) if total else 0.0
    is_finite = not (histogram.nan or histogram.pos_inf or histogram.neg_inf)
    is_zero = bool(total) and is_finite and float(np.abs(np.append(left, right)).max()) <= limit
    content = b"".join(part.tobytes() for part in (left, right, counts))
    return LayerRecord(step, is_zero, scale, hashlib.blake2b(content, digest_size=16).digest())


def _in_order(tag: str) -> list[tuple[int, int | str]]:
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"([0-9]+)", tag)]
