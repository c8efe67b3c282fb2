"""Views that users save: they come back in another browser, and nobody overwrites another's unnoticed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

TAGS = [f"layer_{number}/loss" for number in range(40)]
PINNED = [TAGS[3], TAGS[17], TAGS[30], TAGS[39]]


def write_runs(logs: Path, runs: tuple[str, ...] = ("adam", "sgd"), tags: list[str] = TAGS) -> None:
    for run in runs:
        with EventWriter(logs / run) as writer:
            writer.scalar_block(tags, range(5), [[1.0] * len(tags)] * 5)


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("two_runs")
    write_runs(logs)
    return logs


def _dialog(page: Page) -> Locator:
    page.locator('[data-action="share"]').click()
    dialog = page.locator('[data-dialog="share"]')
    expect(dialog.locator("[data-control=view-name]")).to_be_visible()
    return dialog


def _save(dialog: Locator, name: str) -> None:
    dialog.locator('[data-control="view-name"]').fill(name)
    dialog.locator('[data-action="view-save"]').click()
    expect(dialog.get_by_role("status")).to_contain_text(f"“{name}” was saved")


def _names(dialog: Locator) -> Locator:
    return dialog.locator('[data-action="view-open"]')


def _pinned(page: Page) -> Locator:
    return page.locator('[data-group="pinned"] [data-testid="card"]')


def _state(tags: list[str] = PINNED, run: str = "sgd") -> str:
    return f"#locale=en&scalar.pins={';'.join(tags)}&runs={run}&sort=name"


def test_the_default_view_comes_back_in_a_new_profile_and_an_explicit_link_wins(
    page: Page, serve: Serve, two_runs: Path, browser: Browser, violations: Callable[[Page], list[str]]
) -> None:
    url = serve("--logdir", two_runs)
    page.goto(url + _state())
    expect(_pinned(page)).to_have_count(4)
    dialog = _dialog(page)
    _save(dialog, "四个 / four")
    dialog.locator('[data-action="view-start"]').click()
    expect(dialog.locator('[data-action="view-start"]')).to_have_attribute("aria-pressed", "true")
    assert violations(page) == []

    other = browser.new_context().new_page()
    other.goto(url)
    expect(_pinned(other)).to_have_count(4)
    expect(other.get_by_test_id("run-count")).to_have_text(re.compile("^1 "))
    expect(other).to_have_url(re.compile("scalar.pins=.*runs=sgd"))
    assert "locale" not in other.url, "the language is the reader's"
    other.goto(f"{url}#tab=scalar&locale=en")
    other.reload()
    expect(other.get_by_test_id("run-count")).to_have_text("2 / 2")
    expect(_pinned(other)).to_have_count(0)
    other.context.close()


def test_views_are_renamed_duplicated_deleted_and_moved_as_files(
    page: Page, serve: Serve, two_runs: Path, tmp_path: Path
) -> None:
    page.goto(serve("--logdir", two_runs) + _state())
    dialog = _dialog(page)
    _save(dialog, "first")
    row = dialog.locator('[data-view="first"]')
    row.locator('[data-action="view-duplicate"]').click()
    expect(_names(dialog)).to_have_text(["first", "first (2)"])
    row.locator('[data-action="view-rename"]').click()
    field = dialog.locator('[data-control="view-rename"]')
    field.press("Escape")
    expect(_names(dialog)).to_have_text(["first", "first (2)"])
    row.locator('[data-action="view-rename"]').click()
    field.fill("first (2)")
    field.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("first (2)")
    row.locator('[data-action="view-rename"]').click()
    field.fill("renamed")
    field.press("Enter")
    expect(_names(dialog)).to_have_text(["first (2)", "renamed"])

    with page.expect_download() as download:
        dialog.locator('[data-action="views-export"]').click()
    file = tmp_path / "views.json"
    download.value.save_as(file)
    assert [view["name"] for view in json.loads(file.read_text())["views"]] == ["first (2)", "renamed"]

    dialog.locator('[data-view="renamed"] [data-action="view-remove"]').click()
    expect(_names(dialog)).to_have_text(["first (2)"])
    dialog.locator('[data-action="view-undo"]').click()
    expect(_names(dialog)).to_have_text(["first (2)", "renamed"])
    dialog.locator('[data-view="renamed"] [data-action="view-remove"]').click()
    expect(_names(dialog)).to_have_text(["first (2)"])
    dialog.locator("input[type=file]").set_input_files(file)
    expect(_names(dialog)).to_have_text(["first (2)", "first (3)", "renamed"])
    dialog.locator("input[type=file]").set_input_files(
        {"name": "x.json", "mimeType": "application/json", "buffer": b"[]"}
    )
    expect(dialog.get_by_role("alert")).to_contain_text("holds no views")


def test_of_two_people_who_save_one_name_neither_loses_anything_unnoticed(
    page: Page, serve: Serve, two_runs: Path, browser: Browser
) -> None:
    url = serve("--logdir", two_runs)
    page.goto(url + _state())
    mine = _dialog(page)
    _save(mine, "ours")
    other = browser.new_context().new_page()
    other.goto(url + "#locale=en")
    theirs = _dialog(other)
    theirs.locator('[data-view="ours"] [data-action="view-open"]').click()
    expect(_pinned(other)).to_have_count(4)
    _pinned(other).first.locator('[data-action="export"]').click()
    other.get_by_role("menu").locator('[data-action="pin"]').click()
    expect(_pinned(other)).to_have_count(3)
    theirs = _dialog(other)
    expect(theirs.locator('[data-view="ours"]')).to_contain_text("shown, changed since")
    _save(theirs, "ours")

    mine.locator('[data-action="view-save"]').click()
    expect(mine.get_by_role("alert")).to_contain_text("was changed on another page")
    mine.locator('[data-view="ours"] [data-action="view-open"]').click()
    expect(_pinned(page)).to_have_count(3)
    page.go_back()
    expect(_pinned(page)).to_have_count(4)
    other.context.close()


def test_a_view_says_which_runs_and_tags_are_gone_and_shows_the_rest(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    write_runs(tmp_path / "before", ("adam", "sgd", "lost"), ["loss", "gone/loss"])
    page.goto(serve("--logdir", tmp_path / "before") + _state(["loss", "gone/loss"], "sgd;lost"))
    dialog = _dialog(page)
    _save(dialog, "old")
    with page.expect_download() as download:
        dialog.locator('[data-action="view-export"]').click()
    download.value.save_as(tmp_path / "old.json")

    write_runs(tmp_path / "after", ("adam", "sgd"), ["loss"])
    page.goto(serve("--logdir", tmp_path / "after") + "#locale=en")
    dialog = _dialog(page)
    dialog.locator("input[type=file]").set_input_files(tmp_path / "old.json")
    _names(dialog).click()
    expect(page.locator(".ih-toast")).to_contain_text("2 names in the view “old” are gone")
    expect(_pinned(page)).to_have_count(1)
    expect(page.get_by_test_id("run-count")).to_have_text("1 / 2")
    expect(_dialog(page)).to_contain_text("gone/loss, lost")


def test_a_host_that_saves_nothing_leaves_views_to_the_browser(
    page: Page, serve: Serve, two_runs: Path
) -> None:
    url = serve("--logdir", two_runs, "--read-only")
    page.goto(url + _state().replace("locale=en", "locale=zh-CN"))
    dialog = _dialog(page)
    expect(dialog).to_contain_text("视图保存在当前浏览器中")
    dialog.locator('[data-control="view-name"]').fill("mine")
    dialog.locator('[data-control="view-name"]').press("Enter")
    expect(_names(dialog)).to_have_text(["mine"])
    dialog.locator('[data-action="view-start"]').click()
    expect(dialog.locator('[data-action="view-start"]')).to_have_attribute("aria-pressed", "true")
    page.goto("about:blank")
    page.goto(url)
    expect(_pinned(page)).to_have_count(4)
    page.keyboard.press("Shift+S")
    expect(_names(page.locator('[data-dialog="share"]'))).to_have_text(["mine"])
    expect(page.locator('[data-control="view-name"]')).to_be_focused()
