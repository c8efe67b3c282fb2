"""Layouts of the Lineage page that users save under a name, on several pages and hosts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.lineage_page import ACCURACY, open_page

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def _chooser(page: Page, url: str, locale: str = "en") -> Locator:
    open_page(page, url, locale=locale)
    page.get_by_test_id("lineage").locator('[data-action="columns"]').click()
    return page.locator('[data-dialog="columns"]')


def _save(dialog: Locator, name: str) -> None:
    dialog.locator('[data-control="layout-name"]').fill(name)
    dialog.locator('[data-action="layout-save"]').click()


def _names(dialog: Locator) -> Locator:
    return dialog.locator('[data-control="layout"] option:not([value=""])')


def _in_table(dialog: Locator, column: str) -> Locator:
    return dialog.locator(f'[data-column="{column}"] [data-part="table"]')


def test_a_layout_is_there_for_other_pages_and_none_overwrites_another_unnoticed(
    page: Page, serve: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    mine = _chooser(page, serve("--logdir", six_runs))
    other_page = page.context.browser.new_page()  # type: ignore[union-attr]  # the test launched it
    theirs = _chooser(
        other_page, serve("--logdir", six_runs)
    )  # a host of its own, in the same state directory
    expect(_names(mine)).to_have_count(0)
    _in_table(mine, ACCURACY).uncheck()
    _save(mine, "精简 / lean")
    expect(_names(mine)).to_have_text(["精简 / lean"])
    expect(_names(theirs)).to_have_text(["精简 / lean"])
    assert violations(page) == []

    expect(_in_table(theirs, ACCURACY)).to_be_checked()
    theirs.locator('[data-control="layout"]').select_option("精简 / lean")
    expect(_in_table(theirs, ACCURACY)).not_to_be_checked()
    _in_table(theirs, "lr").uncheck()
    with other_page.expect_response(lambda answer: answer.request.method == "PUT"):
        theirs.locator('[data-action="layout-save"]').click()

    replace = mine.locator('[data-action="layout-save"]')
    expect(replace).to_have_text("Replace")
    replace.click()
    toast = page.locator(".ih-toast", has_text="was changed on another page")
    expect(toast).to_be_visible()
    mine.locator('[data-control="layout"]').select_option("精简 / lean")
    expect(_in_table(mine, "lr")).not_to_be_checked()
    mine.locator('[data-action="layout-remove"]').click()
    expect(_names(theirs)).to_have_count(0)
    other_page.close()


def test_a_read_only_host_opens_layouts_and_saves_none(page: Page, serve: Serve, six_runs: Path) -> None:
    dialog = _chooser(page, serve("--logdir", six_runs))
    _in_table(dialog, "lr").uncheck()
    _save(dialog, "lean")
    expect(_names(dialog)).to_have_text(["lean"])
    dialog = _chooser(page, serve("--logdir", six_runs, "--read-only"), locale="zh-CN")
    expect(_in_table(dialog, "lr")).to_be_checked()
    dialog.locator('[data-control="layout"]').select_option("lean")
    expect(_in_table(dialog, "lr")).not_to_be_checked()
    expect(dialog.locator('[data-control="layout-name"]')).to_have_count(0)


def test_a_filter_is_saved_apart_from_layouts(page: Page, serve: Serve, six_runs: Path) -> None:
    open_page(page, serve("--logdir", six_runs), "&lineage.where=lr+<+0.05")
    shown, filters = page.get_by_test_id("shown"), page.locator('[data-action="filters"]')
    expect(shown).to_have_text("4 of 6 runs")
    filters.click()
    dialog = page.locator('[data-dialog="filters"]')
    dialog.locator('[data-control="filter-name"]').fill("small rates")
    dialog.locator('[data-action="filter-save"]').click()
    expect(dialog.locator('[data-control="filter"] option:not([value=""])')).to_have_text(["small rates"])
    page.keyboard.press("Escape")
    page.locator("#run-filter").fill("")
    expect(shown).to_have_text("6 of 6 runs")
    filters.click()
    dialog.locator('[data-control="filter"]').select_option(label="small rates")
    expect(shown).to_have_text("4 of 6 runs")
    page.keyboard.press("Escape")
    page.get_by_test_id("lineage").locator('[data-action="columns"]').click()
    expect(_names(page.locator('[data-dialog="columns"]'))).to_have_count(0)
