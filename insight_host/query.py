"""Answers of SQL queries as tables, from a host of the logs in this process."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from insight_core.plugin import Unavailable
from insight_host.arrow import LogColumn
from insight_host.sources import OpenedSource
from insight_host.tables import LogTable, numbers, of_any

_NEEDED = ("duckdb", "pyarrow")


def queried(source: OpenedSource, sql: str, rows: int | None, seconds: float) -> tuple[LogTable, str]:
    """See ``Logs.sql``; also what was read, in words. Raises Unavailable without the extra ``lake``."""
    try:
        from insight_query.engine import run
        from insight_query.limits import QueryLimits
    except ModuleNotFoundError as error:
        if error.name in _NEEDED:
            text = f"SQL needs {' and '.join(_NEEDED)}: pip install 'insight-host[lake]'"
            raise Unavailable(text) from error
        raise
    from insight_core.cli.serve import open_host  # the web half is loaded where it is needed

    host = open_host(source.options, source.registry, source.provider, source.logdirs)
    try:
        answer = run(sql, host.context_of("query").query_tables(), QueryLimits(rows, seconds, 2 << 30))
    finally:
        host.close()
    read = f"{answer.rows_read:,} rows ({answer.bytes_read:,} bytes) were read in {answer.seconds:.2f} s"
    return _table(answer.table), f"{read}; there are more than {rows:,}" if answer.is_cut else read


def _table(answer: Any) -> LogTable:  # noqa: ANN401
    """The table of a pyarrow Table; a second column of one name gets a number."""
    columns: dict[str, LogColumn] = {}
    for field, values in zip(answer.schema, answer.columns, strict=True):
        name, count = field.name, 1
        while name in columns:
            count += 1
            name = f"{field.name}_{count}"
        columns[name] = _column(values)
    return LogTable(columns)


def _column(values: Any) -> LogColumn:  # noqa: ANN401
    import pyarrow as pa

    kind = values.type
    valid = values.is_valid().to_numpy() if values.null_count else None
    if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
        coded = values.cast(pa.string()).combine_chunks().dictionary_encode()
        codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
        return LogColumn(codes, coded.dictionary.to_pylist(), valid)
    for is_of, dtype in (
        (pa.types.is_boolean, np.bool_),
        (pa.types.is_integer, np.int64),
        (pa.types.is_floating, np.float64),
    ):
        if is_of(kind) and kind != pa.uint64():
            plain = values.fill_null(False if dtype is np.bool_ else 0).to_numpy()
            return LogColumn(numbers(plain, dtype).values, valid=valid)
    return of_any([_number(value) for value in values.to_pylist()])


def _number(value: object) -> object:
    """A decimal, such as the sum of integers, as a number."""
    if not isinstance(value, Decimal):
        return value
    return (
        int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)
    )
