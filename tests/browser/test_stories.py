"""What users come for, from the first page to the answer, which numpy knows."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from attrs import frozen
from numpy.typing import NDArray
from playwright.sync_api import Browser, Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.lineage_page import cell, shown
from tests.browser.scalars_page import display, press
from tests.browser.waiting import until
from tests.lineage_samples import write_run

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

STEPS = 100
READ = 7  # the step of values that are read off
FOUR = [f"layer_{number:04}/norm" for number in (3, 777, 1500, 1999)]


@frozen(eq=False)
class Sweep:
    """200 runs: 40 learning rates with five seeds each."""

    logs: Path
    rates: Mapping[str, float]  # by run
    losses: Mapping[str, NDArray[np.float64]]  # by run, of steps 0 to 99
    accuracies: Mapping[str, float]  # by run

    def mean(self, rate: float) -> NDArray[np.float64]:
        """Of the losses of a learning rate, by step."""
        found: NDArray[np.float64] = np.mean(
            [self.losses[run] for run, one in self.rates.items() if one == rate], axis=0
        )
        return found


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    logs = tmp_path_factory.mktemp("sweep")
    rng = np.random.default_rng(20)
    rates: dict[str, float] = {}
    losses: dict[str, NDArray[np.float64]] = {}
    accuracies: dict[str, float] = {}
    for number, rate in enumerate(float(f"{one:.3g}") for one in np.geomspace(1e-4, 1, 40)):
        for seed in range(5):
            run = f"config{number:02}/seed{seed}"
            rates[run] = rate
            exact = rate + np.exp(-np.arange(STEPS) / 20) + rng.normal(0, 0.01, STEPS)
            losses[run] = exact.astype(np.float32).astype(np.float64)  # as event files have them
            accuracies[run] = float(np.round(rng.uniform(0.5, 0.99), 6))
            write_run(logs / run, {"lr": rate, "seed": float(seed)}, {"accuracy": accuracies[run]})
            with EventWriter(logs / run) as writer:
                writer.scalar_block(["val/loss"], range(STEPS), losses[run].reshape(-1, 1).tolist())
    return Sweep(logs, rates, losses, accuracies)


def _first_page(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.get_by_test_id("card").first).to_be_visible()


def _text(value: float) -> str:
    """A number as the page shows it."""
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


def _chart(page: Page, tag: str) -> Locator:
    return card(page, tag).locator(".plot [tabindex]")


def _read(chart: Locator, step: int) -> None:
    """Pins the reading at a step, by keys: the first press goes to the first point."""
    chart.focus()
    for _ in range(step + 1):
        chart.press("ArrowRight")
    chart.press("Enter")


def test_the_best_of_200_runs_and_its_hyperparameters_in_two_actions(
    page: Page, shared: Serve, sweep: Sweep
) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    best = max(sweep.accuracies, key=lambda run: sweep.accuracies[run])
    head = page.get_by_test_id("runs-table").locator('.head [data-column="metric/accuracy"] button').first
    page.get_by_role("tab", name="Runs").click()
    head.click()  # the best first
    until(page, lambda: shown(page)[:1] == [best])
    expect(cell(page, best, "lr")).to_have_text(_text(sweep.rates[best]))
    expect(cell(page, best, "metric/accuracy")).to_have_text(_text(sweep.accuracies[best]))


def test_seeds_of_a_configuration_are_one_line_with_their_mean_in_two_clicks(
    page: Page, shared: Serve, sweep: Sweep
) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    page.locator('[data-action="group-by"]').click()
    page.locator('[data-column="lineage/lr"]').click()
    page.keyboard.press("Escape")
    status = card(page, "val/loss").get_by_test_id("card-status")
    expect(status).to_contain_text("40 groups · 200 runs")
    expect(page.get_by_test_id("run-groups").locator("[data-group]")).to_have_count(40)
    chart = _chart(page, "val/loss")
    _read(chart, READ)
    rows = page.locator(".tooltip.pinned tbody tr")
    expect(rows).to_have_count(40)
    for rate in (min(sweep.rates.values()), max(sweep.rates.values())):
        row = rows.filter(has=page.get_by_text(re.compile(rf"^lr={re.escape(_text(rate))}$")))
        expect(row.locator("td").nth(2)).to_have_text(_text(sweep.mean(rate)[READ]))


def test_the_five_best_runs_are_drawn_in_three_clicks(page: Page, shared: Serve, sweep: Sweep) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    best = sorted(sweep.accuracies, key=lambda run: -sweep.accuracies[run])[:5]
    page.locator('[data-action="sort-runs"]').click()
    page.locator('[data-sort="lineage/metric/accuracy"]').click()
    page.locator('[data-first="5"]').click()
    status = card(page, "val/loss").get_by_test_id("card-status")
    expect(status).to_contain_text(f"{5 * STEPS:,} points")
    ticked = page.locator('.ih-run[aria-selected="true"]')
    expect(ticked).to_have_count(5)
    assert ticked.evaluate_all("rows => rows.map(row => row.dataset.run)") == best


def test_a_card_draws_60_of_200_lines_and_asks_for_no_others_until_all_are_wanted(
    page: Page, shared: Serve, sweep: Sweep
) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    here = card(page, "val/loss")
    expect(page.get_by_test_id("run-count")).to_have_text("200 / 200")
    limit = here.get_by_test_id("line-limit")
    expect(limit).to_contain_text("60 of 200 lines:")
    expect(here.get_by_test_id("card-status")).to_contain_text(f"{60 * STEPS:,} points")
    limit.get_by_role("button", name="best accuracy").click()
    best = max(sweep.accuracies, key=lambda run: sweep.accuracies[run])
    expect(page.locator(".ih-run").first).to_have_attribute("data-run", best)
    expect(here.get_by_test_id("card-status")).to_contain_text(f"{60 * STEPS:,} points")
    limit.get_by_role("button", name="all").click()
    expect(limit).to_contain_text("200 of 200 lines:")
    expect(here.get_by_test_id("card-status")).to_contain_text(f"{200 * STEPS:,} points")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    limit.get_by_role("button", name="median").click()
    expect(limit).to_contain_text("Median and quartiles of 200 lines:")
    expect(here.get_by_test_id("card-status")).to_contain_text(f"{STEPS:,} points")  # of the best run alone
    expect(here.locator("[data-ready] > [role=img]")).to_have_attribute("aria-label", re.compile(", 2 lines"))
    assert any("/bands?" in url and "centre=median" in url for url in asked)
    page.reload()
    expect(limit.get_by_role("button", name="median")).to_have_attribute("aria-pressed", "true")
    limit.get_by_role("button", name="newest").click()
    expect(limit).to_contain_text("60 of 200 lines:")


def test_a_link_shows_the_same_runs_and_numbers_elsewhere(
    page: Page, shared: Serve, sweep: Sweep, browser: Browser
) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    expect(page.get_by_test_id("run-count")).to_have_text("200 / 200")
    page.locator("#run-filter").fill("lr > 0.3 and accuracy > 0.6")
    chosen = [run for run, rate in sweep.rates.items() if rate > 0.3 and sweep.accuracies[run] > 0.6]
    expect(page.locator("[data-run]")).to_have_count(len(chosen))
    status = card(page, "val/loss").get_by_test_id("card-status")
    expect(status).to_contain_text(f"{STEPS * len(chosen):,} points")
    page.get_by_role("button", name="Log y").first.click()
    expect(page).to_have_url(re.compile("filter=.*"))
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(page.url)
        expect(other.locator("[data-run]")).to_have_count(len(chosen))
        chart = _chart(other, "val/loss")
        expect(card(other, "val/loss").get_by_test_id("card-status")).to_contain_text(
            f"{STEPS * len(chosen):,} points"
        )
        _read(chart, READ)
        rows = other.locator(".tooltip.pinned tbody tr")
        expect(rows).to_have_count(len(chosen))
        for run in chosen[:3]:
            value = rows.filter(has=other.get_by_text(run, exact=True)).locator("td").nth(2)
            expect(value).to_have_text(_text(sweep.losses[run][READ]))


def test_a_value_is_read_off_by_the_keyboard_alone(page: Page, shared: Serve, sweep: Sweep) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    page.keyboard.press("/")
    page.keyboard.type("^config07/seed3$")
    expect(page.locator("[data-run]")).to_have_count(1)
    page.keyboard.press("Control+k")
    page.keyboard.type("val/loss")
    palette = page.locator('[data-dialog="palette"]')
    expect(palette.get_by_role("option").first).to_contain_text("val/loss")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("card")).to_have_count(1)
    expect(page.get_by_test_id("card-status")).to_have_text("100 points, all kept")
    chart = page.get_by_test_id("card").locator(".plot [tabindex]")
    for _ in range(60):
        page.keyboard.press("Tab")
        if chart.evaluate("chart => chart === document.activeElement"):
            break
    _read(chart, READ)
    reading = page.locator(".tooltip.pinned")
    expect(reading).to_contain_text(_text(sweep.losses["config07/seed3"][READ]))
    page.keyboard.press("Escape")
    expect(reading).to_have_count(0)


def test_the_numbers_of_a_card_are_saved_as_they_were_written(
    page: Page, shared: Serve, sweep: Sweep
) -> None:
    _first_page(page, shared("--logdir", sweep.logs))
    expect(page.get_by_test_id("run-count")).to_have_text("200 / 200")
    card(page, "val/loss").locator('[data-action="export"]').click()
    with page.expect_download() as started:
        card(page, "val/loss").locator('[data-action="export-csv"]').click()
    rows = list(csv.DictReader(Path(started.value.path()).read_text().splitlines()))
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["run"], []).append(float(row["value"]))
    assert found.keys() == sweep.losses.keys()
    for run, losses in sweep.losses.items():
        np.testing.assert_array_equal(np.array(found[run], np.float32), losses.astype(np.float32))


def test_four_of_2000_tags_are_pinned_and_there_tomorrow(
    page: Page, serve: Serve, browser: Browser, tmp_path: Path
) -> None:
    tags = [f"layer_{number:04}/norm" for number in range(2000)]
    values = np.arange(3)[:, None] * 1000 + np.arange(2000)
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar_block(tags, range(3), values.tolist())
    url = serve("--logdir", tmp_path)
    _first_page(page, url)
    for tag in FOUR:
        page.locator(".tag-filter").fill(f"^{tag}$")
        expect(page.get_by_test_id("card").last).to_have_attribute("data-tag", tag)
        here = page.locator(f'[data-testid="card"][data-tag="{tag}"]').last
        press(here, "pin")
    page.locator(".tag-filter").fill("")
    pinned = '[data-group="pinned"] [data-testid="card"]'
    expect(page.locator(pinned)).to_have_count(4)
    page.locator('[data-action="share"]').click()
    dialog = page.locator('[data-dialog="share"]')
    dialog.locator('[data-control="view-name"]').fill("norms")
    dialog.locator('[data-action="view-save"]').click()
    dialog.locator('[data-action="view-start"]').click()
    expect(dialog.locator('[data-action="view-start"]')).to_have_attribute("aria-pressed", "true")
    with browser.new_context() as context:
        tomorrow = context.new_page()
        tomorrow.goto(url)
        expect(tomorrow.locator(pinned)).to_have_count(4)
        for at, tag in enumerate(FOUR):
            expect(tomorrow.locator(pinned).nth(at)).to_have_attribute("data-tag", tag)
            expect(tomorrow.locator(pinned).nth(at)).to_contain_text("3 points, all kept")


def test_a_run_that_was_resumed_has_each_step_once_and_what_it_overwrote_on_request(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    first, second = np.full(80, 1.0), np.full(60, 2.0)
    for start, values, when in ((0, first, 1.7e9), (50, second, 1.7e9 + 1000)):
        with EventWriter(tmp_path / "run", start_time=when) as writer:
            writer.scalar_block(["loss"], range(start, start + len(values)), values.reshape(-1, 1).tolist())
    _first_page(page, serve("--logdir", tmp_path))

    def saved() -> list[tuple[int, float]]:
        card(page, "loss").locator('[data-action="export"]').click()
        with page.expect_download() as started:
            card(page, "loss").locator('[data-action="export-csv"]').click()
        rows = csv.DictReader(Path(started.value.path()).read_text().splitlines())
        return [(int(row["step"]), float(row["value"])) for row in rows]

    assert saved() == [*((step, 1.0) for step in range(50)), *((step, 2.0) for step in range(50, 110))]
    display(page).get_by_role("radio", name="All attempts").click()
    expect(page).to_have_url(re.compile("attempts=all"))
    page.keyboard.press("Escape")  # the drawer lies over the card
    assert len(saved()) == 140
