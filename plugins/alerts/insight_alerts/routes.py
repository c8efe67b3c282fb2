"""Asks for findings when data change, passes alerts to journal and targets, and answers what was found."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from attrs import frozen
from werkzeug import Request, Response

from insight_alerts.alert import Alert, Journal
from insight_alerts.delivery import Courier
from insight_alerts.rules import AlertRules
from insight_alerts.watch import Watch
from insight_core.plugin import InsightError, PluginContext, PluginNameEnum, Route
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.http import json_response, whole_number

log = logging.getLogger("insight.plugin.alerts")
_WAIT = 1.0  # seconds that a question for changes waits: the end of the host waits for it at most
_EVERY = 10.0  # seconds between two looks at runs
_CHECKING = 5.0  # seconds for rules that look for faults; the next look goes on
_AGAIN = 5.0  # seconds after a failure
_MOST = 500  # alerts of an answer


class AlertService:
    """The alerts of a host: looked for from ``start`` to ``close``."""

    def __init__(self, ctx: PluginContext, rules: AlertRules) -> None:
        self.rules = rules
        self.journal = Journal(journal_path(ctx.state_directory, ctx.data.location()))
        self.courier = Courier(rules.targets)
        self.failure = ""  # why rules cannot be checked now
        self._data = ctx.data
        self._watch = Watch(rules, ctx.data, ctx.findings)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="alerts", daemon=True)

    def start(self) -> None:
        """Begins to look; returns immediately."""
        self._thread.start()

    def close(self) -> None:
        """Ends the threads soon."""
        self._stopped.set()
        self.courier.close()

    def take(self, alerts: Iterable[Alert]) -> None:
        """Writes alerts down that are new and recent, and sends them."""
        for alert in alerts:
            if self.rules.is_recent(alert) and self.journal.add(alert):
                self.courier.send(self.rules.sends(alert), alert.message(self.rules.page))

    def _follow(self) -> None:
        generation: int | None = None
        runs_due = 0.0
        while not self._stopped.is_set():
            try:
                if generation is None:
                    generation = self._data.generation()
                    self.take(self._watch.series())
                else:
                    changes = self._data.changes(generation, timeout=_WAIT)
                    if self._stopped.is_set():
                        return  # what has changed is for the next host
                    generation = changes.generation
                    changed: Collection[SeriesKey] | None = None
                    if changes.series is not None:
                        changed = changes.series.get(PluginNameEnum.SCALAR, ())
                    self.take(self._watch.series(changed))
                if time.monotonic() >= runs_due:
                    self.take(self._watch.runs())
                    self.take(self._watch.findings(_CHECKING))
                    runs_due = time.monotonic() + _EVERY
                self.failure = self._watch.failure
            except Exception as error:  # the next look may succeed
                if not isinstance(error, (InsightError, OSError)):
                    log.exception("alerts could not be checked")
                self.failure = str(error) or type(error).__name__
                generation = None  # so that the next look covers all series
                self._stopped.wait(_AGAIN)


def journal_path(state: Path | None, location: str) -> Path | None:
    """The journal of the logs of a location; None if nothing may be kept."""
    if state is None:
        return None
    name = hashlib.blake2b(location.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return state / f"{name}.jsonl"


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
