"""Series that are computed from others, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

pytestmark = pytest.mark.browser


def named(page: Page, title: str) -> Locator:
    return page.get_by_test_id("card").filter(has=page.get_by_role("heading", name=title))


def test_a_computed_series_is_a_card_that_the_link_keeps_and_that_grows(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.scalar_block(["train/loss", "val/loss"], range(10), [[1.0, 3.0]] * 10)
        writer.flush()
        page.goto(f"{serve('--logdir', tmp_path, '--reload-interval', '1')}#locale=zh-CN&theme=light")
        expect(card(page, "val/loss").get_by_test_id("card-status")).to_contain_text("10")
        page.keyboard.press("e")
        dialog = page.get_by_role("dialog")
        field = dialog.locator("[name=expression]")
        field.fill("train/loss - va")
        dialog.locator('[data-tag="val/loss"]').click()
        expect(field).to_have_value("train/loss - val/loss")
        field.press_sequentially(" +")
        field.press("Enter")
        expect(dialog.get_by_role("alert")).to_have_text("末尾缺少值")
        field.fill("train/loss - val/loss")
        dialog.locator("[name=name]").fill("gap")
        field.press("Enter")
        expect(dialog).to_have_count(0)
        made = named(page, "gap")
        expect(made.get_by_role("heading")).to_have_text("gap")
        expect(page).to_have_url(re.compile(r"scalar\.derived="))
        page.reload()
        status = made.get_by_test_id("card-status")
        expect(status).to_contain_text("10 个点")
        writer.scalar_block(["train/loss", "val/loss"], range(10, 12), [[1.0, 3.0]] * 2)
        writer.flush()
        expect(status).to_contain_text("12 个点")
    made.hover()
    made.locator('[data-action="export"]').click()
    with page.expect_download() as saved:
        page.locator('[data-action="export-json"]').click()
    [series] = json.loads(saved.value.path().read_text())["series"]
    assert (series["steps"], series["values"]) == (list(range(12)), [-2.0] * 12)


def test_a_computed_series_that_the_host_keeps_is_there_in_another_browser(
    page: Page, browser: Browser, serve: Callable[..., str], tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.scalar_block(["train/loss", "val/loss"], range(10), [[1.0, 3.0]] * 10)
    url = f"{serve('--logdir', tmp_path)}#locale=en&theme=light"
    derived = "scalar.derived=%2522train%252Floss%2522%2520-%2520%2522val%252Floss%2522%3Dgap"
    page.goto(f"{url}&{derived}")
    gap = named(page, "gap")
    expect(gap.get_by_test_id("card-status")).to_contain_text("10 points")
    page.keyboard.press("e")
    keep = page.get_by_role("dialog").locator('[data-action="keep"]')
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "true")
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(url)
        there = named(other, "gap")
        expect(there.get_by_test_id("card-status")).to_contain_text("10 points")
        other.keyboard.press("e")
        other.get_by_role("dialog").locator('[data-action="delete"]').click()
        expect(there).to_have_count(0)
    expect(keep).to_have_attribute("aria-pressed", "false")  # the link of this page still has it
    expect(gap).to_have_count(1)
