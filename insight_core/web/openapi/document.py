"""The OpenAPI 3.1 description of URL rules."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, TypeAlias

from werkzeug import Request, Response
from werkzeug.routing import Map, Rule

from insight_core.web.answers import tag_by_content
from insight_core.web.data_routes import installed_version
from insight_core.web.mounting import Endpoint
from insight_core.web.openapi.facts import TEXT, Schema, ViewFacts
from insight_core.web.openapi.source import summary_of
from insight_core.web.openapi.views import facts_of
from insight_record.formats.json_text import encode_json

log = logging.getLogger(__name__)

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
_ERROR: Schema = {
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
                {"name": name, "in": "path", "required": True, "schema": TEXT} for name in names
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
    try:
        facts = facts_of(endpoint.view)
    except Exception:  # whatever the source of a plugin has
        log.exception("%s: what %s reads cannot be described", endpoint.owner, path)
        facts = ViewFacts()
    if endpoint.takes_where:
        facts.read("where", TEXT)
    for method in _METHODS:
        if method in (rule.methods or ()):
            yield method.lower(), _operation(method, path, endpoint, facts)
    if endpoint.reads_body:
        yield "post", _operation("POST", path, endpoint, facts) | {"requestBody": _parameters_in_body(facts)}


def _operation(method: str, path: str, endpoint: Endpoint, facts: ViewFacts) -> Object:
    operation: Object = {
        "operationId": re.sub(r"\W+", "_", f"{method.lower()} {path}").strip("_"),
        "tags": [endpoint.owner],
    }
    if summary := summary_of(endpoint.view):
        operation["summary"] = summary
    reads_body = endpoint.reads_body and method == "POST"
    operation["parameters"] = [
        {
            "name": each.name,
            "in": each.where,
            **({"required": True} if each.is_required and not reads_body else {}),
            "schema": each.schema,
        }
        for each in facts.parameters.values()
    ]
    if facts.has_body:
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": {"type": "object"}}}}
    operation["responses"] = _responses(method, endpoint, facts)
    return operation


def _parameters_in_body(facts: ViewFacts) -> Object:
    """What a GET reads from its query, where that is too long for a URL: in either place."""
    schema = {
        "type": "object",
        "properties": {each.name: each.schema for each in facts.parameters.values() if each.where == "query"},
    }
    return {"content": {_FORM: {"schema": schema}, _JSON: {"schema": schema}}}


def _responses(method: str, endpoint: Endpoint, facts: ViewFacts) -> Object:
    content: Object = {kind: {} for kind in sorted(facts.media_types) or ["*/*"]}
    found: Object = {
        str(status): {"description": HTTPStatus(status).phrase, "content": content}
        for status in facts.statuses
    }
    if method == "GET":
        found["304"] = {"$ref": "#/components/responses/NotModified"}
    errors: dict[int, set[str]] = {}
    reads = endpoint.follows_data or facts.parameters
    baseline = [_OF_HOST, *([_OF_DATA] if reads else [])]
    baseline += [_OF_PLUGINS] if endpoint.calls is not None else []
    for each in (facts.errors, *baseline):
        for status, codes in each.items():
            errors.setdefault(status, set()).update(codes)
    for status, codes in sorted(errors.items()):
        found[str(status)] = {
            "description": ", ".join(f"`{code}`" for code in sorted(codes)) or HTTPStatus(status).phrase,
            "content": {_JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    return found
