"""What several tools ask of the data: names of runs, series by run and tag, columns of runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from insight_core.plugin import PluginContext, PluginNameEnum, RunCells
from insight_core.plugin.data import SeriesField, SeriesTable
from insight_core.plugin.filters import ColumnName, resolved
from insight_mcp.definitions import Arguments
from insight_mcp.names import chosen

SCALAR = str(PluginNameEnum.SCALAR)


def run_names(ctx: PluginContext, asked: Sequence[str] = (), where: str = "") -> list[str]:
    """The names of the runs that are asked for and match ``where``, sorted.

    Raises InvalidArgument for an unknown run, and for a mistake in ``where``, with names to try.
    """
    names = chosen(sorted(run.name for run in ctx.data.runs()), asked, "run")
    if not where:
        return names
    matching = set(json.loads(ctx.get("/data/run_matches", where=where).data)["runs"])
    return [name for name in names if name in matching]


def chosen_tables(
    ctx: PluginContext, plugin: str, given: Arguments, fields: Collection[SeriesField] = ()
) -> list[SeriesTable]:
    """Series of a plugin by run, of ``runs``, ``where`` and ``tags``; the tags of each are sorted."""
    runs, where = given.get("runs") or (), given.get("where") or ""
    names = run_names(ctx, runs, where)
    tables = ctx.data.series_tables(plugin, fields, runs=names if runs or where else None)
    tags = sorted({tag for table in tables for tag in table.tags})
    wanted = chosen(tags, given.get("tags") or (), "tag")
    if len(wanted) < len(tags):
        these = frozenset(wanted)
        tables = [table.of_tags(these) for table in tables]
    ordered = [
        table.at(sorted(range(len(table.tags)), key=table.tags.__getitem__)) for table in tables if table.tags
    ]
    return sorted(ordered, key=lambda table: table.run)


def listed_columns(ctx: PluginContext) -> list[dict[str, Any]]:
    """The columns of the run table: plugin, name, kind, group."""
    listed: list[dict[str, Any]] = json.loads(ctx.get("/data/run_columns").data)["columns"]
    return listed


def column_meant(listed: Sequence[Mapping[str, Any]], text: str) -> str:
    """The name of the column that a short name means. Raises InvalidArgument, with names to try."""
    columns = [
        ColumnName(
            one["name"],
            f"{one['plugin']}/{one['name']}",
            one["title"],
            (one.get("order", 0), not one.get("at_first", True)),
        )
        for one in listed
    ]
    return resolved(text, columns).name


def columns_named(ctx: PluginContext, names: Sequence[str]) -> list[RunCells]:
    """The columns of these names in their order: of those with one name the first that has a value."""
    found: dict[str, RunCells] = {}
    for column in ctx.run_columns(names) if names else ():
        if column.name not in found or not found[column.name].values:
            found[column.name] = column
    return [found[name] for name in names if name in found]


def cell(column: RunCells, run: str) -> object:
    """A cell as agents read it: times in UTC, durations in seconds."""
    value = column.values.get(run)
    if column.kind == "time" and isinstance(value, int | float):
        try:
            return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        except (ValueError, OverflowError, OSError):  # a broken clock
            return value
    return value


def title_of(column: RunCells) -> str:
    """The name, with the unit."""
    return f"{column.name} (s)" if column.kind == "duration" else column.name
