"""Answers about one graph, by the name of their route."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import frozen
from werkzeug import Request

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.http import Reader, choice, flag, is_gone, text, texts, whole_number
from insight_graph.described import notice
from insight_graph.details import details_of
from insight_graph.model import GraphModel, Times, branch_of, place_of
from insight_graph.opened import opened
from insight_graph.search import Search, Trace, found_by, result
from insight_graph.statistics import removed_of, statistics_of
from insight_graph.view import GraphView

MAX_RESULTS = 1000
MAX_SCOPES = 500  # of one trace
LAST_OFFSET = 1 << 31
_MANY_SCOPES = ReasonKind("graph_many_scopes", "scope must be given at most {most} times")


@frozen
class OpenedGraph:
    """The graph of a request, as it is shown."""

    model: GraphModel
    view: GraphView
    times: Times | None


def _scope(looked: OpenedGraph, request: Request, *, id: str) -> object:
    view = looked.view
    branch = branch_of(view, id)
    tree = view.tree
    about = {
        "nodes": len(view.shown_nodes),
        "edges": len(view.edges),
        "scopes": int((tree.stacks[1:] < 0).sum()),
        "removed": len(view.graph) - len(view.shown_nodes),
        "notices": [notice(one) for one in looked.model.graph.notices],
        "timed": looked.times is not None,
    }
    return {**opened(view, branch, looked.times), "graph": about}


def _node(looked: OpenedGraph, request: Request, *, id: str) -> object:
    place = place_of(looked.view, id)
    return details_of(looked.view, place, looked.times, looked.model.tensors())


def _search(
    looked: OpenedGraph, request: Request, *, q: str, regex: bool, in_: str, limit: int, offset: int
) -> object:
    found = found_by(looked.view, Search(q, regex, in_), lambda: is_gone(request))
    shown = found[offset : offset + limit].tolist()
    return {"total": len(found), "offset": offset, "results": [result(looked.view, one) for one in shown]}


def _trace(looked: OpenedGraph, request: Request, *, id: str, scopes: Sequence[str], control: str) -> object:
    view = looked.view
    place = place_of(view, id)
    scopes = list(dict.fromkeys(scopes))
    if len(scopes) > MAX_SCOPES:
        raise InvalidArgument(_MANY_SCOPES(most=MAX_SCOPES))
    branches = [branch_of(view, scope, "scope") for scope in scopes]
    with_controls = control == "1"
    found: dict[str, object] = {}
    for name, forwards in (("ancestors", False), ("descendants", True)):
        trace = Trace.of(view, place, forwards=forwards, with_controls=with_controls)
        found[name] = {"operators": trace.operators, "ids": trace.shown_in(branches, place)}
    return found


def _statistics(looked: OpenedGraph, request: Request) -> object:
    return statistics_of(looked.view, looked.times, looked.model.tensors())


def _removed(looked: OpenedGraph, request: Request, *, offset: int) -> object:
    return removed_of(looked.model.graph, looked.model.view(False), looked.model.removed(), offset)


_ID, _OFFSET = text("id", required=True), whole_number("offset", 0, LAST_OFFSET, 0)
_SEARCH = (
    text("q", required=True, filled=True),
    flag("regex"),
    choice("in", ("any", "name", "type")),
    whole_number("limit", 1, MAX_RESULTS, 100),
    _OFFSET,
)
_TRACE = (_ID, texts("scope").named("scopes"), choice("control", ("1", "0")))
# The answer of each route, what it reads and the codes of its errors, beyond what all of them have.
OF_GRAPHS: Mapping[str, tuple[Callable[..., object], Sequence[Reader[Any]], dict[int, Sequence[str]]]] = {
    "scope": (_scope, [text("id", "")], {400: ["graph_no_scope"]}),
    "node": (_node, [_ID], {400: ["graph_unknown_id"]}),
    "search": (_search, _SEARCH, {400: ["empty_parameter"]}),
    "trace": (_trace, _TRACE, {400: ["graph_many_scopes", "graph_no_scope", "graph_unknown_id"]}),
    "statistics": (_statistics, [], {}),
    "removed": (_removed, [_OFFSET], {}),
}
