"""Steps beyond 2^53, which JavaScript rounds, and long labels of the axis below a chart."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.scalars_page import display, open_page
from tests.browser.waiting import until
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

LARGE = 2**53
# remembers the texts that each canvas shows: text, left and right edge, line
TEXTS = """(() => {
  const shown = new WeakMap(), of = CanvasRenderingContext2D.prototype, { fillText, clearRect } = of;
  of.clearRect = function (...place) { shown.set(this.canvas, []); return clearRect.apply(this, place); };
  of.fillText = function (text, x, y, ...most) {
    const { a, b, d, e, f } = this.getTransform();
    const width = Math.min(this.measureText(text).width, most[0] ?? Infinity);
    const left = x - width * ({ center: 0.5, right: 1 }[this.textAlign] ?? 0);
    const place = [text, left + e / a, left + width + e / a, Math.round((y * d + f) / d)];
    if (b === 0 && text) (shown.get(this.canvas) ?? shown.set(this.canvas, []).get(this.canvas)).push(place);
    return fillText.call(this, text, x, y, ...most);
  };
  window.textsOf = (canvas) => shown.get(canvas) ?? [];
})()"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with steps that floats round, and curves whose steps have many digits."""
    logdir = tmp_path_factory.mktemp("steps")
    with EventWriter(logdir / "large") as writer:
        for number in range(1, 8, 2):
            writer.scalar("loss", LARGE + number, float(number))
            writer.image("picture", LARGE + number, png(np.full((4, 4, 3), 30 * number)), 4, 4)
    with EventWriter(logdir / "long") as writer:
        for start in (10**8, 15 * 10**8, 10**13):
            for number in range(11):
                writer.scalar(f"from {start}", start + number, float(number))
    return logdir


def test_steps_that_floats_round_are_exact_in_tooltip_and_table(
    page: Page, shared: Serve, logs: Path
) -> None:
    open_page(page, shared("--logdir", logs), "locale=en&runs=large")
    plot = card(page, "loss").locator(".plot")
    expect(card(page, "loss").get_by_test_id("card-status")).to_contain_text("4 points")
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 16, box["y"] + box["height"] / 2)
    tooltip = page.get_by_role("tooltip")
    expect(tooltip).to_contain_text("9,007,199,254,740,999")
    expect(tooltip).to_contain_text("Time")  # of the host, too
    expect(tooltip).not_to_contain_text("…")
    expect(tooltip).to_contain_text("9,007,199,254,740,999")
    display(page).locator('[data-value="table"]').click()
    expect(page.get_by_test_id("compare-table")).to_contain_text("9,007,199,254,740,993")
    expect(page.get_by_test_id("compare-table")).to_contain_text("9,007,199,254,740,999")


def test_a_slider_reaches_each_record_whose_step_floats_round(page: Page, shared: Serve, logs: Path) -> None:
    page.goto(f"{shared('--logdir', logs)}#tab=image&locale=en&runs=large")
    picture = card(page, "picture", "large")
    for index, number in enumerate(range(1, 8, 2)):
        picture.locator('[data-control="step"]').fill(str(index))
        expect(picture.get_by_test_id("step-label")).to_contain_text(f"{LARGE + number:,}")
        expect(picture.get_by_test_id("error-cell")).to_have_count(0)
    expect(picture.locator("[data-drawn], canvas, img").first).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_labels_of_long_steps_do_not_touch(page: Page, shared: Serve, logs: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.add_init_script(TEXTS)
    open_page(page, shared("--logdir", logs), "locale=en&runs=long")
    for start in (10**8, 15 * 10**8, 10**13):
        canvas = card(page, f"from {start}").locator("canvas").first
        until(page, lambda canvas=canvas: len(canvas.evaluate("canvas => textsOf(canvas)")) > 3)  # type: ignore[misc]
        texts = [
            text for text in canvas.evaluate("canvas => textsOf(canvas)") if text[0] != "step"
        ]  # the axis
        below = sorted(text[1:3] for text in texts if text[3] == max(text[3] for text in texts))
        assert len(below) >= 2
        assert all(after[0] > before[1] for before, after in pairwise(below)), texts
