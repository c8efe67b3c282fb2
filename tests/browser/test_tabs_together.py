"""Tabs that lead to each other and share a step, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

STEPS = range(0, 200, 10)


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs")
    picture = png(np.zeros((2, 3), np.uint8))
    with EventWriter(logs / "run", "mindspore") as writer:
        for step in STEPS:
            writer.scalar("loss", step, 1 / (1 + step))
            writer.image("i", step, picture, 3, 2, channels=1)
    return logs


def _pin(page: Page) -> int:
    """Pins a reading of the chart of scalars; returns its step."""
    chart = page.locator('[data-plugin="scalar"]').get_by_test_id("card").locator("canvas").last
    box = chart.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    tooltip = page.locator(".tooltip.pinned")
    head = page.locator("th", has_text=re.compile("^step$", re.IGNORECASE))
    step = tooltip.locator("tr", has=head).locator("td").text_content()
    assert step is not None
    return int(step)


def _images(page: Page) -> Locator:
    return page.locator('[data-plugin="image"]').get_by_test_id("card")


def test_a_pinned_reading_leads_to_the_images_of_its_step_and_back(
    page: Page, shared: Serve, logdir: Path
) -> None:
    page.goto(shared("--logdir", logdir) + "#locale=en&theme=light&tab=scalar")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    expect(page.locator('[data-plugin="scalar"] .plot.busy')).to_have_count(0)
    step = _pin(page)
    assert step in STEPS[1:-1]
    page.locator('.tooltip [data-action="open-image"]').click()
    count = _images(page).get_by_test_id("step-count")
    expect(count).to_have_text(f"{STEPS.index(step) + 1} of {len(STEPS)}")
    page.wait_for_function(f"() => location.hash.includes('image.step={step}')")
    page.go_back()
    expect(page.locator('[data-plugin="scalar"]')).to_be_visible()


def test_a_point_leads_to_its_step_without_a_mouse_and_the_nearest_one_is_named(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    picture = png(np.zeros((2, 3), np.uint8))
    with EventWriter(tmp_path / "run", "mindspore") as writer:
        for step in range(1740, 1745):
            writer.scalar("loss", step, 1.0)
        for step in (1730, 1740, 1750):
            writer.image("i", step, picture, 3, 2, channels=1)
    page.goto(serve("--logdir", tmp_path) + "#locale=en&theme=light&tab=scalar")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    expect(page.locator('[data-plugin="scalar"] .plot.busy')).to_have_count(0)
    page.locator('[data-plugin="scalar"] [data-ready] [tabindex="0"]').focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    target = page.locator('.tooltip.pinned [data-action="open-image"]')
    expect(target).to_be_visible()
    for _ in range(40):
        if target.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    label = _images(page).get_by_test_id("step-label")
    expect(label).to_contain_text("1,740")
    expect(label).to_contain_text("1,742")
    page.keyboard.press("Control+k")
    page.locator('[data-dialog="palette"]').get_by_role("combobox").fill("Images at step 1")
    expect(page.locator('[data-dialog="palette"]').get_by_role("option").first).to_contain_text("1,742")


def test_linked_sliders_follow_the_pinned_step_and_take_it_along(
    page: Page, shared: Serve, logdir: Path
) -> None:
    page.goto(shared("--logdir", logdir) + "#locale=en&theme=light&tab=scalar&image.link=1")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    expect(page.locator('[data-plugin="scalar"] .plot.busy')).to_have_count(0)
    step = _pin(page)
    page.wait_for_function(f"() => location.hash.includes('cursor={step}')")
    page.get_by_role("tab", name="Images").click()
    count = _images(page).get_by_test_id("step-count")
    expect(count).to_have_text(f"{STEPS.index(step) + 1} of {len(STEPS)}")
    _images(page).get_by_role("slider").press("ArrowRight")
    expect(count).to_have_text(f"{STEPS.index(step) + 2} of {len(STEPS)}")
    page.wait_for_function(f"() => location.hash.includes('cursor={step + 10}')")


@pytest.mark.parametrize(("language", "text"), [("en", "Go to smoothing"), ("zh-CN", "转到平滑度")])
def test_commands_of_an_opened_tab_are_in_the_palette(
    page: Page, shared: Serve, logdir: Path, language: str, text: str
) -> None:
    page.goto(shared("--logdir", logdir) + f"#locale={language}&theme=light&tab=scalar")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    page.locator("#tab-image").click()
    expect(_images(page)).to_have_count(1)
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill(text)
    page.get_by_role("option").filter(has_text=text).first.click()
    expect(page.locator('[data-plugin="scalar"]')).to_be_visible()
    expect(page.locator("#smoothing")).to_be_focused()
