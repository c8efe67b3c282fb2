"""Tools whose answer is a table that the host has: ``runs``, ``series`` and ``sql``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from insight_core.plugin import PluginContext, RunCells
from insight_core.plugin.data import SeriesField
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import (
    SCALAR,
    cell,
    chosen,
    chosen_tables,
    column_meant,
    columns_named,
    in_order,
    listed_columns,
    run_names,
    title_of,
)

_USUAL = ("status", "started", "duration")
_SETTINGS, _RESULTS = ("hyperparameter", "dataset"), ("metric",)
_MOST_SETTINGS, _MOST_RESULTS = 8, 4
_FIELDS: tuple[SeriesField, ...] = ("points", "first_step", "last_step", "last_value")
_ALL = "all"  # plugins
_QUERY = "query"  # the plugin
_MOST_ROWS = 10_000  # of a query


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


def series(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """A row for each series, by plugin, run and tag."""
    plugins = sorted(map(str, ctx.data.plugins()))
    asked = given.get("plugin") or SCALAR
    wanted = plugins if asked == _ALL else chosen([*plugins, SCALAR], [asked], "plugin")
    tables = [
        (plugin, table)
        for plugin in dict.fromkeys(wanted)
        for table in chosen_tables(ctx, plugin, given, _FIELDS)
    ]
    keys = [(plugin, table.run, tag) for plugin, table in tables for tag in table.tags]
    places = [(table, number) for _, table in tables for number in range(len(table.tags))]

    def read(first: int, last: int) -> list[Row]:
        some = zip(keys[first:last], places[first:last], strict=True)
        return [
            [*key[has_all:], *(table.column(name)[number] for name in _FIELDS)]
            for key, (table, number) in some
        ]

    has_all = 0 if asked == _ALL else 1
    columns = ["plugin", "run", "tag", *_FIELDS][has_all:]
    return ToolAnswer([f"{len(keys)} series."], LoggedRows(columns, len(keys), read, keys))


def sql(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Rows of the query. Raises what the plugin raises, such as Unavailable without DuckDB."""
    answer: Any = ctx.ask(_QUERY, "/sql", sql=given["query"], rows=_MOST_ROWS)
    columns = [column["name"] for column in answer["columns"]]
    rows = list(zip(*answer["values"], strict=True))
    read = answer["read"]
    notes = [f"{len(rows)} rows; {int(read['rows'])} rows ({int(read['bytes'])} bytes) were read."]
    if answer["is_cut"]:
        notes.append(f"There are more than {_MOST_ROWS} rows: aggregate, or add conditions.")
    return ToolAnswer(notes, LoggedRows(columns, len(rows), lambda first, last: rows[first:last]))
