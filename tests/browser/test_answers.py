"""The strip above the charts: best run, what is wrong, an action each; a chart that is hovered stays."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def _write(logs: Path, run: str, accuracy: float, *, nan_from: int = 99) -> None:
    with EventWriter(logs / run) as writer:
        for step in range(20):
            writer.scalar("val_acc", step, accuracy * (1 - math.exp(-step / 4)))
            writer.scalar("train/loss", step, math.nan if step >= nan_from else 1 / (step + 1))


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """Six runs: ``good`` is the best, ``bad`` becomes NaN."""
    for at in range(4):
        _write(tmp_path / "sweep", f"run{at}", 0.5 + at / 20)
    _write(tmp_path / "sweep", "good", 0.9)
    _write(tmp_path / "sweep", "bad", 0.3, nan_from=10)
    return tmp_path / "sweep"


def _strip(page: Page) -> Locator:
    return page.get_by_test_id("answers")


def test_the_strip_answers_over_all_runs_and_leads_to_the_evidence(
    page: Page, serve: Serve, sweep: Path, violations: Callable[[Page], list[str]]
) -> None:
    url = serve("--logdir", sweep)
    page.goto(f"{url}#locale=en&theme=light&tab=scalar&runs=run0;run1")
    strip = _strip(page)
    best, worst = strip.locator('[data-severity="good"]').first, strip.locator('[data-severity="error"]')
    expect(best).to_contain_text("Best val_acc 0.8")
    expect(best).to_contain_text("good has the highest val_acc (last) of 6 runs")  # although two are selected
    expect(worst).to_contain_text("NaN")
    assert violations(page) == []
    best.locator("button").click()
    expect(page.get_by_role("tab", name="Runs")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile(r"runs=run0;run1"))
    page.go_back()
    worst.locator("button").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("run-count")).to_have_text("1 / 6")
    expect(page).to_have_url(re.compile(r"runs=bad"))


def test_a_closed_strip_comes_back_when_the_answers_change(page: Page, serve: Serve, sweep: Path) -> None:
    url = serve("--logdir", sweep)
    page.goto(f"{url}#locale=zh-CN&tab=scalar")
    expect(_strip(page)).to_be_visible()
    _strip(page).locator('[data-action="answers-close"]').click()
    expect(_strip(page)).to_have_count(0)
    with page.expect_response(re.compile(r"/recent_findings\?")) as asked:
        page.reload()
    asked.value.finished()
    expect(page.locator("[data-ready]").first).to_be_attached()
    page.wait_for_timeout(300)
    expect(_strip(page)).to_have_count(0)
    _write(sweep, "better", 0.97)
    page.reload()
    expect(_strip(page).locator('[data-severity="good"]').first).to_contain_text("better")


def test_what_has_nothing_to_say_is_not_there(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "one") as writer:
        writer.scalar("speed", 0, 1.0)
    with page.expect_response(re.compile(r"/recent_findings\?")) as asked:
        page.goto(f"{serve('--logdir', tmp_path)}#locale=en&tab=scalar")
    asked.value.finished()
    page.wait_for_timeout(300)
    expect(_strip(page)).to_have_count(0)


def test_a_chart_under_the_pointer_stays_where_it_is(page: Page, serve: Serve, sweep: Path) -> None:
    held: list[Route] = []
    is_free = False
    page.route(
        re.compile(r"/recent_findings\?"), lambda route: route.continue_() if is_free else held.append(route)
    )
    page.goto(f"{serve('--logdir', sweep)}#locale=en&tab=scalar")
    chart = page.locator("[data-ready]").first
    expect(chart).to_be_attached()
    until(page, lambda: held)
    chart.hover()
    before = box_of(chart)["y"]
    is_free = True
    with page.expect_response(re.compile(r"/recent_findings\?")) as asked:
        for route in held:
            route.continue_()
    asked.value.finished()
    page.wait_for_timeout(300)
    assert box_of(chart)["y"] == before
    expect(_strip(page)).to_have_count(0)
    page.mouse.move(5, 400)  # to the runs
    page.mouse.move(6, 400)
    expect(_strip(page)).to_be_visible()
