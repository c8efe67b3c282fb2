"""Last, smallest and largest value of every scalar, in arrays by tag."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import astuple, evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import PluginNameEnum
from insight_core.plugin.data import DataProvider, ScalarQuery, SeriesField, SeriesKey, SeriesTable
from insight_core.plugin.filters import Column, Mask
from insight_lineage.names import SCALARS, title_of

SCALAR = str(PluginNameEnum.SCALAR)
_MOST_CELLS = 2_000_000  # of columns that are kept, for the next question
_FIELDS: tuple[SeriesField, ...] = ("points", "last_wall_time", "last_value")
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
    def of(
        cls,
        rows: NDArray[np.intp],
        count: NDArray[np.int64],
        written: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> _Points:
        """Without extremes, which are not known."""
        unknown = np.full(len(rows), np.nan)
        return cls(rows, count, written, last, unknown, unknown, np.zeros(len(rows), np.bool_))

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
    """Tags of each run; values are read by tag, when one is asked for. Not for several threads at once."""

    def __init__(self, data: DataProvider) -> None:
        self._data = data
        self._tags_of: dict[str, tuple[str, ...]] = {}  # by run; runs with equal tags share one tuple
        self._points: dict[str, _Points] = {}  # of tags that were asked for
        self._names: set[str] | None = None  # all tags
        self._rows: Mapping[str, int] = {}
        self._columns: dict[str, Column] = {}  # that were asked for, the latest last

    def counts(self) -> dict[str, int]:
        """How many rows have each scalar."""
        shared = {id(tags): tags for tags in self._tags_of.values()}
        runs = Counter(map(id, self._tags_of.values()))
        found: Counter[str] = Counter()
        for each, count in runs.items():
            found.update(dict.fromkeys(shared[each], count))
        return found

    def place(self, rows: Mapping[str, int], origin: NDArray[np.intp]) -> None:
        """Goes on with other rows, by run; ``origin`` as of ``moved``."""
        places = np.full(len(self._rows), -1, np.intp)
        stayed = np.flatnonzero(origin >= 0)
        places[origin[stayed]] = stayed
        self._rows = rows
        self._tags_of = {run: tags for run, tags in self._tags_of.items() if run in rows}
        self._names = None
        for tag, each in list(self._points.items()):
            self._keep(tag, each.moved(places))

    def update(self, runs: Collection[str] | None) -> bool:
        """Looks at the scalars of these runs, or of all, again; whether some came or went."""
        looked = self._rows.keys() if runs is None else runs & self._rows.keys()
        shared = {tags: tags for tags in self._tags_of.values()}
        tables = self._data.series_tables(SCALAR, (), runs=runs)
        found = {
            table.run: shared.setdefault(table.tags, table.tags) for table in tables if table.run in looked
        }
        changed = False
        for run in looked:
            before, now = self._tags_of.pop(run, ()), found.get(run, ())
            changed = changed or (before is not now and set(before) != set(now))
        self._tags_of.update(found)
        if changed:
            self._names = None
        if self._points:
            others = np.ones(len(self._rows), np.bool_)
            others[[self._rows[run] for run in looked]] = False
            read = self._read(self._points, runs)
            for tag in list(self._points):
                self._take(tag, read.get(tag), others)
        return changed

    def load(self, tags: Iterable[str]) -> None:
        """Reads the values of these scalars together, those that are not known."""
        missing = self._known().intersection(tags).difference(self._points)
        if missing:
            for tag, points in self._read(missing, None).items():
                self._keep(tag, points)

    def _known(self) -> set[str]:
        """The tags that a run has."""
        if self._names is None:
            shared = {id(tags): tags for tags in self._tags_of.values()}
            self._names = set(itertools.chain.from_iterable(shared.values()))
        return self._names

    def _read(self, tags: Collection[str], runs: Collection[str] | None) -> dict[str, _Points]:
        """What the runs have now of each tag."""
        alike: dict[tuple[str, ...], list[SeriesTable]] = {}
        for table in self._data.series_tables(SCALAR, _FIELDS, runs=runs, tags=tags):
            if table.run in self._rows:
                alike.setdefault(table.tags, []).append(table)
        found: dict[str, _Points] = {}
        for names, tables in alike.items():
            tables.sort(key=lambda table: self._rows[table.run])
            rows = np.array([self._rows[table.run] for table in tables], np.intp)
            facts = [
                np.array([table.column(field) for table in tables], dtype).T.copy()
                for field, dtype in zip(_FIELDS, (np.int64, np.float64, np.float64), strict=True)
            ]
            for tag, *each in zip(names, *facts, strict=True):
                points = _Points.of(rows, *each)
                found[tag] = found[tag].joined(points) if tag in found else points
        return found

    def last(self, run: str, tag: str) -> float | None:
        """The last value of a scalar; None if the run has no such tag."""
        found = self._found(run, tag)
        return None if found is None else float(found[0].last[found[1]])

    def tags_of(self, run: str) -> Sequence[str]:
        """Scalar tags of a run."""
        return self._tags_of.get(run, ())

    def column(self, name: str) -> Column | None:
        """``last/<tag>``, ``min/<tag>`` or ``max/<tag>``; None if no run has the tag."""
        which, _, tag = name.partition("/")
        if which not in SCALARS:
            return None
        self.load([tag])
        if tag not in self._points:
            return None
        column = self._columns.pop(name, None)
        if column is None:
            if which != "last":
                self._bound(tag)
            points = self._points[tag]
            known = points.chosen(points.bounded) if which != "last" else points
            values, present = np.full(len(self._rows), np.nan), np.zeros(len(self._rows), np.bool_)
            values[known.rows] = {"last": known.last, "min": known.low, "max": known.high}[which]
            present[known.rows] = True
            column = Column.of_numbers(name, "scalar", title_of(name), values, present, keeps_json=False)
        self._columns[name] = column
        if len(self._columns) * len(self._rows) > _MOST_CELLS:
            del self._columns[next(iter(self._columns))]
        return column

    def _take(self, tag: str, now: _Points | None, others: Mask) -> None:
        """What a tag has now, and goes on to have in ``others``."""
        before = self._points[tag]
        after = before.chosen(others[before.rows])
        if now is not None:
            after = now.bounded_as(before).joined(after)
        if not all(map(_same, astuple(before, recurse=False), astuple(after, recurse=False))):
            self._keep(tag, after)

    def _keep(self, tag: str, points: _Points) -> None:
        for which in SCALARS:
            self._columns.pop(f"{which}/{tag}", None)
        if len(points.rows):
            self._points[tag] = points
        else:
            self._points.pop(tag, None)

    def _found(self, run: str, tag: str) -> tuple[_Points, int] | None:
        self.load([tag])
        points, row = self._points.get(tag), self._rows.get(run)
        place = None if points is None or row is None else points.place(row)
        return None if points is None or place is None else (points, place)

    def _bound(self, tag: str) -> None:
        """Finds the extremes that are not known."""
        points = self._points[tag]
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
        self._points[tag] = evolve(points, low=low, high=high, bounded=bounded)


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
