"""Tables as text: CSV, JSON, a line of JSON for each row, and columns for a terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from insight_core.cli.text_table import duration_text
from insight_core.cli.text_table import table as columns_of_text
from insight_core.plugin import encode_json
from insight_core.plugin.http import csv_field
from insight_host.tables import LogTable

_SHOWN = 1000  # rows in a terminal
_ROWS = 4096  # that are encoded at a time


def csv_lines(table: LogTable, *, has_head: bool = True) -> Iterator[bytes]:
    """CSV as the host writes it; NaN and infinities are NaN, Infinity and -Infinity."""
    if has_head:
        yield (",".join(map(csv_field, table.columns)) + "\r\n").encode("utf-8", "backslashreplace")
    rows = table.rows()
    while some := list(islice(rows, _ROWS)):
        text = "".join(",".join(map(_csv_cell, row)) + "\r\n" for row in some)
        yield text.encode("utf-8", "backslashreplace")


def json_lines(table: LogTable) -> Iterator[bytes]:
    """A JSON list with an object for each row; what is not finite is a text, as in all JSON of the host."""
    before = b"["
    for line in object_lines(table):
        yield before + b"\n" + line.rstrip(b"\n")
        before = b","
    yield b"[]\n" if before == b"[" else b"\n]\n"


def object_lines(table: LogTable) -> Iterator[bytes]:
    """A line of JSON for each row."""
    for row in table.rows():
        yield encode_json(dict(zip(table.columns, row, strict=True))) + b"\n"


def text_lines(table: LogTable) -> Iterator[bytes]:
    """Columns for a terminal, of at most a thousand rows: local times, numbers of six digits."""
    shown = [_TEXTS.get(name, _text) for name in table.columns]
    rows = [
        ["-" if cell is None else text(cell) for text, cell in zip(shown, row, strict=True)]
        for row in islice(table.rows(), _SHOWN)
    ]
    right = [name for name, column in table.schema.items() if column.words is None]
    names = [name.upper() for name in table.columns]
    text = columns_of_text(names, rows, right=[name.upper() for name in right])
    yield f"{text}\n".encode("utf-8", "backslashreplace")
    if len(table) > _SHOWN:
        yield f"{len(table) - _SHOWN:,} more rows: --csv and --json print all\n".encode()


def _csv_cell(cell: object) -> str:
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(json.loads(encode_json(cell)))
    return csv_field(cell)


def _text(cell: object) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def _local_time(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds).isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):  # a time that no calendar has
        return _text(seconds)


_TEXTS: dict[str, Callable[[Any], str]] = {
    "duration": duration_text,
    "start_time": _local_time,
    "wall_time": _local_time,
}
