"""What the header of the page offers: tabs, their menus, and settings."""

from __future__ import annotations

from playwright.sync_api import Page


def choose_in_page_menu(page: Page, action: str) -> None:
    """Chooses a setting by the name of its action, such as ``locale-zh-CN`` or ``theme-dark``."""
    page.locator('.ih-header [data-action="page"]').click()
    page.get_by_role("menu").locator(f'[data-action="{action}"]').click()


def open_from_menu(page: Page, group: str, title: str) -> None:
    """Opens a tab that stands with others in a menu of the line of tabs."""
    page.get_by_role("tab", name=group).click()
    page.get_by_role("menuitem", name=title).click()
