"""Last, smallest and largest value of every scalar, in arrays by tag with one row for each run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.api import DataProvider, PluginNameEnum, ScalarQuery, SeriesInfo, SeriesKey
from insight_lineage.column import Column, Mask, moved
from insight_lineage.names import SCALARS, title_of

SCALAR = str(PluginNameEnum.SCALAR)
_EXTREMES = ScalarQuery(width=1)  # of one column: its first, smallest, largest and last value


@define(eq=False)
class _Tag:
    """The scalar of one tag, by row of the table. ``bounded``: its extremes are those of the series now."""

    present: Mask
    last: NDArray[np.float64]
    points: NDArray[np.int64]
    written: NDArray[np.float64]  # wall time of the last point
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    bounded: Mask
    columns: dict[str, Column] = field(factory=dict)  # that were asked for since the last change

    @classmethod
    def of(cls, rows: int) -> _Tag:
        def nothing() -> NDArray[np.float64]:
            return np.full(rows, np.nan)

        return cls(
            np.zeros(rows, np.bool_),
            nothing(),
            np.zeros(rows, np.int64),
            nothing(),
            nothing(),
            nothing(),
            np.zeros(rows, np.bool_),
        )

    def moved(self, origin: NDArray[np.intp]) -> _Tag:
        return _Tag(
            moved(self.present, origin, False),
            moved(self.last, origin, np.nan),
            moved(self.points, origin, 0),
            moved(self.written, origin, np.nan),
            moved(self.low, origin, np.nan),
            moved(self.high, origin, np.nan),
            moved(self.bounded, origin, False),
        )

    def take(self, rows: NDArray[np.intp], infos: list[SeriesInfo]) -> None:
        points = np.array([info.points for info in infos], np.int64)
        written = np.array([info.last_wall_time for info in infos], np.float64)
        last = np.array(
            [np.nan if info.last_value is None else info.last_value for info in infos], np.float64
        )
        same = (
            self.present[rows]
            & (self.points[rows] == points)
            & (self.written[rows] == written)
            & ((self.last[rows] == last) | (np.isnan(last) & np.isnan(self.last[rows])))
        )
        if same.all():
            return
        self.columns.clear()
        self.bounded[rows[~same]] = False
        self.present[rows] = True
        self.points[rows], self.written[rows], self.last[rows] = points, written, last


class Scalars:
    """Not for several threads at once."""

    def __init__(self, data: DataProvider) -> None:
        self._data = data
        self._tags: dict[str, _Tag] = {}
        self._rows: Mapping[str, int] = {}

    def counts(self, rows: Mask) -> dict[str, int]:
        """How many of these rows have each scalar, of those that one of them has."""
        found = {tag: int(np.count_nonzero(numbers.present & rows)) for tag, numbers in self._tags.items()}
        return {tag: count for tag, count in found.items() if count}

    def place(self, rows: Mapping[str, int], origin: NDArray[np.intp]) -> None:
        """Goes on with other rows, by run; ``origin`` as of ``moved``."""
        self._rows = rows
        self._tags = {tag: numbers.moved(origin) for tag, numbers in self._tags.items()}

    def update(self, runs: Collection[str] | None) -> bool:
        """Looks at the scalars of these runs, or of all, again; whether some came or went."""
        changed = False
        by_tag: dict[str, list[SeriesInfo]] = {}
        for info in self._data.series(SCALAR, runs=runs):
            if info.key.run in self._rows:
                by_tag.setdefault(info.key.tag, []).append(info)
        looked = np.full(len(self._rows), runs is None)
        looked[[self._rows[run] for run in runs or () if run in self._rows]] = True
        for tag, numbers in self._tags.items():
            gone = looked & numbers.present
            gone[[self._rows[info.key.run] for info in by_tag.get(tag, ())]] = False
            if gone.any():
                changed = True
                numbers.columns.clear()
                numbers.present[gone] = False
                numbers.bounded[gone] = False
        for tag, listed in by_tag.items():
            numbers = self._tags.get(tag) or self._tags.setdefault(tag, _Tag.of(len(self._rows)))
            rows = np.array([self._rows[info.key.run] for info in listed], np.intp)
            changed |= not numbers.present[rows].all()
            numbers.take(rows, listed)
        return changed

    def last(self, run: str, tag: str) -> float | None:
        numbers, row = self._tags.get(tag), self._rows.get(run)
        if numbers is None or row is None or not numbers.present[row]:
            return None
        return float(numbers.last[row])

    def points(self, run: str, tag: str) -> int:
        """Of a scalar that the run has."""
        return int(self._tags[tag].points[self._rows[run]])

    def tags_of(self, run: str) -> Iterable[str]:
        row = self._rows.get(run)
        return [] if row is None else [tag for tag, numbers in self._tags.items() if numbers.present[row]]

    def column(self, name: str) -> Column | None:
        """``last/<tag>``, ``min/<tag>`` or ``max/<tag>``; None if no run has the tag."""
        which, _, tag = name.partition("/")
        numbers = self._tags.get(tag)
        if which not in SCALARS or numbers is None or not numbers.present.any():
            return None
        if name not in numbers.columns:
            if which != "last":
                self._bound(tag, numbers)
            values = {"last": numbers.last, "min": numbers.low, "max": numbers.high}[which]
            present = numbers.present.copy()
            if which != "last":
                present &= numbers.bounded
            numbers.columns[name] = Column.of_numbers(name, "scalar", title_of(name), values, present)
        return numbers.columns[name]

    def _bound(self, tag: str, numbers: _Tag) -> None:
        missing = numbers.present & ~numbers.bounded
        if not missing.any():
            return
        keys = [SeriesKey(run, tag) for run, row in self._rows.items() if missing[row]]
        for key, columns in self._data.scalars(SCALAR, keys, _EXTREMES).items():
            row, values = self._rows[key.run], columns.values
            known = values[~np.isnan(values)]
            numbers.low[row] = known.min() if len(known) else np.nan
            numbers.high[row] = known.max() if len(known) else np.nan
            numbers.bounded[row] = True
