"""Tables: CSV and Arrow as columns of texts and numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TypeAlias

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind, Unavailable
from insight_core.plugin.worker import decode_apart
from insight_media.item import ARROW_FILE, CSV, Item

MOST_ROWS = 10_000  # Rows of a table that are shown.
MOST_COLUMNS = 200  # Columns of a table that are shown.
_MOST_BYTES = 128 << 20
LONGEST = 2_000  # letters of a cell

Cell: TypeAlias = str | float | int | bool | None
_LARGE = ReasonKind("media_large", "the content has {size:,} bytes, of at most {most:,} that can be shown")
_CSV = ReasonKind("media_csv", "the CSV cannot be read: {cause}")


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
        raise ValueError(_LARGE(size=size, most=_MOST_BYTES))
    if item.media_type == CSV:
        head: TableHead = decode_apart("insight_media.tables:head_of_csv", item.content)
    elif find_spec("pyarrow") is None:
        text = "tables in Arrow's format need pyarrow: pip install 'insight-host[parquet]'"
        raise Unavailable(text, code="media_no_pyarrow")
    else:
        here, is_file = "insight_media.arrow_tables", item.media_type == ARROW_FILE
        head = decode_apart(f"{here}:head_of_arrow", item.content, is_file, unpacks=True)
    return head


def head_of_csv(content: bytes) -> TableHead:
    """See ``table_of``, which calls it in a worker if the table is large."""
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
        raise ValueError(_CSV(cause=str(error))) from None
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
            return [text[:LONGEST] for text in column]
    return values
