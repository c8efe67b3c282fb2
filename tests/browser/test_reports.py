"""Reports: cards are added from their menus, live, printed, and saved as a file that works offline."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\n\n"
    "<form action='/data'><input></form><style>* { display: none !important }</style>\n\n"
    "[in](#tab=image) [bad](javascript:window.hacked=3) [out](https://example.org/)\n\n"
    "<iframe src='https://example.org'></iframe> ![words](https://example.org/pixel.png)"
)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logdir = tmp_path_factory.mktemp("logs")
    for run in ("a", "b"):
        with EventWriter(logdir / run) as writer:
            for step in range(100):
                writer.scalar("loss", step, 1 / (step + 1))
                writer.scalar("accuracy", step, step / 100)
    return logdir


@pytest.fixture(scope="module")
def url(logs: Path, shared: Serve) -> str:
    return shared("--logdir", logs)


def _add(page: Page, tag: str) -> None:
    card(page, tag).locator('[data-action="export"]').click()
    page.locator('[data-action="reports-add"]').click()
    toast = page.locator(".ih-toast").last
    expect(toast).to_contain_text("Added to “Report”")
    expect(toast.get_by_role("button", name="Open")).to_be_visible()


def test_a_report_is_written_from_cards_shown_live_and_saved_as_a_file(
    page: Page, url: str, tmp_path: Path, violations: Callable[[Page], list[str]]
) -> None:
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{url}#locale=en&tab=scalar&runs=a&scalar.smooth=0.5")
    _add(page, "loss")  # to a report that nobody has saved yet
    assert refused == []
    page.goto(f"{url}#locale=en&tab=scalar&runs=a;b")
    page.reload()
    _add(page, "accuracy")
    page.get_by_role("tab", name="Reports").click()
    reports = page.get_by_test_id("reports")
    title = reports.locator(".markdown h1")
    expect(reports.locator("select")).to_have_value("=Report")  # the last one is open
    cards = reports.get_by_test_id("live-card")
    expect(cards).to_have_count(2)
    expect(cards.nth(0).get_by_test_id("card-status")).to_contain_text("100 points")
    expect(cards.nth(1).get_by_test_id("card-status")).to_contain_text("200 points")
    reports.locator('[data-action="edit"]').click()
    field = reports.locator('[data-control="text"]')
    field.fill(f"# What we saw\n\n{HOSTILE}\n\n{field.input_value()}\n```card\n{{}}\n```\n")
    expect(title).to_have_text("What we saw")
    page.reload()  # what was typed is not lost
    expect(title).to_have_count(0)
    expect(reports.get_by_test_id("unsaved")).to_contain_text("was not saved")
    assert violations(page) == []
    reports.locator('[data-action="restore"]').press("Enter")
    expect(title).to_have_text("What we saw")
    reports.locator('[data-control="name"]').fill("What/we saw")
    reports.locator('[data-action="save"]').click()  # the name is left first
    expect(field).to_have_count(0)
    page.reload()
    expect(title).to_have_text("What we saw")
    expect(reports.get_by_test_id("unsaved")).to_have_count(0)
    reports.locator('[data-action="edit"]').click()
    field.fill("Other words")
    page.go_back()
    page.go_forward()
    reports.locator('[data-action="discard"]').press("Enter")
    expect(title).to_have_text("What we saw")
    page.reload()
    expect(title).to_have_text("What we saw")
    expect(reports.get_by_test_id("unsaved")).to_have_count(0)
    expect(reports.get_by_text("This block is not a card")).to_be_visible()
    markdown = reports.locator(".markdown")
    expect(markdown.locator("script, img, form, input, style, iframe")).to_have_count(0)
    links = markdown.locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert links == [None, None, "https://example.org/"]
    assert page.evaluate("window.hacked") is None
    assert violations(page) == []

    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(cards.nth(0).locator(".print-picture")).to_be_visible()
    expect(cards.nth(0).locator("canvas").first).to_be_hidden()
    expect(page.get_by_role("tablist")).to_be_hidden()
    expect(title).to_be_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".print-picture")).to_have_count(0)

    with page.expect_download() as saved:
        reports.locator('[data-action="file"]').click()
    saved.value.save_as(tmp_path / "report.html")
    assert saved.value.suggested_filename == "What_we saw.html"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    expect(title).to_have_text("What we saw")
    expect(cards.nth(0).get_by_test_id("card-status")).to_contain_text("100 points")
    expect(cards.nth(1).get_by_test_id("card-status")).to_contain_text("200 points")
    expect(reports.locator('[data-action="new"]')).to_have_count(0)  # nothing can be saved there
    expect(reports.get_by_text("Made with insight-host, ")).to_be_visible()
    for part in (".ih-header", ".ih-sidebar", ".ih-footer", ".ih-banners", ".reports > .toolbar"):
        expect(page.locator(part).filter(visible=True)).to_have_count(0)  # the report alone
    cards.nth(0).locator('[data-action="export"]').click()
    expect(page.locator('[data-action="export-csv"]')).to_be_visible()
    for action in ("reports-add", "embed", "block-menu", "add-block"):
        expect(page.locator(f'[data-action="{action}"]')).to_have_count(0)
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []


def _blocks(page: Page) -> list[str | None]:
    found: list[str | None] = page.get_by_test_id("block").evaluate_all(
        "all => all.map(one => one.dataset.block)"
    )
    return found


def test_the_page_of_a_report_is_its_editor_by_pointer_and_keys(
    page: Page, url: str, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{url}#locale=en&tab=reports&runs=a")
    reports = page.get_by_test_id("reports")
    reports.locator('[data-action="new"], [data-action="first"]').first.click()
    title = reports.locator(".markdown h1")
    expect(title).to_have_text("Report")  # the new one, not the one that was open
    title.click()
    text = reports.locator('[data-control="block-text"]')
    expect(text).to_be_focused()
    text.fill("# By blocks\n\nIt costs $5 and $6, and $x^2$ is a square.")
    text.press("Escape")
    expect(title).to_have_text("By blocks")
    expect(reports.locator("math")).to_have_count(1)
    expect(reports.get_by_text("It costs $5 and $6, and")).to_be_visible()
    reports.locator('.words [data-action="add-chart"]').click()
    chooser = page.get_by_role("dialog")
    chooser.get_by_role("searchbox").fill("accu")
    assert violations(page) == []
    chooser.get_by_role("button", name="Add chart").click()
    expect(reports.get_by_test_id("card-status")).to_contain_text("100 points")
    reports.locator('.words [data-action="add-runs"]').click()
    expect(reports.get_by_test_id("runs-of-report").locator("tbody tr")).to_have_count(1)
    reports.get_by_test_id("block").nth(3).hover()
    reports.locator('[data-action="block-menu"]').nth(3).click()
    page.locator('[data-action="columns"]').click()
    chooser.get_by_role("searchbox").fill("status")
    chooser.get_by_role("checkbox", name="Status").check()
    chooser.locator('[data-action="add"]').click()
    head = reports.get_by_test_id("runs-of-report").locator("thead")
    expect(head).to_contain_text("Status")
    expect(reports.get_by_test_id("runs-of-report").locator("tbody")).to_contain_text("stopped")
    assert _blocks(page) == ["text", "text", "chart", "runs"]
    assert violations(page) == []
    chart = reports.get_by_test_id("block").nth(2)
    chart.focus()
    chart.press("Alt+ArrowUp")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "Chart, block 2 of 4")
    assert _blocks(page) == ["text", "chart", "text", "runs"]
    reports.get_by_test_id("block").nth(3).hover()
    handle = reports.locator('[data-action="drag"]').nth(3).bounding_box()
    top = reports.get_by_test_id("block").nth(0).bounding_box()
    assert handle is not None
    assert top is not None
    page.mouse.move(handle["x"] + 5, handle["y"] + 5)
    page.mouse.down()
    page.mouse.move(handle["x"] + 5, top["y"] + 2, steps=4)
    page.mouse.up()
    until(page, lambda: _blocks(page) == ["runs", "text", "chart", "text"])
    page.keyboard.press("Delete")  # the block that was moved has the focus
    until(page, lambda: _blocks(page) == ["text", "chart", "text"])
    page.keyboard.press("Control+z")
    until(page, lambda: _blocks(page) == ["runs", "text", "chart", "text"])
    reports.locator('[data-action="redo"]').click()
    until(page, lambda: _blocks(page) == ["text", "chart", "text"])
    expect(reports.get_by_role("status")).to_have_text("Saved")
    page.reload()
    expect(title).to_have_text("By blocks")
    until(page, lambda: _blocks(page) == ["text", "chart", "text"])
    reports.locator('.words [data-action="add-view"]').click()
    chooser.get_by_role("checkbox", name="This page as it is now").check()
    chooser.get_by_role("button", name="Add view").click()
    until(page, lambda: _blocks(page) == ["text", "chart", "text", "view"])
    link = reports.locator('[data-action="open-view"]')
    expect(link).to_have_attribute("href", re.compile("tab=reports.*locale=en"))
    reports.locator('.words [data-action="add-finding"]').click()
    expect(chooser.get_by_role("heading")).to_have_text("Add findings")
    page.keyboard.press("Escape")
    expect(reports.locator('.words [data-action="add-finding"]')).to_be_focused()


def test_a_deleted_report_comes_back_and_one_that_others_changed_keeps_both_texts(
    page: Page, url: str
) -> None:
    page.goto(f"{url}#locale=en&tab=reports")
    reports = page.get_by_test_id("reports")
    reports.locator('[data-action="new"], [data-action="first"]').first.click()
    title = reports.locator(".markdown h1")
    expect(title).to_have_text("Report")  # the new one, not the one that was open
    title.click()
    text = reports.locator('[data-control="block-text"]')
    text.fill("# Mine")
    assert page.context.browser is not None
    context = page.context.browser.new_context()  # another reader
    other = context.new_page()
    other.goto(f"{url}#{page.url.partition('#')[2]}")
    other.get_by_test_id("reports").locator(".markdown h1").click()
    other.locator('[data-control="block-text"]').fill("# Theirs")
    other.keyboard.press("Escape")
    expect(other.get_by_test_id("reports").get_by_role("status")).to_have_text("Saved")
    context.close()
    text.press("Escape")
    conflict = reports.get_by_test_id("conflict")
    expect(conflict).to_contain_text("Somebody else has changed this report")
    conflict.locator('[data-action="conflict.copy"]').click()
    expect(reports.locator("select")).to_have_value(re.compile(r"\(copy\)"))
    expect(title).to_have_text("Mine")
    name = reports.locator("select").input_value()
    reports.locator('[data-action="more"]').click()
    page.locator('[data-action="remove"]').click()
    expect(reports.locator("select")).not_to_have_value(name)
    page.locator(".ih-toast").last.get_by_role("button", name="Undo").click()
    expect(reports.locator("select")).to_have_value(name)
    expect(title).to_have_text("Mine")
    reports.locator('[data-action="more"]').click()
    page.locator('[data-action="remove"]').click()
    expect(reports.locator("select")).not_to_have_value(name)
    reports.locator("select").select_option(f"=deleted/{name[1:]}")
    expect(reports.get_by_test_id("deleted")).to_contain_text("was deleted")
    reports.locator('[data-action="restore"]').click()
    expect(reports.locator("select")).to_have_value(name)
    expect(title).to_have_text("Mine")


def test_a_host_that_saves_nothing_shows_reports_and_says_so_once(
    page: Page, logs: Path, serve: Serve
) -> None:
    page.goto(f"{serve('--logdir', logs)}#locale=en&tab=scalar&runs=a")
    _add(page, "loss")
    page.goto(f"{serve('--logdir', logs, '--read-only')}#locale=en&tab=reports&reports.open=Report")
    reports = page.get_by_test_id("reports")
    expect(reports.get_by_test_id("card-status")).to_contain_text("100 points")
    expect(reports.get_by_text("reports can only be read")).to_have_count(1)
    for action in ("new", "edit", "undo", "add-block", "drag"):
        expect(reports.locator(f'[data-action="{action}"]')).to_have_count(0)
    reports.locator('[data-action="more"]').click()
    expect(page.get_by_role("menuitem")).to_have_text(["Print"])


def test_blocks_that_this_host_cannot_show_stay_in_the_report(page: Page, url: str) -> None:
    page.goto(f"{url}#locale=en&tab=reports")
    reports = page.get_by_test_id("reports")
    reports.locator('[data-action="new"], [data-action="first"]').first.click()
    expect(reports.locator(".markdown h1")).to_have_text("Report")
    reports.locator('[data-action="edit"]').click()
    foreign = '```card\n{"plugin": "absent", "card": "mine", "state": {"absent.x": "1"}}\n```'
    later = '```card\n{"plugin": "reports", "card": "poll", "state": {}}\n```'
    reports.locator('[data-control="text"]').fill(f"# Old\n\n{foreign}\n\n{later}\n\nend\n")
    reports.locator('[data-action="save"]').click()
    until(page, lambda: _blocks(page) == ["text", "chart", "chart", "text"])
    alerts = reports.get_by_role("alert")
    expect(alerts).to_have_count(2)
    expect(alerts.first).to_contain_text("mine could not be shown; it stays in the report as it is")
    expect(alerts.last).to_contain_text("This version has no block “poll”")
    reports.get_by_test_id("block").last.focus()
    page.keyboard.press("Alt+ArrowUp")
    until(page, lambda: _blocks(page) == ["text", "chart", "text", "chart"])
    reports.locator('[data-action="edit"]').click()
    text = reports.locator('[data-control="text"]').input_value()
    assert text == f"# Old\n\n{foreign}\n\nend\n\n{later}\n"
