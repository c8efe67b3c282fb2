"""The tab that asks in SQL: a query is written, answered as a table and a chart, and kept in the address."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for run, slope in (("a", 1.0), ("b", 2.0)):
        with EventWriter(tmp_path / "logs" / run) as writer:
            for step in range(50):
                writer.scalar("loss", step, slope * step)
    return tmp_path / "logs"


def test_a_query_is_answered_as_a_table_and_as_a_chart_by_keyboard(
    page: Page, serve: Callable[..., str], logs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{serve('--logdir', logs)}#tab=query&locale=en&theme=light")
    editor = page.get_by_label("Query in SQL")
    expect(editor).to_be_focused()
    page.keyboard.insert_text("select run, step, value from scalars where step < 10 order by value desc")
    page.keyboard.press("Control+Enter")
    tab = page.locator('[data-plugin="query"]')
    expect(tab.locator(".bar [role=status]")).to_contain_text("20 rows · 20 rows (")
    table = tab.get_by_test_id("query-table")
    expect(table).to_contain_text("18")
    assert violations(page) == []
    tab.get_by_role("radio", name="Chart").click()
    expect(tab.locator(".chart")).to_have_attribute("data-ready", "1")
    expect(tab.locator(".legend li")).to_have_text(["b", "a"])
    expect(tab.get_by_label("Lines by")).to_have_value("run")
    expect(page).to_have_url(re.compile(r"query\.sql=select.*query\.view=chart"))
    assert violations(page) == []
    page.reload()
    expect(tab.locator(".legend li")).to_have_text(["b", "a"])
    page.go_back()
    page.go_forward()
    expect(editor).to_have_value(re.compile("^select run, step"))


def test_what_is_wrong_with_a_query_is_said_and_the_query_stays(
    page: Page, serve: Callable[..., str], logs: Path
) -> None:
    page.goto(
        f"{serve('--logdir', logs)}#tab=query&locale=zh-CN&theme=dark&query.sql=select%20lose%20from%20runs"
    )
    tab = page.locator('[data-plugin="query"]')
    expect(tab.get_by_role("alert")).to_contain_text('column "lose" not found')
    editor = tab.locator("textarea")
    expect(editor).to_have_value("select lose from runs")
    tab.locator('[data-table="runs"] summary').click()
    editor.select_text()
    tab.locator('[data-table="runs"] li button', has_text="damage").click()
    expect(editor).to_have_value("damage")
    tab.locator('[data-action="example-best"]').click()
    expect(editor).to_have_value(re.compile("where tag = 'loss'"))
    tab.locator('[data-action="run-query"]').click()
    expect(tab.get_by_test_id("query-table")).to_contain_text("best")
    expect(tab.get_by_role("alert")).to_have_count(0)


def test_a_query_that_takes_long_can_be_stopped(page: Page, serve: Callable[..., str], logs: Path) -> None:
    page.goto(f"{serve('--logdir', logs)}#tab=query&locale=en&theme=light")
    page.get_by_label("Query in SQL").fill("select count(*) from range(100000000000)")
    page.keyboard.press("Control+Enter")
    page.locator('[data-action="stop-query"]').click()
    expect(page.locator('[data-action="run-query"]')).to_be_enabled()


def test_sql_is_a_mode_of_the_tab_runs(
    page: Page, serve: Callable[..., str], logs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{serve('--logdir', logs)}#tab=lineage&locale=en&theme=light")
    table = page.get_by_test_id("runs-table")
    expect(table).to_be_visible()
    expect(page.get_by_role("tab", name="SQL")).to_have_count(0)
    page.get_by_test_id("lineage").get_by_role("radio", name="SQL").click()
    editor = page.get_by_label("Query in SQL")
    expect(editor).to_be_visible()
    expect(page).to_have_url(re.compile("tab=query"))
    expect(page.get_by_role("tab", name="Runs")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name="Runs")).to_be_visible()
    assert violations(page) == []
    page.locator('[data-plugin="query"]').get_by_role("radio", name="Runs").click()
    expect(table).to_be_visible()
    expect(editor).to_be_hidden()
    page.go_back()
    expect(editor).to_be_visible()
