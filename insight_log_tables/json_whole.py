"""Files that are one JSON value, written whole each time: rows in a list, columns, or one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

from insight_core.plugin import Flaw
from insight_core.plugin.log_formats import Item
from insight_core.plugin.worker import SMALL, decode_apart
from insight_log_tables.json_rows import settings_of
from insight_log_tables.objects import Objects, flat, object_of
from insight_log_tables.reasons import NOT_UTF8, TOO_LARGE, at_line
from insight_log_tables.table import DeclaredTable
from insight_record.formats.reason import Reason, ReasonKind

_LARGEST = 256 << 20  # bytes: the file is one JSON value, which is parsed in memory
_ENTRY_NOT_AN_OBJECT = ReasonKind("table_entry_not_an_object", "{rows}[{index}] is not an object")
_NOT_JSON = ReasonKind("table_not_json", "not JSON ({cause})")
_NO_ROWS = ReasonKind("table_no_rows", "the list {rows} is missing")
_ENTRY = ReasonKind("table_entry", "{rows}[{index}]: {cause}")


def read(table: DeclaredTable, stream: BinaryIO, state: None) -> tuple[list[Item], None]:
    """Reads the whole file. An unfinished one is read when it has changed."""
    start = stream.tell()
    end = stream.seek(0, 2)
    if end - start > _LARGEST:
        return [Flaw(start, TOO_LARGE(most=_LARGEST >> 20), end - start)], None
    stream.seek(start)
    pieces = iter(lambda: stream.read(SMALL), b"")
    data = stream.read() if end - start <= SMALL else pieces
    try:
        found: list[Item] = decode_apart(f"{__name__}:items_of", data, table.as_json(), start)
    except ValueError as error:
        stream.seek(start)
        return [Flaw(start, Reason.of(error), end - start)], None
    return found, None


def items_of(text: bytes, fields: Mapping[str, Any], start: int) -> list[Item]:
    """Reads the items of a file that begins at ``start``. Raises ValueError for a file that is not as the
    table of these fields declares. Runs in a worker for large ones."""
    if start and not text.strip():
        return []
    table = DeclaredTable.of_json(fields)
    value = _value(text)
    if table.layout == "columns":
        return _of_columns(table, flat(value), start)
    if not table.rows:
        return _of_rows(table, [value], start, has_steps=False)
    rows = value.pop(table.rows, None)  # where memory ends, nothing else holds them
    if not isinstance(rows, list):
        raise ValueError(_NO_ROWS(rows=table.rows))
    return [*_of_rows(table, rows, start, has_steps=True), *settings_of(table, flat(value))]


def _of_rows(table: DeclaredTable, rows: list[Any], start: int, *, has_steps: bool) -> list[Item]:
    found: list[Item] = []
    objects = []
    for index, entry in enumerate(rows):
        if not isinstance(entry, dict):
            found.append(Flaw(start, _ENTRY_NOT_AN_OBJECT(rows=table.rows, index=index)))
        objects.append(flat(entry) if isinstance(entry, dict) else {})

    def damaged(index: int, reason: str) -> None:
        told = _ENTRY(rows=table.rows, index=index, cause=reason) if table.rows else reason
        found.append(Flaw(start, told))

    return [*Objects(table, objects, 0, has_steps, damaged, []).points(), *found]


def _of_columns(table: DeclaredTable, columns: Mapping[str, Any], start: int) -> list[Item]:
    """Lists by name: rows of what stands at the same place, in as many rows as the longest list has."""
    lists = {name: one for name, one in columns.items() if isinstance(one, list)}
    rows = [
        {name: one[index] for name, one in lists.items() if index < len(one)}
        for index in range(max(map(len, lists.values()), default=0))
    ]
    return _of_rows(table, rows, start, has_steps=table.step_among(lists) is not None)


def _value(text: bytes) -> dict[str, Any]:
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(NOT_UTF8) from error
    return object_of(decoded, lambda error: at_line(error.lineno, _NOT_JSON(cause=error.msg)))
