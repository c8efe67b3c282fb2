"""Panels on the Metrics board: several tags on one card, values of runs, notes, layouts of custom scalars."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.asking import data_requests
from tests.browser.panels_page import STEPS, loss_of, write_panels

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
RUNS = 6


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("panels")
    write_panels(root, RUNS)
    return root


def open_board(page: Page, url: str, panels: Sequence[dict[str, object]] = (), more: str = "") -> None:
    text = json.dumps(panels).translate(str.maketrans("\"'{}()", "'\"(){}"))
    state = f"&scalar.panels={quote(text)}" if panels else ""
    page.goto(f"{url}#locale=en&theme=light{state}{more}")
    expect(page.get_by_test_id("card").first).to_be_attached()


def panel(page: Page, name: str) -> Locator:
    return page.locator(f'[data-panel="{name}"]')


def choose(page: Page, name: str, action: str) -> None:
    """What the menu of a panel offers, by keys."""
    panel(page, name).locator('[data-action="panel-menu"]').focus()
    page.keyboard.press("Enter")
    item = page.locator(f'[role="menuitem"][data-action="{action}"]')
    item.focus()
    page.keyboard.press("Enter")


def test_tags_are_put_on_one_card_by_picking_and_by_expression(page: Page, shared: Serve, logs: Path) -> None:
    open_board(page, shared("--logdir", logs))
    page.keyboard.press("p")
    dialog = page.locator('dialog[data-dialog="panel"]')
    dialog.locator('input[name="tag"][value="train/loss"]').press("Space")
    dialog.locator('input[name="regex"]').fill("^val/(")
    expect(dialog.get_by_role("status")).to_contain_text("Not a regular expression")
    dialog.locator('input[name="regex"]').fill("^val/")
    expect(dialog.get_by_role("status")).to_have_text("3 tags: train/loss, val/accuracy, val/loss")
    dialog.locator('input[name="title"]').fill("All losses")
    page.keyboard.press("Enter")
    here = page.locator('[data-panels="own"]').get_by_test_id("panel")
    expect(here.locator("h3")).to_have_text("All losses")
    name = here.get_attribute("data-panel") or ""
    expect(here.get_by_test_id("card-status")).to_contain_text(f"{3 * RUNS * STEPS} points, all kept")
    expect(here.get_by_test_id("legend")).to_contain_text("val/accuracy")  # a dash for each tag
    page.reload()
    expect(here.get_by_test_id("card-status")).to_contain_text(f"{3 * RUNS * STEPS} points, all kept")
    here.locator('[data-action="fullscreen"]').click()
    here.get_by_role("img").hover()
    names = page.locator(".tooltip .name")
    expect(names.first).to_be_visible()
    expect(names.first).to_have_text(re.compile(r"r00\d · (train|val)/\w+"))
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    choose(page, name, "remove")
    expect(here).to_have_count(0)
    page.go_back()
    expect(here.locator("h3")).to_have_text("All losses")


def test_panels_show_values_of_runs_as_they_were_recorded(
    page: Page, shared: Serve, logs: Path, violations: Callable[[Page], list[str]]
) -> None:
    last = [loss_of(run, STEPS - 1) for run in range(RUNS)]
    asked = data_requests(page, "/scalar/summaries")
    open_board(
        page,
        shared("--logdir", logs),
        [
            {"kind": "bars", "y": "last/train/loss"},
            {"kind": "scatter", "x": "column/lineage/lr", "y": "max/train/loss", "logX": True},
            {"kind": "table", "tags": ["val/loss", "train/loss"]},
            {"kind": "histogram", "y": "min/train/loss"},
            {"kind": "note", "text": "Try a **smaller** rate <img src=x onerror=alert(1)>"},
            {"kind": "unheard"},
        ],
    )
    bars = panel(page, "p0").locator("[data-run-bar]")
    expect(bars).to_have_count(RUNS)
    best_first = sorted(range(RUNS), key=lambda run: -last[run])
    assert bars.evaluate_all("all => all.map(one => one.dataset.runBar)") == [
        f"r00{run}" for run in best_first
    ]
    value = panel(page, "p0").locator('[data-run-bar="r003"] text').last
    assert float(value.text_content() or "nan") == pytest.approx(last[3], rel=1e-5)

    points = panel(page, "p1").locator("[data-run-point]")
    expect(points).to_have_count(RUNS)
    panel(page, "p1").get_by_role("img").focus()
    page.keyboard.press("ArrowRight")
    tooltip = page.locator(".tooltip")
    expect(tooltip).to_contain_text("lr: 0.0001")
    expect(tooltip).to_contain_text("max train/loss:")
    page.keyboard.press("Escape")

    rows = panel(page, "p2").get_by_role("row")
    expect(rows).to_have_count(RUNS + 1)
    expect(rows.nth(0)).to_contain_text(re.compile("val/loss.*train/loss"))
    cells = rows.nth(3).get_by_role("gridcell").all_inner_texts()
    assert [float(cell) for cell in cells[-2:]] == pytest.approx([1.2 * last[2], last[2]], rel=1e-5)

    panel(page, "p3").scroll_into_view_if_needed()
    bins = panel(page, "p3").locator("[data-count]")
    expect(bins).to_have_count(5)
    assert sum(bins.evaluate_all("all => all.map(one => Number(one.dataset.count))")) == RUNS
    queries = [parse_qs(urlsplit(url).query) for url in asked]
    values = sorted(f"{query['of'][0]} {tag}" for query in queries for tag in query["tag"])
    assert values == ["last train/loss", "last val/loss", "max train/loss", "min train/loss"]  # each once

    note = panel(page, "p4").get_by_role("group")
    expect(note.locator("strong")).to_have_text("smaller")
    expect(note.locator("[onerror]")).to_have_count(0)
    expect(panel(page, "p5")).to_contain_text("No plugin shows panels of the kind unheard")
    assert violations(page) == []


def test_a_panel_of_a_link_never_hangs_the_page_and_says_why_it_is_empty(
    page: Page, shared: Serve, logs: Path
) -> None:
    endless = "^(([a-z/]+)+)+!$"  # goes back for ever in the engine of JavaScript
    patterns = (endless, "(loss)\\1", "^(?i:TRAIN)/")
    open_board(page, shared("--logdir", logs), [{"kind": "lines", "regex": one} for one in patterns])
    status = [panel(page, f"p{place}").get_by_test_id("card-status") for place in range(len(patterns))]
    expect(status[0]).to_contain_text(f"No tag matches {endless}")
    expect(status[1]).to_contain_text("No tag matches (loss)\\1")
    expect(status[2]).to_contain_text(f"{RUNS * STEPS} points, all kept")


def test_panels_are_resized_and_arranged_by_pointer_and_by_keys(
    page: Page, shared: Serve, logs: Path
) -> None:
    page.set_viewport_size({"width": 1920, "height": 1000})
    notes: list[dict[str, object]] = [{"kind": "note", "text": name} for name in ("one", "two", "three")]
    open_board(page, shared("--logdir", logs), notes)
    titles = page.get_by_test_id("panel")
    expect(titles).to_have_count(3)
    order = page.locator(".panel-grid .panel")
    first = panel(page, "p0")
    corner = first.locator('[data-action="resize"]')
    corner.focus()
    page.keyboard.press("End")
    expect(first).to_have_css("grid-column-start", "span 12")
    width = first.evaluate("element => element.clientWidth")
    page.keyboard.press("ArrowDown")
    expect(first).to_have_css("height", "300px")
    place = corner.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 8, place["y"] + 8)
    page.mouse.down()
    page.mouse.move(place["x"] + 8 - width / 2, place["y"] + 108, steps=4)
    page.mouse.up()
    expect(first).to_have_css("height", "400px")
    expect(page).to_have_url(re.compile(r"'width':6,'height':400"))

    choose(page, "p0", "later")
    expect(order.first).to_have_attribute("data-panel", "p1")
    head = panel(page, "p2").locator("h3").bounding_box()
    target = panel(page, "p1").bounding_box()
    assert head is not None
    assert target is not None
    page.mouse.move(head["x"] + 5, head["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + 40, target["y"] + 60, steps=5)
    page.mouse.up()
    expect(order.first).to_have_attribute("data-panel", "p2")
    page.reload()
    expect(order.first).to_have_attribute("data-panel", "p2")


def test_a_layout_of_custom_scalars_becomes_panels_to_keep(page: Page, shared: Serve, logs: Path) -> None:
    open_board(page, shared("--logdir", logs))
    section = page.locator('[data-panels="log/Overview"]')
    expect(section.get_by_test_id("panel")).to_have_count(2)
    first, band = section.get_by_test_id("panel").nth(0), section.get_by_test_id("panel").nth(1)
    expect(first.locator("h3")).to_have_text("train and val")
    expect(first.get_by_test_id("card-status")).to_contain_text(f"{3 * RUNS * STEPS} points")
    expect(band.get_by_test_id("card-status")).to_contain_text(f"{3 * RUNS * STEPS} points")  # and both edges
    expect(band.get_by_test_id("legend")).not_to_contain_text("edge/low")
    section.get_by_role("button", name=re.compile("Overview")).click()
    expect(section.get_by_test_id("panel")).to_have_count(0)
    page.reload()
    expect(section.get_by_role("button", name=re.compile("Overview"))).to_have_attribute(
        "aria-expanded", "false"
    )
    section.locator('[data-action="keep-panels"]').press("Enter")
    own = page.locator('[data-panels="own"]').get_by_test_id("panel")
    expect(own).to_have_count(2)
    choose(page, own.last.get_attribute("data-panel") or "", "wide")
    expect(page).to_have_url(re.compile("'width':12"))


def test_cards_of_the_board_are_resized_together_and_arranged(page: Page, shared: Serve, logs: Path) -> None:
    page.set_viewport_size({"width": 1920, "height": 1500})  # sections beyond the window are not drawn
    open_board(page, shared("--logdir", logs))
    page.locator('[data-panels="log/Overview"]').get_by_role("button", name=re.compile("Overview")).click()
    groups = page.locator(".groups")
    cards = groups.get_by_test_id("card")
    expect(cards.first).to_have_attribute("data-tag", "val/accuracy")
    corner = cards.first.locator('[data-action="resize"]')
    corner.focus()
    for _ in range(4):  # from two cards a line to one; more presses change nothing
        page.keyboard.press("ArrowRight")
    width = groups.evaluate("element => element.clientWidth")
    expect(cards.first).to_have_css("width", f"{width}px")
    page.locator('.toolbar [data-action="display"]').press("Enter")
    page.locator('input[name="card-height"]').press("Home")
    expect(cards.first).to_have_css("height", "140px")
    page.locator('[data-action="usual-size"]').press("Enter")
    expect(cards.first).to_have_css("height", "512px")  # twice the usual: few cards share the width
    expect(page).not_to_have_url(re.compile("scalar.size="))
    page.keyboard.press("Escape")

    cards.first.locator('[data-action="export"]').press("Enter")
    page.locator('[role="menuitem"][data-action="arrange"]').press("Enter")
    dialog = page.locator('dialog[data-dialog="arrange"]')
    dialog.locator('[data-name="val"] [data-action="down"]').press("Enter")
    expect(dialog.locator("ul").last.locator("li").first).to_have_attribute("data-name", "train")
    page.keyboard.press("Enter")  # the focus goes with the section
    expect(dialog.locator("ul").last.locator("li").last).to_have_attribute("data-name", "val")
    page.keyboard.press("Escape")
    sections = groups.locator("[data-group]")
    expect(sections.last).to_have_attribute("data-group", "val")

    first, second = card_head(page, "edge/high"), card_head(page, "edge/low")
    page.mouse.move(*first)
    page.mouse.down()
    page.mouse.move(second[0] + 60, second[1] + 60, steps=5)
    page.mouse.up()
    edge = groups.locator('[data-group="edge"]').get_by_test_id("card")
    expect(page).to_have_url(re.compile("scalar.arranged=edge/low;edge/high"))
    expect(edge.filter(has_text="low")).to_have_css("left", "0px")
    page.reload()
    expect(sections.last).to_have_attribute("data-group", "val")


def card_head(page: Page, tag: str) -> tuple[float, float]:
    """Where the title of a card stands on the screen."""
    title = page.locator(f'[data-tag="{tag}"] h3')
    title.scroll_into_view_if_needed()
    box = title.bounding_box()
    assert box is not None
    return box["x"] + 5, box["y"] + 5
