"""The table that all tabs share: what a pointer, a finger and keys do with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.lineage_page import ACCURACY, cell, open_page
from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
SERIES = 400

# Left edges of heads and of the cells of a row, by the name of the column.
EDGES = """table => {
  const of = (row) => Object.fromEntries([...row.querySelectorAll('[data-column]')].map(
    (cell) => [cell.dataset.column, cell.getBoundingClientRect().left]));
  return [of(table.querySelector('.head')), of(table.querySelector('.line:not(.head)'))];
}"""


@pytest.fixture(scope="module")
def many_series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("series")
    with EventWriter(logs / "a") as writer:
        for tag in range(SERIES):
            writer.scalar(f"tag{tag}", 1, float(tag) / 7)
    return logs


def table_of_series(page: Page, url: str) -> Locator:
    page.goto(f"{url}#tab=scalar&scalar.show=table&locale=en&theme=light")
    table = page.get_by_test_id("compare-table")
    expect(table).to_have_attribute("data-rows", str(SERIES))
    return table


def tags(table: Locator) -> list[str]:
    return table.locator('.line:not(.head) [data-column="tag"]').all_text_contents()


def in_line(table: Locator, run: float) -> bool:
    """Heads stand over their cells, and the names of runs stay where they are."""
    heads, cells = table.evaluate(EDGES)
    return bool(heads == cells and heads["run"] == run)


def width(found: Locator) -> float:
    return box_of(found)["width"]


def test_a_column_is_resized_at_the_edge_of_its_head_and_the_browser_remembers(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    open_page(page, shared("--logdir", six_runs))
    head = page.locator(f'.head [data-column="{ACCURACY}"]')
    before = width(head)
    edge = box_of(head.locator(".edge"))
    page.mouse.move(edge["x"] + 5, edge["y"] + 5)
    page.mouse.down()
    page.mouse.move(edge["x"] + 65, edge["y"] + 5, steps=3)
    page.mouse.up()
    expect(head).to_have_attribute("aria-sort", "none")  # the drag was no press on the head
    until(page, lambda: width(head) == width(cell(page, "adam_0", ACCURACY)) == before + 60)
    page.reload()
    expect(cell(page, "adam_0", ACCURACY)).to_be_visible()
    until(page, lambda: width(head) == before + 60)
    head.locator(".edge").dblclick()
    until(page, lambda: width(head) == before)


def test_heads_stay_over_their_columns_while_the_table_scrolls(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    page.set_viewport_size({"width": 900, "height": 640})
    open_page(page, shared("--logdir", six_runs))
    table = page.get_by_test_id("runs-table")
    heads, cells = table.evaluate(EDGES)
    assert heads == cells
    for left, top in ((37, 0), (180, 40), (9999, 9999)):
        table.evaluate("(table, at) => table.scrollTo(at[0], at[1])", [left, top])
        until(page, lambda: in_line(table, heads["run"]))


def test_a_finger_scrolls_the_table(page: Page, shared: Serve, many_series: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(has_touch=True, viewport={"width": 900, "height": 700}) as context:
        touched = context.new_page()
        table = table_of_series(touched, shared("--logdir", many_series))
        box, head = table.bounding_box(), table.locator(".head").bounding_box()
        assert box is not None
        session = context.new_cdp_session(touched)
        for event, distance in (("touchStart", 0), *(("touchMove", 20 * step) for step in range(1, 11))):
            at = {"x": box["x"] + 200, "y": box["y"] + 300 - distance}
            session.send("Input.dispatchTouchEvent", {"type": event, "touchPoints": [at]})
        touched.wait_for_timeout(300)  # a finger that rests before it is lifted flings nothing
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(table.locator('.line [data-column="tag"]').nth(1)).to_have_text(re.compile(r"^tag[567]$"))
        assert table.locator(".head").bounding_box() == head


def test_a_long_table_is_sorted_and_copied_in_full(page: Page, shared: Serve, many_series: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table = table_of_series(page, shared("--logdir", many_series))
    assert table.locator(".line").count() < 60  # only what is in sight exists
    head = table.locator('.head [data-column="last"]')
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(table.locator('[data-column="tag"]').nth(1)).to_have_text(f"tag{SERIES - 1}")
    table.focus()
    for key in ("End", "Control+c"):
        page.keyboard.press(key)
    expect(table.locator('[data-column="tag"]').last).to_have_text("tag0")
    expect(page.get_by_text("Copied 1 row", exact=True)).to_be_visible()
    assert "tag0\t0\t" in page.evaluate("navigator.clipboard.readText()")
    page.locator('[data-action="copy-table"]').click()
    expect(page.get_by_text(f"Copied {SERIES} rows")).to_be_visible()
    assert str(float(np.float32(1 / 7))) in page.evaluate(
        "navigator.clipboard.readText()"
    )  # not the digits that are shown
    with page.expect_download() as download:
        page.locator('[data-action="save-table"]').click()
    assert len(download.value.path().read_text().splitlines()) == SERIES + 1


def test_a_chart_is_viewed_as_a_table(
    page: Page, shared: Serve, tmp_path_factory: pytest.TempPathFactory
) -> None:
    logs = tmp_path_factory.mktemp("points")
    with EventWriter(logs / "a") as writer:
        for step in range(30):
            writer.scalar("loss", step, 1 / (step + 2))
    page.goto(f"{shared('--logdir', logs)}#tab=scalar&locale=en&theme=light")
    card = page.locator('[data-testid="card"][data-tag="loss"]')
    expect(card.locator("[data-ready]")).to_be_attached()
    card.hover()
    card.locator('[data-action="export"]').click()
    page.locator('[data-action="view-table"]').click()
    table = page.get_by_test_id("chart-table")
    expect(table).to_have_attribute("data-rows", "30")
    expect(table.locator(".line").nth(1).locator("[data-column]")).to_have_text(["a", "loss", "0", "0.5"])
    page.keyboard.press("Escape")
    expect(table).to_have_count(0)
