"""The run list in a real browser: what is filtered, ticked, counted and drawn agree."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

RUNS = ("adam_1", "adam_2", "sgd_1", "sgd_2")


@pytest.fixture(scope="module")
def four_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten points in each of four runs."""
    logs = tmp_path_factory.mktemp("four_runs")
    for run in RUNS:
        with EventWriter(logs / run) as writer:
            writer.scalar_block(["loss"], range(10), [[1.0]] * 10)
    return logs


def opened(page: Page, url: str, fragment: str = "") -> Locator:
    """The line below the card of `loss`, which counts the points of the runs that are drawn."""
    page.goto(f"{url}#locale=en&theme=light{fragment}")
    return page.get_by_test_id("card-status")


def test_select_all_is_ticked_when_all_shown_runs_are_selected(
    page: Page, shared: Serve, four_runs: Path
) -> None:
    status = opened(page, shared("--logdir", four_runs), "&runs=sgd_1")
    every, count = (
        page.get_by_role("checkbox", name="Select or clear all runs shown"),
        page.get_by_test_id("run-count"),
    )
    page.locator("#run-filter").fill("adam")
    expect(count).to_have_text("0 / 2 matching")
    expect(every).not_to_be_checked()
    every.click()
    expect(count).to_have_text("2 / 2 matching")
    expect(every).to_be_checked()
    expect(status).to_contain_text("20 points")
    every.click()
    expect(count).to_have_text("0 / 2 matching")
    expect(every).not_to_be_checked()
    page.locator('[data-run="adam_2"]').click()
    expect(every).to_be_checked(indeterminate=True)
    every.click()
    expect(every).to_be_checked()
    page.locator("#run-filter").fill("")
    expect(count).to_have_text("3 / 4")
    expect(every).to_be_checked(indeterminate=True)


def test_runs_that_the_filter_hides_are_not_drawn_and_stay_selected(
    page: Page, shared: Serve, four_runs: Path
) -> None:
    status = opened(page, shared("--logdir", four_runs))
    expect(status).to_contain_text("40 points")
    page.locator("#run-filter").fill("adam_1")
    expect(status).to_contain_text("10 points")
    expect(page.locator(".ih-footer")).to_contain_text("1 selected")
    expect(page.locator(".ih-footer")).to_contain_text("3 more selected, hidden by the filter")
    expect(page).to_have_url(re.compile("filter=adam_1"))
    page.reload()
    expect(status).to_contain_text("10 points")
    page.locator('[data-action="clear-filter"]').click()
    expect(status).to_contain_text("40 points")
    expect(page).not_to_have_url(re.compile("runs="))


def test_a_link_names_the_runs_that_are_left_out_where_that_is_shorter(
    page: Page, shared: Serve, four_runs: Path
) -> None:
    status = opened(page, shared("--logdir", four_runs))
    page.locator('[data-run="sgd_1"]').click()
    expect(status).to_contain_text("30 points")
    expect(page).to_have_url(re.compile("runs=~sgd_1(&|$)"))
    page.reload()
    expect(status).to_contain_text("30 points")


def test_a_filter_without_a_selected_run_says_how_to_go_on(
    page: Page, shared: Serve, four_runs: Path
) -> None:
    opened(page, shared("--logdir", four_runs), "&runs=sgd_1&filter=adam")
    expect(page.get_by_test_id("empty").first).to_contain_text("clear the filter")


def test_lineage_shows_and_selects_only_runs_that_match_the_filter(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    page.goto(f"{shared('--logdir', six_runs)}#tab=lineage&locale=en&filter=adam&runs=adam_0,sgd_0")
    table = page.get_by_test_id("runs-table")
    expect(table.locator(".line[data-run]")).to_have_count(3)
    every = table.locator('[data-action="select-shown"]')
    expect(every).to_be_checked(indeterminate=True)
    every.click()
    expect(every).to_be_checked()
    expect(page.get_by_test_id("ticked")).to_have_text("3 selected")
    every.click()
    expect(every).not_to_be_checked()
    page.locator('[data-action="clear-filter"]').click()
    expect(table.locator(".line[data-run]")).to_have_count(6)
    expect(page.get_by_test_id("ticked")).to_have_text("1 selected")


def test_an_empty_logdir_has_a_sentence_in_the_place_of_controls(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en")
    panel = page.get_by_role("complementary", name="Runs")
    expect(panel).to_have_text("Runs are listed here once they are logged.")
    expect(page.get_by_text(str(tmp_path)).first).to_be_visible()
    with EventWriter(tmp_path / "first") as writer:
        writer.scalar("loss", 0, 1.0)
    expect(panel.locator('[data-action="group-by"]')).to_be_visible()
    expect(page.get_by_test_id("run-count")).to_have_text("1 / 1")
