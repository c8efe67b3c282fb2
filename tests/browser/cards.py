"""Finding cards on a board."""

from __future__ import annotations

import time

from playwright.sync_api import Error, Locator, Page

from tests.waiting import PATIENCE

_SCROLLED_TO = """which => {
    if (document.querySelector(which)) return true;
    const panel = [...document.querySelectorAll('.ih-plugin')].find(each => each.clientHeight > 0);
    const before = panel?.scrollTop;
    panel?.scrollBy(0, 300);
    if (panel?.scrollTop === before) panel?.scrollTo(0, 0);
    return false;
}"""


def card(page: Page, tag: str, run: str | None = None) -> Locator:
    """A card, scrolled to: cards far from the screen do not exist."""
    which = f'[data-testid="card"][data-tag="{tag}"]' + (
        f'[data-card-run="{run}"]' if run is not None else ""
    )
    found = page.locator(which)
    end = time.monotonic() + PATIENCE
    while True:
        page.wait_for_function(_SCROLLED_TO, arg=which)
        try:
            found.scroll_into_view_if_needed(timeout=2000)
        except Error:  # cards have moved, for those above have become as high as their texts
            if time.monotonic() > end:
                raise
        else:
            return found


def drawer(page: Page) -> Locator:
    """Opens the drawer with the settings of the tab in front."""
    page.locator('.toolbar [data-action="display"]:visible').click()
    return page.locator(".drawer:popover-open")
