"""Scalar queries of series in a lake: exact points, or the levels of a long series for a picture of it."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from attrs import evolve
from cachetools import LRUCache

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.lab import AnswerScalars
from insight_lake.levels import BLOCKS, COUNTS, LONG, nonfinite
from insight_lake.row_reader import RowRange, RowReader
from insight_lake.series_place import Columns, SeriesPlace, SeriesPoints, points_of
from insight_lake.windows import SIDES, ReadRows, SeriesRows, axis_of, block_of, window_of

_CACHE = 128 << 20  # bytes of points
_PICTURES = 8  # at the same time; each waits for the store
_FINE, _COARSE = BLOCKS
_PER_COLUMN = 2  # blocks of a level that a column of a picture has at least
_POINT = ("step", "wall_time", "value")
_LEVEL = ("row", *_POINT, *COUNTS)


class PointReader:
    """Answers scalar queries; what was read is kept within a limit of bytes."""

    def __init__(self, reader: RowReader, answer: AnswerScalars) -> None:
        self._reader, self._answer = reader, answer
        self._pictures = ThreadPoolExecutor(_PICTURES, "insight-lake-pictures")
        self._lock = threading.Lock()
        self._points: LRUCache[tuple[str, int, bool], SeriesPoints] = LRUCache(
            _CACHE, lambda one: one.size + 1024
        )
        self._levels: LRUCache[tuple[str, int], Columns] = LRUCache(
            _CACHE // 4, lambda one: sum(column.nbytes for column in one.values()) + 1024
        )

    def close(self) -> None:
        """Ends the threads."""
        self._pictures.shutdown(wait=False, cancel_futures=True)

    def answers(self, places: Sequence[SeriesPlace], query: ScalarQuery) -> dict[SeriesKey, ScalarColumns]:
        """The answers of a query for several series."""
        low, high = query.window
        if low is not None and high is not None and low > high:
            raise InvalidArgument("the window ends before it begins")
        by_level = [place for place in places if self._by_level(place, query)]
        found = dict(
            zip(
                [place.key for place in by_level],
                self._pictures.map(lambda place: self._picture(place, query), by_level),
                strict=True,
            )
        )
        exact = [place for place in places if place.key not in found]
        for place, points in zip(exact, self._read(exact, query.attempts == "all"), strict=True):
            found[place.key] = self._exact(place, points, query)
        return found

    def _by_level(self, place: SeriesPlace, query: ScalarQuery) -> bool:
        """Whether the levels can answer: not where smoothing needs every point, or columns widen."""
        return (
            query.width is not None
            and place.shown >= max(LONG, _PER_COLUMN * _FINE * query.width)
            and query.attempts == "last"
            and not query.smoothing
            and query.nearest is None
            and not query.log_x
            and (query.x == "step" or place.facts.wall_times_ascend)
        )

    def _exact(self, place: SeriesPlace, points: SeriesPoints, query: ScalarQuery) -> ScalarColumns:
        facts = place.facts
        arguments = (points.steps, points.wall_times, points.values)
        answer = self._answer(place.name, *arguments, query, total=facts.total)
        if query.attempts == "all":
            return evolve(answer, restarts=facts.restarts)
        return evolve(
            answer,
            hidden=facts.hidden,
            purged=facts.purged,
            kept=facts.kept,
            restarts=facts.restarts,
        )

    def _read(self, places: Sequence[SeriesPlace], every: bool) -> list[SeriesPoints]:
        """All shown points of series, or all points in the order of files."""
        with self._lock:
            known = [self._points.get((*place.name, every)) for place in places]
        missing = [place for place, points in zip(places, known, strict=True) if points is None]
        columns = (*_POINT, "attempt") if every else _POINT
        wanted = [place.scalars(0, place.facts.kept if every else place.shown) for place in missing]
        rows = self._rows(wanted, columns)
        made = iter([points_of(place, columns) for place, columns in zip(missing, rows, strict=True)])
        with self._lock:
            found = []
            for place, points in zip(places, known, strict=True):
                if points is None:
                    points = next(made)
                    if points.size + 1024 <= self._points.maxsize:
                        self._points[(*place.name, every)] = points
                found.append(points)
        return found

    def _rows(self, wanted: Sequence[RowRange], columns: Sequence[str]) -> list[Columns]:
        return self._reader.rows(wanted, columns) if wanted else []

    # --- by levels --------------------------------------------------------------------------------

    def _picture(self, place: SeriesPlace, query: ScalarQuery) -> ScalarColumns:
        """The answer from blocks of points; at both ends of the window, from the points themselves."""
        assert query.width is not None
        low, high = self._ends(place, query)
        odd: tuple[int, int, int] | None = None
        if high.first - low.stop < _PER_COLUMN * _FINE * query.width:
            piece = self._pieces(place, [SeriesRows(low.first, high.stop)])[0]
            window = window_of(place, query, low, high, [piece])
            chosen = points_of(place, piece.cut(window))
        else:
            edges = [end for end in (low, high) if end.first < end.stop]
            pieces = self._pieces(place, [block_of(end.first, place.shown) for end in edges])
            window = window_of(place, query, low, high, pieces)
            block = _FINE if window.count < _PER_COLUMN * _COARSE * query.width else _COARSE
            chosen, odd = self._from_blocks(place, window, block, pieces)
        answer = self._answer(None, chosen.steps, chosen.wall_times, chosen.values, _open(query, place))
        facts = place.facts
        return evolve(
            answer,
            points=window.count,
            total=facts.total,
            kept=facts.kept,
            hidden=facts.hidden,
            purged=facts.purged,
            restarts=facts.restarts,
            origin=facts.wall_times[0] if math.isfinite(facts.wall_times[0]) else answer.origin,
            extent=_extent(place, query),
            nonfinite=nonfinite(chosen.values) if odd is None else odd,
        )

    def _from_blocks(
        self, place: SeriesPlace, window: SeriesRows, block: int, pieces: Sequence[ReadRows]
    ) -> tuple[SeriesPoints, tuple[int, int, int]]:
        inner_first = -(-window.first // block) * block
        inner_stop = window.stop // block * block if window.stop < place.shown else window.stop
        level = self._level(place, block)
        inside = (level["row"] >= inner_first) & (level["row"] < inner_stop)
        ends = [SeriesRows(window.first, inner_first), SeriesRows(inner_stop, window.stop)]
        missing = [end for end in ends if end.count and not any(piece.covers(end) for piece in pieces)]
        pieces = [*pieces, *self._pieces(place, missing)]
        before, after = (
            [next(piece for piece in pieces if piece.covers(end)).cut(end)] if end.count else []
            for end in ends
        )
        columns = {
            name: np.concatenate(
                [*(one[name] for one in before), level[name][inside], *(one[name] for one in after)]
            )
            for name in _POINT
        }
        outside = [nonfinite(one["value"]) for one in (*before, *after)]
        odd = np.array(outside or [(0, 0, 0)]).sum(axis=0)
        nan, above, below = (int(odd[at] + level[name][inside].sum()) for at, name in enumerate(COUNTS))
        return points_of(place, columns), (nan, above, below)

    def _ends(self, place: SeriesPlace, query: ScalarQuery) -> tuple[SeriesRows, SeriesRows]:
        """Between which rows the window begins and ends, by the points of a level; rows of one block."""
        found = []
        for edge, side, open_end in zip(query.window, SIDES, (0, place.shown), strict=True):
            if edge is None:
                found.append(SeriesRows(open_end, open_end))
                continue
            level = self._level(place, _FINE)
            after = int(np.searchsorted(axis_of(place, query, level), edge, side))
            first = int(level["row"][after - 1]) if after else 0
            stop = int(level["row"][after]) if after < len(level["row"]) else place.shown
            found.append(SeriesRows(first, stop))
        low, high = found
        return low, high

    def _pieces(self, place: SeriesPlace, wanted: Sequence[SeriesRows]) -> list[ReadRows]:
        rows = self._rows([place.scalars(one.first, one.stop) for one in wanted], _POINT)
        return [ReadRows(one, columns) for one, columns in zip(wanted, rows, strict=True)]

    def _level(self, place: SeriesPlace, block: int) -> Columns:
        name = place.series.entry.id, (place.row << 1) + (block == _COARSE)
        with self._lock:
            found = self._levels.get(name)
        if found is None:
            coarse = place.series.number("coarse_rows", place.row)
            rows = (
                (0, coarse) if block == _COARSE else (coarse, place.series.number("levels_rows", place.row))
            )
            found = self._rows([place.levels(*rows)], _LEVEL)[0]
            with self._lock:
                if sum(column.nbytes for column in found.values()) + 1024 <= self._levels.maxsize:
                    self._levels[name] = found
        return found


def _open(query: ScalarQuery, place: SeriesPlace) -> ScalarQuery:
    """The query for points of the window alone, whose first need not be the origin of relative time."""
    if query.x != "relative":
        return query
    origin = place.facts.wall_times[0]
    low, high = (None if edge is None else edge + origin for edge in query.window)
    return evolve(query, x="wall", window=(low, high))


def _extent(place: SeriesPlace, query: ScalarQuery) -> tuple[float, float]:
    if query.x == "step":
        first, last = place.facts.steps
        return float(first), float(last)
    low, high = place.facts.wall_times
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InvalidArgument(f"{place.key.tag!r} of run {place.key.run!r} has wall times without end")
    return (0.0, high - low) if query.x == "relative" else (low, high)
