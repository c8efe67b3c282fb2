"""Columns of the run table beside the names of runs, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def _cells(page: Page, column: str) -> Locator:
    return page.locator(f'.ih-run [data-column="{column}"]')


def test_chosen_columns_stand_beside_the_runs_sort_them_and_come_back_by_the_url(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light&sort=name")
    page.locator('[data-action="columns"]').click()
    dialog = page.locator('[data-dialog="columns"]')
    dialog.get_by_role("textbox").fill("acc")
    dialog.get_by_role("checkbox").check()
    assert violations(page) == []
    dialog.get_by_role("button", name="Close").click()
    accuracy = _cells(page, "lineage/metric/accuracy")
    expect(accuracy).to_have_text(["0.9", "0.7", "0.5", "0.85", "0.65", "0.45"])
    head = page.get_by_role("button", name="accuracy")
    head.click()
    expect(accuracy).to_have_text(["0.9", "0.85", "0.7", "0.65", "0.5", "0.45"])
    assert violations(page) == []
    page.reload()
    expect(accuracy).to_have_text(["0.9", "0.85", "0.7", "0.65", "0.5", "0.45"])
    expect(head).to_have_attribute("aria-pressed", "true")
    until(page, lambda: abs(box_of(head)["x"] - box_of(accuracy.first)["x"]) < 1)
    page.get_by_role("button", name="Sort runs").click()  # by time again
    expect(head).to_have_attribute("aria-pressed", "false")


def test_a_page_without_columns_asks_for_none_and_loads_no_code_for_them(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light")
    expect(page.locator('[data-plugin="scalar"] [data-ready]').first).to_be_visible()
    assert [url for url in asked if "columns=" in url or "column_views" in url] == []
