"""A table that SQL queries can name: ``SELECT run, longest FROM tag_names``."""

from __future__ import annotations

from collections.abc import Iterable

from insight_core.plugin import PluginContext
from insight_core.plugin.sql import QueryColumn, Rows, WantedRows

COLUMNS = [QueryColumn("run", "text"), QueryColumn("longest", "integer", "letters of its longest tag")]


def rows(ctx: PluginContext, wanted: WantedRows) -> Iterable[Rows]:
    """A row for each run, of those that the query asks for."""
    for run in wanted.of("run", [run.name for run in ctx.data.runs()]):
        tags = [info.key.tag for info in ctx.data.series("scalar", runs=[run])]
        yield {"run": [run], "longest": [max(map(len, tags), default=None)]}
