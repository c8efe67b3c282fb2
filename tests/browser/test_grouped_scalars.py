"""Runs that are grouped by columns of the run list, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
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
    column = page.locator('[data-column="lineage/lr"]')
    expect(column).to_have_attribute("aria-checked", "false")
    while not column.evaluate("item => item === document.activeElement"):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(column).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Escape")
    page.locator('[data-control="spread"]').select_option("ci95")
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
    page.locator('[data-control="centre"]').select_option("median")
    expect(page.locator('[data-control="spread"]')).to_have_value("iqr")
