"""Reads a file as a table declares it, by the layout of the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO

from insight_core.plugin import Flaw
from insight_core.plugin.log_formats import ReadResult
from insight_log_tables import csv_rows, json_rows, json_whole, path_named
from insight_log_tables.reasons import TOO_LARGE
from insight_log_tables.table import DeclaredTable

_READERS: dict[str, Callable[..., ReadResult]] = {
    "csv": csv_rows.read,
    "tsv": csv_rows.read,
    "one": path_named.read,
    "lines": json_rows.read,
    "object": json_whole.read,
    "columns": json_whole.read,
}


def read(table: DeclaredTable, stream: BinaryIO, state: Any) -> ReadResult:  # noqa: ANN401 - JSON
    """Reads some rows; nothing of a file that is too large, or that another one stands for."""
    if table.most or table.unless:
        directory = os.path.dirname(stream.name)
        if any(os.path.exists(os.path.join(directory, name)) for name in table.unless):
            stream.seek(0, os.SEEK_END)
            return [], state
        begin = stream.tell()
        size = stream.seek(0, os.SEEK_END)
        if table.most and size > table.most:
            return [Flaw(begin, TOO_LARGE(most=table.most >> 20), size - begin)], state
        stream.seek(begin)
    return _READERS[table.layout](table, stream, state)
