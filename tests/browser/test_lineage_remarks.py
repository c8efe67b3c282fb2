"""What people note of runs on the Lineage page, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lineage_page import ACCURACY, axis, cell, open_page, shown
from tests.browser.places import bottom, box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_a_remark_is_found_again_after_a_restart(
    page: Page, serve: Serve, six_runs: Path, tmp_path: Path
) -> None:
    before = sorted(six_runs.rglob("*"))
    state = tmp_path / "state"
    open_page(page, serve("--logdir", six_runs, "--state-dir", state))
    cell(page, "adam_0", "remark").get_by_role("button").click()
    page.keyboard.type("best so far")
    page.keyboard.press("Enter")
    expect(cell(page, "adam_0", "remark")).to_have_text("best so far")
    cell(page, "sgd_2", "mark").get_by_role("button").click()
    page.locator(".mark-list [data-mark='3']").click()
    expect(cell(page, "sgd_2", "mark").locator("[data-mark='3']")).to_be_visible()
    row = page.locator('.ih-run[data-run="sgd_1"]')
    row.hover()
    row.locator("[data-action=run-menu]").click()
    page.locator("[data-action=rename]").click()
    page.keyboard.type("Seed <b>one</b>")
    page.keyboard.press("Enter")
    expect(row).to_contain_text("Seed <b>one</b>")
    expect(page.locator('.line[data-run="sgd_1"] .name')).to_have_text("Seed <b>one</b>")
    expect(page.locator(".ih-toast")).to_have_count(0)

    page.goto("about:blank")
    open_page(page, serve("--logdir", six_runs, "--state-dir", state))
    expect(cell(page, "adam_0", "remark")).to_have_text("best so far")
    expect(cell(page, "sgd_2", "mark").locator("[data-mark='3']")).to_be_visible()
    expect(page.locator('.line[data-run="sgd_1"] .name')).to_have_text("Seed <b>one</b>")
    assert sorted(six_runs.rglob("*")) == before  # never in the logdir


def test_a_remark_that_could_not_be_written_is_kept(
    page: Page, serve: Serve, six_runs: Path, tmp_path: Path
) -> None:
    open_page(page, serve("--logdir", six_runs, "--state-dir", tmp_path / "state"))
    remark = cell(page, "adam_0", "remark").get_by_role("button")
    page.context.set_offline(True)
    remark.click()
    page.keyboard.type("typed once")
    page.keyboard.press("Enter")
    expect(page.locator(".ih-toast")).to_contain_text("Could not save changes to")
    expect(remark).to_have_text("typed once")
    expect(remark).to_have_class(re.compile("refused"))
    page.context.set_offline(False)
    remark.click()
    page.keyboard.press("Enter")
    expect(remark).not_to_have_class(re.compile("refused"))
    page.reload()
    expect(remark).to_have_text("typed once")


def test_the_table_needs_no_mouse(page: Page, serve: Serve, six_runs: Path, tmp_path: Path) -> None:
    columns = f"&lineage.columns=mark;remark;{ACCURACY}"
    open_page(page, serve("--logdir", six_runs, "--state-dir", tmp_path / "state"), columns)
    page.get_by_test_id("runs-table").focus()
    first = shown(page)[0]
    for key in ("Home", "ArrowRight", "Enter"):  # its mark
        page.keyboard.press(key)
    expect(page.locator(".mark-list")).to_be_visible()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(cell(page, first, "mark").locator("[data-mark='2']")).to_be_visible()
    expect(page.locator(".mark-list")).to_have_count(0)
    expect(page.get_by_test_id("runs-table")).to_be_focused()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.keyboard.type("by keys")
    page.keyboard.press("Enter")
    expect(cell(page, first, "remark")).to_have_text("by keys")
    for key in ("ArrowRight", "s"):
        page.keyboard.press(key)
    expect(page.locator(f'.head [data-column="{ACCURACY}"]')).to_have_attribute("aria-sort", "descending")
    expect(page.get_by_test_id("ticked")).to_have_text("6 selected")
    page.keyboard.press("Space")
    expect(page.get_by_test_id("ticked")).to_have_text("5 selected")


def test_keys_go_to_the_list_of_marks_as_soon_as_it_is_there(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    open_page(page, shared("--logdir", six_runs))
    has_them = """button => new Promise(done => {
        new MutationObserver((_, observer) => {
            const list = document.querySelector('.mark-list');
            if (!list) return;
            observer.disconnect();
            done(list.contains(document.activeElement));
        }).observe(document.body, { childList: true, subtree: true });
        button.click();
    })"""
    assert cell(page, "adam_0", "mark").get_by_role("button").evaluate(has_them)


def test_a_host_that_is_read_only_offers_no_writing(page: Page, serve: Serve, six_runs: Path) -> None:
    open_page(page, serve("--logdir", six_runs, "--read-only"))
    expect(cell(page, "adam_0", "remark").get_by_role("button")).to_be_disabled()
    row = page.locator('.ih-run[data-run="sgd_1"]')
    row.hover()
    row.locator("[data-action=run-menu]").click()
    expect(page.locator("[data-action=only]")).to_be_visible()
    expect(page.locator("[data-action=rename]")).to_have_count(0)


def test_columns_and_axes_are_chosen(page: Page, serve: Serve, six_runs: Path, tmp_path: Path) -> None:
    open_page(page, serve("--logdir", six_runs, "--state-dir", tmp_path / "state"))
    page.keyboard.press("c")
    chooser = page.get_by_test_id("chooser")
    chooser.locator('[data-column="max/accuracy"] [data-part=table]').check()
    # a number of the table is an axis as soon as its column is read, until somebody chooses axes
    as_axis = chooser.locator('[data-column="max/accuracy"] [data-part=axis]')
    expect(as_axis).to_be_checked()
    as_axis.uncheck()
    expect(axis(page, "max/accuracy")).to_have_count(0)
    as_axis.check()
    chooser.locator('[data-column="lr"] [data-part=table]').uncheck()
    chooser.locator('[data-column="note"] [data-part=table]').check()
    for of_run in ("run/status", "start_time", "run/duration"):  # else the note is out of sight
        chooser.locator(f'[data-column="{of_run}"] [data-part=table]').uncheck()
    page.keyboard.press("Escape")
    expect(axis(page, "max/accuracy")).to_be_visible()
    expect(cell(page, "adam_0", "max/accuracy")).to_have_text("0.9")
    expect(page.locator('.head [data-column="lr"]')).to_have_count(0)
    cell(page, "adam_0", "note").get_by_role("button").click()
    page.keyboard.type("two")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("lines")
    page.keyboard.press("Enter")
    expect(cell(page, "adam_0", "note")).to_have_text("two lines")
    page.keyboard.press("/")
    page.keyboard.type("note != null")
    expect(page.get_by_test_id("shown")).to_have_text("1 of 6 runs")
    cell(page, "adam_0", "note").get_by_role("button").click()
    page.keyboard.press("Escape")  # keeps what was there
    expect(cell(page, "adam_0", "note")).to_have_text("two lines")


def test_a_note_in_the_last_row_is_in_sight(page: Page, serve: Serve, six_runs: Path, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1100, "height": 620})
    open_page(page, serve("--logdir", six_runs, "--state-dir", tmp_path / "state"), "&lineage.columns=note")
    table = page.get_by_test_id("runs-table")
    table.focus()
    for key in ("End", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    note = table.locator("textarea")
    expect(note).to_be_focused()
    until(page, lambda: bottom(note) <= bottom(table) and box_of(note)["y"] >= box_of(table)["y"])
