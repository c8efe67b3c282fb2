"""``ctx.own_page``: a plugin from outside accepts writes from the host's own page alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import Plugin, PluginContext, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.state.annotations import AnnotationStore

BASE = "/data/plugin/outside"


def _routes(ctx: PluginContext) -> list[Route]:
    def token(request: Request) -> Response:
        return json_response({"token": ctx.own_page.token})

    def write(request: Request) -> Response:
        ctx.own_page.require(request)
        return json_response({"written": True})

    return [Route("/token", token), Route("/write", write, methods=("POST",))]


@pytest.fixture
def client_of(
    provider: FakeProvider, page_directory: Path, module_of: Callable[..., object], tmp_path: Path
) -> Callable[..., Client]:
    def make(*, read_only: bool = False) -> Client:
        registry = Registry.of([("outside", lambda: module_of(Plugin("outside", "Outside", routes=_routes)))])
        annotations = AnnotationStore(tmp_path / "state", list, read_only=read_only)
        return Client(Host(registry, provider, HostSettings(page=page_directory), annotations))

    return make


def test_only_the_own_page_with_its_token_writes(client_of: Callable[..., Client]) -> None:
    client = client_of()
    token = client.get(f"{BASE}/token").json["token"]  # type: ignore[index]
    own = {"Origin": "http://localhost", "X-Insight-Token": token}
    wrong = [
        {},
        {"Origin": own["Origin"]},
        {"X-Insight-Token": token},
        {**own, "Origin": "http://localhost:6007"},
        {**own, "Origin": "http://elsewhere.example"},
        {**own, "X-Insight-Token": "guessed"},
        {**own, "Sec-Fetch-Site": "cross-site"},
    ]
    assert [client.post(f"{BASE}/write", headers=headers).status_code for headers in wrong] == [403] * 7
    assert client.post(f"{BASE}/write", headers=own).json == {"written": True}


def test_a_read_only_host_lets_no_plugin_write(client_of: Callable[..., Client]) -> None:
    client = client_of(read_only=True)
    token = client.get(f"{BASE}/token").json["token"]  # type: ignore[index]
    answer = client.post(f"{BASE}/write", headers={"Origin": "http://localhost", "X-Insight-Token": token})
    assert (answer.status_code, answer.json["code"]) == (403, "read_only")  # type: ignore[index]
