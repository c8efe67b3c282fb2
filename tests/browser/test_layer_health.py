"""The tab Layer health, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_the_first_bad_layer_is_named_shown_read_by_keys_and_leads_to_its_values(
    page: Page, shared: Serve, repository: Path
) -> None:
    logs = repository / "plugins/health/tests/fixtures/job"
    url = shared("--logdir", logs)
    page.goto(f"{url}#tab=health&locale=en")
    verdict = page.get_by_test_id("verdict")
    expect(verdict).to_contain_text("First bad layer: blocks.1 (activation), rank_1: +Inf first at step 2")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page).to_have_url(re.compile(r"health\.at=2(&|$)"))

    page.locator('[data-action="display"]').click()
    page.locator('[data-action="all-runs"]').click()
    page.locator('[data-control="kind"]').select_option("activation")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("card-status")).to_contain_text("3 layers · 4 steps")
    page.keyboard.press("m")
    for key in ("ArrowDown", "Home", "End", "ArrowLeft"):
        page.keyboard.press(key)
    cell = page.get_by_test_id("cell")
    expect(cell).to_contain_text("blocks.1 activation")
    expect(cell).to_contain_text("+Inf")
    expect(cell).to_contain_text("Step 2")

    page.locator('[data-action="export"]').click()
    page.get_by_role("menuitem", name="View as table").click()
    rows = page.get_by_test_id("chart-table").get_by_role("row")
    expect(rows.nth(2)).to_contain_text("blocks.1")
    expect(rows.nth(2)).to_contain_text("2 (rank_")
    page.keyboard.press("Escape")

    page.locator('[data-control="view"] [data-value="ranks"]').click()
    expect(page.get_by_test_id("card-status")).to_contain_text("2 runs · 4 steps")
    page.get_by_role("button", name="Open values").click()
    expect(page.locator('[data-plugin="histogram"] [data-tag="activations/blocks.1"]').first).to_be_visible()
