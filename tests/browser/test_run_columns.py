"""The run list as a table: columns, order, groups, expressions, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def _cells(page: Page, column: str) -> Locator:
    return page.get_by_test_id("run-table").locator(f'[data-run] [data-column="{column}"]')


def _heads(page: Page) -> Locator:
    return page.get_by_test_id("run-table").get_by_role("columnheader")


def _names(page: Page) -> Locator:
    return _cells(page, "name").locator(".ih-run-name")


def test_chosen_columns_stand_beside_the_runs_sort_them_and_come_back_by_the_url(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light&sort=name&table=1&columns=none")
    page.locator('[data-action="columns"]').click()
    dialog = page.locator('[data-dialog="columns"]')
    dialog.get_by_role("textbox").fill("acc")
    dialog.locator('[data-column="lineage/metric/accuracy"] [data-part=table]').check()
    assert violations(page) == []
    dialog.get_by_role("button", name="Close").click()
    accuracy = _cells(page, "lineage/metric/accuracy")
    expect(accuracy).to_have_text(["0.9", "0.7", "0.5", "0.85", "0.65", "0.45"])
    head = page.get_by_role("columnheader", name="accuracy")
    head.get_by_role("button").click()
    expect(accuracy).to_have_text(["0.9", "0.85", "0.7", "0.65", "0.5", "0.45"])
    assert violations(page) == []
    page.reload()
    expect(accuracy).to_have_text(["0.9", "0.85", "0.7", "0.65", "0.5", "0.45"])
    expect(head).to_have_attribute("aria-sort", "descending")
    until(page, lambda: abs(box_of(head)["x"] - box_of(accuracy.first)["x"]) < 1)
    page.locator('[data-action="sort-runs"]').click()
    page.locator('[data-sort="time"]').check()
    expect(head).to_have_attribute("aria-sort", "none")


def test_the_bar_of_the_table_shows_all_of_its_tools_in_the_dark_too(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=dark&table=1")
    expect(page.locator('[data-action="columns"]')).to_be_visible()
    bar = box_of(page.locator(".ih-selection-bar"))
    last = box_of(page.locator('[data-action="run-table"]'))
    assert last["x"] + last["width"] <= bar["x"] + bar["width"]
    expect(page.get_by_test_id("run-count")).to_have_text("6 / 6")
    assert box_of(page.get_by_test_id("run-count"))["width"] > 0
    assert violations(page) == []


def test_a_page_without_columns_asks_for_none_and_loads_no_code_for_them(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light")

    expect(page.locator('[data-plugin="scalar"]').get_by_test_id("card").first).to_be_visible()
    assert [url for url in asked if "run_columns" in url or "run_table-" in url] == []


def test_the_list_opens_as_a_table_by_button_key_and_handle(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light&sort=name")
    table, rows = page.get_by_test_id("run-table"), page.locator(".ih-run-list")
    page.get_by_role("button", name="Show the runs as a table").click()
    expect(page.get_by_test_id("equal-columns")).to_contain_text("Status Stopped")  # of all six
    page.locator("[data-action=equal-columns]").click()
    expect(_cells(page, "run/status")).to_have_text(["Stopped"] * 6)  # the first columns, without a choice
    expect(_cells(page, "lineage/lr").first).not_to_be_empty()
    expect(page).to_have_url(re.compile("table=1"))
    assert violations(page) == []
    page.keyboard.press("|")
    expect(table).to_have_count(0)
    handle = rows.locator("xpath=..").get_by_role("separator")
    box = handle.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, 300)
    page.mouse.down()
    page.mouse.move(700, 300)
    page.mouse.up()
    expect(table).to_be_visible()
    handle = page.get_by_role("separator", name="Width of the run list")
    handle.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    expect(rows).to_be_visible()


def test_keys_sort_by_several_columns_move_and_hide_them_and_select(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    chosen = "lineage/optimizer;lineage/metric/accuracy;run/status"
    page.goto(shared("--logdir", six_runs) + f"#locale=en&theme=light&sort=name&table=1&columns={chosen}")
    table, names = page.get_by_test_id("run-table"), _names(page)
    page.locator("[data-action=equal-columns]").click()  # all have one status
    expect(_cells(page, "run/status")).to_have_count(6)
    before = names.all_inner_texts()
    table.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("s")  # by optimizer
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+s")  # and by accuracy
    expect(page).to_have_url(re.compile(r"sort=%2Blineage/optimizer;-lineage/metric/accuracy"))
    optimizers = _cells(page, "lineage/optimizer").all_inner_texts()
    assert optimizers == sorted(optimizers)
    within: dict[str, list[float]] = {}
    for name, text in zip(optimizers, _cells(page, "lineage/metric/accuracy").all_inner_texts(), strict=True):
        within.setdefault(name, []).append(float(text))
    assert all(values == sorted(values, reverse=True) for values in within.values())
    page.keyboard.press("Alt+Shift+ArrowLeft")
    expect(_heads(page).nth(1)).to_contain_text("accuracy")
    page.keyboard.press("Delete")
    expect(_heads(page)).to_have_count(3)
    page.keyboard.press("Home")
    page.keyboard.press("Enter")  # alone
    expect(page.get_by_test_id("run-count")).to_have_text("1 / 6")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press(" ")
    expect(page.get_by_test_id("run-count")).to_have_text("2 / 6")
    page.get_by_role("button", name="Selected first").click()
    expect(table.locator('[data-run][aria-selected="true"]')).to_have_count(2)
    expect(table.locator("[data-run]").nth(1)).to_have_attribute("aria-selected", "true")
    assert sorted(names.all_inner_texts()) == sorted(before)


def test_groups_by_columns_fold_and_tick_all_their_runs(page: Page, shared: Serve, six_runs: Path) -> None:
    url = shared("--logdir", six_runs)
    page.goto(f"{url}#locale=en&theme=light&sort=name&table=1&columns=lineage/optimizer&runs=x")
    expect(page.get_by_role("status").get_by_text("1 run of this link is gone.")).to_be_visible()
    page.get_by_role("button", name="Drop them").click()
    expect(page.get_by_text("1 run of this link is gone.")).to_have_count(0)
    page.locator('[data-action="group-by"]').click()
    page.get_by_role("dialog").locator('[data-column="lineage/optimizer"]').check()
    page.keyboard.press("Escape")
    groups = page.get_by_test_id("run-table").locator("[data-group]")
    first = groups.first
    expect(first).to_contain_text("optimizer: ")
    box = first.get_by_role("checkbox")
    expect(box).not_to_be_checked()
    box.check()
    count = int(first.locator(".ih-muted").inner_text())
    expect(page.get_by_test_id("run-count")).to_have_text(f"{count} / 6")
    table = page.get_by_test_id("run-table")
    table.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-expanded", "false")
    expect(table.locator("[data-run]")).to_have_count(6 - count)
    page.keyboard.press("Enter")
    expect(box).not_to_be_checked()
    expect(page).to_have_url(re.compile("group=lineage/optimizer"))
    page.reload()
    expect(first).to_have_attribute("aria-expanded", "false")
    expect(table.locator("[data-run]")).to_have_count(6 - count)


def test_a_name_is_completed_that_was_typed_before_the_columns_came(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/run_table-\w+\.js"), lambda route: held.append(route))
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light")
    page.locator("#run-filter").press_sequentially("accura")
    until(page, lambda: len(held) == 1)
    held[0].continue_()
    expect(page.get_by_role("option", name="accuracy", exact=True)).to_be_visible()


def test_an_expression_filters_list_and_charts_and_its_names_are_completed(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light&sort=name")
    field, count = page.locator("#run-filter"), page.get_by_test_id("run-count")
    expect(count).to_have_text("6 / 6")
    field.focus()
    field.press_sequentially("accura")
    option = page.get_by_role("option", name="accuracy", exact=True)
    expect(option).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value("accuracy ")
    field.press_sequentially("> 0.8")
    expect(count).to_have_text("2 / 2 matching")
    page.reload()
    expect(count).to_have_text("2 / 2 matching")
    expect(page.locator('[data-action="clear-filter"]')).to_have_text("4 more selected, hidden by the filter")


def test_a_mistake_in_the_filter_stands_below_it_and_a_chip_mends_it(
    page: Page, shared: Serve, six_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light&sort=name")
    field, count = page.locator("#run-filter"), page.get_by_test_id("run-count")
    expect(count).to_have_text("6 / 6")
    top = page.locator(".ih-selection-bar").bounding_box()
    field.fill("acuracy > 0.8")
    error = page.locator("#run-filter-error")
    expect(error).to_contain_text("No column acuracy")
    assert error.inner_text().count("acuracy") == 1
    assert violations(page) == []
    box, below = error.bounding_box(), page.locator(".ih-selection-bar").bounding_box()
    assert box is not None
    assert top is not None
    assert below is not None
    assert top["y"] < box["y"] + box["height"] <= below["y"]  # it covers nothing
    error.get_by_role("button", name="accuracy", exact=True).click()
    expect(field).to_have_value("accuracy > 0.8")
    expect(field).to_be_focused()
    expect(count).to_have_text("2 / 2 matching")
    expect(error).to_have_count(0)


def test_values_of_a_column_are_completed_by_keyboard(page: Page, shared: Serve, six_runs: Path) -> None:
    page.goto(shared("--logdir", six_runs) + "#locale=en&theme=light&sort=name")
    field, count = page.locator("#run-filter"), page.get_by_test_id("run-count")
    field.press_sequentially("optimizer = ")
    expect(field).to_have_attribute("aria-expanded", "true")
    option = page.locator("#run-filter-names").get_by_role("option").first
    expect(option).to_contain_text("3 runs")
    page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "run-filter-name-0")
    page.keyboard.press("Tab")
    expect(field).to_have_value(re.compile("optimizer = '[^']+' "))
    expect(count).to_have_text("3 / 3 matching")
    field.press_sequentially("and optimizer = ")
    expect(option).to_be_visible()
    page.keyboard.press("Escape")
    expect(option).to_have_count(0)
    expect(field).to_have_value(re.compile("and optimizer = $"))
