"""The HTTP side: files that show a view or a report without a host."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.http import bytes_response, text
from insight_reports.snapshot import snapshot
from insight_reports.view import view_of


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``snapshot``: an HTML file of ``view`` or ``report`` (saved), or ``state`` (keys of the URL)."""

    def made(request: Request, *, view: str | None, report: str | None, state: str | None) -> Response:
        shown = view_of(ctx.get, view=view, report=report, state=state)
        content = snapshot(ctx.get, shown, datetime.now(UTC)).encode()
        answer = bytes_response(content, "text/html; charset=utf-8", filename=f"{shown.file_name}.html")
        answer.cache_control.no_store = True
        return answer

    reads = (text("view"), text("report"), text("state"))
    return [Route("/snapshot", made, reads=reads, answers=["text/html"], codes={400: ["reports_nothing"]})]
