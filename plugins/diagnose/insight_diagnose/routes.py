"""The route that lists findings of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial

from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginContext, Route
from insight_core.plugin.data import TAG_ROLES
from insight_core.plugin.http import json_response, texts, whole_number
from insight_core.plugin.lab import findings_document, may_change

_LONGEST = 60_000  # ms
_PATIENCE = 20.0  # seconds; a file has what is known by then
_RECENT = 10.0  # seconds for which pages share an answer: alerts change while the data do not
_JSON = ("application/json",)
_READS = (
    texts("run").named("runs"),
    whole_number("wait", 0, _LONGEST),
    texts("role").named("roles"),
)


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``findings``, ``recent_findings`` for pages, and ``snapshot`` for a file that works without a host."""
    return [
        Route("/findings", partial(_findings, ctx), takes_where=True, reads=_READS, answers=_JSON),
        Route(
            "/recent_findings",
            partial(_recent_findings, ctx),
            takes_where=True,
            age=_RECENT,
            reads=_READS,
            answers=_JSON,
        ),
        Route("/snapshot", partial(_snapshot, ctx), reads=[texts("view").named("views")], answers=_JSON),
    ]


def _findings(
    ctx: PluginContext, request: Request, *, runs: Sequence[str], wait: int | None, roles: Sequence[str]
) -> Response:
    """Returns the findings of all rules in the runs ``run`` (repeated), or in all; the worst first.

    After ``wait`` ms it answers with what is known by then. ``generation`` says what it is about.
    """
    answer = _recent_findings(ctx, request, runs=runs, wait=wait, roles=roles)
    answer.cache_control.no_store = True  # alerts and annotations change while the data do not
    return answer


def _recent_findings(
    ctx: PluginContext, request: Request, *, runs: Sequence[str], wait: int | None, roles: Sequence[str]
) -> Response:
    """Returns what ``findings`` does, or has done for another client in the last seconds."""
    generation = ctx.data.generation()
    found = ctx.findings(runs or None, roles_given(roles), seconds=None if wait is None else wait / 1000)
    answer = json_response({**findings_document(found), "generation": generation})
    answer.cache_control.no_store = may_change(found)
    return answer


def _snapshot(ctx: PluginContext, request: Request, *, views: Sequence[str]) -> Response:
    """Returns the findings in the runs of the views (``view``, repeatable: JSON with ``runs``)."""
    try:
        named = [json.loads(text)["runs"] for text in views]
        runs = list(dict.fromkeys(str(run) for view in named for run in view))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidArgument(f"view is not JSON with runs: {error}") from error
    answer = json_response({**findings_document(ctx.findings(runs, seconds=_PATIENCE)), "left": 0})
    answer.cache_control.no_store = True
    return answer


def roles_given(texts: Sequence[str]) -> Mapping[str, str]:
    """Tags with the roles that ``ROLE=TAG`` gives them; ``none=TAG`` for no role. Raises InvalidArgument."""
    found = {}
    for text in texts:
        role, equals, tag = text.partition("=")
        if not (equals and tag and role in (*TAG_ROLES, "none")):
            raise InvalidArgument(
                f"role must be ROLE=TAG with one of {', '.join(TAG_ROLES)}, none; not {text!r}"
            )
        found[tag] = "" if role == "none" else role
    return found
