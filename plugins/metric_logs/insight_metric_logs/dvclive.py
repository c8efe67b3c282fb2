"""DVCLive's metrics: a file for each, with ``timestamp`` (ms, optional), ``step`` and the value."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from insight_core.plugin import Flaw, Points, ReasonKind
from insight_metric_logs.lines import next_lines
from insight_metric_logs.numbers import numbers
from insight_metric_logs.tables import steps_of, table_of, values_of

_STEP_ALONE = (["step"], ["timestamp", "step"])  # headers of a metric ``step``
_DIRECTORIES = ("/plots/metrics/", "/plots/scalars/", "/dvclive/scalars/", "/dvclive/")
_DVCLIVE_WIDTH = ReasonKind("metric_logs_dvclive_width", "{cells} cells instead of 2 or 3")


def read(stream: BinaryIO, state: dict[str, Any] | None) -> tuple[list[Points | Flaw], dict[str, Any]]:
    """Reads some whole rows. A row has a timestamp if it has three cells, whatever the header says.

    A metric with the name ``step`` shares its column with the step.
    """
    state = state or {"line": 1, "told": []}
    lines = next_lines(stream, state["line"])
    found: list[Points | Flaw] = list(lines.flaws)
    if not lines.data:
        if stream.tell() > lines.offset:
            state["line"] += 1
        return found, state
    table = table_of(lines, state["line"], "\t")
    state["line"] += lines.data.count(b"\n")
    kept = []
    for row, cells in enumerate(table.rows):
        if cells in _STEP_ALONE:
            state["step_alone"] = True
            continue
        if state.get("step_alone") and len(cells) < 3:
            cells.append(cells[-1])
        if len(cells) not in (2, 3):
            table.damaged(row, _DVCLIVE_WIDTH(cells=len(cells)), skips=True)
        elif cells[-2] != "step":  # a header
            kept.append(row)
    if len(kept) < len(table.rows):
        table.select(kept)
    steps = steps_of(table, -2)
    tag = _tag(stream.name)
    rows, values = values_of(table, [row[-1] for row in table.rows], tag, state["told"])
    times, _ = numbers([row[0] if len(row) == 3 else "nan" for row in table.rows])
    if len(rows):
        found.append(Points(tag, steps[rows], values, times[rows] / 1000 if len(times) else np.empty(0)))
    return found + table.flaws, state


def _tag(path: str) -> str:
    """The name of the metric, of which the path is made."""
    for directory in _DIRECTORIES:
        _, found, name = path.rpartition(directory)
        if found:
            break
    return name.removesuffix(".tsv").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
