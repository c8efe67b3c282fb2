"""What the timeline of the Profiler page says of slices, finds of them, and hands on of them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.profiler_page import STEPS, TYPES, open_page, write_trace
from tests.browser.timeline_page import CANVAS, bar, chosen_name, opened, window
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


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
    page: Page, shared: Serve, traced: Path
) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", by="name", side="host")
    panel.get_by_test_id("grid-operators").locator('[data-row="0"]').click()
    calls = panel.get_by_test_id("operator-panel").locator(".figure", has_text="Longest")
    calls.get_by_role("button").first.click()
    expect(chosen_name(panel)).to_have_text("aten::op00")
    expect(panel.get_by_test_id("slice-panel").locator('[data-fact="step"] dd')).to_have_text(str(STEPS))


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
    until(page, lambda: timeline.get_by_test_id(CANVAS).screenshot() != picture)
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
    starts: list[str] = []
    start = timeline.locator('[data-fact="start"] dd')
    for place in range(1, STEPS + 1):
        page.keyboard.press("Enter")
        expect(count).to_have_text(f"{place} of {STEPS}")
        expect(chosen_name(timeline)).to_have_text("aten::op03")
        until(page, lambda: start.inner_text() not in starts)
        starts.append(start.inner_text())
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
    expect(page).to_have_url(re.compile(r"profiler\.find=op0.*12"))
    page.reload()
    expect(count).to_have_text(f"{2 * STEPS} found")


def test_what_begins_before_the_window_is_found(page: Page, shared: Serve, traced: Path) -> None:
    timeline = opened(page, shared("--logdir", traced))
    end = window(timeline)[1]
    panel = opened(page, shared("--logdir", traced), window=f"{end - 1000}~{end}")
    assert window(panel)[0] > 0
    page.keyboard.press("e")
    page.keyboard.type("ProfilerStep#1")
    expect(panel.get_by_test_id("timeline-found-count")).to_have_text("1 found")
    expect(panel.get_by_test_id("timeline-found").locator("[data-found]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(chosen_name(panel)).to_have_text("ProfilerStep#1")


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
    expect(page).to_have_url(re.compile(r"profiler\.range=\d+~\d+~\d+"))
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


def test_texts_of_a_log_are_texts(page: Page, serve: Serve, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=\"document.title='taken'\">"
    write_trace(tmp_path / "logs/run/host_1.1700000000000.pt.trace.json", names={0: hostile})
    panel = opened(page, serve("--logdir", tmp_path / "logs"), find="img")
    panel.locator('[data-control="timeline-search"]').focus()
    expect(panel.get_by_test_id("timeline-found")).to_contain_text(hostile)
    page.keyboard.press("Enter")
    expect(chosen_name(panel)).to_have_text(hostile)
    assert page.locator("img[src=x]").count() == 0
