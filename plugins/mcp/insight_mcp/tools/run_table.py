"""``runs``: a row for each run with columns of the run table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from insight_core.plugin import PluginContext, RunCells
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.sorting import in_order
from insight_mcp.tools.catalogue import cell, column_meant, columns_named, listed_columns, run_names, title_of

_USUAL = ("status", "started", "duration")
_SETTINGS, _RESULTS = ("hyperparameter", "dataset"), ("metric",)
_MOST_SETTINGS, _MOST_RESULTS = 8, 4


def runs(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Columns that are asked for, or status, times, hyperparameters that differ and metrics."""
    names = run_names(ctx, where=given.get("where") or "")
    listed = listed_columns(ctx)
    wanted = [column_meant(listed, name) for name in given.get("columns") or () if name != "run"]
    order = str(given.get("sort") or "")
    by = order.removeprefix("-")
    if by and by != "run":
        by = column_meant(listed, by)
    columns = columns_named(ctx, wanted) if wanted else _usual(ctx, names, listed)
    if order and by != "run":
        [sorted_by] = columns_named(ctx, [by])[:1]
        if sorted_by.name not in {column.name for column in columns}:
            columns = [*columns, sorted_by]
        names = in_order(names, [sorted_by.values.get(run) for run in names], order.startswith("-"))
    elif order == "-run":
        names = names[::-1]

    def read(first: int, last: int) -> list[Row]:
        return [[run, *(cell(column, run) for column in columns)] for run in names[first:last]]

    return ToolAnswer(
        [f"{counted(len(names), 'run')}."],
        LoggedRows(["run", *map(title_of, columns)], len(names), read, names),
    )


def _usual(ctx: PluginContext, names: Sequence[str], listed: Sequence[Mapping[str, Any]]) -> list[RunCells]:
    def of(groups: Sequence[str]) -> list[RunCells]:
        return columns_named(ctx, [column["name"] for column in listed if column["group"] in groups])

    settings = [column for column in of(_SETTINGS) if len(_distinct(column, names)) > 1]
    results = [column for column in of(_RESULTS) if _distinct(column, names) - {None}]
    return [*columns_named(ctx, _USUAL), *settings[:_MOST_SETTINGS], *results[:_MOST_RESULTS]]


def _distinct(column: RunCells, names: Sequence[str]) -> set[object]:
    return {column.values.get(run) for run in names}
