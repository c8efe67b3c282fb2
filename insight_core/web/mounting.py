"""What stands behind a URL, and the URLs of plugins, each plugin on its own risk."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen
from werkzeug import Request, Response
from werkzeug.routing import Map, Rule

from insight_core.plugin import DataProvider, Plugin, Route
from insight_core.web.answers import json_answer
from insight_core.web.assets import asset_answer

log = logging.getLogger(__name__)


@frozen(eq=False)
class Endpoint:
    """A view, whose it is, and whether its answer stays the same as long as the data does."""

    view: Callable[..., Response]
    owner: str = "the host"
    follows_data: bool = False


@frozen
class Mount:
    """The URLs of one plugin, or why its own could not be made."""

    rules: Sequence[Rule]
    failure: str | None = None


def new_map(rules: Sequence[Rule]) -> Map:
    return Map(rules, strict_slashes=False, merge_slashes=False)


def mount(plugin: Plugin, provider: DataProvider) -> Mount:
    """Asks the plugin for its routes. Whatever goes wrong is its own failure, never the host's."""
    own: list[Rule] = []
    failure: str | None = None
    try:
        own = _own_rules(plugin, provider)
        new_map([rule.empty() for rule in own])  # a path that does not parse shows here
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        log.exception("the routes of plugin %s could not be made", plugin.name)
        own, failure = [], f"{type(error).__name__}: {' '.join(str(error).split())}"
    rules = list(own)
    base = f"/data/plugin/{plugin.name}"
    if not any(rule.rule.rstrip("/") == f"{base}/tags" for rule in own):
        tags = Endpoint(_tags_view(plugin.name, provider), plugin.name, follows_data=True)
        rules.append(Rule(f"{base}/tags", endpoint=tags, methods=["GET"]))
    if plugin.frontend is not None:
        static = Endpoint(_static_view(plugin.frontend), plugin.name)
        rules.append(Rule(f"{base}/static/<path:name>", endpoint=static, methods=["GET"]))
    return Mount(rules, failure)


def _own_rules(plugin: Plugin, provider: DataProvider) -> list[Rule]:
    rules: list[Rule] = []
    seen: set[tuple[str, str]] = set()
    for route in plugin.routes(provider):
        if not isinstance(route, Route):
            raise TypeError(f"routes() gave a {type(route).__name__}, not a Route")
        if not callable(route.view):
            raise TypeError(f"the view of {route.path} is not a function")
        if isinstance(route.methods, str) or not all(isinstance(method, str) for method in route.methods):
            raise TypeError(f"the methods of {route.path} are not a tuple of strings")
        if plugin.frontend is not None and (route.path + "/").startswith("/static/"):
            raise ValueError(f"{route.path} is where the host serves the front end")
        for method in route.methods:
            place = (method.upper(), route.path.rstrip("/"))
            if place in seen:
                raise ValueError(f"two routes answer {method.upper()} {route.path}")
            seen.add(place)
        endpoint = Endpoint(route.view, plugin.name, follows_data=True)
        path = f"/data/plugin/{plugin.name}{route.path}"
        rules.append(Rule(path, endpoint=endpoint, methods=list(route.methods)))
    return rules


def _tags_view(name: str, provider: DataProvider) -> Callable[..., Response]:
    def tags(request: Request) -> Response:
        found: dict[str, dict[str, object]] = {}
        for info in provider.series(name):
            found.setdefault(info.key.run, {})[info.key.tag] = info.as_tag()
        return json_answer(found)

    return tags


def _static_view(root: Path) -> Callable[..., Response]:
    def static(request: Request, name: str) -> Response:
        return asset_answer(root, name, request)

    return static
