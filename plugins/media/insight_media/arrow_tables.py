"""Tables in Arrow's format as texts and numbers; for a worker, since a few bytes may unpack to gigabytes."""

from __future__ import annotations

import math

import pyarrow as pa

from insight_core.plugin import Reason, ReasonKind
from insight_media.tables import LONGEST, MOST_COLUMNS, MOST_ROWS, Cell, TableHead

_ARROW = ReasonKind("media_arrow", "the Arrow data cannot be read: {cause}")


def head_of_arrow(content: bytes, is_file: bool) -> TableHead:
    """The first rows and columns of a table. Raises ValueError with a Reason if it cannot be read."""
    try:
        reader = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(pa.BufferReader(content))
        schema = reader.schema
        names = schema.names[:MOST_COLUMNS]
        columns: list[list[Cell]] = [[] for _ in names]
        rows = 0
        batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
        for batch in batches:  # one after the other: only the rows that are shown stay in memory
            left = MOST_ROWS - rows
            rows += batch.num_rows
            if left > 0:
                for column, values in zip(columns, batch.columns, strict=False):
                    column += [_plain(value) for value in values.slice(0, left).to_pylist()]
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, pa.ArrowMemoryError):
            raise MemoryError from None
        raise ValueError(_ARROW(cause=str(error))) from None
    if not names:
        raise ValueError(Reason("the table has no columns", "media_no_columns"))
    return TableHead(tuple(names), tuple(columns), rows, len(schema.names))


def _plain(value: object) -> Cell:
    """A value as JSON has it: whole numbers beyond 2^53 and everything nested as text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)[:LONGEST]
