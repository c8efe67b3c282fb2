"""Page and tabs share modules by an import map: at any address, on the first load and from the cache."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, Route, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

OUTER = "/outer/place"
SHARED = "() => performance.getEntriesByType('resource').map(entry => [entry.name, entry.transferSize])"


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs")
    with EventWriter(logs / "run") as writer:
        for step in range(5):
            writer.scalar("loss", step, 1 / (step + 1))
            writer.histogram("weights", step, [0.0, 1.0, float(step)])
    return logs


class _Stripping(BaseHTTPRequestHandler):
    """A proxy that serves a host below OUTER and does not tell it so."""

    target = ""

    def do_GET(self) -> None:
        if not self.path.startswith(f"{OUTER}/"):
            self.send_error(404)
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        request = urllib.request.Request(self.target + self.path[len(OUTER) :], headers=headers)
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:  # a 304 is one
            answer = error
        with answer:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("connection", "transfer-encoding", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                while piece := answer.read1(1 << 16):
                    self.wfile.write(piece)
                    self.wfile.flush()
            except OSError:
                pass  # the browser has closed the stream of events

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def proxied() -> Iterator[Callable[[str], str]]:
    """The address of a host behind such a proxy."""
    servers: list[ThreadingHTTPServer] = []

    def start(url: str) -> str:
        handler = type("Handler", (_Stripping,), {"target": url.rstrip("/")})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}{OUTER}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("place", ["root", "prefix", "proxy"])
def test_tabs_and_page_share_their_modules_wherever_the_page_is(
    page: Page, shared: Serve, proxied: Callable[[str], str], logdir: Path, place: str
) -> None:
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(str(error)))
    url = shared("--logdir", logdir, *(["--path-prefix", "/deep/er"] if place == "prefix" else []))
    if place == "proxy":
        url = proxied(url)
    for load in ("first", "second"):
        page.goto("about:blank")
        page.goto(f"{url}#locale=en&tab=scalar")
        expect(page.locator('[data-plugin="scalar"] [data-ready="1"]')).to_be_visible()
        page.get_by_role("tab", name="Histograms").click()
        expect(page.locator('[data-plugin="histogram"] [data-ready="1"]').first).to_be_visible()
        loaded = dict(page.evaluate(SHARED))
        modules = [name for name in loaded if name.endswith(".js")]
        for part in ("/preact-", "/kit-draw-", "/kit-lines-", "/kit-histograms-", "/shell-"):
            assert len([name for name in modules if part in name]) == 1, modules
        assert len([name for name in modules if name.endswith("/index.js")]) == 2  # one for each tab
        if load == "second":
            assert [name for name in modules if loaded[name] > 0] == []
    assert errors == []


def test_what_the_first_tab_imports_is_loaded_with_the_page(page: Page, shared: Serve, logdir: Path) -> None:
    page.goto(f"{shared('--logdir', logdir)}#tab=histogram")
    expect(page.locator('[data-plugin="histogram"]')).to_be_visible()
    ahead = page.locator("link[rel=modulepreload]").evaluate_all("links => links.map(link => link.href)")
    for part in ("/data/plugin/histogram/static/@", "/kit-histograms-", "/kit-draw-", "/preact-"):
        assert any(part in href for href in ahead), ahead
    assert not any("/kit-lines-" in href for href in ahead)


def test_the_first_answers_come_in_one_beside_the_modules(page: Page, shared: Serve, logdir: Path) -> None:
    url = shared("--logdir", logdir)
    page.goto(f"{url}#tab=scalar")  # the host knows the routes of its plugins afterwards
    expect(page.locator('[data-plugin="scalar"] [data-ready="1"]')).to_be_visible()
    page.goto("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(url).partition("?")[0]))
    page.goto(f"{url}#tab=scalar")
    expect(page.locator('[data-plugin="scalar"] [data-ready="1"]')).to_be_visible()
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(e => /scalar.cards/.test(e.name))"
    )
    before = asked[: next(i for i, path in enumerate(asked) if path.endswith("/scalar/cards"))]
    assert before.count("data/start") == 1
    for path in ("data/run_table", "data/plugins_listing", "data/environment", "data/catalog"):
        assert path not in before


def test_a_page_whose_import_map_is_blocked_says_why(page: Page, shared: Serve, logdir: Path) -> None:
    """As behind a proxy with a policy of its own."""

    def strict(route: Route) -> None:
        answer = route.fetch()
        headers = {**answer.headers, "content-security-policy": "script-src 'self'"}
        route.fulfill(response=answer, headers=headers)

    url = shared("--logdir", logdir)
    page.route(url, strict)
    page.goto(url)
    expect(page.get_by_test_id("blocked")).to_contain_text("Content-Security-Policy")
