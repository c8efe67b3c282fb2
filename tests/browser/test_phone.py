"""Every tab at 390 px with a finger: nothing overflows or is too small to hit, and axe finds no fault."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.every_tab import READY, Violations, check, opened
from tests.browser.fingers import FINGER, too_small

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

WIDTH = 390
# Tabs that had several rows of tools at this width.
ONE_ROW = (
    "lineage",
    "graph",
    "embeddings",
    "landscape",
    "histogram",
    "image",
    "profiler",
    "health",
    "console",
)


@pytest.fixture
def url(every_tab: Serve) -> str:
    """A host with every tab."""
    return every_tab()


def is_within(page: Page) -> bool:
    """Whether the page, and the tab in front, are as wide as the window."""
    return bool(
        page.evaluate(
            """() => document.documentElement.scrollWidth === innerWidth
              && [...document.querySelectorAll('.ih-plugin')].every(tab => tab.scrollWidth <= innerWidth)"""
        )
    )


@pytest.mark.parametrize("tab", READY)
def test_every_tab_fits_a_phone_and_a_finger(phone: Page, url: str, violations: Violations, tab: str) -> None:
    opened(phone, url, tab)
    assert is_within(phone)
    assert too_small(phone) == []
    check(phone, violations, tab)


@pytest.mark.parametrize("tab", ONE_ROW)
def test_tools_are_one_row_and_a_drawer(phone: Page, url: str, violations: Violations, tab: str) -> None:
    opened(phone, url, tab)
    panel = phone.locator(f'[data-plugin="{tab}"]')
    bar = panel.get_by_role("toolbar").first
    box = bar.bounding_box()
    assert box is not None
    assert box["height"] < 2 * FINGER, "a second row"
    bar.locator('[data-action="display"]').tap()
    drawer = panel.get_by_role("dialog", name="Display")
    expect(drawer).to_be_visible()
    assert drawer.locator("button, select, input").count() > 0
    place = drawer.bounding_box()
    assert place is not None
    assert (place["x"], place["width"]) == (0, WIDTH)
    assert place["y"] + place["height"] == pytest.approx(844, abs=1)
    assert drawer.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert too_small(phone) == []
    check(phone, violations, tab)


@pytest.mark.parametrize(
    ("tab", "buttons", "shown"),
    [
        ("scalar", (".ih-tabs-all",), "[role=menu]"),
        ("scalar", ('.ih-header [data-action="page"]',), "[role=menu]"),
        ("scalar", (".ih-command",), "dialog"),
        ("scalar", ('.ih-header [data-action="share"]',), "dialog"),
        ("scalar", ('.card [data-action="export"]',), "[role=menu]"),
        ("scalar", ('.card [data-action="export"]', '[role=menu] [data-action="limits"]'), "dialog"),
        ("scalar", ('.card [data-action="fullscreen"]',), ".card.full"),
        ("scalar", ('.toolbar [data-action="tag-tree"]',), "dialog"),
        ("image", ('.card [data-action="fullscreen"]',), ".card.full"),
        ("lineage", ('.toolbar [data-action="plot"]',), ".parallel"),
        ("lineage", ('.toolbar [data-action="analysis"]',), ".analysis"),
        ("lineage", ('.toolbar [data-action="display"]', '.drawer [data-action="columns"]'), "dialog"),
        ("profiler", ('[data-action="more-views"]',), "[role=menu]"),
        ("profiler", ('.views [data-view="timeline"]',), ".timeline canvas"),
        ("profiler", ('.views [data-view="operators"]',), ".grid [role=row]"),
        ("reports", ('.toolbar [data-action="more"]',), "[role=menu]"),
        ("diagnose", ('.entry [data-action="more"]',), "[role=menu]"),
    ],
)
def test_what_opens_fits_a_phone_and_a_finger(
    phone: Page, url: str, violations: Violations, tab: str, buttons: tuple[str, ...], shown: str
) -> None:
    opened(phone, url, tab, "&lineage.analysis=0")
    for button in buttons:
        phone.locator(f'.ih-header {button}, [data-plugin="{tab}"] {button}, {button}').first.tap()
    expect(phone.locator(shown).first).to_be_visible()
    assert is_within(phone)
    assert too_small(phone) == []
    check(phone, violations, shown)


def test_a_small_control_is_found(phone: Page, url: str) -> None:
    """The measure itself: without the styles of a phone there is much that a finger misses."""
    opened(phone, url, "scalar")
    phone.evaluate("document.querySelector('link[media]').remove()")
    found = too_small(phone)
    assert any("Full screen" in one for one in found)
    assert any("Display" in one for one in found)
