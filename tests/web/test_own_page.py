"""Writes are accepted from the host's own page alone: those of plugins (``ctx.own_page``) and of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import Plugin, PluginContext, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, HostSettings
from insight_core.web.state.annotations import AnnotationStore, Place
from insight_core.web.state.saved import SavedStore
from tests.hosts import registry_of

BASE = "/data/plugin/outside"


def _routes(ctx: PluginContext) -> list[Route]:
    def token(request: Request) -> Response:
        return json_response({"token": ctx.own_page.token})

    def write(request: Request) -> Response:
        ctx.own_page.require(request)
        return json_response({"written": True})

    return [Route("/token", token), Route("/write", write, methods=("POST",))]


@pytest.fixture
def client_of(provider: FakeProvider, page_directory: Path, tmp_path: Path) -> Callable[..., Client]:
    def make(*, read_only: bool = False, allowed: Sequence[str] = ()) -> Client:
        registry = registry_of(Plugin("outside", "Outside", routes=_routes))
        annotations = AnnotationStore(tmp_path / "state", lambda: [Place("", "/logs")], read_only=read_only)
        saved = SavedStore(tmp_path / "state", lambda: ["/logs"], read_only=read_only)
        settings = HostSettings(page=page_directory, allowed_hosts=allowed)
        return Client(Host(registry, provider, settings, annotations, saved))

    return make


def _own(client: Client, **changed: str | None) -> dict[str, str]:
    """Headers of the own page; those of ``changed`` in their place, None: without."""
    token = client.get(f"{BASE}/token").json["token"]  # type: ignore[index]
    headers = {"Origin": "http://localhost", "X-Insight-Token": token}
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    return {name: value for name, value in headers.items() if value is not None}


@pytest.mark.parametrize(
    "changed",
    [
        *({"Origin": origin} for origin in (None, "", "null", "http://[", "http://elsewhere.example")),
        {"Origin": "http://localhost:6007"},
        *({"X_Insight_Token": token} for token in (None, "", "guessed", "\xfc")),
        {"Origin": None, "X_Insight_Token": None},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_only_the_own_page_with_its_token_writes(
    client_of: Callable[..., Client], changed: dict[str, str | None]
) -> None:
    client = client_of()
    refused = client.post(f"{BASE}/write", headers=_own(client, **changed))
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")  # type: ignore[index]
    if changed.keys() == {"X_Insight_Token"}:
        assert "X-Insight-Token" in refused.json["error"]  # type: ignore[index]
    assert client.post(f"{BASE}/write", headers=_own(client)).json == {"written": True}


def test_a_proxy_with_a_name_that_is_allowed(client_of: Callable[..., Client]) -> None:
    def status(client: Client, origin: str) -> int:
        return client.post(f"{BASE}/write", headers=_own(client, Origin=origin)).status_code

    named = client_of(allowed=["logs.example"])
    assert status(named, "https://logs.example") == 200
    assert status(named, "https://logs.example.evil") == 403
    assert status(client_of(allowed=["*"]), "https://logs.example") == 403


WRITES = {
    "annotations": ("/data/annotations", "PUT", {"run": "early", "mark": 1}),
    "saved": ("/data/saved/page", "PUT", {"name": "view", "value": 1, "version": None}),
    "removed": ("/data/saved/page?name=view&version=x", "DELETE", None),
}


@pytest.mark.parametrize(("url", "method", "body"), WRITES.values(), ids=WRITES)
def test_what_users_write_is_that_of_the_own_page(
    client_of: Callable[..., Client], url: str, method: str, body: object
) -> None:
    client = client_of()
    for changed in ({"Origin": "http://elsewhere.example"}, {"X_Insight_Token": "guessed"}):
        refused = client.open(url, method=method, json=body, headers=_own(client, **changed))
        assert (refused.status_code, refused.json["code"]) == (403, "forbidden")  # type: ignore[index]
    written = client.open(url, method=method, json=body, headers=_own(client))
    assert written.status_code == (200 if body else 404)
    only_read = client_of(read_only=True).open(url, method=method, json=body, headers=_own(client))
    assert only_read.status_code == 405
    assert method not in only_read.headers["Allow"].split(", ")


def test_a_read_only_host_lets_no_plugin_write(client_of: Callable[..., Client]) -> None:
    client = client_of(read_only=True)
    answer = client.post(f"{BASE}/write", headers=_own(client))
    assert (answer.status_code, answer.json["code"]) == (403, "read_only")  # type: ignore[index]
