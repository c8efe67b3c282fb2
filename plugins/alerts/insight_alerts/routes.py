"""Starts the alerts of a host, and answers what was found."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from werkzeug import Request, Response

from insight_alerts.rules import AlertRules
from insight_alerts.service import AlertService
from insight_core.plugin import PluginContext, Route
from insight_core.plugin.http import json_response, whole_number

_MOST = 500  # alerts of an answer


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Starts to look for alerts if the host has rules."""
    rules = ctx.options.get("alerts")
    if not isinstance(rules, AlertRules):
        return []
    service = AlertService(ctx, rules)
    ctx.on_close(service.close)
    service.start()
    reads = [whole_number("after", 0, 1 << 53)]
    return [Route("/found", AlertRoutes(service).found, reads=reads, answers=["application/json"])]


@frozen
class AlertRoutes:
    """The route ``/found``."""

    service: AlertService

    def found(self, request: Request, *, after: int | None) -> Response:
        """``?after=N``: alerts after the first N, the last 500 of them at most; never from a cache."""
        service = self.service
        total, alerts = service.journal.after(after or 0, _MOST)
        rows = [{**alert.row(), "unsent": service.courier.failures_of(alert.id)} for alert in alerts]
        answer = json_response(
            {
                "total": total,
                "alerts": rows,
                "rules": [rule.name for rule in service.rules.rules],
                "failure": service.failure,
            }
        )
        answer.cache_control.no_store = True  # alerts change while the data do not
        return answer
