"""A contributed table as a data set of Arrow, which DuckDB scans with columns and a filter."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from attrs import define

from insight_core.plugin import InsightError, Unavailable
from insight_core.plugin.sql import ColumnValues, ContributedTable, Labels
from insight_query.limits import QueryLimits, too_slow
from insight_query.pushed_filter import PushedFilter

_TYPES: Mapping[str, Any] = {
    "text": pa.dictionary(pa.int32(), pa.string()),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
}


@define
class QueryReading:
    """Counts what a query has read, with the moment at which it must end (``time.monotonic``)."""

    until: float
    limits: QueryLimits
    rows: int = 0
    bytes: int = 0
    error: InsightError | None = None  # of a table, which DuckDB would wrap


class ScannedTable(ds.Dataset):  # type: ignore[misc]
    """A data set for DuckDB: a schema, and a ``scanner`` for the columns and filter of a query."""

    def __init__(self, table: ContributedTable, reading: QueryReading) -> None:  # Dataset has no constructor
        self._table = table
        self._reading = reading
        self._schema = pa.schema([(column.name, _TYPES[column.type]) for column in table.columns()])

    @property
    def schema(self) -> Any:  # noqa: ANN401
        """Columns and types."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: object) -> TableScan:  # noqa: ANN401
        """The rows of these columns for which the filter is true."""
        shown = list(columns or self._schema.names)
        in_filter = [name for name in self._schema.names if filter is not None and name in str(filter)]
        read = [name for name in self._schema.names if name in shown or name in in_filter]
        wanted = PushedFilter(read, self._schema, filter, self._reading.limits)
        return TableScan(
            lambda: self._batches(wanted, shown), pa.schema([self._schema.field(n) for n in shown])
        )

    def _batches(self, wanted: PushedFilter, shown: Sequence[str]) -> Iterator[Any]:
        fields = [self._schema.field(name) for name in wanted.columns]
        try:
            for rows in self._table.read(wanted):
                arrays = [_array(rows[field.name], field.type) for field in fields]
                table = pa.table(arrays, schema=pa.schema(fields))
                self._reading.rows += len(table)
                self._reading.bytes += table.nbytes
                if wanted.filter is not None:
                    table = table.filter(wanted.filter)
                yield from table.select(shown).to_batches()
                if time.monotonic() > self._reading.until:
                    raise too_slow(self._reading.limits)
        except InsightError as error:
            self._reading.error = error
            raise
        except Exception as error:
            name = self._table.table.name
            text = f"the plugin {self._table.plugin} cannot read its table {name}: {error}"
            self._reading.error = Unavailable(text)
            raise


class TableScan:
    """Stands for a Scanner, of which DuckDB only takes the reader. ``batches`` has the rows."""

    def __init__(self, batches: Callable[[], Iterable[Any]], schema: Any) -> None:  # noqa: ANN401
        self.batches = batches
        self.projected_schema = schema

    def to_reader(self) -> Any:  # noqa: ANN401
        """The rows in batches, read as they are asked for."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.batches())


def _array(values: ColumnValues, kind: Any) -> Any:  # noqa: ANN401
    if isinstance(values, Labels):
        numbers = pa.array(values.numbers, pa.int32())
        return pa.DictionaryArray.from_arrays(numbers, pa.array(_utf8(values.words), pa.string()))
    if pa.types.is_dictionary(kind):
        return pa.array(_utf8(values), pa.string()).dictionary_encode()
    return (
        pa.array(values, kind, from_pandas=False)
        if isinstance(values, np.ndarray)
        else pa.array(list(values), kind)
    )


def _utf8(texts: Any) -> list[str | None]:  # noqa: ANN401
    """A name that is not UTF-8 on disk comes as lone surrogates, which Arrow cannot hold."""
    return [
        None if text is None else str(text).encode("utf-8", "backslashreplace").decode() for text in texts
    ]
