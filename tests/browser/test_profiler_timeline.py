"""What a user does on the timeline of the Profiler page, done in a real browser."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from tests.browser.profiler_page import STEPS, TYPES, open_page, write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
CANVAS = "timeline-canvas"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    write_trace(tmp_path / "logs/fast/host_1.1700000000000.pt.trace.json")
    return tmp_path / "logs"


@pytest.fixture
def timeline(page: Page, serve: Serve, logdir: Path) -> Locator:
    return opened(page, serve("--logdir", logdir))


def opened(page: Page, url: str, **state: str) -> Locator:
    panel = open_page(page, url, "timeline", **state)
    drawn(panel)
    return panel


def drawn(panel: Locator) -> None:
    """Waits until there is something to see."""
    expect(panel.get_by_test_id(CANVAS)).to_have_attribute("data-bars", re.compile(r"^[1-9]"))


def window(panel: Locator) -> tuple[int, int]:
    canvas = panel.get_by_test_id(CANVAS)
    return int(canvas.get_attribute("data-from") or -1), int(canvas.get_attribute("data-to") or -1)


def box(panel: Locator, name: str = CANVAS) -> FloatRect:
    found = panel.get_by_test_id(name).bounding_box()
    assert found is not None
    return found


def bar(panel: Locator, level: int, share: float, row: int = 1) -> tuple[float, float]:
    """A place on the screen: on a row of the timeline, at a depth, so far from left to right (0 to 1)."""
    place = box(panel)
    label = panel.locator("[data-row-key]").nth(row).bounding_box()
    assert label is not None
    return place["x"] + share * place["width"], label["y"] + 3 + 18 * level + 8


def chosen_name(panel: Locator) -> Locator:
    return panel.get_by_test_id("slice-panel").locator("> header h3")


def test_tracks_stand_below_what_they_belong_to(timeline: Locator) -> None:
    labels = timeline.locator("[data-row-key]")
    texts = [text.split("\n")[0] for text in labels.all_inner_texts()]
    assert texts[0].startswith("process 1") or "1" in texts[0]
    assert any("stream 7" in text for text in texts)
    group = timeline.locator(".label.group").first
    count = labels.count()
    group.click()
    expect(group).to_have_attribute("aria-expanded", "false")
    assert labels.count() < count
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
    moved = window(timeline)
    assert moved[1] - moved[0] == pytest.approx(end - start, abs=2)
    assert moved[0] - start == pytest.approx(0.2 * (end - start), rel=0.02)
    expect(page).to_have_url(re.compile(r"profiler\.window=\d+~\d+"))
    page.reload()
    drawn(timeline)
    again = window(timeline)
    assert again == pytest.approx(moved, abs=2)
    timeline.locator('[data-action="zoom-all"]').click()
    expect(timeline.get_by_test_id(CANVAS)).to_have_attribute("data-to", str(first[1]))


def test_keys_zoom_and_move(page: Page, timeline: Locator) -> None:
    whole = window(timeline)[1]
    timeline.get_by_test_id(CANVAS).focus()
    lengths = [whole]
    for key in ("w", "+", "w"):
        page.keyboard.press(key)
        start, end = window(timeline)
        lengths.append(end - start)
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 4
    before = window(timeline)[0]
    page.keyboard.press("d")
    assert window(timeline)[0] > before
    page.keyboard.press("a")
    assert window(timeline)[0] == pytest.approx(before, abs=2)
    page.keyboard.press("s")  # zooms out here, and does not go to a search
    start, end = window(timeline)
    assert end - start > lengths[-1]
    page.keyboard.press("-")
    page.keyboard.press("x")
    assert window(timeline) == (0, whole)
    page.keyboard.press("e")
    page.keyboard.type("was")  # letters are letters in a field
    expect(timeline.locator('[data-control="timeline-search"]')).to_have_value("was")
    assert window(timeline) == (0, whole)


def test_a_slice_says_everything(page: Page, timeline: Locator) -> None:
    page.mouse.click(*bar(timeline, 0, 0.5))
    expect(chosen_name(timeline)).to_contain_text("ProfilerStep#")
    page.keyboard.press("Shift+ArrowDown")
    expect(chosen_name(timeline)).to_contain_text("aten::op")
    name = chosen_name(timeline).inner_text()
    page.keyboard.press(".")
    expect(chosen_name(timeline)).not_to_have_text(name)
    page.keyboard.press(",")
    expect(chosen_name(timeline)).to_have_text(name)
    details = timeline.get_by_test_id("slice-panel")
    expect(details.locator('[data-fact="duration"] dd')).to_contain_text("µs")
    expect(details.get_by_test_id("slice-arguments")).to_contain_text("Input Dims")
    expect(details.get_by_test_id("slice-parents")).to_contain_text("ProfilerStep#")
    page.reload()
    expect(chosen_name(timeline)).to_have_text(name)
    details.locator('[data-action="to-operator"]').click()
    expect(timeline.get_by_test_id("operator-panel")).to_contain_text(name)
    page.go_back()
    expect(chosen_name(timeline)).to_have_text(name)
    timeline.get_by_test_id("slice-parents").get_by_role("button").first.click()
    expect(chosen_name(timeline)).to_contain_text("ProfilerStep#")
    timeline.get_by_test_id(CANVAS).focus()
    page.keyboard.press("Escape")
    expect(details).to_have_count(0)
    expect(page).not_to_have_url(re.compile(r"profiler\.slice="))


def test_the_longest_calls_of_an_operator_are_shown_where_they_are(
    page: Page, serve: Serve, logdir: Path
) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", by="name", side="host")
    panel.get_by_test_id("grid-operators").locator('[data-row="0"]').click()
    calls = panel.get_by_test_id("operator-panel").locator(".figure", has_text="Longest")
    calls.get_by_role("button").first.click()
    expect(chosen_name(panel)).to_have_text("aten::op00")
    expect(panel.get_by_test_id("slice-panel").locator('[data-fact="step"] dd')).to_have_text(str(STEPS))


def test_two_fingers_zoom(page: Page, timeline: Locator) -> None:
    place = box(timeline)
    whole = window(timeline)[1]
    middle, y = place["x"] + place["width"] / 2, place["y"] + place["height"] - 20
    session = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 50), ("touchMove", 80), ("touchMove", 100), ("touchEnd", 0)):
        fingers = [{"x": middle - apart, "y": y, "id": 0}, {"x": middle + apart, "y": y, "id": 1}]
        touch = {"type": kind, "touchPoints": fingers if apart else []}
        session.send("Input.dispatchTouchEvent", touch)
    page.wait_for_timeout(100)
    start, end = window(timeline)
    assert (end - start) / whole == pytest.approx(0.5, abs=0.05)
    assert (start + end) / 2 / whole == pytest.approx(0.5, abs=0.05)


def test_flows_lead_to_the_kernel_and_back(page: Page, timeline: Locator) -> None:
    timeline.locator('[data-control="timeline-search"]').fill("cudaLaunch")
    expect(timeline.get_by_test_id("timeline-found-count")).to_contain_text(str(TYPES * STEPS))
    page.keyboard.press("Enter")
    expect(chosen_name(timeline)).to_have_text("cudaLaunchKernel")
    flows = timeline.get_by_test_id("slice-flows")
    expect(flows.locator("[data-direction=out]")).to_contain_text("kernel_00")
    picture = timeline.get_by_test_id(CANVAS).screenshot()
    timeline.locator('[data-action="arrows"]').click()
    expect(timeline.locator('[data-action="arrows"]')).to_have_attribute("aria-pressed", "false")
    page.wait_for_timeout(100)
    assert timeline.get_by_test_id(CANVAS).screenshot() != picture
    flows.get_by_role("button").first.click()
    expect(chosen_name(timeline)).to_have_text("kernel_00")
    details = timeline.get_by_test_id("slice-panel")
    expect(details.locator('[data-action="to-launcher"]')).to_contain_text("aten::op00")
    details.locator('[data-action="to-kernel"]').click()
    grid = timeline.get_by_test_id("grid-kernels")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("kernel_00")


def test_search_goes_from_one_to_the_next(page: Page, timeline: Locator) -> None:
    page.keyboard.press("e")
    page.keyboard.type("OP03")
    count = timeline.get_by_test_id("timeline-found-count")
    expect(count).to_have_text(f"{STEPS} found")
    expect(timeline.get_by_test_id("timeline-found").locator("[data-found]")).to_have_count(STEPS)
    starts = []
    for place in range(1, STEPS + 1):
        page.keyboard.press("Enter")
        expect(count).to_have_text(f"{place} of {STEPS}")
        expect(chosen_name(timeline)).to_have_text("aten::op03")
        starts.append(timeline.locator('[data-fact="start"] dd').inner_text())
        page.wait_for_timeout(100)
    assert len(set(starts)) >= STEPS - 1
    page.keyboard.press("Enter")
    expect(count).to_have_text(f"1 of {STEPS}")
    page.keyboard.press("Shift+Enter")
    expect(count).to_have_text(f"{STEPS} of {STEPS}")
    timeline.locator('[data-action="timeline-regex"]').click()
    field = timeline.locator('[data-control="timeline-search"]')
    field.fill("op0[12]$")
    expect(count).to_have_text(f"{2 * STEPS} found")
    field.fill("op0[")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("op0[12]$")
    expect(count).to_have_text(f"{2 * STEPS} found")
    expect(page).to_have_url(re.compile(r"profiler\.find="))
    page.reload()
    expect(count).to_have_text(f"{2 * STEPS} found")


def test_a_range_is_summed_up_and_saved(page: Page, timeline: Locator) -> None:
    (x, y), (right, _) = bar(timeline, 1, 0.3), bar(timeline, 1, 0.7)
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(right, y + 20, steps=5)
    page.mouse.up()
    page.keyboard.up("Shift")
    selection = timeline.get_by_test_id("timeline-selection")
    expect(selection).to_contain_text("1 track")
    grid = timeline.get_by_test_id("grid-selection")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_contain_text("aten::op")
    assert "kernel_" not in grid.inner_text()  # they are on another track
    found = re.search(r"profiler\.range=(\d+)~(\d+)~(\d+)", page.url)
    assert found is not None
    start, end = int(found[1]), int(found[2])
    assert (end - start) / window(timeline)[1] == pytest.approx(0.4, abs=0.01)
    timeline.locator('[data-action="timeline-files"]').click()
    with page.expect_download() as download:
        timeline.locator('[data-action="trace"]').click()
    trace = json.loads(Path(download.value.path()).read_text())
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert slices
    assert all(event["ts"] <= (end - start) / 1000 and event["ts"] + event["dur"] >= 0 for event in slices)
    timeline.locator('[data-action="timeline-files"]').click()
    with page.expect_download() as download:
        timeline.locator('[data-action="trace-packed"]').click()
    packed = Path(download.value.path()).read_bytes()
    assert json.loads(gzip.decompress(packed)) == trace
    page.reload()
    expect(selection).to_be_visible()
    selection.locator('[data-action="clear-range"]').click()
    expect(selection).to_have_count(0)
    timeline.locator('[data-action="summary"]').click()
    expect(selection).to_contain_text("All tracks")
    timeline.locator('[data-action="clear-range"]').click()


def test_steps_are_chosen_on_the_ruler(page: Page, timeline: Locator) -> None:
    place = box(timeline, "timeline-ruler")
    page.mouse.click(place["x"] + place["width"] * 0.05, place["y"] + 32)
    expect(page).to_have_url(re.compile(r"profiler\.steps=1(&|$)"))
    start, end = window(timeline)
    assert start < end / 4
    timeline.locator('.timeline [data-action="step-after"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))
    expect(timeline.get_by_test_id("timeline-step")).to_have_text("step 2")
    assert window(timeline)[0] > start
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
    start, end = window(timeline)
    assert start / whole == pytest.approx(0.5, abs=0.01)
    assert end / whole == pytest.approx(0.6, abs=0.01)
    page.mouse.move(place["x"] + place["width"] * 0.55, y)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.75, y, steps=4)
    page.mouse.up()
    assert window(timeline)[0] / whole == pytest.approx(0.7, abs=0.01)
    slider = timeline.get_by_test_id("timeline-minimap")
    slider.focus()
    page.keyboard.press("Home")
    assert window(timeline)[0] == 0
    expect(slider).to_have_attribute("aria-valuenow", "0")


def test_full_screen_and_colours(page: Page, timeline: Locator) -> None:
    before = box(timeline)["height"]
    timeline.get_by_test_id(CANVAS).focus()
    page.keyboard.press("f")
    expect(timeline.locator(".timeline.full")).to_be_visible()
    page.wait_for_timeout(100)
    assert box(timeline)["height"] > before + 50
    page.keyboard.press("Escape")
    expect(timeline.locator(".timeline.full")).to_have_count(0)
    picture = timeline.get_by_test_id(CANVAS).screenshot()
    timeline.locator('[data-value="category"]').click()
    page.wait_for_timeout(100)
    assert timeline.get_by_test_id(CANVAS).screenshot() != picture
    expect(page).to_have_url(re.compile(r"profiler\.color=category"))


def test_perfetto_gets_the_range_only_when_asked(page: Page, timeline: Locator) -> None:
    asked: list[str] = []
    stand_in = """<script>
      addEventListener('message', ({data, source, origin}) => {
        if (data === 'PING') source.postMessage('PONG', origin);
        else if (data.perfetto) window.taken = {...data.perfetto,
          text: new TextDecoder().decode(data.perfetto.buffer)};
      });
    </script>"""

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=stand_in, content_type="text/html")

    page.context.route("https://ui.perfetto.dev/**", answer)
    timeline.locator('[data-action="timeline-files"]').click()
    timeline.locator('[data-action="perfetto"]').click()
    dialog = page.locator('dialog[data-dialog="perfetto"]')
    expect(dialog).to_contain_text("internet")
    assert asked == []
    with page.context.expect_page() as other:
        dialog.locator('[data-action="open-perfetto"]').click()
    window_of_perfetto = other.value
    window_of_perfetto.wait_for_function("window.taken")
    taken: dict[str, Any] = window_of_perfetto.evaluate("({title: taken.title, text: taken.text})")
    assert "host_1" in taken["title"]
    events = json.loads(taken["text"])["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == TYPES * STEPS * 3 + STEPS
    expect(dialog).to_have_count(0)


def test_texts_in_chinese_and_dark(page: Page, serve: Serve, logdir: Path) -> None:
    url = serve("--logdir", logdir)
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


def test_texts_of_a_log_are_texts(page: Page, serve: Serve, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=\"document.title='taken'\">"
    write_trace(tmp_path / "logs/run/host_1.1700000000000.pt.trace.json", names={0: hostile})
    panel = opened(page, serve("--logdir", tmp_path / "logs"), find="img")
    panel.locator('[data-control="timeline-search"]').focus()
    expect(panel.get_by_test_id("timeline-found")).to_contain_text(hostile)
    page.keyboard.press("Enter")
    expect(chosen_name(panel)).to_have_text(hostile)
    assert page.locator("img[src=x]").count() == 0


def test_a_profile_without_slices_has_no_timeline(page: Page, serve: Serve, tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "shared/data/mindinsight_fixtures/cluster_propose"
    if not source.is_dir():
        pytest.skip(f"no sample profiles at {source}")
    panel = open_page(page, serve("--logdir", source))
    expect(panel.locator('.views [data-view="steps"]')).to_be_visible()
    expect(panel.locator('.views [data-view="timeline"]')).to_have_count(0)


def test_what_is_there_stays_until_more_is_read(page: Page, serve: Serve, logdir: Path) -> None:
    """A slow host: the old picture is drawn at its new place, scaled, until the answer is there."""
    panel = opened(page, serve("--logdir", logdir))
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
    page.wait_for_timeout(300)
    assert asked
    assert int(canvas.get_attribute("data-bars") or 0) > 0
    assert canvas.screenshot() != before
    is_away = False
    with page.expect_response(re.compile(r"/profiler/slices\?")):
        page.keyboard.press("w")
    drawn(panel)
