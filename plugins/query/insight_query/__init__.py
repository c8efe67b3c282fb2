"""SQL over logs: tables of runs, series, points, records and damage, and the tab that asks."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import Plugin, PluginContext, Unavailable, hookimpl
from insight_core.plugin.sql import QueryColumn, QueryTable

if TYPE_CHECKING:
    from insight_query.engine import SqlAnswer

_MEMORY = 2 << 30  # bytes that a query of a Python program may take


def _is_active(ctx: PluginContext) -> bool:
    return is_installed() and bool(ctx.data.runs())


def is_installed() -> bool:
    """Whether the libraries of the extra ``sql`` are there."""
    return find_spec("duckdb") is not None and find_spec("pyarrow") is not None


def _sql(ctx: PluginContext, query: str, rows: int | None, seconds: float) -> SqlAnswer:
    """The service ``sql``. Raises Unavailable without the libraries of the extra."""
    if not is_installed():
        raise Unavailable("SQL needs duckdb and pyarrow: pip install 'insight-host[sql]'")
    from insight_query.engine import run
    from insight_query.limits import QueryLimits

    return run(query, ctx.query_tables(), QueryLimits(rows, seconds, _MEMORY))


@hookimpl
def insight_plugin() -> Plugin:
    """The tab that asks in SQL."""
    return Plugin(
        name="query",
        title="SQL",
        titles={"zh-CN": "SQL"},
        routes="insight_query.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
        services={"sql": _sql},
        tab_group="runs",
        order=1110,
    )


_RUN = QueryColumn("run", "text", "name of the run")
_TAG = QueryColumn("tag", "text", "name of the series")
_STEP = QueryColumn("step", "integer", "as it was written")
_WALL_TIME = QueryColumn("wall_time", "number", "when it was written, seconds since the epoch")
_PLUGIN = QueryColumn("plugin", "text", "whose values these are, such as scalar or image")


@hookimpl
def insight_tables() -> Iterable[QueryTable]:
    """Tables of what every log has."""
    read = "insight_query.log_tables"
    return [
        QueryTable(
            "runs",
            "a run",
            [
                _RUN,
                QueryColumn("start_time", "number", "smallest wall time, seconds since the epoch"),
                QueryColumn("dialect", "text", "of the files: tensorboard, mindspore or other"),
                QueryColumn("loading", "boolean", "known bytes are still unread"),
                QueryColumn("damage", "integer", "places that could not be read"),
                QueryColumn("status", "text", "finished, failed, running or stopped"),
                QueryColumn("duration", "number", "from the first record to the last, seconds"),
            ],
            f"{read}:runs",
        ),
        QueryTable(
            "series",
            "a series: a tag of a run",
            [
                _PLUGIN,
                _RUN,
                _TAG,
                QueryColumn("points", "integer", "that were written"),
                QueryColumn("kept", "integer", "of these, kept in memory"),
                QueryColumn("first_step", "integer"),
                QueryColumn("last_step", "integer"),
                QueryColumn("last_value", "number", "of scalars"),
                QueryColumn("last_wall_time", "number", "of the last step, seconds since the epoch"),
                QueryColumn("attempts", "integer", "1, and one more for each restart at an earlier step"),
            ],
            f"{read}:series",
        ),
        QueryTable(
            "scalars",
            "a point of a scalar series, without those that a restart overwrote or a session purged",
            [_RUN, _TAG, _STEP, _WALL_TIME, QueryColumn("value", "number")],
            f"{read}:scalars",
        ),
        QueryTable(
            "summaries",
            "a scalar series, by the points of it that the table scalars has",
            [
                _RUN,
                _TAG,
                QueryColumn("points", "integer"),
                QueryColumn("first_step", "integer"),
                QueryColumn("last_step", "integer"),
                QueryColumn("least", "number", "as min(value) gives it"),
                QueryColumn("greatest", "number", "as max(value) gives it: NaN if a value is"),
            ],
            f"{read}:summaries",
        ),
        QueryTable(
            "records",
            "an image, histogram, tensor, text or file, without its content",
            [_PLUGIN, _RUN, _TAG, _STEP, _WALL_TIME, QueryColumn("bytes", "integer", "null if not known")],
            f"{read}:records",
        ),
        QueryTable(
            "damage",
            "a place that could not be read",
            [
                _RUN,
                QueryColumn("file", "text", "path relative to the logdir"),
                QueryColumn("offset", "integer", "bytes from the start of the file"),
                QueryColumn("skipped", "integer", "bytes that were not read because of it"),
                QueryColumn("reason", "text"),
            ],
            f"{read}:damage",
        ),
    ]
