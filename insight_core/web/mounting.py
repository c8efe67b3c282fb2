"""Endpoints of URLs, and the URLs of plugins with the calls that isolate them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from attrs import frozen
from werkzeug import Request, Response, routing
from werkzeug.exceptions import MethodNotAllowed

from insight_core.http.parameters import Reader
from insight_core.http.records import RECORDS_READ, record_of
from insight_core.isolation import Busy, Calls, Overdue, request_line
from insight_core.plugin import DataKind, Plugin, PluginContext, Route
from insight_core.references import reference
from insight_core.registry.origins import defined_at
from insight_core.web.front_ends import front_end_answer
from insight_core.web.posted_query import as_get

log = logging.getLogger(__name__)

_VARIABLE = re.compile(r"<(?:([^<>:]*):)?([^<>:]*)>")  # of a rule: its converter and its name

_JSON, _BYTES, _ANY = "application/json", "application/octet-stream", "*/*"
NOT_FOUND: Mapping[int, Sequence[str]] = {404: ()}  # Of a route of files.
RECORDS_ANSWERS = (_JSON, _BYTES)
BLOB_ANSWERS: Mapping[str, Any] = {
    "answers": [_ANY, _BYTES],
    "codes": {206: (), 404: ["place_gone"], 416: ()},
}

# imported at the first request: a start needs none of it
_TAGS, _RECORDS, _BLOB, _VALUE = (
    reference(f"insight_core.web.record_routes:{name}") for name in ("tags", "records", "blob", "value")
)


@frozen(eq=False)
class Endpoint:
    """A route, the plugin that owns it, and whether its answer stays the same as long as the data does.

    ``calls`` are those of the plugin if the view is code of the plugin, not of the host. ``reads_body``: the
    view answers GET, and its parameters may be in the body of a POST that nothing else answers.
    """

    route: Route
    owner: str = "the host"
    follows_data: bool = False
    calls: Calls | None = None
    reads_body: bool = False

    def is_reading(self, method: str) -> bool:
        """Whether a request with this method changes nothing."""
        return self.route.only_reads or method in ("GET", "HEAD") or (self.reads_body and method == "POST")

    def answer(self, request: Request, variables: Mapping[str, Any]) -> Response:
        """What the view returns. Raises what it raises, and for code of plugins Crashed, Overdue or Busy."""
        if self.reads_body and request.method == "POST":
            request = as_get(request)
        if self.calls is None:
            return self._call(request, variables)
        calls, what = self.calls, request_line(request.environ)
        try:
            answer = calls.run(what, lambda: self._call(request, variables), calls.limits.view)
            if answer.is_streamed:
                quiet = answer.mimetype == "text/event-stream"
                pieces = cast(Iterable[bytes], answer.response)  # werkzeug encodes texts afterwards
                answer.response = calls.body(pieces, what, may_be_quiet=quiet)
        except Overdue as error:
            if calls.note(what, str(error)):
                log.error("%s: %s", calls.plugin, error)
            raise
        except Busy:
            raise
        except Exception:  # it does not hang any more
            calls.forget(what)
            raise
        calls.forget(what)
        return answer

    def _call(self, request: Request, variables: Mapping[str, Any]) -> Response:
        route = self.route
        if route.reads:
            variables = {**variables, **Reader.values(route.reads, request)}
        answer = route.view(request, **variables)
        if not isinstance(answer, Response):
            raise TypeError(f"the view returned a {type(answer).__name__}, not a werkzeug Response")
        return answer


class UrlRule(routing.Rule):
    """A rule whose URLs are built by code that is compiled when the first is: a start builds none."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = super()._compile_builder

        def build(rule: UrlRule, **values: object) -> tuple[str, str]:
            return compiled(append_unknown)(rule, **values)

        return build


def rule_of(route: Route, *, follows_data: bool = False) -> UrlRule:
    """The rule of a route of the host itself."""
    endpoint = Endpoint(route, follows_data=follows_data)
    return UrlRule(route.path, endpoint=endpoint, methods=list(route.methods))


def new_map(rules: Iterable[routing.Rule]) -> routing.Map:
    """A URL map that neither redirects to nor merges slashes."""
    return routing.Map(rules, strict_slashes=False, merge_slashes=False)


def given_rules(
    plugin: Plugin, ctx: PluginContext, calls: Calls, own: Sequence[UrlRule] = ()
) -> list[UrlRule]:
    """The URLs that every plugin has, unless it answers them itself."""
    base = f"/data/plugin/{plugin.name}"
    taken = {rule.rule.rstrip("/") for rule in own}
    routes = [Route("/tags", partial(_TAGS, ctx), answers=[_JSON])]
    if plugin.decoder is not None and plugin.decoder.kind is DataKind.RECORD:
        place = record_of(ctx.data, ctx.name)
        routes += [
            Route("/records", partial(_RECORDS, ctx), also_reads=RECORDS_READ, answers=RECORDS_ANSWERS),
            Route("/blob", partial(_BLOB, ctx), reads=[place], **BLOB_ANSWERS),
        ]
        if plugin.decoder.decode is not None:
            routes.append(
                Route(
                    "/value",
                    partial(_VALUE, ctx, plugin),
                    reads=[place],
                    answers=[_JSON],
                    codes={413: ["large_value"]},
                )
            )
    rules = [
        UrlRule(
            f"{base}{route.path}",
            endpoint=Endpoint(
                route,
                plugin.name,
                follows_data=True,
                calls=calls if route.path == "/value" else None,
                reads_body=True,
            ),
            methods=["GET"],
        )
        for route in routes
        if f"{base}{route.path}" not in taken
    ]
    if plugin.frontend is not None:
        files = partial(front_end_answer, plugin.frontend)
        static = Route("/static/<path:name>", files, codes=NOT_FOUND)
        endpoint = Endpoint(static, plugin.name)
        rules.append(UrlRule(f"{base}{static.path}", endpoint=endpoint, methods=["GET"]))
    return rules


def own_routes(plugin: Plugin, ctx: PluginContext) -> list[Route]:
    """The routes that the plugin names. Raises what it raises, and errors for routes that cannot be."""
    routes: list[Route] = []
    seen: dict[tuple[str, str], Route] = {}
    for route in plugin.routes(ctx):
        if not isinstance(route, Route):
            raise TypeError(f"routes() gave a {type(route).__name__}, not a Route")
        if isinstance(route.methods, str) or not all(isinstance(method, str) for method in route.methods):
            raise TypeError(f"the methods of {route.path} are not a tuple of strings")
        if plugin.frontend is not None and (route.path + "/").startswith("/static/"):
            raise ValueError(f"{route.path} is where the host serves the front end")
        _check_keywords(route)
        for method in route.methods:
            place = (method.upper(), _VARIABLE.sub(r"<\1>", route.path.rstrip("/")))
            other = seen.setdefault(place, route)
            if other is not route:
                views = f"{defined_at(other.view)} and {defined_at(route.view)}"
                raise ValueError(f"two routes answer {method.upper()} {route.path}: {views}")
        routes.append(route)
    return routes


def _check_keywords(route: Route) -> None:
    if not all(isinstance(each, Reader) for each in (*route.reads, *route.also_reads)):
        raise TypeError(f"what {route.path} reads is not made by the functions of insight_core.plugin.http")
    keywords = [*(name for _, name in _VARIABLE.findall(route.path)), *(each.keyword for each in route.reads)]
    if twice := {each for each in keywords if keywords.count(each) > 1}:
        raise ValueError(f"two values of {route.path} are the argument {min(twice)} of its view")


def own_rules(plugin: Plugin, ctx: PluginContext, calls: Calls) -> list[UrlRule]:
    """The URLs of its own that the plugin names. Raises what ``own_routes`` raises."""
    rules: list[UrlRule] = []
    for route in own_routes(plugin, ctx):
        methods = {method.upper() for method in route.methods}
        reads_body = "GET" in methods and "POST" not in methods
        endpoint = Endpoint(route, plugin.name, follows_data=True, calls=calls, reads_body=reads_body)
        places = [f"/data/plugin/{plugin.name}{route.path}"]
        if plugin.address:
            places.append(f"{plugin.address}{route.path}".rstrip("/"))
        rules += [UrlRule(place, endpoint=endpoint, methods=list(methods)) for place in places]
    return rules


def matched(urls: routing.Map, path: str, method: str) -> tuple[Endpoint, Mapping[str, Any]]:
    """The endpoint of a request. A POST that no rule answers reads what GET reads. Raises HTTPException."""
    bound = urls.bind("host")
    try:
        return cast(tuple[Endpoint, Mapping[str, Any]], bound.match(path, method=method))
    except MethodNotAllowed as error:
        allowed = error.valid_methods or []
        if "GET" not in allowed or "POST" in allowed:
            raise
        found: tuple[Endpoint, Mapping[str, Any]] = bound.match(path, method="GET")
        if not found[0].reads_body:
            raise
        if method == "POST":
            return found
        raise MethodNotAllowed([*allowed, "POST"]) from None
