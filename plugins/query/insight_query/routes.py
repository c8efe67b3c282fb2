"""The routes that answer SQL and describe the tables."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import asdict, field, frozen
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route, Unavailable
from insight_core.plugin.http.answers import json_response
from insight_core.plugin.http.parameters import required_text, whole_number
from insight_query import is_installed

_AT_ONCE = 2  # queries of one host
_PATIENCE = 10.0  # seconds that a further one waits
_MOST_ROWS = 100_000


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``/tables`` and ``/sql``."""
    views = _Views(ctx)
    return [Route("/tables", views.tables), Route("/sql", views.sql)]


@frozen(eq=False)
class _Views:
    ctx: PluginContext
    _turns: threading.Semaphore = field(factory=lambda: threading.Semaphore(_AT_ONCE))

    def tables(self, request: Request) -> Response:
        """The tables that a query can name, with their columns."""
        tables = [
            {
                "name": one.table.name,
                "text": one.table.text,
                "columns": [asdict(column) for column in one.columns()],
            }
            for one in sorted(self.ctx.query_tables(), key=lambda one: one.plugin != self.ctx.name)
        ]
        return json_response({"tables": tables})

    def sql(self, request: Request) -> Response:
        """The answer of the query ``sql`` by column, at most ``rows`` rows of it."""
        if not is_installed():
            raise Unavailable("SQL needs duckdb and pyarrow: pip install 'insight-host[lake]'")
        from insight_query.engine import QueryLimits, run

        sql = required_text(request, "sql")
        rows = whole_number(request, "rows", 1, _MOST_ROWS, 10_000)
        with self._turn():
            answer = run(sql, self.ctx.query_tables(), QueryLimits(rows))
        table = answer.table
        return json_response(
            {
                "columns": [{"name": one.name, "type": _kind(one.type)} for one in table.schema],
                "values": [[_plain(value) for value in column.to_pylist()] for column in table.columns],
                "rows": len(table),
                "is_cut": answer.is_cut,
                "read": {"rows": answer.rows_read, "bytes": answer.bytes_read},
                "seconds": round(answer.seconds, 3),
            }
        )

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=_PATIENCE):
            raise Unavailable("other queries are running: try again when they have ended")
        try:
            yield
        finally:
            self._turns.release()


def _kind(type_: Any) -> str:  # noqa: ANN401
    """The type of a column for the page."""
    import pyarrow.types as types

    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_):
        return "integer"
    return "number" if types.is_floating(type_) or types.is_decimal(type_) else "text"


def _plain(value: object) -> object:
    from decimal import Decimal

    if isinstance(value, Decimal):
        return float(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
