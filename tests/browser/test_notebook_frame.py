"""The frame below a notebook's cell: a page of another origin that shows a host."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from insight_host import RunningHost, start
from insight_host.hosts import _children
from insight_host.notebook_frame import frame

pytestmark = pytest.mark.browser


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(params=["0", "1"], ids=["without a token", "with a token"])
def host(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningHost]:
    monkeypatch.setattr("insight_host.hosts.user_state_path", lambda name: tmp_path / "state" / name)
    monkeypatch.setenv("INSIGHT_HOST_TOKEN", request.param)
    with EventWriter(tmp_path / "logs" / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    found, _ = start(["--logdir", str(tmp_path / "logs"), "--port=0", "--path-prefix=/below"])
    yield found
    _children[-1].terminate()
    _children[-1].wait(timeout=60)


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Where pages of a notebook server on this machine are, and their directory."""
    site = tmp_path / "site"
    site.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *parts: _Quiet(*parts, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://localhost:{server.server_port}", site
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"], ids=["of this site", "of another site"])
def test_a_cell_shows_the_page(
    page: Page,
    host: RunningHost,
    notebook: tuple[str, Path],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also in a page of another site, as in VS Code and Colab: cookies are others there."""
    if name != "localhost":  # else the port is looked for where the notebook is
        monkeypatch.setenv("INSIGHT_HOST_PROXY_URL", "http://localhost:%PORT%")
    url, site = notebook
    (site / "cell.html").write_text(f"<!doctype html><h1>A notebook</h1>{frame(host, 600)}")
    page.goto(f"{url.replace('localhost', name)}/cell.html")
    below = page.frame_locator("iframe")
    expect(below.locator('[data-run="run"]')).to_be_visible()
    expect(below.get_by_role("tab", name="Metrics", exact=True)).to_be_visible()
    assert page.frames[-1].url == f"http://localhost:{host.port}/below/"
