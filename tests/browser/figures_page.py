"""The dialog of figures for papers, as several tests open it and save from it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from tests.browser.cards import card


def open_figure(page: Page, tag: str) -> Locator:
    """Opens the dialog from the menu of the card of a tag."""
    card(page, tag).hover()
    card(page, tag).locator('[data-action="export"]').click()
    page.locator('[data-action="figure"]').click()
    return page.locator('[data-dialog="figure"]')


def saved(page: Page, dialog: Locator, kind: str) -> tuple[str, bytes]:
    """Name and content of the file that the dialog saves."""
    with page.expect_download() as download:
        dialog.locator(f'[data-action="figure-{kind}"]').click()
    return download.value.suggested_filename, download.value.path().read_bytes()
