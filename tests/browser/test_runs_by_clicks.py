"""Questions about the runs of a sweep, and how many clicks their answers take in the one table of runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.clicks import Clicks
from tests.browser.lineage_page import shown
from tests.browser.waiting import until
from tests.lineage_samples import write_run

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

RUNS = 60
RATES = (0.3, 0.1, 0.03, 0.01, 0.003)
BEST = "run_43"


@pytest.fixture(scope="module")
def sixty_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("sixty")
    for run in range(RUNS):
        name = f"run_{run:02}"
        accuracy = 0.99 if name == BEST else 0.5 + run / 200
        hparams = {"lr": RATES[run % 5], "batch_size": 64.0, "optimizer": "adam" if run % 2 else "sgd"}
        write_run(
            logs / name, hparams, {"hparam/val_acc": accuracy, "hparam/loss": 1 - accuracy}, 1.7e9 + run
        )
    return logs


@pytest.fixture
def clicks(page: Page, shared: Serve, sixty_runs: Path) -> Clicks:
    page.set_viewport_size({"width": 1600, "height": 900})
    counted = Clicks(page)
    page.goto(shared("--logdir", sixty_runs) + "#locale=en&theme=light")
    expect(page.get_by_role("tab", name="Runs")).to_be_visible()
    return counted


def _head(page: Page, column: str) -> Locator:
    return page.get_by_test_id("runs-table").locator(f'.head [data-column="{column}"]')


def _cell(page: Page, run: str, column: str) -> Locator:
    return page.get_by_test_id("runs-table").locator(f'.line[data-run="{run}"] [data-column="{column}"]')


def test_the_best_of_60_runs_takes_two_clicks(page: Page, clicks: Clicks) -> None:
    clicks.on(page.get_by_role("tab", name="Runs"))
    clicks.on(_head(page, "metric/hparam/val_acc").get_by_role("button"))
    until(page, lambda: shown(page)[:1] == [BEST])
    expect(_cell(page, BEST, "metric/hparam/val_acc")).to_have_class("cell number measured best")
    expect(_cell(page, BEST, "lr")).to_have_text("0.01")
    assert clicks.count <= 2


def test_the_difference_of_two_runs_takes_three_clicks(page: Page, clicks: Clicks) -> None:
    clicks.on(page.get_by_role("tab", name="Runs"))
    lines = page.get_by_test_id("runs-table").locator(".line[data-run]")
    clicks.on(lines.nth(0).locator("[data-action=compare-with]"))
    expect(page.get_by_test_id("comparing")).to_contain_text("Compare run_")
    clicks.on(lines.nth(1).locator(".run-label .name"))
    dialog = page.locator("[data-dialog=diff]")
    expect(dialog.locator('[data-property="lr"]')).to_be_visible()
    expect(dialog.locator('[data-property="batch_size"]')).to_have_count(0)  # the same in both
    assert clicks.count <= 3


def test_what_all_runs_share_is_one_line_that_opens(page: Page, clicks: Clicks) -> None:
    clicks.on(page.get_by_role("tab", name="Runs"))
    line = page.get_by_test_id("equal-columns")
    expect(line).to_contain_text("Equal in all 60: batch_size 64")
    expect(_head(page, "batch_size")).to_have_count(0)
    expect(_head(page, "metric/hparam/val_acc").locator(".name")).to_have_text("val_acchparam/")
    line.get_by_role("button", name="Show these columns").click()
    expect(_head(page, "batch_size")).to_be_visible()
    page.reload()
    expect(_head(page, "batch_size")).to_be_visible()
    line.get_by_role("button", name="Fold them").click()
    expect(_head(page, "batch_size")).to_have_count(0)


def test_what_explains_60_runs_is_open_until_it_is_closed(page: Page, clicks: Clicks) -> None:
    clicks.on(page.get_by_role("tab", name="Runs"))
    expect(page.get_by_test_id("analysis")).to_be_visible()
    page.locator("[data-action=analysis]").click()
    expect(page.get_by_test_id("analysis")).to_have_count(0)
    page.reload()
    expect(page.get_by_test_id("runs-table")).to_be_visible()
    expect(page.get_by_test_id("analysis")).to_have_count(0)


def test_a_comparison_says_how_many_runs_it_takes(page: Page, clicks: Clicks) -> None:
    clicks.on(page.get_by_role("tab", name="Runs"))
    compare = page.locator("[data-action=diff]")
    expect(compare).to_be_disabled()
    expect(compare).to_have_attribute(
        "title", re.compile(r"Choose 2 to 10 runs to compare them; \d+ are selected")
    )
