"""Runs that users archive, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.mark.parametrize("arguments", [(), ("--read-only",)], ids=["on the host", "in the browser"])
def test_an_archived_run_is_neither_listed_nor_shown_until_it_is_asked_for(
    page: Page,
    serve: Serve,
    six_runs: Path,
    arguments: tuple[str, ...],
    violations: Callable[[Page], list[str]],
) -> None:
    url = serve("--logdir", six_runs, *arguments)
    page.goto(url + "#tab=lineage&locale=en&theme=light&sort=name")
    listed = page.locator(".ih-run")
    lines = page.get_by_test_id("runs-table").locator(".line[data-run]")
    expect(listed).to_have_count(6)
    expect(lines).to_have_count(6)
    page.locator('.ih-run[data-run="adam_1"]').click(button="right")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.get_by_role("menuitem", name="Archive", exact=True).click()
    expect(listed).to_have_count(5)
    expect(lines).to_have_count(5)
    page.reload()
    expect(listed).to_have_count(5)
    expect(page.get_by_text("1 run is archived.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Show them").click()
    expect(listed).to_have_count(6)
    expect(lines).to_have_count(6)
    page.locator(".ih-run-list").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Take out of the archive").click()
    expect(page.get_by_text("1 run is archived.")).to_have_count(0)
    expect(listed).to_have_count(6)
