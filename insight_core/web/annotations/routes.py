"""The routes of ``/data/annotations``: reads and writes names, notes and marks of runs."""

from __future__ import annotations

import json
import secrets

from attrs import field, frozen
from werkzeug import Request, Response
from werkzeug.routing import Rule

from insight_core.plugin import DataProvider, InsightError, InvalidArgument, NotFound
from insight_core.plugin.annotations import checked
from insight_core.web.annotations.store import AnnotationStore
from insight_core.web.answers import json_answer, tag_by_content
from insight_core.web.host_names import HostNames
from insight_core.web.live_events import Streams
from insight_core.web.mounting import Endpoint

TOKEN_HEADER = "X-Insight-Token"
_LARGEST = 1 << 18  # bytes of a body


class Forbidden(InsightError):
    """The request does not come from the host's own page."""

    status = 403
    code = "forbidden"


@frozen(eq=False)
class AnnotationRoutes:
    """Accepts writes only from the host's own page, which alone can read the ``token`` and send it back."""

    store: AnnotationStore
    provider: DataProvider
    names: HostNames
    streams: Streams
    token: str = field(factory=lambda: secrets.token_urlsafe(24))

    def rules(self) -> list[Rule]:
        """The URL rules."""
        rules = [Rule("/data/annotations", endpoint=Endpoint(self.annotations), methods=["GET"])]
        if not self.store.read_only:
            rules.append(Rule("/data/annotations", endpoint=Endpoint(self.annotate), methods=["PUT"]))
        return rules

    def annotations(self, request: Request) -> Response:
        """GET: all annotations, the token, and whether they can be changed."""
        now, refusal = self.store.now(), self.store.write_refusal()
        answer = {
            "generation": now.generation,
            "writable": refusal is None,
            "reason": refusal,
            "token": self.token,
            "runs": {run: annotation.said() for run, annotation in now.runs.items()},
        }
        return tag_by_content(request, json_answer(answer))

    def annotate(self, request: Request) -> Response:
        """PUT: sets fields of one run."""
        origin, host = request.headers.get("Origin"), request.environ.get("HTTP_HOST")
        if not self.names.is_own_page(origin, host):
            raise Forbidden(f"only the page of this host may write annotations, not {origin or 'no Origin'}")
        given = request.headers.get(TOKEN_HEADER, "")
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            raise Forbidden(f"{TOKEN_HEADER} is not the token of this host: read /data/annotations again")
        body = _body(request)
        run = body.pop("run", None)
        if not isinstance(run, str):
            raise InvalidArgument(f"run must be the name of a run, not {run!r:.100}")
        values = {name: checked(name, value) for name, value in body.items()}
        if not any(known.name == run for known in self.provider.runs()):
            raise NotFound(f"unknown run {run!r}", code="unknown_run", run=run)
        annotation = self.store.annotate(run, values)
        self.streams.ring()
        answer = {
            "generation": self.store.now().generation,
            "run": run,
            "annotation": annotation.said(),
        }
        return json_answer(answer)


def _body(request: Request) -> dict[str, object]:
    if (request.content_length or 0) > _LARGEST:
        raise InvalidArgument(f"the body has more than {_LARGEST} bytes")
    try:
        body = json.loads(request.get_data(cache=False))
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"the body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object")
    return body
