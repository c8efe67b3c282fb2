"""A series of numbers in a segment: where its points and levels are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.data import SeriesKey
from insight_lake.catalog import SegmentSeries, SeriesFacts
from insight_lake.row_reader import RowRange

Columns: TypeAlias = Mapping[str, NDArray[Any]]


@frozen(eq=False)
class SeriesPoints:
    """Points of a series, in the order of its rows or, with hidden ones, of its files."""

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float32] | NDArray[np.float64]

    @property
    def size(self) -> int:
        """Bytes."""
        return self.steps.nbytes + self.wall_times.nbytes + self.values.nbytes


@frozen(eq=False)
class SeriesPlace:
    """A series of numbers in a segment."""

    key: SeriesKey
    series: SegmentSeries
    row: int
    facts: SeriesFacts

    @property
    def shown(self) -> int:
        """Points that no restart hides."""
        return self.facts.kept - self.facts.hidden

    @property
    def name(self) -> tuple[str, int]:
        """Identifies the series in all versions of the lake."""
        return self.series.entry.id, self.row

    def scalars(self, first: int, stop: int) -> RowRange:
        """Rows of its points."""
        at = self.series.number("scalars_row", self.row)
        return RowRange(self.series.entry.tables["scalars"], at + first, at + stop)

    def levels(self, first: int, stop: int) -> RowRange:
        """Rows of its levels."""
        at = self.series.number("levels_row", self.row)
        return RowRange(self.series.entry.tables["levels"], at + first, at + stop)


def points_of(place: SeriesPlace, rows: Columns) -> SeriesPoints:
    """The points of these rows, with the values in the type that they were written in."""
    steps, walls = rows["step"].astype(np.int64, copy=False), rows["wall_time"]
    values = rows["value"].astype(place.facts.type, copy=False)
    if "attempt" in rows and rows["attempt"].any():
        order = np.lexsort((steps, rows["attempt"]))
        steps, walls, values = steps[order], walls[order], values[order]
    return SeriesPoints(steps, walls, values)
