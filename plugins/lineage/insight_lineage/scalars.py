"""Last, smallest and largest value of every scalar, in arrays by tag."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from attrs import astuple, evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import DataProvider, PluginNameEnum, ScalarQuery, SeriesInfo, SeriesKey
from insight_core.plugin.filters.column import Column, Mask
from insight_lineage.names import SCALARS, title_of

SCALAR = str(PluginNameEnum.SCALAR)
_MOST_CELLS = 2_000_000  # of columns that are kept, for the next question
_EXTREMES = ScalarQuery(width=1)  # of one column: its first, smallest, largest and last value


@frozen(eq=False)
class _Points:
    """The scalars of one tag: a value for each row of the table that has it, ``rows`` ascending."""

    rows: NDArray[np.intp]
    count: NDArray[np.int64]  # of points
    written: NDArray[np.float64]  # wall time of the last point
    last: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    bounded: Mask  # whether the extremes are those of the series now

    @classmethod
    def of(cls, found: Sequence[tuple[int, SeriesInfo]]) -> _Points:
        """Of these series, by row."""
        found = sorted(found, key=itemgetter(0))
        infos = [info for _, info in found]
        unknown = np.full(len(found), np.nan)
        return cls(
            np.array([row for row, _ in found], np.intp),
            np.array([info.points for info in infos], np.int64),
            np.array([info.last_wall_time for info in infos], np.float64),
            np.array([np.nan if info.last_value is None else info.last_value for info in infos], np.float64),
            unknown,
            unknown,
            np.zeros(len(found), np.bool_),
        )

    def place(self, row: int) -> int | None:
        """Where the values of a row are."""
        at = int(np.searchsorted(self.rows, row))
        return at if at < len(self.rows) and self.rows[at] == row else None

    def chosen(self, places: NDArray[np.intp] | Mask) -> _Points:
        return _Points(*(values[places] for values in astuple(self, recurse=False)))

    def moved(self, places: NDArray[np.intp]) -> _Points:
        """In other rows: ``places`` has the new one of each old one, -1 where it is gone."""
        rows = places[self.rows]
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        return evolve(self.chosen(order), rows=rows[order])

    def bounded_as(self, before: _Points) -> _Points:
        """With the extremes that are known of series that have not changed since."""
        if not len(before.rows):
            return self
        places = np.minimum(np.searchsorted(before.rows, self.rows), len(before.rows) - 1)
        old = before.chosen(places)
        same = (old.rows == self.rows) & (old.count == self.count) & (old.written == self.written)
        same &= (old.last == self.last) | (np.isnan(old.last) & np.isnan(self.last))
        return evolve(
            self,
            low=np.where(same, old.low, np.nan),
            high=np.where(same, old.high, np.nan),
            bounded=same & old.bounded,
        )

    def joined(self, other: _Points) -> _Points:
        """With those of other rows."""
        pairs = zip(astuple(self, recurse=False), astuple(other, recurse=False), strict=True)
        both = _Points(*(np.concatenate(pair) for pair in pairs))
        return both.chosen(np.argsort(both.rows, kind="stable"))


class Scalars:
    """Not for several threads at once."""

    def __init__(self, data: DataProvider) -> None:
        self._data = data
        self._tags: dict[str, _Points] = {}
        self._tags_of: dict[str, tuple[str, ...]] = {}  # by run
        self._rows: Mapping[str, int] = {}
        self._columns: dict[str, Column] = {}  # that were asked for, the latest last

    def counts(self, rows: Mask) -> dict[str, int]:
        """How many of these rows have each scalar, of those that one of them has."""
        found = {tag: int(np.count_nonzero(rows[each.rows])) for tag, each in self._tags.items()}
        return {tag: count for tag, count in found.items() if count}

    def place(self, rows: Mapping[str, int], origin: NDArray[np.intp]) -> None:
        """Goes on with other rows, by run; ``origin`` as of ``moved``."""
        places = np.full(len(self._rows), -1, np.intp)
        stayed = np.flatnonzero(origin >= 0)
        places[origin[stayed]] = stayed
        self._rows = rows
        self._tags_of = {run: tags for run, tags in self._tags_of.items() if run in rows}
        for tag, each in list(self._tags.items()):
            self._keep(tag, each.moved(places))

    def update(self, runs: Collection[str] | None) -> bool:
        """Looks at the scalars of these runs, or of all, again; whether some came or went."""
        looked = self._rows.keys() if runs is None else runs & self._rows.keys()
        found: dict[str, list[tuple[int, SeriesInfo]]] = {}  # by tag
        tags_of: dict[str, list[str]] = {run: [] for run in looked}
        for info in self._data.series(SCALAR, runs=runs):
            run, tag = info.key.run, info.key.tag
            if run in tags_of:
                found.setdefault(tag, []).append((self._rows[run], info))
                tags_of[run].append(tag)
        before = {tag for run in looked for tag in self._tags_of.get(run, ())}
        changed = any(set(self._tags_of.get(run, ())) != set(tags) for run, tags in tags_of.items())
        self._tags_of.update((run, tuple(tags)) for run, tags in tags_of.items())
        others = np.ones(len(self._rows), np.bool_)
        others[[self._rows[run] for run in looked]] = False
        for tag in before | found.keys():
            self._take(tag, _Points.of(found.get(tag, ())), others)
        return changed

    def last(self, run: str, tag: str) -> float | None:
        """The last value of a scalar; None if the run has no such tag."""
        found = self._found(run, tag)
        return None if found is None else float(found[0].last[found[1]])

    def points(self, run: str, tag: str) -> int:
        """Of a scalar; 0 if the run does not have it."""
        found = self._found(run, tag)
        return 0 if found is None else int(found[0].count[found[1]])

    def tags_of(self, run: str) -> Sequence[str]:
        """Scalar tags of a run."""
        return self._tags_of.get(run, ())

    def column(self, name: str) -> Column | None:
        """``last/<tag>``, ``min/<tag>`` or ``max/<tag>``; None if no run has the tag."""
        which, _, tag = name.partition("/")
        if which not in SCALARS or tag not in self._tags:
            return None
        column = self._columns.pop(name, None)
        if column is None:
            if which != "last":
                self._bound(tag)
            points = self._tags[tag]
            known = points.chosen(points.bounded) if which != "last" else points
            values, present = np.full(len(self._rows), np.nan), np.zeros(len(self._rows), np.bool_)
            values[known.rows] = {"last": known.last, "min": known.low, "max": known.high}[which]
            present[known.rows] = True
            column = Column.of_numbers(name, "scalar", title_of(name), values, present)
        self._columns[name] = column
        if len(self._columns) * len(self._rows) > _MOST_CELLS:
            del self._columns[next(iter(self._columns))]
        return column

    def _take(self, tag: str, now: _Points, others: Mask) -> None:
        """What a tag has now, and goes on to have in ``others``."""
        before = self._tags.get(tag)
        if before is not None:
            now = now.bounded_as(before).joined(before.chosen(others[before.rows]))
            if all(map(_same, astuple(before, recurse=False), astuple(now, recurse=False))):
                return
        self._keep(tag, now)

    def _keep(self, tag: str, points: _Points) -> None:
        for which in SCALARS:
            self._columns.pop(f"{which}/{tag}", None)
        if len(points.rows):
            self._tags[tag] = points
        else:
            self._tags.pop(tag, None)

    def _found(self, run: str, tag: str) -> tuple[_Points, int] | None:
        points, row = self._tags.get(tag), self._rows.get(run)
        place = None if points is None or row is None else points.place(row)
        return None if points is None or place is None else (points, place)

    def _bound(self, tag: str) -> None:
        """Finds the extremes that are not known."""
        points = self._tags[tag]
        missing = np.flatnonzero(~points.bounded)
        if not len(missing):
            return
        low, high, bounded = points.low.copy(), points.high.copy(), points.bounded.copy()
        runs = list(self._rows)
        places = {runs[points.rows[place]]: place for place in missing.tolist()}
        keys = [SeriesKey(run, tag) for run in places]
        for key, columns in self._data.scalars(SCALAR, keys, _EXTREMES).items():
            place, values = places[key.run], columns.values
            known = values[~np.isnan(values)]
            low[place] = known.min() if len(known) else np.nan
            high[place] = known.max() if len(known) else np.nan
            bounded[place] = True
        self._tags[tag] = evolve(points, low=low, high=high, bounded=bounded)


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
