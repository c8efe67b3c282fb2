"""A host over fake data, asked through WSGI or over a real socket."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, HostSettings
from insight_core.web.http_server import Server, listen
from tests.hosts import registry_of

SHARED = {
    "api": 1,
    "kit": "1.2.0",
    "modules": {
        "preact": {"file": "assets/preact-00112233aabb.js", "imports": []},
        "@insight-host/kit": {"file": "assets/kit-00112233aacc.js", "imports": ["preact"]},
    },
}
PAGE = """<!doctype html>
<script type="importmap">{"imports": {"preact": "./static/assets/preact-00112233aabb.js"}}</script>
<script type="application/json" id="tabs">{}</script>
<script type="application/json" id="start">{}</script>
<script>boot()</script>
<script type="module" src="static/assets/shell-3f2a91bc04de.js"></script>
<title>page</title>
"""


@pytest.fixture
def provider() -> FakeProvider:
    fake = FakeProvider("some/logs")
    fake.add_scalars("late", "loss", [3.0, 2.0], wall_times=[200.0, 201.0])
    fake.add_scalars("early", "loss", [1.0, 0.5, 0.25], wall_times=[100.0, 101.0, 102.0])
    return fake


@pytest.fixture
def page_directory(tmp_path: Path) -> Path:
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text(PAGE)
    (page / "assets/shell-3f2a91bc04de.js").write_text("export {};" + " " * 2000)
    (page / "manifest.json").write_text(json.dumps(SHARED))
    (page / "style.css").write_text("body{}")
    (page / "font.woff2").write_bytes(b"wOF2")
    (page / "icon.svg").write_text("<svg/>")
    return page


@pytest.fixture
def host_of(provider: FakeProvider, page_directory: Path) -> Callable[..., Host]:
    """Makes a host with the given plugins and settings."""

    def make(*plugins: Plugin, **settings: Any) -> Host:  # noqa: ANN401
        return Host(registry_of(*plugins), provider, HostSettings(page=page_directory, **settings))

    return make


@pytest.fixture
def client(host_of: Callable[..., Host]) -> Client:
    return Client(host_of(Plugin("scalar", "Scalars", titles={"zh-CN": "标量"})))


@pytest.fixture
def serve() -> Iterator[Callable[[Any], Server]]:
    """Serves a WSGI application on a free port until the test ends."""
    with ExitStack() as running:

        def start(app: Any) -> Server:  # noqa: ANN401
            server = listen(app, "127.0.0.1", 0)
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            running.callback(thread.join)
            running.callback(server.stop)
            return server

        yield start


@pytest.fixture
def exchange() -> Callable[[Server, bytes], bytes]:
    """Sends bytes as they are and returns everything until the server closes."""

    def send(server: Server, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(request)
            parts = []
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)

    return send
