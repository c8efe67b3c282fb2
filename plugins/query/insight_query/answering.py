"""Answers a query as JSON, in a worker process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow.types as types

from insight_core.plugin import encode_json
from insight_core.plugin.worker import WorkerLink
from insight_query.engine import query
from insight_query.limits import ANSWER, QueryLimits, answer_too_large, too_much_memory
from insight_query.scanned_table import QueryReading
from insight_query.sent_table import SentTable

_MOST_EXACT = 2**53 - 1  # of the whole numbers that JavaScript reads from JSON


def answered(link: WorkerLink, sql: str, rows: int, tables: Mapping[str, str]) -> bytes:
    """The answer of ``asking.ask`` without what was read for it."""
    sent = {name: SentTable(link, name, schema) for name, schema in tables.items()}
    limits = QueryLimits(rows)
    reading = QueryReading(time.monotonic() + limits.seconds, limits)
    try:
        answer = query(sql, sent, limits, reading, most_bytes=ANSWER)
        columns, size = [], 0
        for column in answer.table.columns:  # one after the other: Python's objects take ten times as much
            columns.append(encode_json([_plain(value) for value in column.to_pylist()]))
            size += len(columns[-1])
            if size > ANSWER:
                raise answer_too_large(ANSWER)
    except MemoryError as error:
        raise too_much_memory(limits) from error
    names = [{"name": one.name, "type": _kind(one.type)} for one in answer.table.schema]
    counts = encode_json({"rows": len(answer.table), "is_cut": answer.is_cut})
    values = b",".join(columns)
    return b'{"columns":' + encode_json(names) + b',"values":[' + values + b"]," + counts[1:]


def warm(link: WorkerLink) -> None:
    """Does nothing: this module is imported."""


def _kind(type_: Any) -> str:  # noqa: ANN401
    """The type of a column for the page."""
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_) or (types.is_decimal(type_) and type_.scale == 0):  # a sum of integers
        return "integer"
    return "number" if types.is_floating(type_) or types.is_decimal(type_) else "text"


def _plain(value: object) -> object:
    """A value as JSON has it: a text for integers that JavaScript would round."""
    if isinstance(value, Decimal):
        if value.as_tuple().exponent != 0:
            return float(value)
        value = int(value)
    if isinstance(value, int) and abs(value) > _MOST_EXACT:
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
