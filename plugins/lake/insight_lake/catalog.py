"""The series of a segment by column, as the table ``series`` holds them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Any, get_args

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.data import SeriesField, SeriesKey, SeriesTable
from insight_core.plugin.lab import ScalarSummaries
from insight_lake.delta import LakeSegment
from insight_lake.layout import COUNTS
from insight_lake.row_reader import RowReader
from insight_lake.tables import claims_of_text

_WORDS: tuple[SeriesField, ...] = ("display_name", "description", "claims", "content")
FIELDS: tuple[SeriesField, ...] = get_args(SeriesField)
_NUMBERS = tuple(name for name in FIELDS if name not in _WORDS)
_PLACES = ("hidden", "purged", "scalars_row", "levels_row", "levels_rows", "records_row")


@frozen(eq=False)
class CodedWords:
    """Words of a column, and the index of the word of each row."""

    words: Sequence[Any]
    codes: NDArray[np.signedinteger[Any]]

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> CodedWords:
        """Reads a dictionary column of pyarrow."""
        array = column.unify_dictionaries().combine_chunks()
        return cls(array.dictionary.to_pylist(), _small(array.indices.to_numpy()))

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
        numbers = (*_NUMBERS, *_PLACES, *COUNTS, "least", "greatest", "wall_times_ascend")
        self._numbers = {name: _small(_filled(table[name], name)) for name in numbers}
        self._has_value = _small(table["last_value"].is_valid().to_numpy())
        self._restarts = table["restarts"].combine_chunks()
        plugins = CodedWords.of(table["plugin"])
        edges = np.flatnonzero(np.diff(plugins.codes, prepend=-1, append=-1))
        self._plugins = {
            plugins.words[plugins.codes[first]]: (int(first), int(stop))
            for first, stop in itertools.pairwise(edges.tolist())
        }
        self._run_numbers = {name: number for number, name in enumerate(self._run.words)}
        self._tag_numbers = {name: number for number, name in enumerate(self._tag.words)}

    def find(self, plugins: Sequence[str], key: SeriesKey) -> int | None:
        """The row of a series, of the first of these plugins that has it."""
        rows = (row for name in plugins for row in self._rows(name, (key.run,), (key.tag,)).tolist())
        return next(rows, None)

    def number(self, name: str, row: int) -> int:
        """An integer of a series."""
        return int(self._numbers[name][row])

    def type(self, row: int) -> str:
        """The type of the values of a series: float32 or float64."""
        words = self._words["type"]
        return str(words.words[words.codes[row]])

    def restarts(self, row: int) -> NDArray[np.int64]:
        """The steps of a series at which the training began again."""
        return np.array(self._restarts[row].as_py() or [], np.int64)

    def states(self, plugin: str) -> dict[SeriesKey, tuple[str, ...]]:
        """The series of a plugin, with what changes when one of them does."""
        rows = self._rows(plugin, None, None)
        columns = [map(repr, self._column(field, rows)) for field in _NUMBERS]
        keys = map(SeriesKey, self._run.of_rows(rows), self._tag.of_rows(rows))
        return dict(zip(keys, zip(*columns, strict=True), strict=True))

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
        of = {name: column[rows] for name, column in self._numbers.items()}
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

    def _rows(
        self, plugin: str, runs: Collection[str] | None, tags: Collection[str] | None
    ) -> NDArray[np.intp]:
        first, stop = self._plugins.get(plugin, (0, 0))
        rows = np.arange(first, stop)
        if runs is not None:
            spans = [self._of_run(first, stop, run) for run in runs if run in self._run_numbers]
            rows = np.concatenate([np.zeros(0, np.int64), *spans])
        if tags is not None:
            numbers = [self._tag_numbers[tag] for tag in tags if tag in self._tag_numbers]
            rows = rows[np.isin(self._tag.codes[rows], np.array(numbers, np.int32))]
        return rows

    def _of_run(self, first: int, stop: int, run: str) -> NDArray[np.intp]:
        return first + np.flatnonzero(self._run.codes[first:stop] == self._run_numbers[run])

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


def _filled(column: pa.ChunkedArray, name: str) -> NDArray[Any]:
    """A column as numpy: without a place -1, without a count 0, without a number NaN."""
    if name in _PLACES or name in COUNTS:
        column = column.fill_null(-1 if name.endswith("_row") else 0)
    array: NDArray[Any] = column.to_numpy()
    return array


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
        # of -1 - greatest as well, so that the type is signed
        least = min(column.min(), -1 - column.max())
        return column.astype(np.min_scalar_type(least))
    return column.copy()  # the column of Arrow is a part of a larger buffer
