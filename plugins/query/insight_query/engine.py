"""Runs one SQL query over data sets of Arrow, in DuckDB in this process, within limits."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa
from attrs import frozen

from insight_core.plugin import InsightError, InvalidArgument
from insight_core.plugin.sql import ContributedTable
from insight_query.limits import THREADS, QueryLimits, answer_too_large, too_much_memory, too_slow
from insight_query.scanned_table import QueryReading, ScannedTable
from insight_query.short_names import bound
from insight_query.summarised import summarised

_NO_MEMORY = re.compile(r"Out of Memory|bad_alloc|[Aa]llocation failure")
_BATCH = 10_000  # rows that are fetched at a time
_ACCEPTED = {"SELECT", "EXPLAIN", "MULTI"}  # the last is PIVOT
# DuckDB types that an answer has as they are. Dates, lists and others are texts as DuckDB writes them: of any
# year, and made within the limits of the query.
_PLAIN = frozenset(
    (
        *("boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"),
        *("ubigint", "hugeint", "decimal", "float", "double", "varchar", "enum", "sqlnull"),
    )
)
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_access": False,
    "python_enable_replacements": False,
    "temp_directory": "",  # nothing is written to a disk
    "lock_configuration": True,
}


@frozen(eq=False)
class SqlAnswer:
    """The rows of a query as a pyarrow Table, and what was read for them."""

    table: Any
    is_cut: bool  # there are more rows than the limit
    rows_read: int
    bytes_read: int  # of the columns that were read, in memory
    seconds: float


def run(sql: str, tables: Sequence[ContributedTable], limits: QueryLimits) -> SqlAnswer:
    """The answer of one query over tables of plugins. Raises what ``query`` and a table raise."""
    reading = QueryReading(time.monotonic() + limits.seconds, limits)
    scanned = {one.table.name: ScannedTable(one, reading) for one in tables}
    return query(sql, scanned, limits, reading)


def query(
    sql: str, tables: Mapping[str, Any], limits: QueryLimits, reading: QueryReading, *, most_bytes: int = 0
) -> SqlAnswer:
    """The answer of one query over data sets by name, of at most ``most_bytes`` (0: any number).

    Raises InvalidArgument for what DuckDB does not accept and for anything but a query, QueryTooLarge at a
    limit, and ``reading.error``.
    """
    began = time.monotonic()
    settings = {**_SETTINGS, "memory_limit": f"{limits.memory >> 10}KiB", "threads": THREADS}
    with duckdb.connect(":memory:", config=settings) as connection:
        timer = threading.Timer(limits.seconds, connection.interrupt)
        timer.start()
        try:
            _check(connection, sql)
            for name, table in tables.items():
                connection.register(name, table)
            found = summarised(connection, *bound(connection, sql, tables))
            table, is_cut = _fetched(_plain(found), limits.rows, most_bytes)
        except (duckdb.Error, pa.ArrowException, OSError) as error:  # the last two while rows are fetched
            raise _explained(error, reading, limits) from error
        finally:
            timer.cancel()
    return SqlAnswer(table, is_cut, reading.rows, reading.bytes, time.monotonic() - began)


def _check(connection: Any, sql: str) -> None:  # noqa: ANN401
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        text = "write one query" if statements else "write a query, such as: select * from runs"
        raise InvalidArgument(text)
    if statements[0].type.name not in _ACCEPTED:
        raise InvalidArgument(f"only queries are accepted (SELECT), not {statements[0].type.name}")


def _plain(found: Any) -> Any:  # noqa: ANN401
    """The same rows with texts for what is neither number, truth nor text."""
    if all(kind.id in _PLAIN for kind in found.types):
        return found
    columns = []
    for number, (name, kind) in enumerate(zip(found.columns, found.types, strict=True), 1):
        value = f"#{number}" if kind.id in _PLAIN else f"cast(#{number} as varchar)"
        quoted = name.replace('"', '""')
        columns.append(f'{value} as "{quoted}"')
    return found.project(", ".join(columns))


def _fetched(found: Any, most: int | None, most_bytes: int) -> tuple[Any, bool]:  # noqa: ANN401
    """The first rows, and whether there are more."""
    reader = found.to_arrow_reader(_BATCH)
    batches, count, size = [], 0, 0
    for batch in reader:
        batches.append(batch)
        count += batch.num_rows
        size += batch.nbytes
        if most_bytes and size > most_bytes:
            raise answer_too_large(most_bytes)
        if most is not None and count > most:
            break
    table = pa.Table.from_batches(batches, reader.schema)
    return (table, False) if most is None else (table.slice(0, most), count > most)


def _explained(error: Exception, reading: QueryReading, limits: QueryLimits) -> InsightError:
    if reading.error is not None:
        return reading.error
    if isinstance(error, duckdb.InterruptException) or time.monotonic() > reading.until:
        return too_slow(limits)
    if isinstance(error, duckdb.OutOfMemoryException | pa.ArrowMemoryError) or _NO_MEMORY.search(str(error)):
        return too_much_memory(limits)
    text = re.split(r"\n+LINE \d+:", str(error).strip())[0]  # what follows shows the place with a caret
    return InvalidArgument(" ".join(text.split()))
