"""Finds the series that show a shape: those of the summary plugin ``mesh``, and plain tensors of points."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from attrs import define, field

from insight_core.plugin import (
    Dialect,
    EventField,
    InsightError,
    NotFound,
    PluginContext,
    ReasonKind,
    SummaryPlugin,
)
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.payloads import tensor_header
from insight_mesh.parts import is_part

FEWEST_POINTS = 10  # of a plain tensor: fewer are rather a matrix
MOST_TENSORS = 1_000  # series whose shape is looked at
_HEAD = 1024  # bytes of a payload: type and shape stand at its begin
_TENSORS = (  # who has plain tensors: the tab Tensors, or without it nobody
    "tensor",
    *map(str, (EventField(Dialect.TENSORBOARD, "tensor"), EventField(Dialect.MINDSPORE, "tensor"))),
    str(SummaryPlugin("tensor")),
)
_WORD = re.compile(
    r"_VERTEX((?:_\d+)?)$"
)  # torch, TensorFlow; with a number if TensorFlow had the name already
_NUMBER = re.compile(r"_1$")  # tensorboardX
_NUMBERS = {"FACE": 2, "COLOR": 3}
_UNKNOWN_SERIES = ReasonKind("unknown_series", "run {run!r} has no points under the tag {tag!r}")


def sibling(tag: str, part: str) -> str | None:
    """The tag of another part (``FACE``, ``COLOR``) of a shape by that of its points; None for points alone.

    Torch and TensorFlow name parts ``shape_VERTEX``, ``shape_FACE``, ``shape_COLOR``; tensorboardX
    ``shape_1``, ``shape_2``, ``shape_3``.
    """
    if found := _WORD.search(tag):
        return f"{tag[: found.start()]}_{part}{found[1]}"
    return f"{tag[:-2]}_{_NUMBERS[part]}" if _NUMBER.search(tag) else None


def owner_of(data: DataProvider, own: str, key: SeriesKey) -> str:
    """The plugin that has the series: our own, or one that has plain tensors.

    Raises NotFound for a series that does not exist.
    """
    known = data.plugins()
    for plugin in (own, *_TENSORS):
        if plugin in known and data.series(plugin, runs=[key.run], tags=[key.tag]):
            return plugin
    raise NotFound(_UNKNOWN_SERIES(run=key.run, tag=key.tag))


def has_shapes(ctx: PluginContext) -> bool:
    """Whether a run has meshes or, where none has, a plain tensor of points."""
    return ctx.name in ctx.data.plugins() or next(clouds_of(ctx.data).found(), None) is not None


def clouds_of(data: DataProvider) -> Clouds:
    """The plain tensors of points of these logs; what is known of them is kept as long as ``data``."""
    with _lock:
        return _known.setdefault(data, Clouds(data))


@define(eq=False)
class Clouds:
    """Plain tensors of shape (rows, 3) or (samples, rows, 3), looked up by the last record of each series."""

    _data: DataProvider
    _is_cloud: dict[tuple[str, SeriesKey], bool] = field(factory=dict)

    def found(self) -> Iterator[SeriesKey]:
        """The series, as they are found; of the first MOST_TENSORS of all plain tensors."""
        looked_at = 0
        for owner in _TENSORS:
            if owner not in self._data.plugins():
                continue
            for info in self._data.series(owner):
                looked_at += 1
                if looked_at > MOST_TENSORS:
                    return
                if self._look(owner, info.key):
                    yield info.key

    def _look(self, owner: str, key: SeriesKey) -> bool:
        known = self._is_cloud.get((owner, key))
        if known is not None:
            return known
        try:
            count = len(self._data.records(owner, key).steps)
            shape = tensor_header(self._data.payload(owner, key, count - 1, limit=_HEAD)).shape
        except (ValueError, InsightError):
            return False  # looked at again: a server may have been away, or the record is not whole yet
        found = is_part(shape) and shape[-2] >= FEWEST_POINTS
        self._is_cloud[owner, key] = found
        return found


_known: WeakKeyDictionary[DataProvider, Clouds] = WeakKeyDictionary()
_lock = threading.Lock()
