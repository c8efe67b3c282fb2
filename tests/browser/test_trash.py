"""Trash, installed by pip: a run goes to the trash of the system from its menu, after a confirmation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.header import choose_in_page_menu

pytestmark = pytest.mark.browser


def test_a_run_goes_to_the_trash_from_its_menu(
    page: Page,
    serve: Callable[..., str],
    tmp_path: Path,
    violations: Callable[[Page], list[str]],
) -> None:
    home, logs = tmp_path / "home", tmp_path / "logs"
    home.mkdir()
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    for run in ("bad", "good", "good/part"):
        with EventWriter(logs / run) as writer:
            writer.scalar("loss", 1, 0.5)
    url = serve("--logdir", logs, "--allow-delete", environment=environment)
    page.goto(f"{url}#locale=zh-CN&theme=light&tab=scalar")
    page.locator('.ih-header [data-action="page"]').click()
    expect(page.get_by_role("menu").locator('[data-action="trash"]')).to_be_visible()
    page.keyboard.press("Escape")

    def ask(run: str) -> None:
        page.locator(f'.ih-run[data-run="{run}"]').click(button="right")
        page.locator('[data-action="trash-move"]').click()  # there once the page has what plugins contribute

    dialog = page.locator('dialog[data-dialog="trash"]')
    ask("good")  # another run is below it
    expect(dialog.locator('[data-name="directory"]')).to_have_text(str(logs / "good"))
    expect(dialog.locator('[data-name="files"]')).to_have_text("1")
    dialog.locator('[data-action="cancel"]').click()
    expect(dialog).to_have_count(0)
    ask("bad")
    expect(dialog.locator('[data-name="run"]')).to_have_text("bad")
    expect(dialog.locator('[data-name="directory"]')).to_have_text(str(logs / "bad"))
    size = sum(path.stat().st_size for path in (logs / "bad").iterdir())
    expect(dialog.locator('[data-name="size"]')).to_contain_text(f"{size:,}")
    assert violations(page) == []
    assert (logs / "bad").exists()
    dialog.locator('[data-action="move"]').click()
    expect(page.locator('.ih-run[data-run="bad"]')).to_have_count(0)
    expect(page.locator('.ih-run[data-run="good"]')).to_be_visible()
    assert (home / "data/Trash/files/bad").is_dir()
    assert not (logs / "bad").exists()
    choose_in_page_menu(page, "trash")
    expect(page.locator("#tab-trash")).to_have_attribute("aria-selected", "true")
    expect(page.locator('[data-moved="bad"]')).to_contain_text(str(logs / "bad"))
    assert violations(page) == []
