"""Answers that several tools need: names of runs and tags, series, columns of runs, an order."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, TypeVar

from insight_core.plugin import InvalidArgument, PluginContext, PluginNameEnum, RunCells
from insight_core.plugin.data import SeriesField, SeriesTable
from insight_core.plugin.filters import ColumnName, resolved
from insight_core.plugin.http import matcher_of
from insight_mcp.definitions import Arguments
from insight_mcp.untrusted import escaped

SCALAR = str(PluginNameEnum.SCALAR)
T = TypeVar("T")

_COMPARED = 5000  # names that a mistake is compared with
_NEAR = 5


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


def chosen(names: Sequence[str], asked: Sequence[str], what: str) -> list[str]:
    """Returns the names that are asked for, in their order; all without a question.

    A name may be given as answers show it, with escapes. Raises InvalidArgument for a name that is not there,
    with similar ones, and for expressions that are invalid, match nothing, or take too long.
    """
    if not asked:
        return list(names)
    known = set(names)
    found: set[str] = set()
    by_shown: dict[str, str] | None = None
    for text in asked:
        if text in known:
            found.add(text)
            continue
        if len(text) > 1 and text.startswith("/") and text.endswith("/"):
            places = matcher_of(text[1:-1], is_regex=True).rows(names)
            if not len(places):
                raise InvalidArgument(f"no {what} matches {text}")
            found.update(names[place] for place in places.tolist())
            continue
        if by_shown is None:
            by_shown = {escaped(name): name for name in names}
        if text not in by_shown:
            raise InvalidArgument(_unknown(names, text, what))
        found.add(by_shown[text])
    return [name for name in names if name in found]


def _unknown(names: Sequence[str], text: str, what: str) -> str:
    part = [name for name in names if text.casefold() in name.casefold()]
    near = part[:_NEAR] or get_close_matches(text, names[:_COMPARED], _NEAR, 0.4)
    hint = f"; near: {', '.join(near)}" if near else ""
    return f"no {what} is named {text!r}{hint}; /{what}/ with slashes is a regular expression"


def in_order(things: Sequence[T], values: Sequence[object], is_descending: bool) -> list[T]:
    """By value: numbers before texts. Those without one, and NaN, come last whatever the direction."""
    known = [place for place, value in enumerate(values) if not _is_missing(value)]
    missing = [place for place, value in enumerate(values) if _is_missing(value)]
    known.sort(key=lambda place: _rank(values[place]), reverse=is_descending)
    return [things[place] for place in (*known, *missing)]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _rank(value: object) -> tuple[bool, float, str]:
    is_number = isinstance(value, int | float)
    return not is_number, float(str(value + 0)) if is_number else 0.0, "" if is_number else str(value)  # type: ignore[operator]
