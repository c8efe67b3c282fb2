"""The Embeddings tab, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

CLUSTERS, EACH = 3, 20


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with three clusters of 20 points, point 7 apart from its own; another with a broken file."""
    logdir = tmp_path_factory.mktemp("embeddings")
    generator = np.random.default_rng(0)
    centres = np.eye(CLUSTERS, 6, dtype=np.float32) * 10
    points = np.repeat(centres, EACH, axis=0) + generator.normal(size=(60, 6)).astype(np.float32) / 10
    points[7] = points[25]
    run = logdir / "good"
    run.mkdir()
    points.tofile(run / "points.bytes")
    rows = [f"cluster {number // EACH}\tpoint {number}" for number in range(60)]
    (run / "names.tsv").write_text("\n".join(["group\tname", *rows]) + "\n", encoding="utf-8")
    (run / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "p" tensor_path: "points.bytes" tensor_shape: [60, 6] '
        'metadata_path: "names.tsv" }',
        encoding="utf-8",
    )
    (logdir / "broken").mkdir()
    (logdir / "broken/t.tsv").write_text("1\t2\n3\tfour\n", encoding="utf-8")
    (logdir / "broken/projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "t" tensor_path: "t.tsv" }', encoding="utf-8"
    )
    return logdir


@pytest.fixture
def tab(page: Page, shared: Serve, logs: Path) -> Locator:
    url = shared("--logdir", logs)
    page.goto(f"{url}#tab=embeddings&locale=en&sort=name&embeddings.run=good")
    found = page.locator('[data-plugin="embeddings"]')
    expect(found.locator('[data-drawn="60"]')).to_be_visible()
    return found


def test_a_point_is_searched_its_neighbours_selected_and_the_selection_saved(
    page: Page, tab: Locator
) -> None:
    tab.get_by_role("combobox", name="Label").select_option("name")
    tab.get_by_role("searchbox").fill("point 7")
    tab.locator('[data-testid="search"] [data-point="7"]').click()
    chosen = tab.locator('[data-testid="chosen"]')
    expect(chosen.locator("dd")).to_have_text(["cluster 0", "point 7", "7"])
    expect(tab.locator('[data-testid="neighbours"] button').first).to_have_text(re.compile(r"point 25\s*0$"))
    expect(page).to_have_url(re.compile(r"embeddings\.point=7(&|$)"))
    tab.locator('[data-testid="legend"] button', has_text="cluster 2").click()
    selection = tab.locator('[data-testid="selection"]')
    expect(selection.get_by_role("status")).to_have_text("20 points selected")
    selection.get_by_placeholder("Name of the selection").fill("third")
    selection.get_by_role("button", name="Save").click()
    selection.get_by_role("button", name="Clear").click()
    page.reload()
    selection.get_by_role("button", name="third", exact=True).click()
    expect(selection.get_by_role("status")).to_have_text("20 points selected")
    selection.get_by_role("button", name="Show only these").click()
    expect(tab.get_by_test_id("card-status")).to_contain_text("only 20 shown")


def test_a_box_selects_points_and_keys_turn_the_picture(page: Page, tab: Locator) -> None:
    stage = tab.get_by_test_id("stage")
    box = stage.bounding_box()
    assert box is not None
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(tab.locator('[data-testid="selection"] [role=status]')).to_have_text("60 points selected")
    stage.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"embeddings\.azimuth=-24(&|$)"))


def test_a_file_that_cannot_be_read_is_named_and_the_other_run_stays(page: Page, tab: Locator) -> None:
    page.locator('.ih-run[data-run="broken"]').click()
    error = tab.get_by_test_id("error-cell")
    expect(error).to_contain_text("t.tsv")
    expect(error).to_contain_text("not a table of numbers between tabs")
    page.get_by_role("listbox", name="Runs").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(tab.locator('[data-drawn="60"]')).to_be_visible()


def test_umap_lays_points_out_in_a_worker_and_keeps_to_its_choice(page: Page, tab: Locator) -> None:
    tab.get_by_role("radio", name="UMAP").click()
    expect(tab.get_by_test_id("card-status")).to_contain_text("UMAP: 500 of 500 steps")
    expect(page).to_have_url(re.compile(r"embeddings\.method=umap(&|$)"))
    expect(tab.locator('[data-action="layout-run"]')).to_be_disabled()
