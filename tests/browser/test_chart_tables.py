"""Every chart can be read as a table, by keyboard: what is drawn is what the table lists."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser import graph_page, landscapes_page, timeline_page
from tests.browser.profiler_page import open_page
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def as_table(
    place: Locator, action: str = "view-table", *, menu: bool = True, opener: str = "export"
) -> Locator:
    """The table of what is drawn there, opened with keys."""
    table = place.page.get_by_test_id("chart-table")
    item = (place.page.get_by_role("menu") if menu else place).locator(f'[data-action="{action}"]').first

    def open_it() -> bool:
        if menu:  # a figure that is drawn again while a profile is read takes its menu with it
            place.locator(f'[data-action="{opener}"]').first.press("Enter")
        with suppress(TimeoutError):
            item.press("Enter", timeout=5000)
            return True
        return False

    until(place.page, open_it)
    expect(table.locator(".line").nth(1)).to_be_visible()
    return table


def closed(table: Locator) -> None:
    table.page.keyboard.press("Escape")
    expect(table).to_have_count(0)


def cells(table: Locator, line: int) -> list[str]:
    """Those of a line that are in sight; 0 is the head."""
    return table.locator(".line").nth(line).locator("[data-column]").all_inner_texts()


def test_the_nodes_of_a_graph(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = graph_page.opened(page, shared("--logdir", sample_logs))
    drawn = panel.locator('[data-testid="node"], [data-testid="proxy"], [data-testid="frame"]').count()
    table = as_table(panel)
    expect(table).to_have_attribute("data-rows", str(drawn))
    assert cells(table, 0)[:3] == ["Name", "Full name", "Kind"]
    with page.expect_download() as download:
        page.locator('[data-action="save-table"]').click()
    assert len(download.value.path().read_text().splitlines()) == drawn + 1
    closed(table)


def test_the_surface_and_the_path_of_a_landscape(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = landscapes_page.opened(page, shared("--logdir", landscapes))
    landscapes_page.drawn(panel, "contour")
    table = as_table(panel)
    expect(table).to_have_attribute("data-rows", str(21 * 21))
    assert cells(table, 0) == ["x", "y", "loss"]
    closed(table)
    table = as_table(panel, "view-path")
    expect(table).to_have_attribute("data-rows", "4")
    assert cells(table, 0) == ["epoch", "x", "y", "loss"]
    closed(table)
    landscapes_page.pick(panel, "mode", "comparison")
    expect(panel.get_by_test_id("summary").locator(".summary")).to_have_count(2)
    table = as_table(panel)
    expect(table).to_have_attribute("data-rows", str(2 * 21 * 21))
    assert cells(table, 0) == ["Run", "x", "y", "loss"]


def test_the_records_of_an_image(page: Page, shared: Serve, pictures: Path) -> None:
    page.goto(f"{shared('--logdir', pictures)}#tab=image&locale=zh-CN&theme=dark")
    shown = page.locator('[data-plugin="image"] [data-testid="card"]').first
    expect(shown.locator(".layer > *")).to_be_visible()
    count = int(shown.locator('[data-control="step"]').get_attribute("max") or 0) + 1
    table = as_table(shown, menu=False)
    expect(table).to_have_attribute("data-rows", str(count))
    step, time, size = cells(table, 0)
    assert (step, time[:2], size[:2]) == ("步骤", "时间", "大小")


def test_the_plots_of_runs(page: Page, shared: Serve, six_runs: Path) -> None:
    page.goto(f"{shared('--logdir', six_runs)}#tab=lineage&locale=en&theme=light&lineage.analysis=1")
    panel = page.locator('[data-plugin="lineage"]')
    expect(panel.get_by_test_id("scatter")).to_be_visible()
    importance, bars = panel.locator("[data-parameter]"), panel.get_by_test_id("distribution").locator("li")
    for drawn in (importance, bars):
        expect(drawn.first).to_be_visible()
    expect(panel.get_by_test_id("scatter")).to_have_attribute("data-points", "6")
    table = as_table(panel)
    expect(table).to_have_attribute("data-rows", "6")
    axes = panel.locator(".axes [data-axis]").count()
    expect(table).to_have_attribute("aria-colcount", str(axes + 1))
    closed(table)
    for place, head, rows in (
        ("distribution", ["From", "To", "Runs"], bars.count()),
        (
            "importance-runs",
            [
                "Parameter",
                "Share of the variance",
                "Interval from",
                "Interval to",
                "Share alone",
                "Best values",
            ],
            importance.count(),
        ),
        ("scatter", None, 6),
    ):
        table = as_table(panel.get_by_test_id(place), menu=False)
        expect(table).to_have_attribute("data-rows", str(rows))
        if head:
            assert cells(table, 0) == head
        closed(table)


def test_the_bars_of_a_profile(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced))
    bars = panel.locator('[data-figure="biggest-host"]')
    expect(bars.locator("li").first).to_be_visible()
    listed = bars.locator("li").count()
    table = as_table(bars)
    expect(table).to_have_attribute("data-rows", str(listed))
    assert cells(table, 0)[:2] == ["name", "type"]


def test_the_lines_of_a_profile(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced))
    panel.locator('.views [data-view="memory"]').click()
    lines = panel.locator("[data-figure]:has(.curve)").first
    expect(lines.locator("canvas").first).to_be_visible()
    table = as_table(lines)
    assert cells(table, 0) == ["line", "x", "y"]


def test_the_slices_of_a_timeline_in_sight(page: Page, shared: Serve, traced: Path) -> None:
    panel = timeline_page.opened(page, shared("--logdir", traced))
    table = as_table(panel, opener="timeline-files")
    assert cells(table, 0) == ["track", "name", "start (ns)", "duration (ns)", "slices"]
    everything = int(table.get_attribute("data-rows") or 0)
    with page.expect_download() as download:
        page.locator('[data-action="save-table"]').click()
    assert len(download.value.path().read_text().splitlines()) == everything + 1
    closed(table)
    panel.get_by_test_id(timeline_page.CANVAS).focus()
    for _ in range(6):
        page.keyboard.press("w")
    expect(panel.locator('[data-action="zoom-all"]')).to_be_enabled()
    table = as_table(panel, opener="timeline-files")
    assert 0 < int(table.get_attribute("data-rows") or 0) < everything
