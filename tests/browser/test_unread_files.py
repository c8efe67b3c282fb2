"""What is there and not read: a line for each kind, where there are no runs and next to damaged places."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Files that nothing reads, and a data set, which is not counted."""
    for number in range(3):
        (tmp_path / f"model_{number}.pt").write_bytes(b"PK")
        (tmp_path / f"part_{number}.csv").write_text("a,b\n1,2\n")
    (tmp_path / "trainer.pickle").write_bytes(b"\x80")
    return tmp_path


def test_a_directory_without_runs_says_what_is_there(page: Page, serve: Serve, files: Path) -> None:
    page.goto(f"{serve('--logdir', files)}#locale=en")
    lines = page.get_by_test_id("unread").get_by_role("listitem")
    expect(lines).to_have_text([re.compile("^Checkpoints.* 3$"), re.compile("^Python pickles.* 1$")])


def test_the_palette_opens_the_list_next_to_runs(page: Page, serve: Serve, files: Path) -> None:
    with EventWriter(files / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{serve('--logdir', files)}#locale=zh-CN&tab=")
    expect(page.get_by_text("1 个训练", exact=True)).to_be_visible()
    page.keyboard.press("Control+k")
    palette = page.locator('[data-dialog="palette"]')
    palette.get_by_role("combobox").fill("未读取")
    assert not any("data/unread" in url for url in asked)
    palette.get_by_role("option").first.click()
    lines = page.get_by_test_id("unread").get_by_role("listitem")
    expect(lines).to_have_text([re.compile("模型检查点.*3$"), re.compile("pickle.*1$")])
