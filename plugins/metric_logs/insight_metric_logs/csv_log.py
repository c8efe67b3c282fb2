"""``metrics.csv`` of Lightning's CSVLogger: a header, then a row a step, with empty cells."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from insight_core.plugin import Flaw, Points, Reason, ReasonKind
from insight_metric_logs.lines import Lines, next_lines
from insight_metric_logs.reasons import at_line
from insight_metric_logs.tables import MetricTable, steps_of, table_of, values_of

_WIDTH = ReasonKind("metric_logs_width", "{cells} cells, the header has {header}")


def read(stream: BinaryIO, state: dict[str, Any] | None) -> tuple[list[Points | Flaw], dict[str, Any]]:
    """Reads some whole rows. The logger rewrites the file to add a column."""
    state = state or {"line": 1, "header": [0, 0], "told": ""}
    header = _header_at(stream, *state["header"])
    lines = next_lines(stream, state["line"], quoted=True)
    found: list[Points | Flaw] = list(lines.flaws)
    if not lines.data:
        if stream.tell() > lines.offset:  # a line that was too long
            state["line"] += 1
        return found, state
    table = table_of(lines, state["line"], ",")
    state["line"] += lines.data.count(b"\n")
    told = _restored(header, state["told"])
    begin = 0
    for row in _headers(table):
        found += _points(table.part(begin, row), header, told)
        header, told = [name.strip() for name in table.rows[row]], []
        before = table.places[row - 1] + 1 if row else 0
        state["header"] = [lines.offset_of(before), lines.offset_of(table.places[row] + 1)]
        begin = row + 1
    found += _points(table.part(begin, len(table.rows)), header, told)
    state["told"] = _stored(header, told)
    return found + table.flaws, state


# The state is short, whatever the number of columns: the place of the header, and a bit for each column.


def _header_at(stream: BinaryIO, start: int, end: int) -> list[str]:
    """The names of the columns, from the header at this place of the file."""
    place = stream.tell()
    stream.seek(start)
    data = stream.read(end - start)
    stream.seek(place)
    rows = table_of(Lines(data, start), 1, ",").rows
    return [name.strip() for name in rows[0]] if rows else []


def _stored(header: list[str], names: list[str]) -> str:
    chosen = set(names)
    return np.packbits([name in chosen for name in header]).tobytes().hex().rstrip("0") if chosen else ""


def _restored(header: list[str], stored: str) -> list[str]:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(stored + "0" * (len(stored) % 2)), np.uint8))
    return [name for name, bit in zip(header, bits.tolist(), strict=False) if bit]


def _headers(table: MetricTable) -> list[int]:
    """Rows that are headers: a logger that goes on with a file may write another one."""
    if b"step" not in table.lines.data:
        return []
    return [row for row, cells in enumerate(table.rows) if "step" in cells or " step" in cells]


def _points(table: MetricTable, header: list[str], told: list[str]) -> list[Points | Flaw]:
    if not table.rows:
        return []
    if "step" not in header:
        raise ValueError(at_line(1, Reason("the column 'step' is missing", "metric_logs_no_step_column")))
    width = len(header)
    if set(map(len, table.rows)) != {width}:
        odd = [row for row, cells in enumerate(table.rows) if len(cells) != width]
        for row in odd:
            found_width = len(table.rows[row])
            reason = _WIDTH(cells=found_width, header=width)
            table.damaged(row, reason, skips=True)
        table.select([row for row in range(len(table.rows)) if len(table.rows[row]) == width])
    steps = steps_of(table, header.index("step"))
    found: list[Points | Flaw] = []
    for name, cells in zip(header, zip(*table.rows, strict=True), strict=True) if table.rows else ():
        if name and name != "step":
            rows, values = values_of(table, cells, name, told)
            if len(rows):
                found.append(Points(name, steps[rows], values))
    return found
