"""A host with every tab: what has to be there before a tab is looked at."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.waiting import until

Violations = Callable[[Page], list[str]]

_IS_STILL = "document.getAnimations().every(({ playState }) => playState !== 'running')"
READY = {
    "scalar": '[data-testid="card-status"]',
    "image": ".layer > *",
    "histogram": '[data-testid="histogram-view"] canvas',
    "tensor": "[role=gridcell]",
    "graph": '[data-testid="graph-status"]',
    "landscape": '[data-testid="picture"]',
    "lineage": '[data-testid="runs-table"] [role=row]',
    "profiler": "[data-figure]",
    "diagnose": ".rules summary",
    "query": ".tables summary",
    "text": '[data-testid="text"]',
    "audio": "canvas",
    "health": '[data-testid="heat-map"][data-ready]',
    "media": "[data-state=drawn], .confusion .measures",
    "embeddings": "[data-drawn] canvas",
    "mesh": "[data-drawn]",
    "pr_curves": ".readings .area",
    "alerts": "[data-alert]",
    "reports": '[data-card="train/loss"] canvas',
    "console": ".line .number",
    "samples": ".list .said",
    "trash": ".empty",
}


def opened(page: Page, url: str, tab: str, state: str = "") -> None:
    """Opens a tab of the fixture ``every_tab`` and waits for its content."""
    page.emulate_media(reduced_motion="reduce")  # colours in the middle of a transition are nobody's
    page.goto(f"{url}#tab={tab}&locale=en&reports.open=sample{state}")
    expect(page.locator(f'[data-plugin="{tab}"] {READY[tab]}').first).to_be_visible()


def check(page: Page, violations: Violations, what: str) -> None:
    """Checks what the page shows, in the light theme and in the dark one."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        until(page, lambda: page.evaluate(_IS_STILL))  # a colour is passed on frame by frame
        assert violations(page) == [], f"{what}, {theme}"
