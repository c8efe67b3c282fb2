"""Finding cards on a board."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


def card(page: Page, tag: str, run: str | None = None) -> Locator:
    """A card, scrolled to: cards far from the screen do not exist."""
    which = f'[data-testid="card"][data-tag="{tag}"]' + (
        f'[data-card-run="{run}"]' if run is not None else ""
    )
    page.wait_for_function(
        """which => {
            if (document.querySelector(which)) return true;
            const panel = [...document.querySelectorAll('.ih-plugin')].find(each => each.clientHeight > 0);
            const before = panel?.scrollTop;
            panel?.scrollBy(0, 300);
            if (panel?.scrollTop === before) panel?.scrollTo(0, 0);
            return false;
        }""",
        arg=which,
    )
    found = page.locator(which)
    found.scroll_into_view_if_needed()
    return found
