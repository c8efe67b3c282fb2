"""The routes that answer SQL and describe the tables."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import asdict, field, frozen
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route, Unavailable
from insight_core.plugin.http import bytes_response, json_response, may_save, text, whole_number
from insight_query import is_installed

if TYPE_CHECKING:  # the worker's module needs the extra sql
    from insight_core.plugin.worker import Workers

_JSON, _CODES = ("application/json",), {413: ("query_too_large",)}
_AT_ONCE = 2  # queries of one host
_GUESTS_AT_ONCE = 1  # queries of clients that may not save, in a queue of their own
_PATIENCE = 10.0  # seconds that a further one waits
_MOST_ROWS = 100_000


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``/tables`` and ``/sql``."""
    views = _Views(ctx)
    ctx.on_close(views.close)
    reads = (text("sql", required=True), whole_number("rows", 1, _MOST_ROWS, 10_000))
    from_here = [ctx.own_page.from_here]
    return [
        Route("/tables", views.tables, answers=_JSON),
        Route("/sql", views.sql, reads=reads, also_reads=from_here, answers=_JSON, codes=_CODES),
    ]


@frozen(eq=False)
class _Views:
    ctx: PluginContext
    _turns: threading.Semaphore = field(factory=lambda: threading.Semaphore(_AT_ONCE))
    _guests: threading.Semaphore = field(factory=lambda: threading.Semaphore(_GUESTS_AT_ONCE))
    _started: list[Workers] = field(factory=list)  # once they are needed
    _starting: threading.Lock = field(factory=threading.Lock)

    def close(self) -> None:
        """Ends the processes."""
        for workers in self._started:
            workers.close()

    def tables(self, request: Request) -> Response:
        """The tables that a query can name, with their columns."""
        if is_installed():
            from insight_query.asking import warm_up

            warm_up(self._workers())  # who looks at tables asks next
        tables = [
            {
                "name": one.table.name,
                "text": one.table.text,
                "columns": [asdict(column) for column in one.columns()],
            }
            for one in sorted(self.ctx.query_tables(), key=lambda one: one.plugin != self.ctx.name)
        ]
        return json_response({"tables": tables})

    def sql(self, request: Request, *, sql: str, rows: int) -> Response:
        """The answer of the query ``sql`` by column, at most ``rows`` rows of it."""
        self.ctx.own_page.require_no_other_site(request)
        if not is_installed():
            raise Unavailable("SQL needs duckdb and pyarrow: pip install 'insight-host[sql]'")
        from insight_query.asking import ask

        with self._turn(self._turns if may_save(request) else self._guests):
            answer = ask(self._workers(), sql, self.ctx.query_tables(), rows)
        return bytes_response(answer, "application/json")

    def _workers(self) -> Workers:
        from insight_query.asking import query_workers

        with self._starting:
            if not self._started:
                self._started.append(query_workers(_AT_ONCE + _GUESTS_AT_ONCE))
            return self._started[0]

    @contextmanager
    def _turn(self, turns: threading.Semaphore) -> Iterator[None]:
        if not turns.acquire(timeout=_PATIENCE):
            raise Unavailable("other queries are running: try again when they have ended")
        try:
            yield
        finally:
            turns.release()
