"""Tables that ``insight_host.open`` gives: columns for numpy, pandas, polars and whatever reads Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Unavailable
from insight_host.arrow import LogColumn, schema_capsule, stream_capsule

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_SHOWN = 10  # rows of a printed table
_LARGEST = 1 << 63  # an int64 is less
_AT_ONCE = 4096  # rows that become Python values at a time


@frozen(eq=False, repr=False)
class LogTable:
    """Rows by column. pandas, polars, pyarrow and DuckDB take it as it is, by Arrow's PyCapsule interface.

    Numbers are shared with what takes them, not copied, so do not change them. ``schema`` has the columns in
    their order.
    """

    schema: Mapping[str, LogColumn]

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema)

    def __len__(self) -> int:
        return min((len(column.values) for column in self.schema.values()), default=0)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column as an array: numbers as they are, texts and columns with gaps (None) as objects.

        Raises KeyError for a column that the table does not have.
        """
        return _plain(self.schema[name])

    def at(self, rows: Sequence[int]) -> LogTable:
        """The table of these rows, by number."""
        places = np.array(rows, np.intp)
        return LogTable({name: _part(column, places) for name, column in self.schema.items()})

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of Python values; None for a missing value."""
        for begin in range(0, len(self), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            yield from zip(
                *(_plain(_part(each, part)).tolist() for each in self.schema.values()), strict=True
            )

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns as arrays, by name, as ``table[name]`` gives each."""
        return {name: self[name] for name in self.schema}

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame: texts are categories, numbers are shared. Raises Unavailable without pandas."""
        library = _library("pandas")
        made = {name: _of_pandas(library, column) for name, column in self.schema.items()}
        frame: pandas.DataFrame = library.DataFrame(made, copy=False)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """A DataFrame: texts are categories, numbers are shared. Raises Unavailable without polars."""
        frame: polars.DataFrame = _library("polars").DataFrame(self)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """A Table: texts are dictionary-encoded, numbers are shared. Raises Unavailable without pyarrow."""
        table: pyarrow.Table = _library("pyarrow").table(self)
        return table

    def __arrow_c_schema__(self) -> object:
        return schema_capsule(self.schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Other types than those of the table are not offered, as the interface allows."""
        return stream_capsule(self.schema)

    def __repr__(self) -> str:
        head = [self.columns]
        first = {name: _part(column, slice(_SHOWN)) for name, column in self.schema.items()}
        head += [["" if cell is None else str(cell) for cell in row] for row in LogTable(first).rows()]
        widths = [max(map(len, cells)) for cells in zip(*head, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in head
        ]
        return "\n".join([*lines, f"[{len(self):,} rows x {len(self.schema)} columns]"])


def numbers(values: Sequence[object] | NDArray[Any], dtype: type[np.generic]) -> LogColumn:
    """A column of numbers or booleans; None stands for a missing value."""
    if isinstance(values, np.ndarray):
        return LogColumn(values.astype(dtype, copy=False))
    if None not in values:
        return LogColumn(np.array(values, dtype))
    valid = np.array([value is not None for value in values])
    return LogColumn(np.array([0 if value is None else value for value in values], dtype), valid=valid)


def texts(values: Sequence[str | None]) -> LogColumn:
    """A column of texts; None stands for a missing value."""
    words: dict[str, int] = {}
    codes = [0 if value is None else words.setdefault(value, len(words)) for value in values]
    valid = None if None not in values else np.array([value is not None for value in values])
    return LogColumn(np.array(codes, np.int32), list(words), valid)


def of_any(values: Sequence[object]) -> LogColumn:
    """A column of the type that all values have: booleans, whole numbers, numbers, else texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return numbers(values, np.bool_)
    if kinds and kinds <= {int, float} and all(map(_is_exact, values)):
        return numbers(values, np.int64 if kinds == {int} else np.float64)
    return texts([value if value is None else str(value) for value in values])


def _is_exact(value: object) -> bool:
    return not isinstance(value, int) or -_LARGEST <= value < _LARGEST


def _part(column: LogColumn, rows: slice | NDArray[np.intp]) -> LogColumn:
    return LogColumn(column.values[rows], column.words, None if column.valid is None else column.valid[rows])


def _plain(column: LogColumn) -> NDArray[Any]:
    values = column.values
    if column.words is not None:
        words = np.empty(max(1, len(column.words)), object)
        words[: len(column.words)] = column.words
        values = words[values]
    if column.valid is not None:
        values = values.astype(object)
        values[~column.valid] = None
    return values


def _of_pandas(pandas: Any, column: LogColumn) -> object:  # noqa: ANN401
    missing = None if column.valid is None else ~column.valid
    if column.words is not None:
        codes = column.values if missing is None else np.where(missing, -1, column.values)
        return pandas.Categorical.from_codes(codes, categories=list(column.words))
    if missing is None:
        return column.values
    kinds = {"i": pandas.arrays.IntegerArray, "b": pandas.arrays.BooleanArray}
    made = kinds.get(column.values.dtype.kind)
    return np.where(missing, np.nan, column.values) if made is None else made(column.values, missing)


def _library(name: str) -> Any:  # noqa: ANN401
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise Unavailable(f"{name} is not installed: pip install {name}") from error
