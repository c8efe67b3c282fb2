"""The tab Diagnosis: one entry for each rule with its cause, evidence, way back, and what users dismiss."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from insight_core.plugin.testing import EventWriter
from insight_record.summary_writer import SummaryWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

_RATES = (0.01, 0.03, 0.3)


def _write(logs: Path, run: str, rate: float, values: np.ndarray) -> None:
    with SummaryWriter(logs / run) as writer:
        writer.add_configuration({"lr": rate, "seed": int(run[-1])})
        for step, value in enumerate(values):
            writer.add_scalar("train/loss", float(value), 10 * step)


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """Twelve runs: the four with lr = 0.3 diverge; one of the others is NaN from step 900 on."""
    falling = np.exp(-np.linspace(0, 3, 150))
    diverging = falling.copy()
    diverging[90:] += np.linspace(0, 9, 60)
    for number in range(12):
        rate = _RATES[number % 3]
        values = diverging.copy() if rate == 0.3 else falling.copy()
        if number == 6:
            values[90:] = np.nan
        _write(tmp_path / "logs", f"run{number:02}", rate, values)
    return tmp_path / "logs"


def _entry(page: Page, rule: str) -> Locator:
    return page.locator(f'[data-plugin="diagnose"] .entry[data-finding="{rule}"]')


def _opened(page: Page, url: str, *state: str) -> None:
    page.goto(f"{url}#{'&'.join(('locale=en', 'tab=diagnose', *state))}")
    expect(page.locator('[data-plugin="diagnose"] .findings[data-ready]')).to_be_visible()


def test_a_cause_is_one_entry_with_the_hyperparameter_its_runs_share(
    page: Page, serve: Serve, sweep: Path
) -> None:
    _opened(page, serve("--logdir", sweep))
    expect(page.locator('[data-plugin="diagnose"] [role=status]')).to_have_text("2 problems in 5 of 12 runs")
    cause = _entry(page, "divergence")
    expect(cause).to_have_count(1)
    expect(cause.get_by_role("heading")).to_have_text("Loss diverged in 4 of 12 runs")
    expect(cause.locator(".shared")).to_have_text("All have lr = 0.3; none of the others")
    picture = cause.get_by_role("img", name="Which of the runs it is about")
    expect(picture.locator(".meant")).to_have_count(4)
    expect(picture.locator("rect")).to_have_count(12)
    expect(page.locator("#tab-diagnose .ih-badge")).to_have_text("2")
    cause.locator("summary").press("Enter")
    expect(cause.locator("[data-part]")).to_have_count(4)


def test_the_number_of_problems_stands_at_the_tab_before_it_was_opened(
    page: Page, serve: Serve, sweep: Path
) -> None:
    page.goto(f"{serve('--logdir', sweep)}#locale=en&tab=scalar")
    expect(page.locator("#tab-diagnose .ih-badge")).to_have_text("2")


def test_the_evidence_of_one_run_is_its_curve_with_the_step_marked(
    page: Page, serve: Serve, sweep: Path
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _opened(page, serve("--logdir", sweep))
    entry = _entry(page, "nonfinite")
    expect(entry.get_by_role("heading")).to_have_text("NaN or infinite values from step 900")
    curve = entry.get_by_role("img", name="The curve, with the steps marked")
    expect(curve.locator(".curve")).to_have_count(1)
    at = float(curve.locator(".mark").get_attribute("x1") or "nan") / 280
    assert abs(at - 900 / 1490) < 0.02
    assert len([url for url in asked if "/scalar/series?run=run06&" in url]) == 1


@pytest.mark.parametrize("how", ["chip", "Backspace", "browser"])
def test_the_way_back_restores_filter_and_selection(
    page: Page, serve: Serve, sweep: Path, how: str, violations: Callable[[Page], list[str]]
) -> None:
    _opened(page, serve("--logdir", sweep), "filter=run0", "runs=run02;run05;run06")
    before = page.url
    _entry(page, "nonfinite").get_by_role("button", name="Show at step 900").press("Enter")
    expect(page.locator('[data-plugin="scalar"]').get_by_test_id("card")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"runs=run06(&|$)"))
    expect(page).to_have_url(re.compile(r"cursor=900(&|$)"))
    chip = page.locator('[data-action="way-back"]')
    expect(chip).to_have_text("Diagnosis: NaN or infinite values from step 900")
    if how == "chip":
        assert violations(page) == []
        chip.press("Enter")
    elif how == "Backspace":
        page.locator("body").press("Backspace")
    else:
        page.go_back()
    expect(_entry(page, "nonfinite")).to_be_visible()
    expect(page).to_have_url(before)
    expect(chip).to_have_count(0)


def test_a_dismissed_entry_comes_back_with_a_new_run(page: Page, serve: Serve, sweep: Path) -> None:
    url = serve("--logdir", sweep)
    _opened(page, url)
    entry = _entry(page, "divergence")
    entry.get_by_role("button", name="More for this entry").press("Enter")
    page.get_by_role("menuitem", name="Dismiss for these runs").press("Enter")
    expect(entry).to_have_count(0)
    expect(page.locator(".dismissed")).to_contain_text("1 dismissed")
    expect(page.locator("#tab-diagnose .ih-badge")).to_have_text("1")
    page.reload()  # the host keeps it
    expect(page.locator(".dismissed")).to_contain_text("1 dismissed")
    page.locator('[data-action="show-dismissed"]').press("Enter")
    entry.get_by_role("button", name="List it again").press("Enter")
    expect(page.locator(".dismissed")).to_have_count(0)
    expect(entry).to_have_count(1)
    entry.get_by_role("button", name="More for this entry").press("Enter")
    page.get_by_role("menuitem", name="Dismiss for these runs").press("Enter")
    expect(entry).to_have_count(0)
    diverging = np.exp(-np.linspace(0, 3, 150))
    diverging[90:] += np.linspace(0, 9, 60)
    _write(sweep, "run14", 0.3, diverging)
    expect(entry.get_by_role("heading")).to_have_text("Loss diverged in 5 of 13 runs")


def test_a_host_that_saves_nothing_leaves_it_to_the_browser(page: Page, serve: Serve, sweep: Path) -> None:
    _opened(page, serve("--logdir", sweep, "--read-only"))
    entry = _entry(page, "nonfinite")
    entry.get_by_role("button", name="More for this entry").press("Enter")
    page.get_by_role("menuitem", name="Dismiss for these runs").press("Enter")
    expect(entry).to_have_count(0)
    page.reload()
    expect(page.locator(".dismissed")).to_contain_text("1 dismissed")
    page.locator('[data-action="show-dismissed"]').click()
    entry.get_by_role("button", name="List it again").click()
    expect(page.locator(".dismissed")).to_have_count(0)


def test_the_runs_of_an_entry_can_be_filtered_by_what_they_share(
    page: Page, serve: Serve, sweep: Path
) -> None:
    _opened(page, serve("--logdir", sweep))
    _entry(page, "divergence").get_by_role("button", name="More for this entry").press("Enter")
    page.get_by_role("menuitem", name="Filter to these runs").press("Enter")
    expect(page.locator("#run-filter")).to_have_value("lr = 0.3")
    expect(page.locator('.ih-run[data-run="run02"]')).to_be_visible()
    expect(page.locator('.ih-run[data-run="run00"]')).to_have_count(0)


def test_results_come_while_runs_are_checked(page: Page, serve: Serve, sweep: Path) -> None:
    held: list[int] = []

    def partly(route: Route) -> None:
        held.append(1)
        answer = route.fetch()
        found = answer.json()
        if len(held) < 3:
            found["left"] = 9 - 3 * len(held)
            found["findings"] = found["findings"][: len(held) - 1]
        route.fulfill(response=answer, json=found)

    page.route(re.compile("/plugin/diagnose/findings"), partly)
    page.add_init_script(
        "window.seen = []; new MutationObserver(() => {"
        "const bar = document.querySelector('.findings progress');"
        "const text = bar && `${bar.value}/${bar.max} ${document.querySelectorAll('.skeleton').length}`;"
        "if (text && window.seen.at(-1) !== text) window.seen.push(text);"
        "}).observe(document, { childList: true, subtree: true, attributes: true });"
    )
    _opened(page, serve("--logdir", sweep))
    seen = page.evaluate("window.seen")
    assert seen[0] == "0/12 3"
    assert "9/12 2" in seen
    expect(page.locator(".findings progress")).to_have_count(0)
    expect(page.locator(".skeleton")).to_have_count(0)


def test_nothing_wrong_is_a_picture_with_what_was_checked(
    page: Page, serve: Serve, tmp_path: Path, violations: Callable[[Page], list[str]]
) -> None:
    for number in range(3):
        with EventWriter(tmp_path / "logs" / f"run{number}") as writer:
            for step, value in enumerate(np.exp(-np.linspace(0, 3, 100))):
                writer.scalar("train/loss", step, float(value))
    _opened(page, serve("--logdir", tmp_path / "logs"))
    nothing = page.locator(".nothing")
    expect(nothing.locator("svg")).to_be_visible()
    expect(nothing).to_contain_text("Nothing wrong was found in 3 runs")
    expect(nothing).to_contain_text(re.compile(r"\d+ rules checked"))
    expect(page.locator("#tab-diagnose .ih-badge")).to_have_count(0)
    left = page.locator(".rules details").last
    expect(left.locator("summary")).to_contain_text("rules not checked, for lack of data")
    left.locator("summary").press("Enter")
    expect(left.get_by_text("No tag has the role val_loss")).to_be_visible()
    assert violations(page) == []
