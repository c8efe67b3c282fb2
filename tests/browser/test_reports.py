"""Reports: cards are added from their menus, live, printed, and saved as a file that works offline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

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
    expect(page.locator(".ih-toast").last).to_contain_text("Added to the report")


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
    reports.locator("select").select_option("=Report")
    cards = reports.get_by_test_id("live-card")
    expect(cards).to_have_count(2)
    expect(cards.nth(0).get_by_test_id("card-status")).to_contain_text("100 points")
    expect(cards.nth(1).get_by_test_id("card-status")).to_contain_text("200 points")
    reports.locator('[data-action="edit"]').click()
    field = reports.locator("textarea")
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
    markdown = reports.locator(".markdown").first
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
    page.goto((tmp_path / "report.html").as_uri())
    expect(title).to_have_text("What we saw")
    expect(cards.nth(0).get_by_test_id("card-status")).to_contain_text("100 points")
    expect(cards.nth(1).get_by_test_id("card-status")).to_contain_text("200 points")
    expect(reports.locator('[data-action="new"]')).to_be_disabled()  # nothing can be saved there
