"""A run that is hovered anywhere stands out everywhere, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

# Counts the lines that are drawn on canvases.
COUNT_STROKES = """
  window.strokes = 0;
  const stroke = CanvasRenderingContext2D.prototype.stroke;
  CanvasRenderingContext2D.prototype.stroke = function (...given) {
    window.strokes++;
    return stroke.apply(this, given);
  };
"""
LINES = 200
ODD = 'say "b" \\'


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("lines")
    for number in range(LINES):
        with EventWriter(logs / f"run {number:03d}") as writer:
            writer.scalar_block(["loss", "accuracy"], range(20), [[float(number)] * 2 for _ in range(20)])
    return logs


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("odd")
    for run in ("a", ODD):
        with EventWriter(logs / run) as writer:
            writer.histogram("weights", 0, np.arange(10.0))
    return logs


def test_a_run_that_is_hovered_in_the_list_stands_out_on_every_card(
    page: Page, shared: Serve, odd: Path
) -> None:
    page.goto(shared("--logdir", odd) + "#tab=histogram&locale=en&theme=light")
    a, other = card(page, "weights", "a"), page.get_by_test_id("card").filter(has_text="say")
    expect(a).to_have_css("opacity", "1")
    page.locator(".ih-run").filter(has_text="say").hover()
    expect(a).to_have_css("opacity", "0.35")
    expect(other).to_have_css("opacity", "1")
    a.locator("h3").hover()
    expect(a).to_have_css("opacity", "1")
    expect(other).to_have_css("opacity", "0.35")
    page.locator("#run-filter").hover()
    expect(other).to_have_css("opacity", "1")
    page.locator(".ih-run-list").focus()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    until(page, lambda: {a.evaluate(_OPACITY), other.evaluate(_OPACITY)} == {"1", "0.35"})


_OPACITY = "card => getComputedStyle(card).opacity"


def test_a_line_that_is_hovered_marks_its_run_and_draws_no_other_line_again(
    page: Page, shared: Serve, lines: Path
) -> None:
    page.add_init_script(COUNT_STROKES)
    page.goto(shared("--logdir", lines) + "#tab=scalar&locale=en&theme=light&runs=all&sort=name")
    plots = [card(page, tag).locator(".plot") for tag in ("loss", "accuracy")]
    for plot in plots:
        expect(plot.locator("canvas")).to_have_count(1)
    page.locator('.ih-run[data-run="run 003"]').hover()
    for plot in plots:
        expect(plot.locator("canvas")).to_have_count(2)  # the run, above the picture
    before = page.evaluate("() => strokes")
    for number in range(4, 14):
        page.locator(f'.ih-run[data-run="run {number:03d}"]').hover()
    until(page, lambda: page.evaluate("() => strokes") > before)
    assert page.evaluate("() => strokes") - before < LINES
    box = box_of(plots[0])
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("tr.closest")).to_be_visible()
    expect(plots[1].locator("canvas")).to_have_count(2)
    page.locator("#run-filter").hover()
    expect(plots[1].locator("canvas")).to_have_count(1)
