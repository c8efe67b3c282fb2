"""Operators and kernels on the Profiler page: what a user asks of them, done in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.profiler_page import STEPS, TYPES, open_page, rows, save, write_trace
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_shares_are_bars_in_their_cells(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", side="host")
    bars = panel.get_by_test_id("grid-operators").locator('[data-row] [data-column="share"] .share-cell')
    expect(bars.first).to_be_visible()
    found = bars.evaluate_all(
        "cells => cells.map((cell) => [cell, cell.querySelector('i')])"
        ".map(([cell, bar]) => [parseFloat(cell.innerText), bar.offsetWidth / cell.offsetWidth])"
    )
    assert len(found) > 10  # the table has the room that a chart took
    for share, width in found:
        assert abs(share / 100 - width) < 0.02
    assert found[0][0] == max(share for share, _ in found)


def test_a_type_opens_and_its_operators_are_explained(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", side="host")
    panel.get_by_test_id("grid-operators").locator('[data-row="2"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.type=aten::op02"))
    grid = panel.get_by_test_id("grid-operators")
    expect(grid).to_have_attribute("data-rows", "1")
    grid.locator('[data-row="0"]').click()
    details = panel.get_by_test_id("operator-panel")
    expect(details.locator('[data-fact="calls"] dd')).to_have_text(str(STEPS))
    expect(details.locator('[data-figure="durations"]')).to_be_visible()
    expect(details.locator('[data-figure="by-step"]').get_by_test_id("column")).to_have_count(STEPS)
    page.reload()
    expect(details.locator('[data-fact="calls"] dd')).to_have_text(str(STEPS))
    details.locator('[data-action="close-panel"]').click()
    expect(details).to_have_count(0)
    panel.locator('[data-action="leave-type"]').click()
    expect(grid).to_have_attribute("data-rows", str(TYPES))


def test_the_longest_call_leads_to_the_timeline(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", by="name", side="host")
    panel.get_by_test_id("grid-operators").locator('[data-row="0"]').click()
    details = panel.get_by_test_id("operator-panel")
    details.locator("ol.bars button", has_text="step 4").first.click()
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Timeline")
    expect(page).to_have_url(re.compile(r"profiler\.slice=\d+"))
    expect(panel.locator("#profiler-view canvas").first).to_be_visible()
    page.go_back()
    expect(details).to_contain_text("aten::op00")


def test_search_sort_columns_and_file(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", by="name", side="host")
    grid = panel.get_by_test_id("grid-operators")
    until(page, lambda: rows(panel, "operators", "name")[:2] == ["aten::op00", "aten::op01"])
    page.keyboard.press("s")
    page.keyboard.type("OP1")
    expect(grid).to_have_attribute("data-rows", "10")
    expect(panel.get_by_test_id("operators-count")).to_contain_text("10 of")
    panel.locator('[data-action="operators-regex"]').click()
    panel.locator("[data-search]").fill("op0[13]$")
    expect(grid).to_have_attribute("data-rows", "2")
    panel.locator("[data-search]").fill("op0[")
    expect(panel.locator("[data-search]")).to_have_attribute("aria-invalid", "true")
    expect(grid).to_have_attribute("data-rows", "2")  # what was there stays
    panel.locator("[data-search]").fill("")
    expect(panel.locator("[data-search]")).to_have_attribute("aria-invalid", "false")
    head = grid.locator('.head [data-column="name"]')
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("aten::op24")
    panel.locator('[data-action="columns"]').click()
    page.locator('dialog [data-column="p95"]').click()
    page.keyboard.press("Escape")
    expect(grid.locator('.head [data-column="p95"]')).to_have_count(0)
    table = list(csv.reader(save(page, panel.locator('[data-action="download"]')).splitlines()))
    assert "p95_ns" not in table[0]
    assert table[0][0] == "name"
    assert table[1][0] == "aten::op24"
    total = table[0].index("total_ns")
    assert int(table[1][total]) == sum(step * 6 * 10_000 for step in range(1, STEPS + 1))
    page.reload()
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("aten::op24")
    expect(grid.locator('.head [data-column="p95"]')).to_have_count(0)


def test_times_stand_in_one_unit(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", by="name", side="host")
    head = panel.get_by_test_id("grid-operators").locator('.head [data-column="total"]')
    cell = panel.get_by_test_id("grid-operators").locator('[data-row="0"] [data-column="total"]')
    panel.locator('[data-control="unit"]').select_option("us")
    expect(head).to_contain_text("(µs)")
    expect(cell).to_have_text("3,000.000")
    panel.locator('[data-control="unit"]').select_option("ms")
    expect(head).to_contain_text("(ms)")
    expect(cell).to_have_text("3.000")


def test_kernels_by_name_operator_and_grid(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "kernels")
    until(page, lambda: rows(panel, "kernels", "name")[0] == "kernel_00")
    panel.locator('[data-control="group"] [data-value="operator"]').click()
    grid = panel.get_by_test_id("grid-kernels")
    expect(grid.locator('[data-row="0"] [data-column="operator"]')).to_have_text("aten::op00")
    grid.locator('[data-row="0"]').click()
    expect(grid).to_have_attribute("data-rows", "1")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("kernel_00")
    grid.focus()
    page.keyboard.press("Control+ArrowRight")  # only columns in sight exist
    expect(grid.locator('[data-row="0"] [data-column="grid"]')).to_contain_text("8")


def test_texts_of_a_log_are_texts(page: Page, serve: Serve, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=\"document.title='taken'\">&amp;=cmd()"
    write_trace(tmp_path / "logs/run/host_1.1700000000000.pt.trace.json", names={0: hostile})
    panel = open_page(page, serve("--logdir", tmp_path / "logs"), "operators", by="name", side="host")
    grid = panel.get_by_test_id("grid-operators")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text(hostile)
    grid.locator('[data-row="0"]').click()
    expect(panel.get_by_test_id("operator-panel")).to_contain_text(hostile)
    panel.get_by_role("tab", name="Overview").click()
    expect(panel.locator('[data-figure="biggest-host"]')).to_contain_text(hostile)
    assert page.title() != "taken"
    assert page.locator("img[src=x]").count() == 0
