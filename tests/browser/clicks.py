"""Counts what a user presses: clicks and keys that reach the page, however a test makes them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

_COUNT = """() => {
    if (window !== window.top) return;
    window.presses = 0;
    for (const kind of ['pointerdown', 'keydown'])
        addEventListener(kind, (event) => { if (event.isTrusted) window.presses += 1; }, { capture: true });
}"""


class Clicks:
    """Counts the presses of the user on a page, from when it is opened."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.add_init_script(f"({_COUNT})()")

    def on(self, what: Locator) -> None:
        what.click()

    @property
    def count(self) -> int:
        return int(self.page.evaluate("window.presses"))
