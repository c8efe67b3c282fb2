"""The runs and series of a segment by column, as the tables ``runs`` and ``series`` hold them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Dialect, Reason
from insight_core.plugin.data import Damage, Run, SeriesField, SeriesTable
from insight_core.plugin.lab import ScalarSummaries
from insight_lake.delta import LakeSegment
from insight_lake.levels import COUNTS
from insight_lake.row_reader import RowReader
from insight_lake.tables import claims_of_text

_WORDS: tuple[SeriesField, ...] = ("display_name", "description", "claims", "content")
FIELDS: tuple[SeriesField, ...] = get_args(SeriesField)
_NUMBERS = tuple(name for name in FIELDS if name not in _WORDS)
_REALS = ("first_wall_time", "least", "greatest")
_PLACES = ("hidden", "purged", "scalars_row", "levels_row", "levels_rows", "coarse_rows", "records_row")


@frozen
class RunNote:
    """Facts of a run that a lake keeps besides its data."""

    source: str  # the logdir or location that it was read from
    fingerprint: str
    read: float  # when its files were looked at, seconds since the epoch


@frozen
class StoredRun:
    """A run of a lake: as the page shows it, what was noted when it was built, and its hash."""

    run: Run
    note: RunNote
    content: str
    last_wall_time: float
    damage: tuple[Damage, ...]


class SegmentRuns:
    """The runs of a segment. What the page does not show is made when it is asked for."""

    def __init__(self, entry: LakeSegment) -> None:
        self._table = entry.runs
        known: dict[tuple[str, ...], tuple[Dialect, ...]] = {}  # the same object for all runs of them
        names, starts, texts = (self._table[name].to_pylist() for name in ("run", "start_time", "dialects"))
        dialects = [known.setdefault(key, tuple(map(Dialect, key))) for key in map(tuple, texts)]
        damage = pc.list_value_length(self._table["damage"]).to_pylist()
        self.runs = list(map(Run, names, dialects, starts, itertools.repeat(False), damage))

    def stored(self) -> Iterator[StoredRun]:
        """The runs with all that is known of them."""
        for run, row in zip(self.runs, self._table.to_pylist(), strict=True):
            damage = tuple(
                Damage(run.name, one["file"], one["offset"], Reason.restored(one["reason"]), one["skipped"])
                for one in row["damage"]
            )
            last = row["last_wall_time"]
            note = RunNote(row["source"], row["fingerprint"], row["read"])
            yield StoredRun(run, note, row["content"], math.nan if last is None else last, damage)


@frozen(eq=False)
class CodedWords:
    """Words of a column, and the index of the word of each row."""

    words: Sequence[Any]
    codes: NDArray[np.signedinteger[Any]]

    @classmethod
    def of(cls, column: Any) -> CodedWords:  # noqa: ANN401
        """Reads a dictionary column of pyarrow."""
        array = column.unify_dictionaries().combine_chunks()
        return cls(array.dictionary.to_pylist(), _small(array.indices.to_numpy()))

    def of_row(self, row: int) -> Any:  # noqa: ANN401
        """The word of a row."""
        return self.words[self.codes[row]]

    def of_rows(self, rows: slice | NDArray[np.intp]) -> list[Any]:
        """The words of some rows."""
        return [self.words[code] for code in self.codes[rows].tolist()]


class SegmentSeries:
    """The series of a segment, sorted by plugin, run and tag. A row is the number of a series."""

    def __init__(self, reader: RowReader, entry: LakeSegment) -> None:
        table = reader.whole(entry.tables["series"])
        self.entry = entry
        self._run, self._tag = CodedWords.of(table["run"]), CodedWords.of(table["tag"])
        self._words = {name: CodedWords.of(table[name]) for name in (*_WORDS, "type")}
        claims = self._words["claims"]
        self._words["claims"] = CodedWords([claims_of_text(text) for text in claims.words], claims.codes)
        self._numbers = {name: table[name].to_numpy() for name in (*_NUMBERS, *_REALS)}
        self._numbers["wall_times_ascend"] = table["wall_times_ascend"].to_numpy()
        for name in (*_PLACES, *COUNTS):
            self._numbers[name] = table[name].fill_null(-1 if name.endswith("_row") else 0).to_numpy()
        self._numbers = {name: _small(column) for name, column in self._numbers.items()}
        self._has_value = _small(table["last_value"].is_valid().to_numpy())
        self._restarts = table["restarts"].combine_chunks()
        plugins = CodedWords.of(table["plugin"])
        edges = np.flatnonzero(np.diff(plugins.codes, prepend=-1, append=-1))
        self.plugins = {
            plugins.words[plugins.codes[first]]: (int(first), int(stop))
            for first, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        }
        self._run_numbers = {name: number for number, name in enumerate(self._run.words)}
        self._tag_numbers = {name: number for number, name in enumerate(self._tag.words)}

    def find(self, plugin: str, run: str, tag: str) -> int | None:
        """The row of a series."""
        first, stop = self._of_run(plugin, run)
        number = self._tag_numbers.get(tag)
        if number is None:
            return None
        rows = np.flatnonzero(self._tag.codes[first:stop] == number)
        return first + int(rows[0]) if len(rows) else None

    def number(self, name: str, row: int) -> int:
        """An integer of a series."""
        return int(self._numbers[name][row])

    def time(self, name: str, row: int) -> float:
        """A wall time of a series."""
        return float(self._numbers[name][row])

    def type(self, row: int) -> str:
        """The type of the values of a series: float32 or float64."""
        return str(self._words["type"].of_row(row))

    def restarts(self, row: int) -> NDArray[np.int64]:
        """The steps of a series at which the training began again."""
        return np.array(self._restarts[row].as_py() or [], np.int64)

    def tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        runs: Collection[str] | None,
        tags: Collection[str] | None,
    ) -> Iterator[SeriesTable]:
        """The series of a plugin as one table for each run, with these fields."""
        rows = self._rows(plugin, runs, tags)
        if not len(rows):
            return
        common: dict[str, object] = {
            field: self._column(field, rows[:1])[0] for field in fields if self._is_one(field)
        }
        columns = {field: self._column(field, rows) for field in fields if field not in common}
        tags_of_rows, runs_of_rows = self._tag.codes[rows], self._run.codes[rows]
        edges = [0, *(np.flatnonzero(np.diff(runs_of_rows)) + 1).tolist(), len(rows)]
        lists: dict[bytes, tuple[str, ...]] = {}  # most runs have the same tags
        for begin, end in itertools.pairwise(edges):
            part = slice(begin, end)
            codes = tags_of_rows[part].tobytes()
            if codes not in lists:
                lists[codes] = tuple(self._tag.of_rows(rows[part]))
            yield SeriesTable(
                self._run.words[runs_of_rows[begin]],
                lists[codes],
                common,
                {field: column[part] for field, column in columns.items()},
            )

    def summaries(self, plugin: str, runs: Collection[str] | None) -> ScalarSummaries:
        """Counts and extremes of the series of numbers of a plugin."""
        rows = self._rows(plugin, runs, None)
        rows = rows[(self._numbers["scalars_row"][rows] >= 0)]
        rows = rows[self._numbers["kept"][rows] > self._numbers["hidden"][rows]]
        of = {name: self._numbers[name][rows] for name in (*COUNTS, *_REALS, *_NUMBERS, "hidden")}
        nan, above, below = (of[name] > 0 for name in COUNTS)
        finite = ~np.isnan(of["least"])  # there is a finite value
        return ScalarSummaries(
            self._run.words,
            self._tag.words,
            self._run.codes[rows].astype(np.int32),
            self._tag.codes[rows].astype(np.int32),
            of["kept"].astype(np.int64) - of["hidden"],
            of["first_step"].astype(np.int64),
            of["last_step"].astype(np.int64),
            np.select([below, finite, above], [-np.inf, of["least"], np.inf], np.nan),
            np.select([nan, above, finite], [np.nan, np.inf, of["greatest"]], -np.inf),
        )

    def identities(self, plugin: str) -> Mapping[tuple[str, str], tuple[object, ...]]:
        """By run and tag of a plugin: values that change when the series does."""
        first, stop = self.plugins.get(plugin, (0, 0))
        rows = np.arange(first, stop)
        columns = [list(map(repr, self._column(field, rows))) for field in _NUMBERS]
        keys = zip(self._run.of_rows(rows), self._tag.of_rows(rows), strict=True)
        return dict(zip(keys, zip(*columns, strict=True), strict=True))

    def _rows(
        self, plugin: str, runs: Collection[str] | None, tags: Collection[str] | None
    ) -> NDArray[np.intp]:
        first, stop = self.plugins.get(plugin, (0, 0))
        rows = np.arange(first, stop)
        if runs is not None:
            spans = [self._of_run(plugin, run) for run in runs if run in self._run_numbers]
            rows = np.concatenate([np.zeros(0, np.int64), *(np.arange(*span) for span in spans)])
        if tags is not None:
            numbers = [self._tag_numbers[tag] for tag in tags if tag in self._tag_numbers]
            rows = rows[np.isin(self._tag.codes[rows], np.array(numbers, np.int32))]
        return rows

    def _of_run(self, plugin: str, run: str) -> tuple[int, int]:
        """The rows of a run among those of a plugin; runs are numbered in the order of their rows."""
        first, stop = self.plugins.get(plugin, (0, 0))
        number = self._run_numbers.get(run)
        if number is None:
            return first, first
        places = np.flatnonzero(self._run.codes[first:stop] == number)
        return (first + int(places[0]), first + int(places[-1]) + 1) if len(places) else (first, first)

    def _is_one(self, field: SeriesField) -> bool:
        """Whether all series of the segment have the same value."""
        if field in self._words:
            return _is_repeated(self._words[field].codes)
        is_value = field != "last_value" or _is_repeated(self._has_value)
        return is_value and _is_repeated(self._numbers[field])

    def _column(self, field: SeriesField, rows: NDArray[np.intp]) -> list[Any]:
        if field in self._words:
            return self._words[field].of_rows(rows)
        values: list[Any] = self._numbers[field][rows].tolist()
        if field == "last_value":
            has_value = self._has_value[rows].tolist()
            return [value if there else None for value, there in zip(values, has_value, strict=True)]
        return values


def _is_repeated(column: NDArray[Any]) -> bool:
    """Whether ``_small`` made one value of the column."""
    return column.strides == (0,)


def _small(column: NDArray[Any]) -> NDArray[Any]:
    """The same values in less memory: a lake may have millions of series."""
    if len(column) and (column == column[0]).all():
        return np.broadcast_to(column[0].copy(), len(column))
    if column.dtype.kind == "f":
        single = column.astype(np.float32)
        return single if np.array_equal(single, column, equal_nan=True) else column.copy()
    if column.dtype.kind == "i" and len(column):
        least, greatest = column.min(), column.max()
        kinds = (np.int8, np.int16, np.int32)
        fits = (one for one in kinds if np.iinfo(one).min <= least and greatest <= np.iinfo(one).max)
        return column.astype(next(fits, column.dtype))
    return column.copy()  # the column of Arrow is a part of a larger buffer
