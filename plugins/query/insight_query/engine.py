"""Runs one SQL query over the tables of plugins, in DuckDB in this process, within limits."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa
from attrs import frozen

from insight_core.plugin import ContributedTable, InsightError, InvalidArgument
from insight_query.scanned_table import QueryReading, ScannedTable

_BATCH = 10_000  # rows that are fetched at a time
_ACCEPTED = {"SELECT", "EXPLAIN", "MULTI"}  # the last is PIVOT
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_access": False,
    "python_enable_replacements": False,
    "temp_directory": "",  # nothing is written to a disk
    "lock_configuration": True,
}


@frozen
class QueryLimits:
    """What a query may take: ``rows`` of its answer (None: all), ``seconds``, ``memory`` (bytes)."""

    rows: int | None = 10_000
    seconds: float = 30.0
    memory: int = 512 << 20


@frozen(eq=False)
class SqlAnswer:
    """The rows of a query as a pyarrow Table, and what was read for them."""

    table: Any
    is_cut: bool  # there are more rows than the limit
    rows_read: int
    bytes_read: int  # of the columns that were read, in memory
    seconds: float


class QueryTooLarge(InsightError):
    """A query took more memory or time than it may."""

    status = 413
    code = "query_too_large"


def run(sql: str, tables: Sequence[ContributedTable], limits: QueryLimits = QueryLimits()) -> SqlAnswer:
    """The answer of one query.

    Raises InvalidArgument for what DuckDB does not accept and for anything but a query, QueryTooLarge at a
    limit, and what a table raises.
    """
    began = time.monotonic()
    reading = QueryReading(began + limits.seconds)
    settings = {**_SETTINGS, "memory_limit": f"{limits.memory >> 10}KiB", "threads": 2}
    with duckdb.connect(":memory:", config=settings) as connection:
        timer = threading.Timer(limits.seconds, connection.interrupt)
        timer.start()
        try:
            _check(connection, sql)
            for one in tables:
                connection.register(one.table.name, ScannedTable(one, reading))
            table, is_cut = _fetched(connection.sql(sql), limits.rows)
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


def _fetched(found: Any, most: int | None) -> tuple[Any, bool]:  # noqa: ANN401
    """The first rows, and whether there are more."""
    reader = found.to_arrow_reader(_BATCH)
    batches, count = [], 0
    for batch in reader:
        batches.append(batch)
        count += batch.num_rows
        if most is not None and count > most:
            break
    table = pa.Table.from_batches(batches, reader.schema)
    return (table, False) if most is None else (table.slice(0, most), count > most)


def _explained(error: Exception, reading: QueryReading, limits: QueryLimits) -> InsightError:
    if reading.error is not None:
        return reading.error
    if isinstance(error, duckdb.InterruptException) or time.monotonic() > reading.until:
        return QueryTooLarge(
            f"the query was ended after {limits.seconds:g} s: ask for fewer runs, tags or steps"
        )
    if isinstance(error, duckdb.OutOfMemoryException) or "Out of Memory" in str(error):
        return QueryTooLarge(
            f"the query needs more than {limits.memory >> 20} MiB: ask for less, or aggregate"
        )
    text = re.split(r"\n+LINE \d+:", str(error).strip())[0]  # what follows shows the place with a caret
    return InvalidArgument(" ".join(text.split()))
