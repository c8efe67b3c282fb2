"""The run list on a phone: a sheet from below that holds the focus and is closed by key, press and finger."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.fingers import too_small
from tests.browser.places import box_of
from tests.browser.touching import middle, swipe

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
Violations = Callable[[Page], list[str]]


def button(page: Page) -> Locator:
    """What opens the sheet."""
    return page.locator('.ih-header [data-action="runs"]')


@pytest.fixture
def sheet(phone: Page, shared: Serve, six_runs: Path) -> Locator:
    """The open sheet over the curves of six runs."""
    phone.emulate_media(reduced_motion="reduce")
    phone.goto(f"{shared('--logdir', six_runs)}#locale=en&tab=scalar&theme=light")
    expect(button(phone)).to_have_text("Runs (6)")
    button(phone).tap()
    opened = phone.get_by_role("dialog", name="Runs")
    expect(opened.locator(".ih-run")).to_have_count(6)
    return opened


def test_it_comes_from_below_and_holds_the_focus(phone: Page, sheet: Locator) -> None:
    box = box_of(sheet)
    assert (box["x"], box["width"]) == (0, 390)
    assert box["y"] > 844 / 8
    assert box["y"] + box["height"] == pytest.approx(844, abs=1)
    expect(sheet).to_be_focused()
    inside = """() => [document.body, ...document.querySelectorAll('.ih-sheet, .ih-sheet *')]
        .includes(document.activeElement)"""
    for key in ("Tab", "Shift+Tab"):
        for _ in range(15):
            phone.keyboard.press(key)
            assert phone.evaluate(inside), "the focus has left the sheet"
    assert phone.locator(".ih-header, .ih-main, .ih-footer").evaluate_all(
        "parts => parts.every(part => part.inert)"
    )


def test_fingers_hit_all_of_it_and_axe_finds_no_fault(
    phone: Page, sheet: Locator, violations: Violations
) -> None:
    assert too_small(phone) == []
    for theme in ("light", "dark"):
        phone.evaluate(
            "theme => { location.hash = location.hash.replace(/theme=\\w+/, `theme=${theme}`); }", theme
        )
        expect(phone.locator("html")).to_have_attribute("data-theme", theme)
        assert violations(phone) == [], theme
    for action in ("group-by", "colors", "sort-runs"):
        sheet.locator(f'[data-action="{action}"]').tap()
        expect(phone.locator(".ih-panel-menu label").first).to_be_visible()
        assert too_small(phone) == [], action
        phone.keyboard.press("Escape")
        expect(phone.locator(".ih-panel-menu")).to_have_count(0)
        expect(sheet).to_be_visible()  # Escape closes what is on top


def test_escape_closes_it_and_gives_the_focus_back(phone: Page, sheet: Locator) -> None:
    field = sheet.get_by_role("combobox")
    field.fill("run")
    field.press("Escape")
    expect(field).to_have_value("")
    expect(sheet).to_be_visible()  # the key has cleared the field, and no more
    field.press("Escape")
    expect(sheet).to_have_count(0)
    expect(button(phone)).to_be_focused()
    assert not phone.locator(".ih-main").evaluate("main => main.inert")


def test_a_press_beside_it_and_its_button_close_it(phone: Page, sheet: Locator) -> None:
    phone.touchscreen.tap(195, 40)
    expect(sheet).to_have_count(0)
    button(phone).tap()
    sheet.locator('[data-action="close-sheet"]').tap()
    expect(sheet).to_have_count(0)


def test_a_finger_draws_it_down(phone: Page, sheet: Locator) -> None:
    head = sheet.locator(".ih-sheet-head")
    top = box_of(sheet)["y"]
    x, y = middle(head)
    swipe(phone, x, y, by=(0, 60), steps=40)
    expect(sheet).to_be_visible()  # too short: it goes back
    phone.wait_for_function(
        "top => document.querySelector('.ih-sheet').getBoundingClientRect().y === top", arg=top
    )
    swipe(phone, x, y, by=(0, 260))
    expect(sheet).to_have_count(0)


def test_filter_groups_and_colours_are_those_of_the_page(phone: Page, sheet: Locator) -> None:
    sheet.locator(".ih-run").first.tap()
    expect(phone.locator('[data-testid="run-count"]')).to_have_text("5 / 6")
    sheet.locator('[data-action="group-by"]').tap()
    phone.locator('.ih-group-menu [data-column="path"], .ih-group-menu [data-column]').first.tap()
    expect(phone).to_have_url(re.compile("group="))
    phone.keyboard.press("Escape")
    expect(sheet.locator("[data-group] .ih-swatch").first).to_be_visible()
    phone.touchscreen.tap(195, 40)
    button(phone).tap()
    expect(sheet.locator("[data-group] .ih-swatch").first).to_be_visible()


def test_of_a_tab_about_one_run_it_chooses_one(phone: Page, every_tab: Serve) -> None:
    phone.goto(f"{every_tab()}#locale=en&tab=graph")
    expect(phone.locator('[data-testid="graph-status"]')).to_be_visible()
    button(phone).tap()
    sheet = phone.get_by_role("dialog", name="Runs")
    expect(sheet.locator('[aria-selected="true"] > .ih-radio')).to_have_count(1)
    sheet.locator('[data-run="torch/lr0.02_seed1"]').tap()
    expect(sheet).to_have_count(0)
    expect(phone).to_have_url(re.compile("run=torch"))


def test_a_wider_window_has_the_list_at_the_left(phone: Page, sheet: Locator) -> None:
    phone.set_viewport_size({"width": 1280, "height": 800})
    expect(sheet).to_have_count(0)
    aside = phone.locator("aside.ih-sidebar")
    expect(aside.locator(".ih-run")).to_have_count(6)
    assert box_of(aside.locator(".ih-run").first)["height"] == 28
    assert not phone.locator(".ih-main").evaluate("main => main.inert")
