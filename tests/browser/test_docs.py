"""The documentation that the host has with it: found by Ctrl K, read in the page, without another server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_the_palette_finds_a_page_and_its_links_lead_on(page: Page, shared: Serve, six_runs: Path) -> None:
    url = shared("--logdir", six_runs)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}#locale=en")
    page.locator(".ih-command").click()
    field = page.get_by_role("dialog").get_by_role("combobox")
    field.fill("ask in sql")
    expect(page.get_by_role("dialog").get_by_role("option").first).to_contain_text("Documentation")
    field.press("Enter")
    dialog = page.locator('[data-dialog="docs"]')
    expect(dialog.get_by_role("heading", level=2).first).to_have_text("Ask in SQL")
    text = dialog.get_by_test_id("doc")
    expect(text).to_contain_text("insight-host sql")
    text.get_by_role("link", name="commands that read logs").first.click()
    expect(dialog.get_by_role("heading", level=2).first).to_have_text("Read logs from Python")
    expect(text).not_to_be_empty()
    dialog.locator('[data-action="all-docs"]').click()
    expect(dialog.locator('[data-doc="words.md"]')).to_have_text("Words")
    assert {urljoin(one, "/") for one in asked} == {urljoin(url, "/")}


def test_chinese_readers_find_a_page_by_its_title_in_either_language(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    page.goto(f"{shared('--logdir', six_runs)}#locale=zh-CN")
    page.locator(".ih-command").click()
    field = page.get_by_role("dialog").get_by_role("combobox")
    for typed in ("查询运行", "ask in sql"):
        field.fill(typed)
        expect(page.get_by_role("dialog").get_by_role("option", name="用 SQL 查询")).to_be_visible()
    field.press("Enter")
    dialog = page.locator('[data-dialog="docs"]')
    expect(dialog.get_by_role("heading", level=2).first).to_have_text("用 SQL 查询")
    expect(dialog.get_by_test_id("doc")).to_contain_text("insight-host sql")


def test_the_host_has_each_page_as_it_was_written(shared: Serve, six_runs: Path, repository: Path) -> None:
    at = urljoin(shared("--logdir", six_runs), "static/docs/")
    with urlopen(urljoin(at, "index.json")) as answer:
        pages = json.load(answer)
    listed = {page["path"] for page in pages}
    assert {path.name for path in (repository / "docs/how-to").glob("*.md")} == {
        path.removeprefix("how-to/") for path in listed if path.startswith("how-to/")
    }
    assert {"words.md", "reference/flags.md", "reference/filter.md"} < listed
    for page in pages:
        assert page["titles"]["zh-CN"] != page["titles"]["en"], page["path"]
    for path in listed:
        with urlopen(urljoin(at, path)) as answer:
            assert answer.read() == (repository / "docs" / path).read_bytes(), path
