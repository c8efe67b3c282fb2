"""``sql``: the answer of a query, from the SQL plugin."""

from __future__ import annotations

from typing import Any

from insight_core.plugin import PluginContext
from insight_mcp.answers import LoggedRows, ToolAnswer
from insight_mcp.definitions import Arguments

_QUERY = "query"  # the plugin
_MOST = 10_000  # rows of a query


def sql(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Rows of the query. Raises what the plugin raises, such as Unavailable without DuckDB."""
    answer: Any = ctx.ask(_QUERY, "/sql", sql=given["query"], rows=_MOST)
    columns = [column["name"] for column in answer["columns"]]
    rows = list(zip(*answer["values"], strict=True))
    read = answer["read"]
    notes = [f"{len(rows)} rows; {int(read['rows'])} rows ({int(read['bytes'])} bytes) were read."]
    if answer["is_cut"]:
        notes.append(f"There are more than {_MOST} rows: aggregate, or add conditions.")
    return ToolAnswer(notes, LoggedRows(columns, len(rows), lambda first, last: rows[first:last]))
