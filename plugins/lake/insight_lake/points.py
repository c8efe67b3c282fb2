"""Scalar queries of series in a lake: exact points, or blocks of a long series for a picture of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.lab import AnswerScalars
from insight_lake.catalog import SegmentSeries
from insight_lake.layout import BLOCK, COUNTS, LONG, file_order, nonfinite
from insight_lake.row_reader import ByteCache, RowRange, RowReader

Columns: TypeAlias = Mapping[str, NDArray[Any]]

_CACHE = 128 << 20  # bytes of points
_PER_COLUMN = 2  # blocks that a column of a picture has at least
_POINT = ("step", "wall_time", "value")
_KINDS = {  # of columns that are kept: their table and names
    "last": ("scalars", _POINT),
    "all": ("scalars", (*_POINT, "attempt")),
    "levels": ("levels", ("row", *_POINT, *COUNTS)),
}
_LENGTHS = {"scalars": "kept", "levels": "levels_rows"}  # columns of ``series``


@frozen(eq=False)
class SeriesPlace:
    """A series of numbers in a segment."""

    key: SeriesKey
    series: SegmentSeries
    row: int

    def number(self, name: str) -> int:
        """An integer that the catalogue keeps."""
        return self.series.number(name, self.row)

    @property
    def shown(self) -> int:
        """Points that no restart hides."""
        return self.number("kept") - self.number("hidden")

    @property
    def name(self) -> tuple[str, int]:
        """Identifies the series in all versions of the lake."""
        return self.series.entry.id, self.row

    def rows(self, table: str, first: int, stop: int) -> RowRange:
        """Some of its rows in ``scalars`` or ``levels``."""
        at = self.number(f"{table}_row")
        return RowRange(self.series.entry.tables[table], at + first, at + stop)

    def typed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values in the type that they were written in."""
        return values.astype(self.series.type(self.row), copy=False)


class PointReader:
    """Answers scalar queries; what was read is kept within a limit of bytes."""

    def __init__(self, reader: RowReader, answer: AnswerScalars) -> None:
        self._reader, self._answer = reader, answer
        self._known: ByteCache[Columns] = ByteCache(_CACHE, _size_of)

    def answers(self, places: Sequence[SeriesPlace], query: ScalarQuery) -> dict[SeriesKey, ScalarColumns]:
        """The answers of a query for several series."""
        low, high = query.window
        if low is not None and high is not None and low > high:
            raise InvalidArgument("the window ends before it begins")
        by_level = [place for place in places if _is_by_level(place, query)]
        found = self._pictures(by_level, query)
        exact = [place for place in places if place.key not in found]
        for place, points in zip(exact, self._columns(exact, query.attempts), strict=True):
            columns = points["step"], points["wall_time"], points["value"]
            found[place.key] = self._answer(place.name, *columns, query, total=place.number("points"))
        for place in places:
            facts: dict[str, Any] = {"restarts": place.series.restarts(place.row)}
            if query.attempts == "last":
                facts |= {name: place.number(name) for name in ("kept", "hidden", "purged")}
            found[place.key] = evolve(found[place.key], **facts)
        return found

    def _columns(self, places: Sequence[SeriesPlace], kind: str) -> list[Columns]:
        """Columns of series: points of the "last" attempts, of "all" in the order of files, or "levels"."""
        known = {place.name: self._known.get((kind, place.name)) for place in places}
        missing = [place for place in places if known[place.name] is None]
        table, names = _KINDS[kind]
        counts = [place.shown if kind == "last" else place.number(_LENGTHS[table]) for place in missing]
        wanted = [place.rows(table, 0, count) for place, count in zip(missing, counts, strict=True)]
        for place, read in zip(missing, self._reader.rows(wanted, names), strict=True):
            typed = {**read, "value": place.typed(read["value"])}
            if kind == "all":
                order = file_order(typed["step"], typed["attempt"])
                typed = {name: typed[name][order] for name in _POINT}
            known[place.name] = self._known.put((kind, place.name), typed)
        return [columns for place in places if (columns := known[place.name]) is not None]

    def _pictures(self, places: Sequence[SeriesPlace], query: ScalarQuery) -> dict[SeriesKey, ScalarColumns]:
        """The answers from blocks of points; where the window begins and ends, from the points themselves."""
        levels = self._columns(places, "levels")
        spans = [_exact_rows(place, query, level) for place, level in zip(places, levels, strict=True)]
        wanted = [
            place.rows("scalars", one.start, one.stop)
            for place, of_place in zip(places, spans, strict=True)
            for one in of_place
        ]
        read = iter(self._reader.rows(wanted, _POINT))
        found = {}
        for place, level, of_place in zip(places, levels, spans, strict=True):
            parts = [level]
            for one, points in zip(of_place, read, strict=False):
                outside = (parts[0]["row"] < one.start) | (parts[0]["row"] >= one.stop)
                parts[0] = {name: column[outside] for name, column in parts[0].items()}
                rows = np.arange(one.start, one.stop)
                parts.append({**points, "row": rows, **nonfinite(points["value"])})
            found[place.key] = self._picture(place, query, parts)
        return found

    def _picture(self, place: SeriesPlace, query: ScalarQuery, parts: Sequence[Columns]) -> ScalarColumns:
        order = np.argsort(np.concatenate([one["row"] for one in parts]))
        found = {name: np.concatenate([one[name] for one in parts])[order] for name in parts[0]}
        columns = found["step"], found["wall_time"], place.typed(found["value"])
        answer = self._answer(None, *columns, query, total=place.number("points"))
        axis, (low, high) = _axis(query, found), query.window
        inside = np.ones(len(axis), bool) if low is None else axis >= low
        inside &= True if high is None else axis <= high
        rows = found["row"][inside]
        nan, above, below = (int(found[name][inside].sum()) for name in COUNTS)
        count = int(rows[-1] - rows[0]) + 1 if len(rows) else 0
        return evolve(answer, points=count, nonfinite=(nan, above, below))


def _is_by_level(place: SeriesPlace, query: ScalarQuery) -> bool:
    """Whether the levels can answer: not where smoothing needs every point, or columns widen."""
    return (
        query.width is not None
        and place.shown >= max(LONG, _PER_COLUMN * BLOCK * query.width)
        and query.attempts == "last"
        and not query.smoothing
        and query.nearest is None
        and not query.log_x
        and (query.x == "step" or bool(place.number("wall_times_ascend")))
    )


def _axis(query: ScalarQuery, points: Columns) -> NDArray[Any]:
    """The x of points of a series that begin with its first one; it ascends."""
    if query.x == "step":
        return points["step"]
    walls = points["wall_time"]
    return walls - walls[0] if query.x == "relative" else walls


def _exact_rows(place: SeriesPlace, query: ScalarQuery, level: Columns) -> list[range]:
    """The rows of the blocks in which the window begins and ends; all between them if these are few."""
    assert query.width is not None
    low, high = query.window
    axis = _axis(query, level)

    def block_before(at: int) -> range:
        if not 0 < at < len(axis):
            return range(0) if not at else range(place.shown, place.shown)
        first = int(level["row"][at - 1]) // BLOCK * BLOCK
        return range(first, min(first + BLOCK, place.shown))

    first = block_before(0 if low is None else int(np.searchsorted(axis, low)))
    last = block_before(len(axis) if high is None else int(np.searchsorted(axis, high, "right")))
    is_short = last.stop - first.start < _PER_COLUMN * BLOCK * query.width
    return [one for one in ([range(first.start, last.stop)] if is_short else [first, last]) if one]


def _size_of(columns: Columns) -> int:
    return 1024 + sum(column.nbytes for column in columns.values())
