"""What is known of a layer of a run, step by step: numbers of a measure, and values that are not finite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesKey
from insight_layers.digests import Digest, Digests, SharedSteps
from insight_layers.measured import MEASURED, NAN, NEG_INF, NOT_FINITE, POS_INF
from insight_layers.names import KINDS, Measure, natural
from insight_layers.table import LayerRow, LayerSource, LayerTable

_MOST_SCALARS = 20_000  # series whose points are kept


@frozen(eq=False)
class MeasureTrack:
    """Numbers of one layer by step, rising; NaN where nothing is known.

    ``read`` says which records were read; None: all.
    """

    steps: NDArray[np.int64]
    values: NDArray[np.float32]
    read: NDArray[np.bool_] | None = None

    def filled(self) -> MeasureTrack:
        """With the number of the last record before for those that were not read yet, to draw them."""
        return self if self.read is None else MeasureTrack(self.steps, self.values[_last_read(self.read)])


@frozen(eq=False)
class FlagTrack:
    """Which records have values that are not finite, by step, rising: NAN, POS_INF, NEG_INF, or 0.

    ``read`` says which records were read; None: all.
    """

    steps: NDArray[np.int64]
    flags: NDArray[np.uint8]
    read: NDArray[np.bool_] | None = None

    def filled(self) -> FlagTrack:
        """With the flags of the last record before for those that were not read yet, to draw them."""
        return self if self.read is None else FlagTrack(self.steps, self.flags[_last_read(self.read)])


def _last_read(read: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Of each record the place of the last one up to it that was read; that of the first if none was."""
    return np.maximum.accumulate(np.where(read, np.arange(len(read)), 0))


class ScalarPoints:
    """Points of scalar series, kept until they change. Not thread-safe."""

    def __init__(self, data: DataProvider, plugin: str, steps: SharedSteps) -> None:
        self._data, self._plugin, self._steps = data, plugin, steps
        self._known: dict[SeriesKey, tuple[int, ScalarColumns]] = {}

    def of(self, keys: Sequence[tuple[SeriesKey, int]]) -> dict[SeriesKey, ScalarColumns]:
        """Every point of these series, which are given with their number of points."""
        missing = [
            key for key, points in keys if (known := self._known.get(key)) is None or known[0] != points
        ]
        points_of = dict(keys)
        if len(self._known) + len(missing) > _MOST_SCALARS:
            self._known.clear()
            missing = list(points_of)
        if missing:
            for key, columns in self._data.scalars(self._plugin, missing).items():
                self._known[key] = points_of[key], evolve(columns, steps=self._steps.of(columns.steps))
        return {key: self._known[key][1] for key, _ in keys if key in self._known}


@define(eq=False)
class Tracks:
    """Tracks of the layers of runs, over what was read of them."""

    table: LayerTable
    digests: dict[tuple[str, LayerSource], Digest] = field(factory=dict)
    scalars: dict[SeriesKey, ScalarColumns] = field(factory=dict)
    _scalar_flags: dict[SeriesKey, NDArray[np.uint8]] = field(factory=dict)

    @classmethod
    def of(
        cls,
        data: DataProvider,
        table: LayerTable,
        runs: Iterable[str],
        digests: Digests,
        scalars: ScalarPoints,
    ) -> Tracks:
        """The tracks of some runs. Raises what ``data`` raises if it cannot be reached."""
        made = cls(table)
        keys: list[tuple[SeriesKey, int]] = []
        for run in runs:
            for sources in table.sources.get(run, {}).values():
                for source in sources:
                    key = SeriesKey(run, source.tag)
                    if source.is_scalar:
                        keys.append((key, source.points))
                    elif (digest := digests.of(source.plugin, key)) is not None:
                        made.digests[run, source] = digest
        made.scalars = scalars.of(keys)
        table.layers.sort(key=made._order())
        return made

    def _order(self) -> Callable[[LayerRow], tuple[object, ...]]:
        """By kind, then as the first run that has a layer wrote its first record, then by name."""
        first: dict[str, tuple[float, int]] = {}
        for run, of_run in self.table.sources.items():
            here: dict[str, tuple[float, int]] = {}
            for layer, sources in of_run.items():
                if layer.name not in first:
                    begin = min(self._begin(run, source) for source in sources)
                    here[layer.name] = min(begin, here.get(layer.name, begin))
            first.update(here)
        return lambda one: (KINDS.index(one.kind), *first[one.name], natural(one.name))

    def _begin(self, run: str, source: LayerSource) -> tuple[float, int]:
        """When the first record of a series was written, and where in the file."""
        digest = self.digests.get((run, source))
        if digest is not None and len(digest.steps):
            return float(digest.wall_times[0]), digest.offset
        columns = self.scalars.get(SeriesKey(run, source.tag))
        if source.is_scalar and columns is not None and len(columns.steps):
            return float(columns.wall_times[0]), 0
        return np.inf, 0

    def measure(self, run: str, layer: LayerRow, measure: Measure) -> MeasureTrack | None:
        """The numbers of a measure; None if no series of the layer has it."""
        if measure == "ratio":
            return self._recorded(run, layer, "ratio") or self._ratio(run, layer)
        return self._of_values(run, layer, measure) or self._recorded(run, layer, measure)

    def has(self, run: str, layer: LayerRow, measure: Measure) -> bool:
        """Whether ``measure`` may have numbers, without a look at them."""
        sources = self.table.of(run, layer)
        if any(source.name.measure == measure for source in sources):
            return True
        if measure == "ratio":
            other = self.table.of(run, LayerRow(layer.name, "weight"))
            return layer.kind == "gradient" and _has_size(sources) and _has_size(other)
        of_values = any((run, source) in self.digests for source in sources)
        return of_values and (measure != "dead" or self._of_values(run, layer, "dead") is not None)

    def flags(self, run: str, layer: LayerRow) -> list[FlagTrack]:
        """Of each series of the layer which records have values that are not finite."""
        found = []
        for source in self.table.of(run, layer):
            if (digest := self.digests.get((run, source))) is not None:
                found.append(FlagTrack(digest.steps, digest.flags & np.uint8(NOT_FINITE), digest.gaps))
            elif (columns := self.scalars.get(key := SeriesKey(run, source.tag))) is not None:
                if key not in self._scalar_flags:
                    self._scalar_flags[key] = _flags_of(columns, source.name.measure)
                found.append(FlagTrack(columns.steps, self._scalar_flags[key]))
        return found

    def prints(self, run: str, layer: LayerRow) -> tuple[NDArray[np.int64], NDArray[np.uint32]] | None:
        """Steps and checksums of the records that were read; equal ones are the same. None of scalars."""
        for source in self.table.of(run, layer):
            if (digest := self.digests.get((run, source))) is not None:
                return digest.steps[digest.read], digest.prints[digest.read]
        return None

    def _of_values(self, run: str, layer: LayerRow, measure: Measure) -> MeasureTrack | None:
        column = MEASURED.index(measure)
        for source in self.table.of(run, layer):
            digest = self.digests.get((run, source))
            if digest is not None and not (measure == "dead" and np.isnan(digest.numbers[:, column]).all()):
                return MeasureTrack(digest.steps, digest.numbers[:, column], digest.gaps)
        return None

    def _recorded(self, run: str, layer: LayerRow, measure: Measure) -> MeasureTrack | None:
        for source in self.table.of(run, layer):
            columns = self.scalars.get(SeriesKey(run, source.tag))
            if source.is_scalar and columns is not None and source.name.measure == measure:
                values = columns.values.astype(np.float32)
                return MeasureTrack(columns.steps, np.where(np.isfinite(values), values, np.float32(np.nan)))
        return None

    def _ratio(self, run: str, layer: LayerRow) -> MeasureTrack | None:
        """The size of the gradient over that of the weight at the step, or the last one before it."""
        if layer.kind != "gradient":
            return None
        other = LayerRow(layer.name, "weight")
        for sizes in (self._of_values, self._recorded):
            gradient, weight = sizes(run, layer, "size"), sizes(run, other, "size")
            if gradient is not None and weight is not None:
                return _divided(gradient, weight)
        return None


def _has_size(sources: Sequence[LayerSource]) -> bool:
    return any(source.name.measure in (None, "size") for source in sources)


def _divided(gradient: MeasureTrack, weight: MeasureTrack) -> MeasureTrack:
    known = ~np.isnan(weight.values)
    steps, values = weight.steps[known], weight.values[known]
    if not len(steps):
        return MeasureTrack(gradient.steps, np.full(len(gradient.steps), np.nan, np.float32))
    place = np.maximum(np.searchsorted(steps, gradient.steps, "right") - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = gradient.values / values[place]
    values = np.where(np.isfinite(ratio), ratio, np.nan).astype(np.float32)
    return MeasureTrack(gradient.steps, values, gradient.read)


def _flags_of(columns: ScalarColumns, measure: Measure | None) -> NDArray[np.uint8]:
    """A mean or norm that is not finite says so of the layer, and so does a count that is not 0.

    Other measures may be undefined of a healthy layer: the deviation of one value, or a ratio to 0.
    """
    values = columns.values
    if measure not in ("mean", "size", "nonfinite"):
        return np.zeros(len(values), np.uint8)
    flags = np.where(np.isnan(values), NAN, 0)
    flags |= np.where(np.isposinf(values), POS_INF, 0) | np.where(np.isneginf(values), NEG_INF, 0)
    if measure == "nonfinite":
        flags |= np.where(values > 0, NAN, 0)
    return flags.astype(np.uint8)
