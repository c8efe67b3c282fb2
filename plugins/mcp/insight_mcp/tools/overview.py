"""``describe``: what the logs hold, or what is known of one run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from insight_core.plugin import InsightError, PluginContext, Reason
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.payloads import tensor_of
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import SCALAR, cell, chosen, columns_named, listed_columns, title_of

_COLUMNS = ("kind", "name", "detail")
_IN_A_ROW = 20  # run columns
_PIECE = 400  # characters of a long text in one row
_LONGEST = 1000  # of other cells
_TEXT_TAGS, _TEXT_SIZE = 100, 100_000  # tags with texts, and characters of one, that are read of a run
_OF_TEXTS = ("text", "plugin:text")
_COMPUTED = {"diagnose", "mcp"}  # plugins whose run columns take long: there are tools for them
_GROUP_OF_SCALARS = "scalar"  # last and extreme values, a column for each tag


def describe(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Rows of kind, name and detail."""
    runs = sorted(run.name for run in ctx.data.runs())
    if given.get("run"):
        [run] = chosen(runs, [given["run"]], "run")[:1]
        rows = [*_of_run(ctx, run)]
        return ToolAnswer(rows=LoggedRows.of(_COLUMNS, rows, longest=_LONGEST))
    rows = [*_of_logs(ctx)]
    return ToolAnswer([f"{counted(len(runs), 'run')}."], LoggedRows.of(_COLUMNS, rows, longest=_LONGEST))


def _of_logs(ctx: PluginContext) -> Iterator[Row]:
    found = ctx.data.runs()
    counts = {
        "loading": sum(run.loading for run in found),
        "with damage": sum(run.damage > 0 for run in found),
    }
    said = [f"{count} {what}" for what, count in counts.items() if count]
    yield "logs", ctx.data.location(), ", ".join([counted(len(found), "run"), *said])
    for notice in ctx.data.notices():
        yield "notice", "", str(notice)
    scalars: dict[str, list[int]] = {}
    for plugin in sorted(map(str, ctx.data.plugins())):
        tables = ctx.data.series_tables(plugin, ("first_step", "last_step") if plugin == SCALAR else ())
        yield (
            "plugin",
            plugin,
            f"{sum(len(table.tags) for table in tables)} series in {counted(len(tables), 'run')}",
        )
        for table in tables if plugin == SCALAR else ():
            steps = zip(table.column("first_step"), table.column("last_step"), strict=True)
            for tag, (first, last) in zip(table.tags, steps, strict=True):
                known = scalars.setdefault(tag, [0, int(str(first)), int(str(last))])
                known[0] += 1
                known[1], known[2] = min(known[1], int(str(first))), max(known[2], int(str(last)))
    for one in ctx.query_tables():
        names = ", ".join(column.name for column in one.columns())
        yield "sql table", one.table.name, f"{one.table.text}: {names}"
    yield from _run_columns(ctx)
    for tag, (runs, first, last) in sorted(scalars.items(), key=lambda one: (-one[1][0], one[0])):
        yield "scalar tag", tag, f"{counted(runs, 'run')}, steps {first} to {last}"


def _run_columns(ctx: PluginContext) -> Iterator[Row]:
    """The columns by group, some in a row: a sweep may have hundreds."""
    groups: dict[str, list[str]] = {}
    for column in listed_columns(ctx):
        if column["group"] != _GROUP_OF_SCALARS:
            groups.setdefault(column["group"] or column["plugin"], []).append(column["name"])
    for group, names in groups.items():
        for first in range(0, len(names), _IN_A_ROW):
            yield "run columns", group, ", ".join(dict.fromkeys(names[first : first + _IN_A_ROW]))
    yield "run columns", _GROUP_OF_SCALARS, "last/TAG, min/TAG and max/TAG of each scalar tag"


def _of_run(ctx: PluginContext, run: str) -> Iterator[Row]:
    names = [
        column["name"]
        for column in listed_columns(ctx)
        if column["group"] != _GROUP_OF_SCALARS and column["plugin"] not in _COMPUTED
    ]
    for column in columns_named(ctx, list(dict.fromkeys(names))):
        value = cell(column, run)
        if value is not None:
            yield from _pieces(column.group or "run", title_of(column), value)
    for plugin in sorted(map(str, ctx.data.plugins())):
        for table in ctx.data.series_tables(plugin, (), runs=[run]):
            yield "series", plugin, len(table.tags)
    for damage in ctx.data.damage(run):
        yield "damage", damage.file, f"at byte {damage.offset}: {damage.reason}"
    yield from _texts(ctx, run)


def _texts(ctx: PluginContext, run: str) -> Iterator[Row]:
    """The last text of each tag."""
    there = [name for name in _OF_TEXTS if name in ctx.data.plugins()]
    keys = [
        (plugin, SeriesKey(run, tag))
        for plugin in there
        for table in ctx.data.series_tables(plugin, (), runs=[run])
        for tag in sorted(table.tags)
    ]
    for plugin, key in keys[:_TEXT_TAGS]:
        try:
            records = ctx.data.records(plugin, key)
            if not len(records.steps):
                continue
            place = len(records.steps) - 1
            strings = tensor_of(ctx.data.payload(plugin, key, place)).values
            text = "\n".join(_decoded(one) for one in strings.flat)[:_TEXT_SIZE]
        except (InsightError, ValueError) as error:
            yield "text", key.tag, f"cannot be read: {Reason.of(error)}"
            continue
        yield from _pieces("text", f"{key.tag} at step {records.steps[place]}", text)
    if len(keys) > _TEXT_TAGS:
        yield "text", "", f"{len(keys) - _TEXT_TAGS} more tags"


def _decoded(value: Any) -> str:  # noqa: ANN401
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _pieces(kind: str, name: str, value: object) -> Iterator[Row]:
    """A long text in several rows, so that no part of it is out of reach."""
    if not isinstance(value, str) or len(value) <= _PIECE:
        yield kind, name, value
        return
    count = -(-len(value) // _PIECE)
    for number in range(count):
        yield kind, f"{name} ({number + 1}/{count})", value[number * _PIECE : (number + 1) * _PIECE]
