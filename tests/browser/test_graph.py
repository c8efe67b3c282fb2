"""What a user does on the Graphs page, done in a real browser on real logs."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Download, Locator, Page, expect

from tests.browser.graph_page import (
    LAYERS,
    LAYERS_OPEN,
    LENET,
    NETWORK,
    POOL,
    RELU,
    TRANSFORMER,
    corner,
    frame,
    in_sight,
    node,
    opened,
    settled,
)
from tests.browser.places import box_of
from tests.browser.touching import pinch
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_three_levels_open_and_close_and_stay_where_they_are(
    page: Page, shared: Serve, sample_logs: Path
) -> None:
    panel = opened(page, shared("--logdir", sample_logs), f"{LENET}&graph.open=~&graph.view=150,330,0.6")
    expect(panel.get_by_test_id("frame")).to_have_count(0)
    for count, identifier in enumerate(("Default", NETWORK, LAYERS), start=1):
        closed = node(panel, identifier)
        before = corner(closed)
        closed.dblclick(position={"x": 10, "y": 10})
        expect(frame(panel, identifier)).to_be_attached()
        expect(panel.get_by_test_id("frame")).to_have_count(count)
        settled(panel)
        # within the border that is drawn thicker while selected
        assert corner(frame(panel, identifier)) == pytest.approx(before, abs=2.5)
    expect(panel.get_by_test_id("graph-status")).to_contain_text("3 scopes open")
    expect(page).to_have_url(re.compile("graph.open=Default;Default/network-WithLossCell;"))
    expect(panel.get_by_test_id("node-panel")).to_have_attribute("data-node", LAYERS)

    page.reload()
    expect(panel.get_by_test_id("frame")).to_have_count(3)
    before = corner(frame(panel, NETWORK))
    frame(panel, NETWORK).locator("[data-switch]").click()
    expect(panel.get_by_test_id("frame")).to_have_count(1)
    settled(panel)
    assert corner(node(panel, NETWORK)) == pytest.approx(before, abs=2.5)
    # the selected node is hidden now, so its scope is selected
    expect(panel.get_by_test_id("node-panel")).to_have_attribute("data-node", NETWORK)
    panel.locator('[data-action="close-all"]').click()
    expect(panel.get_by_test_id("frame")).to_have_count(0)


def test_search_shows_and_frames_what_is_found(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), TRANSFORMER)
    page.keyboard.press("t")
    page.keyboard.type("softmax-op0")
    expect(panel.get_by_test_id("result-count")).to_contain_text("found")
    first = panel.get_by_test_id("result").first
    expect(first).to_contain_text(re.compile("softmax", re.I))
    identifier = first.get_attribute("data-id") or ""
    page.keyboard.press("Enter")
    found = node(panel, identifier)
    expect(found).to_have_attribute("data-selected", "true")
    expect(panel.get_by_test_id("node-panel")).to_have_attribute("data-node", identifier)
    until(page, lambda: in_sight(panel, found))
    expect(panel.get_by_test_id("frame").nth(2)).to_be_attached()

    panel.locator('[data-control="search"]').fill("op0")
    expect(panel.get_by_test_id("result")).to_have_count(100)
    panel.locator('[data-testid="results"] [data-action="more"]').click()
    expect(panel.get_by_test_id("result").nth(150)).to_be_attached()

    panel.locator('[data-control="search"]').fill("gelu[")
    panel.locator('[data-action="search-regex"]').click()
    expect(panel.locator('[data-testid="results"] [role=alert]')).to_be_visible()
    panel.locator('[data-control="search"]').fill("act-GELU$")
    expect(panel.get_by_test_id("result").first).to_contain_text("GELU")
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_test_id("result").nth(1)).to_have_attribute("aria-selected", "true")


def test_inputs_and_outputs_are_links(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), LAYERS_OPEN)
    settled(panel)
    node(panel, RELU).click()
    side = panel.get_by_test_id("node-panel")
    expect(side).to_have_attribute("data-node", RELU)
    expect(side.locator('[data-fact="type"]')).to_contain_text("ReLU")
    expect(side.locator('[data-fact="output_types"]')).to_contain_text("float32[32, 6, 28, 28]")
    expect(panel.locator('[data-edge="data"][data-side="in"]').first).to_be_attached()
    link = side.get_by_test_id("inputs").locator('[data-action="to-node"]').first
    target = link.get_attribute("data-id") or ""
    link.click()
    # it is in a closed scope, which opens
    expect(node(panel, target)).to_have_attribute("data-selected", "true")
    expect(side).to_have_attribute("data-node", target)
    until(page, lambda: in_sight(panel, node(panel, target)))
    side.locator('[data-action="to-scope"]').last.click()
    expect(side.get_by_test_id("types")).to_contain_text("Conv2D")


def test_the_readability_pass_says_what_it_left_out(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs))
    expect(node(panel, "Gradients")).to_be_attached()
    expect(panel.get_by_test_id("graph-status")).to_contain_text("240 edges")
    panel.locator('[data-action="readable"]').click()
    expect(node(panel, "Gradients")).to_have_count(0)
    expect(page).to_have_url(re.compile("graph.readable=1"))
    panel.locator('[data-action="removed"]').click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_test_id("removed")).to_contain_text("Gradients")
    expect(dialog.get_by_test_id("removed")).to_contain_text("ApplyMomentum")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    panel.locator('[data-action="readable"]').click()
    node(panel, "Gradients").click()
    expect(panel.get_by_test_id("node-panel")).to_have_attribute("data-node", "Gradients")
    panel.locator('[data-action="readable"]').click()
    expect(panel.get_by_test_id("node-error")).to_contain_text("is hidden by the readability pass")


def test_all_that_was_left_out_can_be_listed(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), f"{TRANSFORMER}&graph.readable=1")
    panel.locator('[data-action="removed"]').click()
    listed = page.get_by_role("dialog").locator('[data-rule="bookkeeping"]')
    expect(listed.locator("li")).to_have_count(200)
    rest = page.get_by_role("dialog").locator('[data-rule="bookkeeping"] + p')
    expect(rest).to_contain_text("200 of 436")
    rest.locator('[data-action="more"]').click()
    expect(listed.locator("li")).to_have_count(400)
    ids = listed.locator("li").evaluate_all("items => items.map(item => item.title)")
    assert len(set(ids)) == 400


def test_wheel_pan_and_minimap_move_the_drawing(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), LAYERS_OPEN)
    settled(panel)
    stage = panel.get_by_test_id("stage").bounding_box()
    assert stage is not None
    here = frame(panel, "Default")
    before = corner(here)
    page.mouse.move(stage["x"] + 300, stage["y"] + 40)
    page.mouse.down()
    page.mouse.move(stage["x"] + 340, stage["y"] + 60, steps=4)
    page.mouse.up()
    until(page, lambda: corner(here) == pytest.approx((before[0] + 40, before[1] + 20), abs=1))
    expect(page).to_have_url(re.compile("graph.view="))
    expect(page).not_to_have_url(re.compile("graph.node="))  # a drag selects nothing

    size = box_of(here)
    page.mouse.wheel(0, -400)
    until(page, lambda: box_of(here)["width"] > size["width"] * 1.3)
    settled(panel)
    view = box_of(panel.get_by_test_id("minimap-view"))
    before = corner(here)
    x, y = view["x"] + view["width"] / 2, view["y"] + view["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 30, steps=3)
    page.mouse.up()
    until(page, lambda: box_of(panel.get_by_test_id("minimap-view"))["y"] > view["y"] + 15)
    until(page, lambda: corner(here)[1] < before[1] - 30)
    panel.locator('[data-action="fit"]').click()
    until(page, lambda: in_sight(panel, here))


def test_pictures_are_files_of_their_own(
    page: Page, shared: Serve, sample_logs: Path, tmp_path: Path
) -> None:
    url = shared("--logdir", sample_logs)
    for theme in ("light", "dark"):
        panel = opened(page, url, f"{LENET}&theme={theme}&graph.open=Default;{NETWORK}")
        settled(panel)
        text = saved(page, panel, "svg").read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        titles = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {"Default", "network-WithLossCell", "optimizer-Momentum"} <= titles
        assert not re.search(r"var\(|\sstyle=|<image|href=|@import|oklch", text)
        assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 10
        # what the colours mean
        assert {"Depend", "UpdateState"} <= titles
    picture = saved(page, panel, "png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(picture) > 5000


def saved(page: Page, panel: Locator, kind: str) -> Path:
    panel.locator('[data-action="export"]').click()
    with page.expect_download() as download:
        panel.locator(f'[data-action="export-{kind}"]').click()
    value: Download = download.value
    assert value.suggested_filename.startswith("mindspore_lenet_lr0.01")
    assert value.suggested_filename.endswith(f".{kind}")
    return Path(value.path())


def test_keys_walk_along_edges(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), LAYERS_OPEN)
    settled(panel)
    side = panel.get_by_test_id("node-panel")
    node(panel, RELU).click()
    page.keyboard.press("ArrowDown")
    expect(side).to_have_attribute("data-node", POOL)
    page.keyboard.press("ArrowUp")
    expect(side).to_have_attribute("data-node", RELU)
    page.keyboard.press("ArrowUp")
    expect(side).to_have_attribute("data-node", f"{LAYERS}/conv1-Conv2d")
    page.keyboard.press("Enter")
    expect(frame(panel, f"{LAYERS}/conv1-Conv2d")).to_be_attached()
    page.keyboard.press("Enter")
    expect(frame(panel, f"{LAYERS}/conv1-Conv2d")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(panel.get_by_test_id("graph-panel")).to_be_visible()


def test_a_trace_goes_through_closed_scopes(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), LAYERS_OPEN)
    settled(panel)
    node(panel, POOL).click()
    panel.locator('[data-control="trace"] [data-value="ancestors"]').click()
    expect(node(panel, RELU)).to_have_attribute("data-side", "in")
    expect(node(panel, f"{LAYERS}/conv1-Conv2d")).to_have_attribute("data-side", "in")
    expect(node(panel, f"{LAYERS}/relu-ReLU/ReLU-op1")).to_have_attribute("opacity", re.compile(r"0\."))
    panel.locator('[data-control="trace"] [data-value="descendants"]').click()
    expect(node(panel, f"{LAYERS}/relu-ReLU/ReLU-op1")).to_have_attribute("data-side", "out")
    expect(page).to_have_url(re.compile("graph.trace=descendants"))


def test_the_data_pipeline_flows_from_top_to_bottom(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs))
    panel.locator('[data-control="show"] [data-value="pipeline"]').click()
    names = [
        panel.locator(f'[data-name="{name}"]').last
        for name in ("GeneratorDataset", "Resize", "HwcToChw", "Batch")
    ]
    expect(names[0]).to_be_attached()
    settled(panel)
    heights = [corner(name)[1] for name in names]
    assert heights == sorted(heights)
    names[3].click()
    side = panel.get_by_test_id("node-panel")
    expect(side.get_by_test_id("attributes")).to_contain_text("batch_size")
    names[1].click()
    expect(side.get_by_test_id("attributes")).to_contain_text("size")
    expect(panel.get_by_test_id("legend")).to_be_visible()
    page.reload()
    expect(panel.locator('[data-name="Batch"]').last).to_be_attached()


def test_colours_legend_full_screen_and_languages(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), LAYERS_OPEN)
    legend = panel.get_by_test_id("legend")
    expect(legend).to_contain_text("ReLU")
    outline = node(panel, RELU).locator("rect").last
    by_type = outline.get_attribute("fill")
    panel.locator('[data-control="color"]').select_option("scope")
    expect(legend).to_contain_text("_backbone-LeNet5")
    expect(outline).not_to_have_attribute("fill", by_type or "")
    expect(page).to_have_url(re.compile("graph.color=scope"))
    panel.locator('[data-action="shapes"]').click()
    expect(panel.locator("svg.canvas").get_by_text("float32[32,6,28,28]").first).to_be_attached()
    panel.locator('[data-action="fullscreen"]').click()
    expect(panel.get_by_test_id("graphs")).to_have_class(re.compile("full"))
    page.keyboard.press("Escape")
    expect(panel.get_by_test_id("graphs")).not_to_have_class(re.compile("full"))
    page.goto(page.url.replace("locale=en", "locale=zh-CN").replace("theme=light", "theme=dark"))
    expect(panel.get_by_test_id("legend")).to_contain_text("作用域")
    expect(outline).not_to_have_attribute("fill", by_type or "")


def test_two_fingers_zoom(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), f"{LENET}&graph.open=~&graph.view=80,70,0.8")
    settled(panel)
    before, stage = box_of(node(panel, "Default")), box_of(panel.get_by_test_id("stage"))
    pinch(page, stage["x"] + 300, stage["y"] + 200, (40, 60, 80, 100))
    until(page, lambda: box_of(node(panel, "Default"))["width"] > before["width"] * 1.6)
    expect(page).not_to_have_url(re.compile("graph.node="))


def test_nothing_covers_what_a_graph_opens_with(page: Page, shared: Serve, sample_logs: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    panel = opened(page, shared("--logdir", sample_logs))
    settled(panel)
    stage = panel.get_by_test_id("stage").bounding_box()
    legend = panel.get_by_test_id("legend").bounding_box()
    corner_map = panel.get_by_test_id("minimap").bounding_box()
    assert stage is not None
    assert legend is not None
    assert corner_map is not None
    assert legend["y"] >= stage["y"] + stage["height"]
    for box in [one.bounding_box() for one in panel.get_by_test_id("node").all()]:
        assert box is not None
        assert box["x"] + box["width"] <= corner_map["x"] or box["y"] + box["height"] <= corner_map["y"]
    here = frame(panel, "Default")
    at_first = corner(here)
    panel.locator('[data-action="zoom-in"]').click()
    until(page, lambda: corner(here) != at_first)
    settled(panel)
    before = corner(here)
    panel.locator('[data-action="legend"]').click()
    expect(panel.get_by_test_id("legend")).to_have_count(0)
    until(page, lambda: corner(here) == pytest.approx(before, abs=1))
