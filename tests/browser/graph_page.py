"""The Graphs page as browser tests see it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.places import box_of, within

LENET = "runs=mindspore/lenet_lr0.01"
TRANSFORMER = "runs=mindspore/transformer24"
NETWORK = "Default/network-WithLossCell"
LAYERS = f"{NETWORK}/_backbone-LeNet5"
RELU, POOL = f"{LAYERS}/relu-ReLU/ReLU-op0", f"{LAYERS}/max_pool2d-MaxPool2d/MaxPool-op0"
# bookkeeping left out, the upper half in sight
LAYERS_OPEN = f"{LENET}&graph.readable=1&graph.open=Default;{NETWORK};{LAYERS}&graph.view=250,640,0.42"


def opened(page: Page, url: str, more: str = LENET) -> Locator:
    """The panel of the tab, once something is drawn."""
    page.goto("about:blank")
    page.goto(f"{url}#locale=en&theme=light&tab=graph&{more}")
    panel = page.locator('[data-plugin="graph"]')
    expect(panel.get_by_test_id("node").first).to_be_attached()
    return panel


def node(panel: Locator, identifier: str) -> Locator:
    return panel.locator(f'[data-testid="node"][data-id="{identifier}"]')


def frame(panel: Locator, identifier: str) -> Locator:
    return panel.locator(f'[data-testid="frame"][data-id="{identifier}"]')


def corner(here: Locator) -> tuple[float, float]:
    """Of the outline: arrows and titles may reach beyond it."""
    box = box_of(here.locator("rect").last)
    return box["x"], box["y"]


def settled(panel: Locator) -> None:
    expect(panel.locator("svg.canvas.moving")).to_have_count(0)
    expect(panel.locator(".surface.busy")).to_have_count(0)
    # on a busy machine transitions last longer than their nominal duration
    panel.locator("svg.canvas").evaluate(
        """canvas => Promise.allSettled(canvas.getAnimations({ subtree: true })
            .filter(one => one instanceof CSSTransition).map(one => one.finished))"""
    )


def in_sight(panel: Locator, here: Locator) -> bool:
    return within(here, box_of(panel.get_by_test_id("stage")))
