"""The OpenAPI 3.1 description of URL rules."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from inspect import cleandoc
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from attrs import evolve
from werkzeug import Request, Response
from werkzeug.routing import Map, Rule

from insight_core.http.parameters import TEXT, Parameter, text
from insight_core.plugin import Route
from insight_core.references import Reference
from insight_core.web.answers import tag_by_content
from insight_core.web.data_routes import installed_version
from insight_core.web.mounting import Endpoint
from insight_record.formats.json_text import encode_json

Object: TypeAlias = dict[str, Any]

_VARIABLE = re.compile(r"<(?:[a-z]+(?:\([^>]*\))?:)?(\w+)>")  # of a rule of werkzeug
_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")  # HEAD and OPTIONS answer everywhere
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"
_ABOUT = (
    "The URLs of this host and its plugins, made from their code. Paths are relative to where the host is "
    "mounted. Malformed HTTP gets 400, 408, 413, 414, 417, 431, 501 or 505 in plain text."
)
# Errors that any view may have: of the host, of those that read data, and of code of plugins.
_OF_HOST: Mapping[int, set[str]] = {
    403: {"forbidden"},
    405: {"method_not_allowed"},
    500: {"failed", "internal"},
}
_OF_DATA: Mapping[int, set[str]] = {
    400: {"invalid_argument", "missing_parameter"},
    404: {"not_found", "unknown_run", "unknown_series", "record_gone"},
    413: {"too_large"},
    422: {"undecodable", "undecodable_record"},
    503: {"unavailable"},
}
_OF_PLUGINS: Mapping[int, set[str]] = {503: {"plugin_hangs"}, 504: {"plugin_hangs", "timeout"}}
_ERROR: Object = {
    "type": "object",
    "required": ["error", "code"],
    "properties": {
        "error": {"type": "string", "description": "For the user, in English."},
        "code": {"type": "string", "description": "For programs."},
        "details": {"type": "object", "description": "What the code is about."},
    },
}


_lock = threading.Lock()  # clients that ask together get one description


def description(maps: Callable[[], Sequence[Map]], request: Request) -> Response:
    """The URLs of the host and its plugins as OpenAPI 3.1."""
    with _lock:
        body = _body(tuple(maps()))
    return tag_by_content(request, Response(body, mimetype=_JSON))


@lru_cache(maxsize=1)
def _body(maps: tuple[Map, ...]) -> bytes:
    return encode_json(described(maps))


def described(maps: Iterable[Map]) -> Object:
    """The description of all URLs of some maps."""
    paths: dict[str, Object] = {}
    for rule in (rule for urls in maps for rule in urls.iter_rules()):
        path, names = _VARIABLE.sub(r"{\1}", rule.rule), _VARIABLE.findall(rule.rule)
        item = paths.setdefault(path, {})
        if names:
            item["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": dict(TEXT)} for name in names
            ]
        item |= _operations(rule, path, rule.endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "insight-host", "version": installed_version(), "description": _ABOUT},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Error": _ERROR},
            "responses": {"NotModified": {"description": "The client has this answer already."}},
        },
    }


def _operations(rule: Rule, path: str, endpoint: Endpoint) -> Iterator[tuple[str, Object]]:
    parameters = _parameters(endpoint.route)
    for method in _METHODS:
        if method in (rule.methods or ()):
            yield method.lower(), _operation(method, path, endpoint, parameters)
    if endpoint.reads_body:
        operation = _operation("POST", path, endpoint, parameters)
        yield "post", operation | {"requestBody": _parameters_in_body(parameters)}


def _parameters(route: Route) -> list[Parameter]:
    """What the readers of a route read; one that several of them read may be as any of them allows."""
    found: dict[tuple[str, str], list[Parameter]] = {}
    where = text("where") if route.takes_where else None
    for reader in (*route.reads, *route.also_reads, *([where] if where else [])):
        for one in reader.parameters:
            found.setdefault((one.where, one.name), []).append(one)
    return [_joined(same) for same in found.values()]


def _joined(same: Sequence[Parameter]) -> Parameter:
    schemas = [dict(one.schema) for one in same]
    distinct = [one for place, one in enumerate(schemas) if one not in schemas[:place]]
    lists = [one for one in distinct if one["type"] == "array"]
    schema = lists[0] if lists else distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
    return evolve(same[0], schema=schema, is_required=any(one.is_required for one in same))


def _operation(method: str, path: str, endpoint: Endpoint, parameters: Sequence[Parameter]) -> Object:
    operation: Object = {
        "operationId": re.sub(r"\W+", "_", f"{method.lower()} {path}").strip("_"),
        "tags": [endpoint.owner],
    }
    if summary := _summary_of(endpoint.route.view):
        operation["summary"] = summary
    reads_body = endpoint.reads_body and method == "POST"
    operation["parameters"] = [
        {
            "name": each.name,
            "in": each.where,
            **({"required": True} if each.is_required and not reads_body else {}),
            "schema": dict(each.schema),
        }
        for each in parameters
        if each.where != "body"
    ]
    if any(each.where == "body" for each in parameters):
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": {"type": "object"}}}}
    operation["responses"] = _responses(method, endpoint, bool(operation["parameters"]))
    return operation


def _summary_of(view: Callable[..., Any]) -> str:
    """The first paragraph of the docstring of a function; empty without one."""
    while not isinstance(view, FunctionType):
        if isinstance(view, partial):
            view = view.func
        elif isinstance(view, MethodType):
            view = view.__func__
        elif isinstance(view, Reference):
            try:
                view = view.resolve()
            except ImportError:  # an extra that is not installed
                return ""
        else:
            return ""
    return cleandoc(view.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _parameters_in_body(parameters: Sequence[Parameter]) -> Object:
    """What a GET reads from its query, where that is too long for a URL: in either place."""
    schema = {
        "type": "object",
        "properties": {each.name: dict(each.schema) for each in parameters if each.where == "query"},
    }
    return {"content": {_FORM: {"schema": schema}, _JSON: {"schema": schema}}}


def _responses(method: str, endpoint: Endpoint, reads: bool) -> Object:
    route = endpoint.route
    content: Object = {kind: {} for kind in sorted(route.answers) or ["*/*"]}
    found: Object = {
        str(status): {"description": HTTPStatus(status).phrase, "content": content}
        for status in (200, *(status for status in route.codes if status < 400))
    }
    if method == "GET":
        found["304"] = {"$ref": "#/components/responses/NotModified"}
    errors: dict[int, set[str]] = {}
    every: list[Mapping[int, Collection[str]]] = [route.codes, _OF_HOST]
    every += [reader.codes for reader in (*route.reads, *route.also_reads)]
    every += [_OF_DATA] if endpoint.follows_data or reads else []
    every += [_OF_PLUGINS] if endpoint.calls is not None else []
    for each in every:
        for status, codes in each.items():
            if status >= 400:
                errors.setdefault(status, set()).update(codes)
    for status, codes in sorted(errors.items()):
        found[str(status)] = {
            "description": ", ".join(f"`{code}`" for code in sorted(codes)) or HTTPStatus(status).phrase,
            "content": {_JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    return found
