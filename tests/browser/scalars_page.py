"""The Metrics page, as several tests open and read it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.cards import card


def status(page: Page, tag: str) -> Locator:
    """The line below the plot of a tag."""
    return card(page, tag).get_by_test_id("card-status")


def press(here: Locator, action: str) -> None:
    """Does something that the menu of a card offers."""
    here.locator('[data-action="export"]').click()
    here.get_by_role("menu").locator(f'[data-action="{action}"]').click()


def display(page: Page) -> Locator:
    """Opens the drawer with the settings of the page."""
    page.locator('.scalars .toolbar [data-action="display"]').click()
    return page.locator(".scalars .drawer")


def choose_axis(page: Page, kind: str) -> Locator:
    """Chooses the kind of horizontal axis in its menu; returns the button that has its name."""
    button = page.locator('.scalars .toolbar [data-action="x"]')
    button.click()
    page.get_by_role("menu").locator(f'[data-action="x-{kind}"]').click()
    return button


def open_page(page: Page, url: str, fragment: str = "locale=en&theme=light") -> None:
    """Opens the page and waits for a card."""
    page.goto(f"{url}#{fragment}")
    expect(page.get_by_test_id("card").first).to_be_attached()
