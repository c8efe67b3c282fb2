"""Cards whose horizontal axis is a metric, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.scalars_page import choose_axis

pytestmark = pytest.mark.browser


def test_a_metric_becomes_the_axis_that_the_link_keeps_and_that_grows(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "without") as other:
        other.scalar_block(["loss"], range(3), [[1.0]] * 3)
    with EventWriter(tmp_path / "a") as writer:
        writer.scalar_block(["loss", "tokens"], range(5), [[5.0 - i, 1000.0 * i] for i in range(5)])
        writer.flush()
        page.goto(f"{serve('--logdir', tmp_path, '--reload-interval', '1')}#locale=en&theme=light")
        drawn = card(page, "loss")
        status = drawn.get_by_test_id("card-status")
        expect(status).to_contain_text("8 points")
        axis = choose_axis(page, "metric")
        dialog = page.get_by_role("dialog")
        field = dialog.locator("[name=axis]")
        field.fill("tokens / ")
        field.press("Enter")
        expect(dialog.get_by_role("alert")).to_have_text("A value is missing at the end")
        field.fill("tok")
        dialog.locator('[data-tag="tokens"]').click()
        expect(dialog).to_have_count(0)
        expect(axis).to_have_text("tokens")
        expect(status).to_contain_text("5 points")
        expect(status).to_contain_text("1 run without tokens")
        page.reload()
        expect(status).to_contain_text("5 points")
        writer.scalar_block(["loss", "tokens"], range(5, 7), [[0.0, 1000.0 * i] for i in range(5, 7)])
        writer.flush()
        expect(status).to_contain_text("7 points")
    plot = drawn.get_by_role("img")
    plot.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    reading = page.get_by_role("dialog")
    expect(reading).to_contain_text("3000")
    expect(page).to_have_url(re.compile(r"cursor="))  # other tabs stand at its step
