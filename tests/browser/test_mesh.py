"""The 3D tab, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card, drawer
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
SIDES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 9]], np.int32)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with a mesh at two steps, one of them damaged at the last."""
    logdir = tmp_path_factory.mktemp("meshes")
    for run, last in (("one", CORNERS * 2), ("two", CORNERS[:, :2])):
        with EventWriter(logdir / run) as writer:
            for step, points in ((1, CORNERS), (2, last)):
                writer.tensor("shape_VERTEX", step, points, plugin="mesh")
                writer.tensor("shape_FACE", step, SIDES, plugin="mesh")
    return logdir


def test_a_shape_keeps_its_digits_when_it_leaves_the_scale_of_all_runs(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """A ring of radius 1 next to a run in map coordinates is drawn as on a page that never had one scale."""
    turn = 2 * np.pi * np.arange(200) / 200
    ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], 1).astype(np.float32)
    for run, points in (
        ("ring", ring),
        ("map", CORNERS * 60 + np.array([500_000, 4_600_000, 100], np.float32)),
    ):
        with EventWriter(tmp_path / run) as writer:
            writer.tensor("shape_VERTEX", 1, points, plugin="mesh")
    url = serve("--logdir", tmp_path)
    page.goto(f"{url}#tab=mesh&locale=en")
    stage = card(page, "shape_VERTEX", "ring").locator("canvas").first
    picture = "canvas => canvas.toDataURL()"
    together = stage.evaluate(picture)
    drawer(page).locator('[data-action="scale"]').click()
    expect(page).to_have_url(re.compile("mesh.scale"))
    until(page, lambda: stage.evaluate(picture) != together)
    alone = stage.evaluate(picture)
    page.reload()
    expect(card(page, "shape_VERTEX", "ring").locator("[data-drawn]")).to_have_attribute(
        "data-drawn", "1 200 0"
    )
    until(page, lambda: stage.evaluate(picture) == alone)


def test_a_mesh_is_turned_by_keys_for_all_runs_and_kept_in_the_link(
    page: Page, shared: Serve, logs: Path
) -> None:
    url = shared("--logdir", logs)
    page.goto(f"{url}#tab=mesh&locale=en")
    one, two = card(page, "shape_VERTEX", "one"), card(page, "shape_VERTEX", "two")
    expect(one.get_by_test_id("card-status")).to_have_text(
        "4 points · 3 triangles · triangles with a corner that is not a point: 1"
    )
    expect(two.get_by_test_id("error-cell")).to_contain_text("has the shape [4, 2], not [samples, rows, 3]")
    two.get_by_role("button", name="Previous step").click()
    expect(two.locator("[data-drawn]")).to_have_attribute("data-drawn", "1 4 3")
    before = two.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
    stage = one.get_by_test_id("stage")
    stage.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"mesh\.cameras=shape_VERTEX(=|%3D)36_20_1(&|$)"))
    assert two.locator("canvas").first.evaluate("canvas => canvas.toDataURL()") != before
    stage.press("0")
    expect(page).not_to_have_url(re.compile("mesh.cameras"))
    page.locator('[data-action="sides"]').click()
    page.get_by_role("menuitem", name="Look from the front").click()
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2 - 20, box["y"] + box["height"] / 2 + 20)
    expect(one.get_by_test_id("reading")).to_contain_text("Point ")
