"""The HTTP side: files that show a view or a report without a host, and what blocks are made of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.http import bytes_response, json_response, text, texts
from insight_reports.blocks import choices, run_cells
from insight_reports.snapshot import snapshot
from insight_reports.view import view_of

_JSON = ["application/json"]


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``snapshot``: an HTML file of ``view`` or ``report`` (saved), or ``state`` (keys of the URL).

    ``choices``: what a report can have; ``runs``: columns of the run table, those of ``column`` or a few.
    """

    def made(request: Request, *, view: str | None, report: str | None, state: str | None) -> Response:
        shown = view_of(ctx.get, view=view, report=report, state=state)
        content = snapshot(ctx.get, shown, datetime.now(UTC)).encode()
        answer = bytes_response(content, "text/html; charset=utf-8", filename=f"{shown.file_name}.html")
        answer.cache_control.no_store = True
        return answer

    def offered(request: Request) -> Response:
        return json_response(choices(ctx.get))

    def runs(request: Request, *, column: Sequence[str]) -> Response:
        return json_response(run_cells(ctx, column))

    reads = (text("view"), text("report"), text("state"))
    return [
        Route("/snapshot", made, reads=reads, answers=["text/html"], codes={400: ["reports_nothing"]}),
        Route("/choices", offered, answers=_JSON),
        Route("/runs", runs, reads=[texts("column")], answers=_JSON),
    ]
