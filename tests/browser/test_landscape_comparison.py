"""Final landscapes of several runs, side by side and upon each other, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from insight_landscape import compute
from playwright.sync_api import Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.browser.asking import data_requests
from tests.browser.landscapes_page import (
    ACROSS,
    AXIS,
    DOWN,
    FORMS,
    bowl,
    changed,
    drawn,
    opened,
    pick,
    pixels,
    vivid,
)
from tests.browser.places import within
from tests.browser.waiting import until
from tests.support.landscapes import LOSS_LANDSCAPE, mindspore_landscape, points

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("window", [(1280, 800), (1920, 1080)])
def test_tiles_use_the_height_of_the_window(
    page: Page, shared: Serve, landscapes: Path, window: tuple[int, int], count: int
) -> None:
    page.set_viewport_size({"width": window[0], "height": window[1]})
    runs = ",".join("ab"[:count])
    panel = opened(page, shared("--logdir", landscapes), f"&landscape.mode=comparison&runs={runs}")
    cards = panel.get_by_test_id("card")
    expect(cards).to_have_count(count)
    drawn(panel, "contour")
    place = panel.get_by_test_id("tiles").bounding_box()
    boxes = [cards.nth(n).bounding_box() for n in range(count)]
    assert place is not None
    assert place["height"] > 0.6 * window[1]
    for box in boxes:
        assert box is not None
        assert 0.7 * place["height"] < box["height"] <= place["height"]
        assert box["y"] + box["height"] <= window[1]


@pytest.mark.parametrize("form", FORMS)
def test_final_landscapes_side_by_side_and_upon_each_other(
    page: Page, shared: Serve, landscapes: Path, form: str
) -> None:
    panel = opened(page, shared("--logdir", landscapes), f"&landscape.mode=comparison&landscape.form={form}")
    expect(panel.get_by_test_id("stage")).to_have_count(2)
    drawn(panel, form)
    expect(panel.get_by_test_id("comparison-status")).to_contain_text("2 of 2")
    summary = panel.get_by_test_id("summary").locator("strong")
    expect(summary).to_have_text(["a", "b"])  # by their last loss
    if form == "surface":  # one camera
        pictures = panel.get_by_test_id("picture")
        before = [pixels(pictures.nth(n)) for n in range(2)]
        panel.get_by_test_id("stage").first.focus()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        until(page, lambda: all(changed(pictures.nth(n), before[n]) > 0.02 for n in range(2)))
    pick(panel, "layout", "overlaid")
    expect(panel.get_by_test_id("stage")).to_have_count(1)
    drawn(panel, form, 2)
    legend = panel.get_by_test_id("legend")
    expect(legend.locator('[data-run="a"]')).to_have_attribute("aria-pressed", "true")
    panel.get_by_test_id("legend").hover()
    first = pixels(panel.get_by_test_id("picture"))
    legend.locator('[data-run="b"]').click()
    expect(legend.locator('[data-run="b"]')).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("landscape.front=b"))
    until(page, lambda: changed(panel.get_by_test_id("picture"), first, 30) > 0.02)
    if form != "surface":
        panel.get_by_test_id("stage").hover()
        expect(panel.get_by_test_id("loss")).to_have_count(2)


def test_only_what_is_looked_at_is_asked_for(page: Page, shared: Serve, landscapes: Path) -> None:
    asked = data_requests(page, "/landscape/intervals?")
    panel = opened(page, shared("--logdir", landscapes))
    drawn(panel, "contour")
    assert [url.split("?")[1] for url in asked] == ["run=b"]  # the newest, as the run panel lists them
    page.locator('.ih-run[data-run="a"]').click()
    drawn(panel, "contour")
    expect(panel.locator('[data-control="interval"] option')).to_have_count(2)
    pick(panel, "mode", "comparison")
    expect(panel.get_by_test_id("stage")).to_have_count(2)
    assert [url.split("?")[1] for url in asked] == ["run=b", "run=a"]


def test_many_runs_upon_each_other_can_be_told_apart(page: Page, serve: Serve, tmp_path: Path) -> None:
    for n in range(6):
        z = np.add.outer(2 * (AXIS - 0.1 * n) ** 2, (AXIS + 0.1 * n) ** 2)
        with EventWriter(tmp_path / f"run{n}", "mindspore") as writer:
            message = mindspore_landscape(points(AXIS, AXIS, z), convergence=points([0], [0], [0]))
            writer.values(0, [wire.value("landscape_[1]", LOSS_LANDSCAPE, message)])
    panel = opened(
        page,
        serve("--logdir", tmp_path),
        "&landscape.mode=comparison&landscape.layout=overlaid&landscape.form=topographic",
    )
    picture = drawn(panel, "topographic", 6)
    assert vivid(picture) > 0.3
    expect(panel.get_by_test_id("comparison-status")).to_contain_text("1 of 5 lines")
    pick(panel, "form", "surface")
    drawn(panel, "surface", 6)
    pick(panel, "layout", "tiled")
    expect(panel.get_by_test_id("stage")).to_have_count(6)
    expect(panel.get_by_test_id("scale")).to_contain_text("0")
    for n in range(6):  # each fills its tile
        assert vivid(panel.get_by_test_id("picture").nth(n), 40) > 0.12


def test_a_tile_leads_to_its_analysis_and_back(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes), "&landscape.mode=comparison")
    expect(panel.get_by_test_id("card")).to_have_count(2)
    panel.locator('[data-card-run="b"] [data-action="analyse"]').click()
    expect(page.locator('.ih-run[aria-selected="true"]')).to_have_attribute("data-run", "b")
    expect(panel.locator('[data-control="interval"]')).to_have_value("final")
    page.go_back()
    expect(panel.get_by_test_id("card")).to_have_count(2)


def test_what_is_read_stays_within_the_picture(page: Page, serve: Serve, tmp_path: Path) -> None:
    for n in range(4):
        compute(
            bowl, {"w": np.zeros((1, 2))}, size=5, directions=(ACROSS, DOWN), log_dir=tmp_path / (f"{n}" * 90)
        )
    panel = opened(page, serve("--logdir", tmp_path), "&landscape.mode=comparison&landscape.layout=overlaid")
    drawn(panel, "contour", 4)
    stage = panel.get_by_test_id("stage")
    box = stage.bounding_box()
    assert box is not None
    for x, y in ((0.49, 0.5), (0.51, 0.9), (0.2, 0.9), (0.8, 0.1)):
        stage.hover(position={"x": box["width"] * x, "y": box["height"] * y})
        until(page, lambda: within(panel.get_by_test_id("reading"), box))
