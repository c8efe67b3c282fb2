"""Notes of users on charts: by keys, in every browser, and in this one alone where the host saves nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("noted")
    for run in ("a", "b"):
        with EventWriter(logs / run) as writer:
            for step in range(0, 1000, 10):
                writer.scalar("loss", step, 1.0)
                writer.scalar("acc", step, 0.5)
    return logs


def _open(page: Page, url: str, language: str = "en") -> None:
    page.goto(f"{url}#locale={language}&theme=light&tab=scalar")
    expect(card(page, "loss")).to_be_visible()


def _dialog(page: Page) -> Locator:
    return page.locator('[data-dialog="notes"]')


def _write(page: Page, step: str, text: str) -> None:
    dialog = _dialog(page)
    dialog.locator('[name="note-step"]').fill(step)
    dialog.locator('[name="note-text"]').fill(text)
    dialog.locator('[name="note-text"]').press("Enter")


def _expect_mark(page: Page, tag: str, text: str, count: int = 1) -> None:
    """The chart has its marks, and so has the chart as a table."""
    expect(card(page, tag).locator(".plot")).to_have_attribute("data-marks", str(count))
    card(page, tag).locator('[data-action="export"]').click()
    page.locator('[data-action="view-table"]').click()
    table = page.locator("dialog [role=grid]")
    table.press("Control+End")
    expect(table.get_by_text(text)).to_have_count(count)
    page.keyboard.press("Escape")
    expect(table).to_have_count(0)


def test_a_note_is_written_by_keys_and_is_there_in_every_browser(
    page: Page,
    browser: Browser,
    serve: Serve,
    logs: Path,
    violations: Callable[[Page], list[str]],
) -> None:
    url = serve("--logdir", logs)
    _open(page, url, "zh-CN")
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        other = context.new_page()
        _open(other, url)
        page.keyboard.press("m")
        _write(page, "no step", "Learning rate halved")
        expect(_dialog(page).get_by_role("alert")).not_to_have_text("\u00a0")
        _dialog(page).locator('[name="note-step"]').fill("500")
        _dialog(page).locator('[data-control="note-tag"]').select_option("")
        page.keyboard.press("Tab")
        _dialog(page).locator('[data-action="note-save"]').press("Enter")
        notes = _dialog(page).locator("ul.notes li")
        expect(notes).to_contain_text(["Learning rate halved"])
        assert violations(page) == []
        page.keyboard.press("Escape")
        for one, tag in ((page, "loss"), (page, "acc"), (other, "loss"), (other, "acc")):
            _expect_mark(one, tag, "Learning rate halved")
        other.keyboard.press("m")
        other.locator('[data-action="note-edit"]').press("Enter")
        _write(other, "510", "Learning rate quartered")
        expect(other.locator("ul.notes li")).to_contain_text(["Learning rate quartered"])
        page.reload()
        _expect_mark(page, "loss", "Learning rate quartered")
        other.locator('[data-action="note-remove"]').press("Enter")
        expect(other.locator("ul.notes li")).to_have_count(0)
        other.locator('[data-action="note-undo"]').press("Enter")
        expect(other.locator("ul.notes li")).to_have_count(1)


def test_a_reading_leads_to_a_note_of_this_chart_at_its_step(page: Page, serve: Serve, logs: Path) -> None:
    _open(page, serve("--logdir", logs))
    chart = card(page, "loss").locator(".plot [tabindex]")
    chart.focus()
    for _ in range(6):  # the first press goes to the first point
        chart.press("ArrowRight")
    chart.press("Enter")
    page.locator('[data-action="note-here"]').click()
    step = _dialog(page).locator('[name="note-step"]')
    expect(step).to_have_value("50")
    step.fill("")
    step.press_sequentially("-5")
    expect(step).to_have_value("-5")
    step.fill("50")
    _dialog(page).locator('[name="note-text"]').fill("Here")
    page.keyboard.press("Enter")
    expect(_dialog(page).locator("ul.notes li")).to_contain_text(["Here"])
    page.keyboard.press("Escape")
    expect(_dialog(page)).to_have_count(0)
    _expect_mark(page, "loss", "Here")
    _expect_mark(page, "acc", "Here", 0)


def test_notes_stay_in_the_browser_where_the_host_saves_nothing(
    page: Page, browser: Browser, serve: Serve, logs: Path
) -> None:
    url = serve("--logdir", logs, "--read-only")
    _open(page, url)
    page.keyboard.press("m")
    _write(page, "300", "Mine alone")
    expect(_dialog(page).locator("ul.notes li")).to_contain_text(["Mine alone"])
    page.reload()
    _expect_mark(page, "loss", "Mine alone")
    with browser.new_context() as context:
        other = context.new_page()
        _open(other, url)
        other.keyboard.press("m")
        expect(_dialog(other)).to_be_visible()
        expect(_dialog(other).locator(".hint").first).to_contain_text("stay in this browser")
        expect(other.locator("ul.notes li")).to_have_count(0)
