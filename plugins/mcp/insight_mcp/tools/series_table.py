"""``series``: what there is under which tag."""

from __future__ import annotations

from insight_core.plugin import PluginContext
from insight_core.plugin.data import SeriesField
from insight_mcp.answers import LoggedRows, Row, ToolAnswer
from insight_mcp.definitions import Arguments
from insight_mcp.names import chosen
from insight_mcp.tools.catalogue import SCALAR, chosen_tables

_FIELDS: tuple[SeriesField, ...] = ("points", "first_step", "last_step", "last_value")
_ALL = "all"


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
