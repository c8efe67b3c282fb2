"""The list of damaged places is the kit's table, which the page imports when the list is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
RUNS = 40


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs whose files end in garbage, ever later."""
    logs = tmp_path_factory.mktemp("damaged")
    for run in range(RUNS):
        with EventWriter(logs / f"run{run:02}") as writer:
            for step in range(run + 1):
                writer.scalar("loss", step, 1.0)
        [file] = (logs / f"run{run:02}").iterdir()
        with file.open("ab") as stream:
            stream.write(b"\xff" * 64)
    return logs


def test_damage_is_sorted_and_walked_by_keys(page: Page, shared: Serve, damaged: Path) -> None:
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    page.goto(f"{shared('--logdir', damaged)}#locale=en&theme=light&tab=")
    badge = page.get_by_role("button", name="damaged", exact=False).last
    expect(badge).to_contain_text(str(RUNS))
    assert not any("kit-table" in url for url in scripts)
    badge.click()
    table = page.get_by_test_id("damage-table")
    expect(table).to_have_attribute("data-rows", str(RUNS))
    offset = table.locator('.line.head [aria-colindex="3"] button')
    offset.click()
    expect(first(table, 1)).to_have_text("run00")
    offset.click()
    expect(first(table, 1)).to_have_text(f"run{RUNS - 1}")
    table.press("End")
    expect(table.locator(".line.active")).to_contain_text("run00")


def first(table: Locator, line: int) -> Locator:
    return table.locator(".line").nth(line).locator('[aria-colindex="1"]')


def test_reasons_are_in_the_language_of_the_page_those_of_plugins_too(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/metrics.jsonl").write_text('{"step": 1, "loss": 2}\n{"step": "x", "loss": 3}\n[]\n')
    with EventWriter(tmp_path / "b") as writer:
        writer.scalar("loss", 0, 1.0)
    with writer.path.open("r+b") as stream:
        stream.truncate(writer.path.stat().st_size - 3)
    page.goto(f"{serve('--logdir', tmp_path)}#locale=zh-CN&theme=light&tab=")
    page.get_by_role("button", name="损坏").last.click()
    table = page.get_by_test_id("damage-table")
    for line, reason in ((1, "步数为“x”"), (2, "不是 JSON 对象"), (3, "记录不完整")):
        expect(table.locator(".line").nth(line).locator('[aria-colindex="4"]')).to_contain_text(reason)
