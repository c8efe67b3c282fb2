"""What a user does on the timeline of the Profiler page, done in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.profiler_page import open_page
from tests.browser.timeline_page import CANVAS, bar, box, chosen_name, drawn, length, opened, window
from tests.browser.touching import pinch
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_tracks_stand_below_what_they_belong_to(timeline: Locator) -> None:
    labels = timeline.locator("[data-row-key]")
    expect(labels.first).to_contain_text("1")
    expect(labels.filter(has_text="stream 7")).to_have_count(1)
    group = timeline.locator(".label.group").first
    count = labels.count()
    group.click()
    expect(group).to_have_attribute("aria-expanded", "false")
    until(timeline.page, lambda: labels.count() < count)
    expect(timeline.page).to_have_url(re.compile(r"profiler\.closed=g"))
    timeline.page.reload()
    expect(group).to_have_attribute("aria-expanded", "false")
    timeline.locator('[data-action="open-all"]').click()
    expect(labels).to_have_count(count)
    timeline.locator('[data-action="close-all"]').click()
    expect(timeline.locator(".label.track")).to_have_count(0)


def test_the_wheel_zooms_at_the_pointer_and_a_drag_moves(page: Page, timeline: Locator) -> None:
    place = box(timeline)
    first = window(timeline)
    assert first[0] == 0
    x, y = place["x"] + place["width"] * 0.25, place["y"] + place["height"] - 10
    page.mouse.move(x, y)
    for _ in range(4):
        before = window(timeline)
        page.mouse.wheel(0, -120)
        expect(timeline.get_by_test_id(CANVAS)).not_to_have_attribute("data-to", str(before[1]))
    start, end = window(timeline)
    assert end - start < (first[1] - first[0]) / 2
    at = first[0] + 0.25 * (first[1] - first[0])
    assert abs(start + 0.25 * (end - start) - at) < (end - start) * 0.01
    page.mouse.down()
    page.mouse.move(x - place["width"] * 0.2, y, steps=4)
    page.mouse.up()
    until(page, lambda: window(timeline)[0] - start == pytest.approx(0.2 * (end - start), rel=0.02))
    moved = window(timeline)
    assert moved[1] - moved[0] == pytest.approx(end - start, abs=2)
    until(page, lambda: _addressed(page) == pytest.approx(moved, abs=2))
    page.reload()
    drawn(timeline)
    until(page, lambda: window(timeline) == pytest.approx(moved, abs=2))
    timeline.locator('[data-action="zoom-all"]').click()
    expect(timeline.get_by_test_id(CANVAS)).to_have_attribute("data-to", str(first[1]))


def _addressed(page: Page) -> tuple[int, int]:
    """The window that the address tells."""
    found = re.search(r"profiler\.window=(\d+)~(\d+)", page.url)
    return (int(found[1]), int(found[2])) if found else (-1, -1)


def test_keys_zoom_and_move(page: Page, timeline: Locator) -> None:
    whole = window(timeline)[1]
    timeline.get_by_test_id(CANVAS).focus()
    at = whole
    for key in ("w", "+", "w"):
        page.keyboard.press(key)
        until(page, lambda: length(timeline) < at)  # noqa: B023
        at = length(timeline)
    before = window(timeline)[0]
    page.keyboard.press("d")
    until(page, lambda: window(timeline)[0] > before)
    page.keyboard.press("a")
    until(page, lambda: window(timeline)[0] == pytest.approx(before, abs=2))
    page.keyboard.press("s")  # zooms out here, and does not go to a search
    until(page, lambda: length(timeline) > at)
    page.keyboard.press("-")
    page.keyboard.press("x")
    until(page, lambda: window(timeline) == (0, whole))
    page.keyboard.press("e")
    page.keyboard.type("was")  # letters are letters in a field
    expect(timeline.locator('[data-control="timeline-search"]')).to_have_value("was")
    assert window(timeline) == (0, whole)


def test_two_fingers_zoom(page: Page, timeline: Locator) -> None:
    place = box(timeline)
    whole = window(timeline)[1]
    middle, y = place["x"] + place["width"] / 2, place["y"] + place["height"] - 20
    pinch(page, middle, y, (50, 80, 100))
    until(page, lambda: length(timeline) < 0.55 * whole)
    start, end = window(timeline)
    assert (end - start) / whole == pytest.approx(0.5, abs=0.05)
    assert (start + end) / 2 / whole == pytest.approx(0.5, abs=0.05)


def test_steps_are_chosen_on_the_ruler(page: Page, timeline: Locator) -> None:
    place = box(timeline, "timeline-ruler")
    page.mouse.click(place["x"] + place["width"] * 0.05, place["y"] + 32)
    expect(page).to_have_url(re.compile(r"profiler\.steps=1(&|$)"))
    until(page, lambda: window(timeline)[0] < window(timeline)[1] / 4)
    start = window(timeline)[0]
    timeline.locator('.timeline [data-action="step-after"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))
    expect(timeline.get_by_test_id("timeline-step")).to_have_text("step 2")
    until(page, lambda: window(timeline)[0] > start)
    timeline.locator('[data-control="timeline-search"]').fill("op03")
    expect(timeline.get_by_test_id("timeline-found-count")).to_have_text("1 found")


def test_the_minimap_moves_the_window(page: Page, timeline: Locator) -> None:
    place = box(timeline, "timeline-minimap")
    whole = window(timeline)[1]
    y = place["y"] + 20
    page.mouse.move(place["x"] + place["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.6, y, steps=4)
    page.mouse.up()
    until(page, lambda: window(timeline) == pytest.approx((0.5 * whole, 0.6 * whole), abs=0.01 * whole))
    page.mouse.move(place["x"] + place["width"] * 0.55, y)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.75, y, steps=4)
    page.mouse.up()
    until(page, lambda: window(timeline)[0] / whole == pytest.approx(0.7, abs=0.01))
    slider = timeline.get_by_test_id("timeline-minimap")
    slider.focus()
    page.keyboard.press("Home")
    until(page, lambda: window(timeline)[0] == 0)
    expect(slider).to_have_attribute("aria-valuenow", "0")


def test_full_screen_and_colours(page: Page, timeline: Locator) -> None:
    before = box(timeline)["height"]
    timeline.get_by_test_id(CANVAS).focus()
    page.keyboard.press("f")
    expect(timeline.locator(".timeline.full")).to_be_visible()
    until(page, lambda: box(timeline)["height"] > before + 50)
    page.keyboard.press("Escape")
    expect(timeline.locator(".timeline.full")).to_have_count(0)
    picture = timeline.get_by_test_id(CANVAS).screenshot()
    timeline.locator('[data-value="category"]').click()
    until(page, lambda: timeline.get_by_test_id(CANVAS).screenshot() != picture)
    expect(page).to_have_url(re.compile(r"profiler\.color=category"))


def test_texts_in_chinese_and_dark(page: Page, shared: Serve, traced: Path) -> None:
    url = shared("--logdir", traced)
    panel = open_page(page, url, "timeline", locale="zh-CN", theme="dark")
    drawn(panel)
    panel.locator('[data-action="summary"]').click()
    expect(panel.get_by_test_id("grid-selection")).to_be_visible()
    page.mouse.click(*bar(panel, 0, 0.5))
    expect(chosen_name(panel)).to_contain_text("ProfilerStep#")
    for width in (1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        tools = panel.locator(".timeline-tools").bounding_box()
        picture = panel.locator(".timeline-body").bounding_box()
        assert tools is not None
        assert picture is not None
        assert tools["y"] + tools["height"] <= picture["y"] + 1
    words = panel.evaluate(
        "e => [...e.querySelectorAll('*')].flatMap(e => [e.title, e.ariaLabel, e.placeholder])"
    )
    words += panel.inner_text().split("\n")
    assert [text for text in words if text and re.fullmatch(r"(timeline|column|view)(\.\w+)+", text)] == []


def test_a_profile_without_slices_has_no_timeline(page: Page, serve: Serve, tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "shared/data/mindinsight_fixtures/cluster_propose"
    if not source.is_dir():
        pytest.skip(f"no sample profiles at {source}")
    panel = open_page(page, serve("--logdir", source))
    expect(panel.locator(".views")).to_have_attribute("data-views", re.compile(r"\bsteps\b"))
    expect(panel.locator('.views [data-view="timeline"]')).to_have_count(0)


def test_what_is_there_stays_until_more_is_read(page: Page, shared: Serve, traced: Path) -> None:
    """A slow host: the old picture is drawn at its new place, scaled, until the answer is there."""
    panel = opened(page, shared("--logdir", traced))
    asked = 0
    is_away = True

    def held(route: Route) -> None:
        nonlocal asked
        asked += 1
        if not is_away:
            route.continue_()

    page.route(re.compile(r"/profiler/slices\?"), held)
    canvas = panel.get_by_test_id(CANVAS)
    canvas.focus()
    before = canvas.screenshot()
    for _ in range(6):
        page.keyboard.press("w")
    until(page, lambda: asked and canvas.screenshot() != before)
    assert int(canvas.get_attribute("data-bars") or 0) > 0
    is_away = False
    with page.expect_response(re.compile(r"/profiler/slices\?")):
        page.keyboard.press("w")
    drawn(panel)
