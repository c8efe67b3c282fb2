"""The Media tab, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

TRIES = """
<p id="out">scripts are off</p>
<script>
const tries = {
  parent: () => parent.document.title,
  cookie: () => document.cookie,
  store: () => localStorage.length,
};
const works = ([, go]) => { try { go(); return true; } catch { return false; } };
const reached = Object.entries(tries).filter(works);
fetch('/data/runs').then(() => reached.push(['network']), () => null)
  .then(() => document.getElementById('out').textContent = `reached: ${reached.map(([name]) => name)}.`);
</script>
"""
VEGA_OUTSIDE = {"data": {"url": "/data/runs"}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
PLOTLY_LINK = {
    "data": [{"type": "scatter", "y": [1, 3, 2]}],
    "layout": {
        "title": {
            "text": "<a href='javascript:window.hacked=1'>link</a><img src=x onerror='window.hacked=2'>"
        }
    },
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hostile pages and figures, and a damaged one."""
    logdir = tmp_path_factory.mktemp("media")
    items = {
        "page": ("text/html", TRIES),
        "leaves": ("text/html", "<p>here</p><script>location = 'http://localhost:1/?sent'</script>"),
        "outside": ("application/vnd.vegalite.v5+json", json.dumps(VEGA_OUTSIDE)),
        "link": ("application/vnd.plotly.v1+json", json.dumps(PLOTLY_LINK)),
        "damaged": ("application/vnd.plotly.v1+json", "{"),
    }
    with EventWriter(logdir / "run") as writer:
        for tag, (media_type, content) in items.items():
            tensor = wire.text_tensor([media_type.encode(), content.encode()])
            writer.values(0, [wire.tensor_value(tag, tensor, wire.metadata("media"))])
    return logdir


def test_every_kind_is_shown_without_a_network(page: Page, shared: Serve, repository: Path) -> None:
    url = shared("--logdir", repository / "plugins/media/tests/fixtures")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1280, "height": 2400})
    page.goto(f"{url}#tab=media&locale=en")
    expect(page.locator("[data-state=drawn]")).to_have_count(
        3
    )  # two of Plotly, one of them in 3D, one of Vega-Lite
    expect(card(page, "figures/mistakes").locator("svg .mark-symbol path").first).to_be_visible()
    expect(card(page, "figures/certainty").locator(".barlayer path").first).to_be_visible()
    expect(page.locator('[data-tag="val/confusion"]').first).to_contain_text("Accuracy 93.0 %")
    expect(card(page, "val/mistakes").locator("[role=gridcell]").first).to_be_visible()
    expect(card(page, "val/summary").locator("td").first).to_be_visible()
    expect(card(page, "report").frame_locator("iframe").locator("mark")).to_have_text("20")
    video = card(page, "clips/digits").locator("video")
    expect(video).to_have_js_property("videoWidth", 96)
    assert [address for address in asked if not address.startswith((url, "data:", "blob:"))] == []


def test_a_page_of_a_log_reaches_nothing(page: Page, shared: Serve, logs: Path) -> None:
    url = shared("--logdir", logs)
    page.goto(f"{url}#tab=media&locale=en")
    shown = card(page, "page")
    out = shown.frame_locator("iframe").locator("#out")
    expect(out).to_have_text("scripts are off")
    shown.get_by_role("button", name="Run scripts").click()
    expect(out).to_have_text("reached: .")


def test_a_page_of_a_log_with_scripts_cannot_navigate_in_a_window_of_its_own(
    page: Page, shared: Serve, logs: Path
) -> None:
    url = shared("--logdir", logs)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    address = f"{url}data/plugin/media/content?run=run&index=0&scripts=1&tag="
    page.goto(f"{address}page")
    expect(page.frame_locator("iframe").locator("#out")).to_have_text("reached: .")
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.goto(f"{address}leaves")
    assert page.url == f"{address}leaves"
    assert not any("sent" in each for each in asked)


def test_hostile_figures_load_nothing_run_nothing_and_are_error_cells(
    page: Page, shared: Serve, logs: Path
) -> None:
    url = shared("--logdir", logs)
    page.goto(f"{url}#tab=media&locale=en")
    expect(card(page, "damaged").get_by_test_id("error-cell")).to_contain_text("not valid JSON")
    expect(card(page, "outside").get_by_test_id("error-cell")).to_contain_text("addresses are not loaded")
    link = card(page, "link")
    expect(link.locator(".gtitle")).to_contain_text("link")
    assert link.locator("a[href^='javascript']").count() == 0
    assert page.evaluate("window.hacked") is None
