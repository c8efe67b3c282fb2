"""The header in a real browser: what the logs are called, the order of tabs, menus, and a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.header import choose_in_page_menu
from tests.browser.waiting import until
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with scalars and pictures, in a directory ``sweep``."""
    logs = tmp_path_factory.mktemp("logs") / "sweep"
    for run in ("a", "b"):
        with EventWriter(logs / run) as writer:
            for step in range(3):
                writer.scalar("loss", step, float(step))
                writer.image("picture", step, png(np.full((4, 6), step * 20)), 6, 4)
                writer.text("note", step, f"{step}")
    return logs


def test_header_and_title_name_the_logs(page: Page, shared: Serve, sweep: Path) -> None:
    page.goto(f"{shared('--logdir', sweep)}#locale=en")
    expect(page).to_have_title("sweep · Metrics")
    name = page.locator(".ih-name")
    expect(name).to_have_text("insight-hostsweep")
    expect(name).to_have_attribute("title", str(sweep))
    page.goto(f"{shared('--logdir', sweep, '--window-title', 'Mine')}#locale=en&tab=image")
    expect(page).to_have_title("Mine · Images")


def test_runs_stand_second_whatever_is_first(page: Page, shared: Serve, sweep: Path) -> None:
    page.goto(f"{shared('--logdir', sweep)}#locale=en")
    tabs = page.get_by_role("tab")
    expect(tabs.nth(0)).to_have_text("Metrics")
    expect(tabs.nth(1)).to_have_text("Runs")
    expect(tabs.nth(0)).to_have_attribute("aria-selected", "true")


def test_the_first_tab_is_about_what_the_logs_have(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.image("picture", 0, png(np.zeros((4, 6))), 6, 4)
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Images")
    expect(page.get_by_role("tab").nth(1)).to_have_text("Runs")


def test_search_is_a_field_where_there_is_room(page: Page, shared: Serve, sweep: Path) -> None:
    page.goto(f"{shared('--logdir', sweep)}#locale=en")
    field = page.locator(".ih-command")
    for width, least, most in ((1280, 120, 200), (1000, 30, 90)):
        page.set_viewport_size({"width": width, "height": 800})
        box = field.bounding_box()
        assert box is not None
        assert least < box["width"] < most
    expect(field).to_have_accessible_name("Search Ctrl K")  # for a screen reader it is a word at any width
    field.click()
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()


def test_language_and_theme_are_chosen_by_keys_alone(page: Page, shared: Serve, sweep: Path) -> None:
    page.goto(f"{shared('--logdir', sweep)}#theme=light")
    page.locator('.ih-header [data-action="page"]').focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    choose_in_page_menu(page, "locale-zh-CN")
    expect(page.get_by_role("tab", name="指标", exact=True)).to_be_visible()


def test_on_a_phone_the_tab_is_the_name_of_a_menu_of_all(
    page: Page, shared: Serve, sweep: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{shared('--logdir', sweep)}#locale=en&theme=light")
    tabs = page.locator(".ih-tabs-all")
    expect(tabs).to_have_text("Metrics")
    for button in page.locator(".ih-header > button").all():
        box = button.bounding_box()
        assert box is not None
        assert (box["width"], box["height"]) >= (44, 44)
        assert box["x"] + box["width"] <= PHONE["width"]
    tabs.click()
    page.get_by_role("menuitem", name="Text", exact=True).click()
    expect(tabs).to_have_text("Text")
    expect(page).to_have_url(re.compile("tab=text"))
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.mouse.move(1, 1)  # over a card the pointer makes the cards of other runs faint
    until(
        page,
        lambda: (
            page.locator("[data-card-run]").first.evaluate("card => getComputedStyle(card).opacity") == "1"
        ),
    )
    assert violations(page) == []
