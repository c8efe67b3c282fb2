"""Scalar queries of series in a lake: exact points, or the levels of a long series for a picture of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.lab import AnswerScalars
from insight_lake.catalog import SegmentSeries
from insight_lake.levels import BLOCKS, COUNTS, LONG, nonfinite
from insight_lake.row_order import file_order
from insight_lake.row_reader import ByteCache, RowRange, RowReader

Columns: TypeAlias = Mapping[str, NDArray[Any]]

_CACHE = 128 << 20  # bytes of points
_PICTURES = 8  # at the same time; each waits for the store
_FINE, _COARSE = BLOCKS
_PER_COLUMN = 2  # blocks of a level that a column of a picture has at least
_POINT = ("step", "wall_time", "value")
_HIDING = ("kept", "hidden", "purged")
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")  # of the low and high end of a window


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

    @property
    def wall_times(self) -> tuple[float, float]:
        """Of the first and last point that is shown."""
        first, last = (self.series.time(name, self.row) for name in ("first_wall_time", "last_wall_time"))
        return first, last

    def rows(self, table: str, first: int, stop: int) -> RowRange:
        """Some of its rows in ``scalars`` or ``levels``."""
        at = self.number(f"{table}_row")
        return RowRange(self.series.entry.tables[table], at + first, at + stop)

    def typed(self, columns: Columns) -> Columns:
        """The columns with values in the type that they were written in, in the order of files if there are
        attempts among them."""
        found = {name: columns[name] for name in _POINT}
        found["value"] = found["value"].astype(self.series.type(self.row), copy=False)
        if "attempt" in columns and columns["attempt"].any():
            order = file_order(found["step"], columns["attempt"])
            found = {name: column[order] for name, column in found.items()}
        return found

    def axis(self, query: ScalarQuery, points: Columns) -> NDArray[np.float64]:
        """The x of points, which ascends."""
        if query.x == "step":
            return points["step"].astype(np.float64)
        return points["wall_time"] - (self.wall_times[0] if query.x == "relative" else 0.0)

    def extent(self, query: ScalarQuery) -> tuple[float, float]:
        """The x of the first and last point. Raises InvalidArgument for wall times without end."""
        if query.x == "step":
            return float(self.number("first_step")), float(self.number("last_step"))
        low, high = self.wall_times
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InvalidArgument(f"{self.key.tag!r} of run {self.key.run!r} has wall times without end")
        return (0.0, high - low) if query.x == "relative" else (low, high)


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
            answer = self._answer(place.name, *columns, query, total=place.number("points"))
            facts: dict[str, Any] = {"restarts": place.series.restarts(place.row)}
            if query.attempts == "last":
                facts |= {name: place.number(name) for name in _HIDING}
            found[place.key] = evolve(answer, **facts)
        return found

    def _read(self, places: Sequence[SeriesPlace], every: bool) -> list[Columns]:
        """All shown points of series, or all points in the order of files."""
        known = [self._points.get((place.name, every)) for place in places]
        missing = [place for place, points in zip(places, known, strict=True) if points is None]
        columns = (*_POINT, "attempt") if every else _POINT
        counts = [place.number("kept") if every else place.shown for place in missing]
        wanted = [place.rows("scalars", 0, count) for place, count in zip(missing, counts, strict=True)]
        rows = self._reader.rows(wanted, columns) if wanted else []
        made = iter(
            self._points.put((place.name, every), place.typed(read))
            for place, read in zip(missing, rows, strict=True)
        )
        return [next(made) if points is None else points for points in known]

    # --- by levels --------------------------------------------------------------------------------

    def _picture(self, place: SeriesPlace, query: ScalarQuery) -> ScalarColumns:
        """The answer from blocks of points; at both ends of the window, from the points themselves."""
        assert query.width is not None
        low, high = self._ends(place, query)
        block = _FINE if high.stop - low.start < _PER_COLUMN * _COARSE * query.width else _COARSE
        if high.start - low.stop < _PER_COLUMN * _FINE * query.width:
            spans = [range(low.start, high.stop), range(0), range(high.stop, high.stop)]
        else:
            head = range(0) if query.window[0] is None else _block_of(low.start, block, place.shown)
            tail = range(place.shown, place.shown)
            if query.window[1] is not None:
                tail = _block_of(high.start, block, place.shown)
            spans = [head, range(head.stop, tail.start), tail]
        ends = self._reader.rows([place.rows("scalars", one.start, one.stop) for one in spans[::2]], _POINT)
        parts = []
        for points in ends:
            inside = _within(place, query, points)
            parts.append({name: column[inside] for name, column in points.items()})
        count = len(spans[1]) + sum(len(one["value"]) for one in parts)
        odd = np.sum([nonfinite(one["value"]) for one in parts], axis=0)
        if spans[1]:
            level = self._level(place, block)
            chosen = (level["row"] >= spans[1].start) & (level["row"] < spans[1].stop)
            parts.insert(1, {name: column[chosen] for name, column in level.items()})
            odd = odd + [parts[1][name].sum() for name in COUNTS]
        points = place.typed({name: np.concatenate([one[name] for one in parts]) for name in _POINT})
        origin = place.wall_times[0]
        columns = points["step"], points["wall_time"], points["value"]
        answer = self._answer(None, *columns, _of_points(query, origin))
        nan, above, below = map(int, odd)
        hiding: dict[str, Any] = {name: place.number(name) for name in _HIDING}
        return evolve(
            answer,
            points=count,
            **hiding,
            total=place.number("points"),
            restarts=place.series.restarts(place.row),
            origin=origin if math.isfinite(origin) else answer.origin,
            extent=place.extent(query),
            nonfinite=(nan, above, below),
        )

    def _ends(self, place: SeriesPlace, query: ScalarQuery) -> tuple[range, range]:
        """Between which rows the window begins and ends, by the points of a level; rows of one block."""
        found = []
        for edge, side, open_end in zip(query.window, _SIDES, (0, place.shown), strict=True):
            if edge is None:
                found.append(range(open_end, open_end))
                continue
            level = self._level(place, _FINE)
            after = int(np.searchsorted(place.axis(query, level), edge, side))
            first = int(level["row"][after - 1]) if after else 0
            stop = int(level["row"][after]) if after < len(level["row"]) else place.shown
            found.append(range(first, stop))
        return found[0], found[1]

    def _level(self, place: SeriesPlace, block: int) -> Columns:
        found = self._levels.get((place.name, block))
        if found is None:
            coarse, every = place.number("coarse_rows"), place.number("levels_rows")
            wanted = place.rows("levels", *((0, coarse) if block == _COARSE else (coarse, every)))
            [found] = self._reader.rows([wanted], ("row", *_POINT, *COUNTS))
            self._levels.put((place.name, block), found)
        return found


def _is_by_level(place: SeriesPlace, query: ScalarQuery) -> bool:
    """Whether the levels can answer: not where smoothing needs every point, or columns widen."""
    return (
        query.width is not None
        and place.shown >= max(LONG, _PER_COLUMN * _FINE * query.width)
        and query.attempts == "last"
        and not query.smoothing
        and query.nearest is None
        and not query.log_x
        and (query.x == "step" or bool(place.number("wall_times_ascend")))
    )


def _block_of(row: int, block: int, count: int) -> range:
    """The rows of the block of a row."""
    first = row // block * block
    return range(first, min(first + block, count))


def _within(place: SeriesPlace, query: ScalarQuery, points: Columns) -> slice:
    """The points of the window, among some that follow each other."""
    axis = place.axis(query, points)
    edges = zip(query.window, _SIDES, (0, len(axis)), strict=True)
    first, stop = (
        end if edge is None else int(np.searchsorted(axis, edge, side)) for edge, side, end in edges
    )
    return slice(first, max(first, stop))


def _of_points(query: ScalarQuery, origin: float) -> ScalarQuery:
    """The query for points of the window alone, whose first need not be the origin of relative time."""
    if query.x != "relative":
        return query
    low, high = (None if edge is None else edge + origin for edge in query.window)
    return evolve(query, x="wall", window=(low, high))


def _size_of(columns: Columns) -> int:
    return 1024 + sum(column.nbytes for column in columns.values())
