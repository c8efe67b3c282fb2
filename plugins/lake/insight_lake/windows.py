"""The rows of a window of a long series, found with few reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.data import ScalarQuery
from insight_lake.levels import BLOCKS
from insight_lake.series_place import Columns, SeriesPlace

SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")  # of the low and high end of a window
_FINE = BLOCKS[0]


@frozen
class SeriesRows:
    """Rows of a series from ``first`` to before ``stop``."""

    first: int
    stop: int

    @property
    def count(self) -> int:
        """The number of these points."""
        return max(0, self.stop - self.first)


@frozen(eq=False)
class ReadRows:
    """Points of a series that were read."""

    rows: SeriesRows
    columns: Columns

    def covers(self, wanted: SeriesRows) -> bool:
        """Whether all of these rows were read."""
        return self.rows.first <= wanted.first and wanted.stop <= self.rows.stop

    def cut(self, wanted: SeriesRows) -> Columns:
        """The columns of these rows."""
        part = slice(wanted.first - self.rows.first, wanted.stop - self.rows.first)
        return {name: column[part] for name, column in self.columns.items()}


def block_of(row: int, count: int) -> SeriesRows:
    """The rows of the block of a row."""
    first = row // _FINE * _FINE
    return SeriesRows(first, min(first + _FINE, count))


def window_of(
    place: SeriesPlace, query: ScalarQuery, low: SeriesRows, high: SeriesRows, pieces: Sequence[ReadRows]
) -> SeriesRows:
    """The rows of the window, by bisection among the rows where it begins and ends."""
    found = []
    for end, edge, side in zip((low, high), query.window, SIDES, strict=True):
        if edge is None or not end.count:
            found.append(end.first)
            continue
        points = next(piece for piece in pieces if piece.covers(end)).cut(end)
        found.append(end.first + int(np.searchsorted(axis_of(place, query, points), edge, side)))
    return SeriesRows(min(found), found[1])


def axis_of(place: SeriesPlace, query: ScalarQuery, points: Columns) -> NDArray[np.float64]:
    """The x of points, which ascends."""
    if query.x == "step":
        return points["step"].astype(np.float64)
    return points["wall_time"] - (place.facts.wall_times[0] if query.x == "relative" else 0.0)
