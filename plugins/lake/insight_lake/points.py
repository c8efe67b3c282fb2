"""Scalar queries of series in a lake: exact points, or blocks of a long series for a picture of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
_PICTURES = 8  # at the same time; each waits for the store
_PER_COLUMN = 2  # blocks that a column of a picture has at least
_POINT = ("step", "wall_time", "value")


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
        self._pictures = ThreadPoolExecutor(_PICTURES, "insight-lake-pictures")
        self._points: ByteCache[Columns] = ByteCache(_CACHE, _size_of)
        self._levels: ByteCache[Columns] = ByteCache(_CACHE // 4, _size_of)

    def close(self) -> None:
        """Ends the threads."""
        self._pictures.shutdown(wait=False, cancel_futures=True)

    def answers(self, places: Sequence[SeriesPlace], query: ScalarQuery) -> dict[SeriesKey, ScalarColumns]:
        """The answers of a query for several series."""
        low, high = query.window
        if low is not None and high is not None and low > high:
            raise InvalidArgument("the window ends before it begins")
        by_level = [place for place in places if _is_by_level(place, query)]
        drawn = self._pictures.map(lambda place: self._picture(place, query), by_level)
        found = dict(zip([place.key for place in by_level], drawn, strict=True))
        exact = [place for place in places if place.key not in found]
        for place, points in zip(exact, self._read(exact, query.attempts == "all"), strict=True):
            columns = points["step"], points["wall_time"], points["value"]
            found[place.key] = self._answer(place.name, *columns, query, total=place.number("points"))
        for place in places:
            facts: dict[str, Any] = {"restarts": place.series.restarts(place.row)}
            if query.attempts == "last":
                facts |= {name: place.number(name) for name in ("kept", "hidden", "purged")}
            found[place.key] = evolve(found[place.key], **facts)
        return found

    def _read(self, places: Sequence[SeriesPlace], every: bool) -> list[Columns]:
        """All shown points of series, or all points in the order of files."""
        known = {place.name: self._points.get((place.name, every)) for place in places}
        missing = [place for place in places if known[place.name] is None]
        wanted = [
            place.rows("scalars", 0, place.number("kept") if every else place.shown) for place in missing
        ]
        rows = self._reader.rows(wanted, (*_POINT, "attempt") if every else _POINT) if wanted else []
        for place, columns in zip(missing, rows, strict=True):
            points = {name: columns[name] for name in _POINT} | {"value": place.typed(columns["value"])}
            if every:
                order = file_order(columns["step"], columns["attempt"])
                points = {name: column[order] for name, column in points.items()}
            known[place.name] = self._points.put((place.name, every), points)
        return [points for place in places if (points := known[place.name]) is not None]

    def _picture(self, place: SeriesPlace, query: ScalarQuery) -> ScalarColumns:
        """The answer from blocks of points; where the window begins and ends, from the points themselves."""
        assert query.width is not None
        level = self._levels.get(place.name)
        if level is None:
            wanted = place.rows("levels", 0, place.number("levels_rows"))
            [level] = self._reader.rows([wanted], ("row", *_POINT, *COUNTS))
            self._levels.put(place.name, level)
        low, high = query.window
        axis = _axis(query, level)
        first = range(0) if low is None else _block_before(level, int(np.searchsorted(axis, low)), place)
        last = range(place.shown, place.shown)
        if high is not None:
            last = _block_before(level, int(np.searchsorted(axis, high, "right")), place)
        exact = [first, last]
        if last.stop - first.start < _PER_COLUMN * BLOCK * query.width:
            exact = [range(first.start, last.stop)]
        exact = [one for one in exact if one]
        parts = [level]
        wanted_rows = [place.rows("scalars", one.start, one.stop) for one in exact]
        for one, points in zip(exact, self._reader.rows(wanted_rows, _POINT), strict=True):
            outside = (parts[0]["row"] < one.start) | (parts[0]["row"] >= one.stop)
            parts[0] = {name: column[outside] for name, column in parts[0].items()}
            parts.append({**points, "row": np.arange(one.start, one.stop), **nonfinite(points["value"])})
        joined = {name: np.concatenate([one[name] for one in parts]) for name in level}
        order = np.argsort(joined["row"])
        found = {name: column[order] for name, column in joined.items()}
        columns = found["step"], found["wall_time"], place.typed(found["value"])
        answer = self._answer(None, *columns, query, total=place.number("points"))
        axis = _axis(query, found)
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


def _block_before(level: Columns, place: int, series: SeriesPlace) -> range:
    """The rows of the block of the point of a level before this place, at which a window begins or ends."""
    if not 0 < place < len(level["row"]):
        return range(0) if not place else range(series.shown, series.shown)
    first = int(level["row"][place - 1]) // BLOCK * BLOCK
    return range(first, min(first + BLOCK, series.shown))


def _size_of(columns: Columns) -> int:
    return 1024 + sum(column.nbytes for column in columns.values())
