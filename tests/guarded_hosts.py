"""Hosts with a plugin that writes, behind the guard of the access plugin."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from insight_access import insight_options
from insight_access.wrapping import wrap
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.http.answers import user_of
from insight_core.plugin import AppSettings, Plugin, PluginContext, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.state.annotations import AnnotationStore, Place
from insight_core.web.state.saved import SavedStore
from tests.hosts import module_of

TOKEN, GUEST = "owner-token-0123456789", "guest-token-0123456789"


class Guarded:
    """A host behind the guard, and what its start printed and would open."""

    def __init__(self, host: Host, **settings: Any) -> None:  # noqa: ANN401
        self.host = host
        self.said: list[str] = []
        self.opened: dict[str, str] = {}
        self.printed: dict[str, str] = {}
        options = {option.key: option.default for option in insight_options()}
        options |= settings.pop("options", {})
        self.app = wrap(
            host,
            AppSettings(options=options, say=self.said.append, open_with=self._open_with, **settings),
        )

    def _open_with(self, name: str, value: str, *, printed: bool = True) -> None:
        self.opened[name] = value
        if printed:
            self.printed[name] = value

    def client(self) -> Client:
        """A client without cookies."""
        return Client(self.app)


def _routes(ctx: PluginContext) -> list[Route]:
    def answer(request: Request) -> Response:
        return json_response({"user": user_of(request), "header": request.headers.get("X-User")})

    return [
        Route("/who", answer),
        Route("/write", answer, methods=("POST",)),
        Route("/posted", answer, methods=("POST",), only_reads=True),
    ]


def guarded_host(
    place: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    modules: Mapping[str, object] | None = None,
    **options: object,
) -> Guarded:
    """A host with its state below ``place``, by default both tokens in files there, and further plugins."""
    for name, token in (("token_file", TOKEN), ("read_token_file", GUEST)):
        path = place / name
        path.touch(mode=0o600)
        path.write_text(f"{token}\n")
        options.setdefault(name, str(path))
    return Guarded(_host(place, modules or {}), options=options, **(settings or {}))


def _host(place: Path, modules: Mapping[str, object]) -> Host:
    data = FakeProvider("some/logs")
    data.add_scalars("a", "loss", [3.0, 2.0])
    page = place / "page"
    page.mkdir(exist_ok=True)
    (page / "index.html").write_text("<!doctype html><title>page</title>")
    (page / "manifest.json").write_text('{"api": 1, "kit": "1.2.0", "modules": {}}')
    module = module_of(Plugin("test", "Test", routes=_routes))
    every = {"test": module, **modules}
    registry = Registry.of([(name, partial(every.__getitem__, name)) for name in every])
    assert not registry.failures
    return Host(
        registry,
        data,
        HostSettings(page=page),
        AnnotationStore(place / "state", lambda: [Place("", "/logs")]),
        SavedStore(place / "state", lambda: ["/logs"]),
    )
