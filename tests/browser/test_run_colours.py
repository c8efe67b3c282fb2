"""Colours of runs by columns, palettes and picks, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def _color(page: Page, run: str) -> str:
    swatch = page.locator(f'.ih-run[data-run="{run}"] .ih-swatch')
    return str(swatch.evaluate("swatch => getComputedStyle(swatch).borderColor"))


def test_runs_are_coloured_by_a_column_in_every_tab_and_the_link_keeps_it(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", six_runs) + "#tab=lineage&locale=en&theme=light&sort=name")
    expect(page.locator('.ih-run[data-run="adam_0"]')).to_be_visible()
    before = _color(page, "adam_0")
    page.locator('[data-action="colors"]').click()
    page.locator('[data-color="lineage/optimizer"]').check()
    legend = page.get_by_test_id("run-colors")
    expect(legend.get_by_role("listitem")).to_have_count(2)
    adam, sgd = _color(page, "adam_0"), _color(page, "sgd_1")
    assert len({before, adam, sgd}) == 3
    assert _color(page, "adam_2") == adam
    dot = page.get_by_test_id("runs-table").locator('.line[data-run="adam_2"] .dot').first
    expect(dot).to_have_css("background-color", adam)
    assert violations(page) == []
    page.locator('[data-control="palette"]').select_option("okabe-ito")
    expect(dot).not_to_have_css("background-color", adam)
    page.keyboard.press("Escape")
    legend.get_by_label("Colour of adam").fill("#123456")
    expect(dot).to_have_css("background-color", "rgb(18, 52, 86)")
    expect(page).to_have_url(re.compile("color=lineage/optimizer.*palette=okabe-ito.*shades=adam%3D123456"))
    page.reload()
    expect(dot).to_have_css("background-color", "rgb(18, 52, 86)")
    page.get_by_role("button", name="Each run in a colour of its own").click()
    expect(legend).to_have_count(0)


def test_the_colour_of_a_run_is_picked_by_its_square_or_a_key(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    page.goto(shared("--logdir", six_runs) + "#tab=lineage&locale=en&theme=light&sort=name")
    swatch = page.locator('.ih-run[data-run="adam_0"] .ih-swatch')
    swatch.click()
    field = page.get_by_label("Colour of adam_0")
    field.fill("#abcdef")
    expect(swatch).to_have_css("border-top-color", "rgb(171, 205, 239)")
    page.locator(".ih-run-list").focus()
    expect(field).to_have_count(0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    page.get_by_label("Colour of adam_1").fill("#fedcba")
    expect(page).to_have_url(re.compile("colors=adam_0%3Dabcdef;adam_1%3Dfedcba"))


def test_a_long_menu_scrolls_within_its_box(page: Page, shared: Serve, six_runs: Path) -> None:
    page.set_viewport_size({"width": 1200, "height": 300})
    page.goto(shared("--logdir", six_runs) + "#tab=lineage&locale=en")
    page.locator('[data-action="colors"]').click()
    expect(page.locator('[data-color="lineage/optimizer"]')).to_be_attached()
    menu = page.locator(".ih-panel-menu")
    assert menu.evaluate("menu => menu.scrollHeight > menu.clientHeight"), "it is not long"
    expect(menu).to_have_css("overflow-y", "auto")
