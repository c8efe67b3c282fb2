"""Lines of one metric, named by the path of its file: DVCLive's."""

from __future__ import annotations

import re
from typing import Any, BinaryIO

from insight_core.plugin.log_formats import Item, Points
from insight_log_tables.delimited import steps_of, table_of, values_of
from insight_log_tables.lines import next_lines
from insight_log_tables.numbers import seconds
from insight_log_tables.table import DeclaredTable
from insight_record.formats.reason import ReasonKind

_WIDTH_OF_ONE = ReasonKind("table_one_width", "{cells} cells instead of 2 or 3")


def read(
    table: DeclaredTable, stream: BinaryIO, state: dict[str, Any] | None
) -> tuple[list[Item], dict[str, Any]]:
    """Reads some whole rows. A row has a time if it has three cells, whatever the header says.

    A metric with the name ``step`` shares its column with the step.
    """
    state = state or {"line": 1, "told": []}
    lines = next_lines(stream, state["line"])
    found: list[Item] = list(lines.flaws)
    if not lines.data:
        if stream.tell() > lines.offset:
            state["line"] += 1
        return found, state
    rows = table_of(lines, state["line"], "\t")
    state["line"] += lines.data.count(b"\n")
    kept = []
    for row, cells in enumerate(rows.rows):
        if cells in (["step"], [table.time, "step"]):  # headers of a metric ``step``
            state["step_alone"] = True
            continue
        if state.get("step_alone") and len(cells) < 3:
            cells.append(cells[-1])
        if len(cells) not in (2, 3):
            rows.damaged(row, _WIDTH_OF_ONE(cells=len(cells)), skips=True)
        elif cells[-2] != "step":  # a header
            kept.append(row)
    if len(kept) < len(rows.rows):
        rows.select(kept)
    steps = steps_of(rows, -2)
    tag = tag_in_path(table.tag, stream.name)
    places, values = values_of(rows, [row[-1] for row in rows.rows], tag, state["told"])
    times = seconds([row[0] if len(row) == 3 else "" for row in rows.rows], table.time_unit)
    if len(places):
        found.append(Points(tag, steps[places], values, times[places]))
    return found + list(rows.flaws), state


def tag_in_path(pattern: str, path: str) -> str:
    """What the group of the regular expression matches in a path; empty without one."""
    match = re.search(pattern, path) if pattern else None
    return match[1].encode("utf-8", "surrogateescape").decode("utf-8", "replace") if match else ""
