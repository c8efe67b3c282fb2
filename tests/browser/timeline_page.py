"""The timeline of the Profiler page as browser tests see it."""

from __future__ import annotations

import re

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.places import box_of
from tests.browser.profiler_page import open_page

CANVAS = "timeline-canvas"


def opened(page: Page, url: str, **state: str) -> Locator:
    panel = open_page(page, url, "timeline", **state)
    drawn(panel)
    return panel


def drawn(panel: Locator) -> None:
    """Waits until there is something to see."""
    expect(panel.get_by_test_id(CANVAS)).to_have_attribute("data-bars", re.compile(r"^[1-9]"))


def window(panel: Locator) -> tuple[int, int]:
    canvas = panel.get_by_test_id(CANVAS)
    return int(canvas.get_attribute("data-from") or -1), int(canvas.get_attribute("data-to") or -1)


def length(panel: Locator) -> int:
    """Of the window, in nanoseconds."""
    start, end = window(panel)
    return end - start


def box(panel: Locator, name: str = CANVAS) -> FloatRect:
    return box_of(panel.get_by_test_id(name))


def bar(panel: Locator, level: int, share: float, row: int = 1) -> tuple[float, float]:
    """A place on the screen: on a row of the timeline, at a depth, so far from left to right (0 to 1)."""
    place = box(panel)
    label = box_of(panel.locator("[data-row-key]").nth(row))
    return place["x"] + share * place["width"], label["y"] + 3 + 18 * level + 8


def chosen_name(panel: Locator) -> Locator:
    return panel.get_by_test_id("slice-panel").locator("> header h3")
