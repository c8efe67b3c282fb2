"""The routes of ``/data/saved``: lists, reads, writes and removes what tabs and the page save."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.own_page import BODY, OwnPage, body_of
from insight_core.plugin import InvalidArgument, NotFound, Route
from insight_core.plugin.http import Reader, text
from insight_core.web.answers import json_answer, tag_by_content
from insight_core.web.live_events import Streams
from insight_core.web.mounting import UrlRule, rule_of
from insight_core.web.state.saved import LARGEST, PAGE, UNKNOWN_SAVED, SavedStore, checked_name, version_of
from insight_record.formats.json_text import encode_json
from insight_record.formats.reason import ReasonKind

_JSON, _KEPT = ("application/json",), ("*/*", "application/json")
_NAMES = ("control_characters", "empty_parameter", "half_a_pair", "long_text")
_NOT_READ = ("state_not_written", "state_refused")
_READING = {400: _NAMES, 404: ("unknown_saved",), 503: _NOT_READ}
_REMOVING: Mapping[int, Sequence[str]] = {
    **_READING,
    409: ("saved_changed",),
    413: ("saved_full",),
    503: ("newer_state", *_NOT_READ),
}
_WRITING = {**_REMOVING, 413: ("large_saved", "saved_full")}
_LARGEST_BODY = LARGEST + (1 << 13)  # bytes: a name and a version come with the value
_MISSING_PARAMETER = ReasonKind("missing_parameter", "{name} is missing")


@frozen(eq=False)
class SavedRoutes:
    """Every plugin and the page have names of their own. Only the host's own page may write."""

    store: SavedStore
    plugins: Callable[[], Collection[str]]
    page: OwnPage
    streams: Streams

    def rules(self) -> list[UrlRule]:
        """The URL rules."""
        name, version = text("name", required=True), text("version", required=True)
        page = self.page.required
        routes = [
            Route("/", self.read, reads=[text("name")], also_reads=[page], answers=_KEPT, codes=_READING)
        ]
        if not self.store.read_only:
            routes += [
                Route("/", self.write, ("PUT",), also_reads=[page, BODY], answers=_JSON, codes=_WRITING),
                Route(
                    "/",
                    self.remove,
                    ("DELETE",),
                    reads=[name, version],
                    also_reads=[page],
                    answers=_JSON,
                    codes=_REMOVING,
                ),
            ]
        return [
            rule_of(self._guarded(path, route))
            for path in ("/data/saved/page", "/data/saved/plugin/<plugin>")
            for route in routes
        ]

    def _guarded(self, path: str, route: Route) -> Route:
        """The route at a path: nothing is read of a request before it is known that it may ask."""

        def view(request: Request, plugin: str | None = None) -> Response:
            if plugin is not None and plugin not in self.plugins():
                raise NotFound(f"unknown plugin {plugin!r}")
            if request.method not in ("GET", "HEAD"):
                self.page.require(request)
            owner = PAGE if plugin is None else f"plugin/{plugin}"
            return route.view(request, owner, **Reader.values(route.reads, request))

        return evolve(route, path=path, view=view, reads=(), also_reads=[*route.reads, *route.also_reads])

    def read(self, request: Request, owner: str, *, name: str | None) -> Response:
        """GET: the entry ``name``; without it, names and versions of all entries, and the token."""
        now = self.store.now()
        texts = now.by_owner.get(owner, {})
        if name is not None:
            name = checked_name(name)
            if name not in texts:
                raise NotFound(UNKNOWN_SAVED(name=name))
            start = encode_json({"name": name, "version": version_of(texts[name])})
            body = b'%s,"value":%s}' % (start[:-1], texts[name].encode("ascii"))
            return tag_by_content(request, Response(body, mimetype="application/json"))
        refusal = self.page.refusal(request) or self.store.write_refusal()
        answer = {
            "generation": now.generation,
            "writable": refusal is None,
            "reason": refusal,
            "token": self.page.token_for(request),
            "damage": {"file": str(now.file), "lines": now.unreadable} if now.unreadable else None,
            "entries": [
                {"name": name, "version": version_of(text), "bytes": len(text)}
                for name, text in sorted(texts.items())
            ],
        }
        return tag_by_content(request, json_answer(answer))

    def write(self, request: Request, owner: str) -> Response:
        """PUT: sets one entry, whose version must be the one that the client read."""
        body = body_of(request, _LARGEST_BODY)
        missing = {"name", "version", "value"} - body.keys()
        if missing:
            name = min(missing)
            raise InvalidArgument(_MISSING_PARAMETER(name=name))
        name, version = checked_name(body["name"]), body["version"]
        if not isinstance(version, str | None):
            raise InvalidArgument(f"version must be a text or null, not {version!r:.100}")
        written = self.store.write(owner, name, body["value"], version)
        self.streams.ring()
        return json_answer({"name": name, "version": written})

    def remove(self, request: Request, owner: str, *, name: str, version: str) -> Response:
        """DELETE: removes one entry, whose version must be the one that the client read."""
        name = checked_name(name)
        self.store.remove(owner, name, version)
        self.streams.ring()
        return json_answer({"name": name, "version": None})
