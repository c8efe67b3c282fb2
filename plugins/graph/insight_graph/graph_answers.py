"""Answers about one graph, by the name of their route."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen
from werkzeug import Request

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.http import choice, empty, flag, is_gone, required_text, whole_number
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


def _scope(looked: OpenedGraph, request: Request) -> object:
    view = looked.view
    branch = branch_of(view, request.args.get("id", ""))
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


def _node(looked: OpenedGraph, request: Request) -> object:
    place = place_of(looked.view, required_text(request, "id"))
    return details_of(looked.view, place, looked.times, looked.model.tensors())


def _search(looked: OpenedGraph, request: Request) -> object:
    text = required_text(request, "q")
    if not text:
        raise empty("q")
    search = Search(text, flag(request, "regex"), choice(request, "in", ("any", "name", "type")))
    limit = whole_number(request, "limit", 1, MAX_RESULTS, 100)
    offset = whole_number(request, "offset", 0, LAST_OFFSET, 0)
    found = found_by(looked.view, search, lambda: is_gone(request))
    shown = found[offset : offset + limit].tolist()
    return {"total": len(found), "offset": offset, "results": [result(looked.view, one) for one in shown]}


def _trace(looked: OpenedGraph, request: Request) -> object:
    view = looked.view
    place = place_of(view, required_text(request, "id"))
    scopes = list(dict.fromkeys(request.args.getlist("scope")))
    if len(scopes) > MAX_SCOPES:
        raise InvalidArgument(_MANY_SCOPES(most=MAX_SCOPES))
    branches = [branch_of(view, scope, "scope") for scope in scopes]
    with_controls = choice(request, "control", ("1", "0")) == "1"
    found: dict[str, object] = {}
    for name, forwards in (("ancestors", False), ("descendants", True)):
        trace = Trace.of(view, place, forwards=forwards, with_controls=with_controls)
        found[name] = {"operators": trace.operators, "ids": trace.shown_in(branches, place)}
    return found


def _statistics(looked: OpenedGraph, request: Request) -> object:
    return statistics_of(looked.view, looked.times, looked.model.tensors())


def _removed(looked: OpenedGraph, request: Request) -> object:
    offset = whole_number(request, "offset", 0, LAST_OFFSET, 0)
    return removed_of(looked.model.graph, looked.model.view(False), looked.model.removed(), offset)


OF_GRAPHS: Mapping[str, Callable[[OpenedGraph, Request], object]] = {
    "scope": _scope,
    "node": _node,
    "search": _search,
    "trace": _trace,
    "statistics": _statistics,
    "removed": _removed,
}
