"""Tables: CSV and Arrow as columns of texts and numbers."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import TypeAlias

from attrs import frozen

from insight_core.plugin import Reason, Unavailable
from insight_media.item import ARROW_FILE, CSV, Item

MOST_ROWS = 10_000  # Rows of a table that are shown.
MOST_COLUMNS = 200  # Columns of a table that are shown.
_MOST_BYTES = 128 << 20
_LONGEST = 2_000  # letters of a cell

Cell: TypeAlias = str | float | int | bool | None


@frozen(eq=False)
class TableHead:
    """The first rows and columns of a table, and how many it has of both."""

    names: tuple[str, ...]
    columns: tuple[Sequence[Cell], ...]
    rows: int
    width: int


def table_of(item: Item) -> TableHead:
    """Reads a table. Raises ValueError with a Reason if it cannot be read, Unavailable without pyarrow."""
    if len(item.content) > _MOST_BYTES:
        size = len(item.content)
        text = f"the content has {size:,} bytes, of at most {_MOST_BYTES:,} that can be shown"
        raise ValueError(Reason(text, "media_large", size=size, most=_MOST_BYTES))
    return _csv(item.content) if item.media_type == CSV else _arrow(item)


def _csv(content: bytes) -> TableHead:
    lines = csv.reader(io.StringIO(content.decode("utf-8-sig", "replace"), newline=""))
    try:
        names = next(lines, [])
        kept: list[list[str]] = []
        count = 0
        for line in lines:
            count += 1
            if count <= MOST_ROWS:
                kept.append(line)
    except csv.Error as error:
        raise ValueError(Reason(f"the CSV cannot be read: {error}", "media_csv", cause=str(error))) from None
    if not names:
        raise ValueError(Reason("the table has no columns", "media_no_columns"))
    shown = names[:MOST_COLUMNS]
    columns = [[line[at] if at < len(line) else "" for line in kept] for at in range(len(shown))]
    return TableHead(tuple(shown), tuple(_typed(column) for column in columns), count, len(names))


def _typed(column: Sequence[str]) -> Sequence[Cell]:
    """Numbers where every cell that is not empty is one."""
    values: list[Cell] = []
    for text in column:
        try:
            values.append(float(text) if text.strip() else None)
        except ValueError:
            return [text[:_LONGEST] for text in column]
    return values


def _arrow(item: Item) -> TableHead:
    try:
        import pyarrow as pa
    except ImportError:
        text = "tables in Arrow's format need pyarrow: pip install 'insight-plugin-media[arrow]'"
        raise Unavailable(text, code="media_no_pyarrow") from None
    opened = pa.ipc.open_file if item.media_type == ARROW_FILE else pa.ipc.open_stream
    try:
        table = opened(pa.BufferReader(item.content)).read_all()
        names = table.column_names[:MOST_COLUMNS]
        columns = [table.column(at).slice(0, MOST_ROWS).to_pylist() for at in range(len(names))]
    except (pa.ArrowException, OSError, ValueError) as error:
        text = f"the Arrow data cannot be read: {error}"
        raise ValueError(Reason(text, "media_arrow", cause=str(error))) from None
    if not names:
        raise ValueError(Reason("the table has no columns", "media_no_columns"))
    cells = tuple([_plain(value) for value in column] for column in columns)
    return TableHead(tuple(names), cells, table.num_rows, table.num_columns)


def _plain(value: object) -> Cell:
    """A value as JSON has it: whole numbers beyond 2^53 and everything nested as text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)[:_LONGEST]
