"""Lets a query name a column by the last part of its name: ``val_acc`` for ``"metric/hparam/val_acc"``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from insight_core.plugin.filters import ColumnName, FilterError, NoColumn, resolved

_MOST = 100  # names that are replaced in one query
_UNKNOWN = (  # what DuckDB says of a column that no table has
    re.compile(r'Referenced column "([^"]+)" not found'),
    re.compile(r'does not have a column named "([^"]+)"'),
    re.compile(r'Column "([^"]+)" referenced that exists in the SELECT clause'),
)
_WORD = re.compile(rb"[^\W\d][\w$]*|[\x80-\xff\w$]+")
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_AS = b"as"


def bound(connection: Any, sql: str, tables: Mapping[str, Any]) -> tuple[Any, str]:  # noqa: ANN401
    """The relation of a query over data sets by name, and the query with whole names of columns.

    Names in quotes stay as they are.

    Raises what DuckDB raises, and FilterError for a name that no column has, with similar ones.
    """
    for _ in range(_MOST):
        try:
            return connection.sql(sql), sql
        except duckdb.BinderException as error:
            mended = _mended(str(error), sql, tables)
            if mended == sql:
                raise
            sql = mended
    return connection.sql(sql), sql


def _mended(error: str, sql: str, tables: Mapping[str, Any]) -> str:
    found = next((match for match in (one.search(error) for one in _UNKNOWN) if match), None)
    if found is None:
        return sql
    name, data = found[1], sql.encode()
    words = list(_words(data))
    named = {word.lower() for _, word, _ in words}
    columns = {  # SQL does not tell lr from LR
        column.lower(): column
        for table, data_set in tables.items()
        if table.lower().encode() in named
        for column in data_set.schema.names
    }
    try:
        meant = columns[resolved(name.lower(), list(map(ColumnName, columns))).name]
    except NoColumn as wrong:
        similar = [_quoted(columns[one]) for one in wrong.similar]
        if not similar:
            return sql
        raise FilterError(wrong.reason, similar, code=wrong.code, column=name) from None
    if meant.lower() == name.lower():  # another table lacks it
        return sql
    places = [
        place for place, word, is_column in words if is_column and word.lower() == name.lower().encode()
    ]
    if not places:  # it is in quotes
        unknown = NoColumn(name)
        raise FilterError(unknown.reason, [_quoted(meant)], code=unknown.code, column=name)
    length = len(name.encode())
    for place in reversed(places):
        data = data[:place] + _quoted(meant).encode() + data[place + length :]
    return data.decode()


def _words(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Words without quotes, and whether each may name a column: it is neither a function nor an alias."""
    before = b""
    for place, kind in duckdb.tokenize(data.decode()):
        if kind not in (duckdb.token_type.identifier, duckdb.token_type.keyword):
            before = b""
            continue
        match = _WORD.match(data, place)
        if match is None:  # a quote
            before = b""
            continue
        is_called = data[match.end() :].lstrip().startswith(b"(")
        yield place, match[0], not is_called and before.lower() != _AS
        before = match[0]


def _quoted(name: str) -> str:
    """The name as SQL has it."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'
