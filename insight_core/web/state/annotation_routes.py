"""The routes of ``/data/annotations``: reads and writes names, notes and marks of runs."""

from __future__ import annotations

from attrs import frozen
from werkzeug import Request, Response

from insight_core.http.answers import user_of
from insight_core.own_page import BODY, OwnPage, body_of
from insight_core.plugin import InvalidArgument, NotFound, Route
from insight_core.plugin.data import DataProvider
from insight_core.web.answers import json_answer, tag_by_content
from insight_core.web.live_events import Streams
from insight_core.web.mounting import UrlRule, rule_of
from insight_core.web.state.annotations import UNKNOWN_RUN, AnnotationStore, checked

_PATH, _JSON = "/data/annotations", "application/json"
_READING = {503: ("state_not_written", "state_refused")}
_WRITING = {
    400: ("control_characters", "half_a_pair", "long_text"),
    503: ("newer_state", "state_not_written", "state_refused"),
}
_LARGEST = 1 << 18  # bytes of a body


@frozen(eq=False)
class AnnotationRoutes:
    """Accepts writes only from the host's own page."""

    store: AnnotationStore
    provider: DataProvider
    page: OwnPage
    streams: Streams

    def rules(self) -> list[UrlRule]:
        """The URL rules."""
        routes = [Route(_PATH, self.annotations, answers=["*/*", _JSON], codes=_READING)]
        if not self.store.read_only:
            reads = [self.page.required, BODY]
            routes.append(
                Route(_PATH, self.annotate, ("PUT",), also_reads=reads, answers=[_JSON], codes=_WRITING)
            )
        return [rule_of(route) for route in routes]

    def annotations(self, request: Request) -> Response:
        """GET: all annotations, the token, and whether they can be changed."""
        now, refusal = self.store.now(), self.page.refusal(request) or self.store.write_refusal()
        answer = {
            "generation": now.generation,
            "writable": refusal is None,
            "reason": refusal,
            "token": self.page.token_for(request),
            "runs": {run: annotation.said() for run, annotation in now.runs.items()},
            "written": {
                run: {name: {"by": each.by, "at": each.at} for name, each in fields.items()}
                for run, fields in now.written.items()
            },
        }
        return tag_by_content(request, json_answer(answer))

    def annotate(self, request: Request) -> Response:
        """PUT: sets fields of one run."""
        self.page.require(request)
        body = body_of(request, _LARGEST)
        run = body.pop("run", None)
        if not isinstance(run, str):
            raise InvalidArgument(f"run must be the name of a run, not {run!r:.100}")
        values = {name: checked(name, value) for name, value in body.items()}
        if not any(known.name == run for known in self.provider.runs()):
            raise NotFound(UNKNOWN_RUN(run=run))
        annotation = self.store.annotate(run, values, user_of(request))
        self.streams.ring()
        answer = {
            "generation": self.store.now().generation,
            "run": run,
            "annotation": annotation.said(),
        }
        return json_answer(answer)
