"""Runs that are grouped by columns of the run list, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.places import box_of
from tests.lineage_samples import write_run

pytestmark = pytest.mark.browser


def test_seeds_of_a_configuration_are_one_line_with_an_interval(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    for rate in (0.1, 0.5):
        for seed in range(3):
            directory = tmp_path / f"{rate}_{seed}"
            write_run(directory, {"lr": rate, "seed": float(seed)}, {})
            with EventWriter(directory) as writer:
                writer.scalar_block(["loss"], range(20), [[rate + seed] for _ in range(20)])
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en&theme=light")
    here = card(page, "loss")
    expect(here.get_by_test_id("card-status")).to_contain_text("120 points")
    page.locator('[data-action="group-by"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator('[data-control="group"]')).to_be_focused()
    column = page.locator('[data-column="lineage/lr"]')
    expect(column).not_to_be_checked()
    while not column.evaluate("box => box === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(column).to_be_checked()
    page.locator('[data-control="spread"]').select_option("ci95")
    page.keyboard.press("Escape")
    expect(page.locator('[data-action="group-by"]')).to_be_focused()
    expect(page).to_have_url(re.compile(r"scalar\.by=lineage/lr.*scalar\.spread=ci95"))
    page.reload()
    expect(here.get_by_test_id("card-status")).to_contain_text("2 groups · 6 runs")
    expect(here.get_by_test_id("legend")).to_contain_text("lr=0.1lr=0.5")
    here.get_by_role("img").hover()
    row = page.get_by_test_id("tooltip").locator("tbody tr").filter(has_text="lr=0.1")
    half = 4.302652729749462 / 3**0.5  # t of two degrees of freedom, and a standard deviation of 1
    cells = [f"{value:.6g}" for value in (1.1, 1.1 - half, 1.1 + half)]
    expect(row.locator("td")).to_have_text(
        ["", "lr=0.1", *(cell.replace("-", "\u2212") for cell in cells), "3", re.compile(r"\d+")]
    )
    page.locator('[data-action="group-by"]').click()
    page.locator('[data-control="centre"]').select_option("median")
    expect(page.locator('[data-control="spread"]')).to_have_value("iqr")


def test_groups_move_nothing_in_the_toolbar_and_are_named_on_cards_as_far_as_there_is_room(
    page: Page, serve: Callable[..., str], tmp_path: Path, violations: Callable[[Page], list[str]]
) -> None:
    for at in range(24):
        directory = tmp_path / f"run{at}"
        write_run(directory, {"learning_rate": float(at), "only": 1.0}, {})
        with EventWriter(directory) as writer:
            writer.scalar_block(["loss"], range(5), [[float(at)] for _ in range(5)])
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en&theme=light")
    legend = card(page, "loss").get_by_test_id("legend")
    toolbar = page.locator(".toolbar")
    expect(card(page, "loss").get_by_test_id("card-status")).to_contain_text("120 points")
    before = box_of(toolbar)
    page.locator('[data-action="group-by"]').click()
    popover = page.get_by_role("dialog", name="Group runs")
    expect(popover.locator('[data-column="lineage/learning_rate"]')).to_be_visible()
    expect(popover.locator('[data-column="lineage/only"]')).to_have_count(0)  # one value: no groups
    popover.locator('[data-column="lineage/learning_rate"]').check()
    expect(legend.locator(".more")).to_have_text(re.compile(r"\+\d+"))
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert box_of(toolbar) == before
    names = legend.locator("em")
    expect(names).to_have_count(24)
    assert names.evaluate_all("names => names.every((name) => name.scrollWidth <= name.clientWidth)")
    page.locator('[data-action="fullscreen"]').first.click()
    expect(legend.locator(".more")).to_have_count(0)
