"""The Overview of a profile: what it answers at first sight, and the ways from there."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import timeline_page
from tests.browser.profiler_page import go, open_page, views_of, write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
DEMO = Path(__file__).parents[2] / "plugins/demo/insight_demo/logs/resnet18"
MINUS = "\N{MINUS SIGN}"
BEFORE, AFTER = "before.pt.trace.json.gz", "after.pt.trace.json.gz"


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on a GPU with profiles of before and after a repair."""
    logs = tmp_path_factory.mktemp("repaired")
    shutil.copytree(DEMO, logs / "resnet18")
    return logs


def percent(text: str) -> float:
    found = re.search(r"([\d.]+) ?%", text)
    assert found is not None, text
    return float(found.group(1))


def test_four_figures_and_one_story(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    figures = panel.get_by_test_id("key-figures").locator(".key-figure")
    expect(figures).to_have_count(4)
    busy, late = (figures.and_(panel.locator(f"[data-fact={name}]")) for name in ("busy", "late"))
    expect(busy).to_have_attribute("title", "Of the time of a step: at least one stream of the device works")
    busy.locator("summary").click()  # also for fingers and keys
    expect(busy.locator("details")).to_contain_text("at least one stream of the device works")
    shares = [percent(one.locator(".value").inner_text()) for one in (busy, late)]
    assert 90 < sum(shares) < 101  # busy and idle are one whole
    # what ran, divided up, has the same time of the device
    ran = panel.locator('[data-figure="shares"] [data-category]')
    device = [ran.and_(panel.locator(f"[data-category={name}]")) for name in ("kernel", "memcpy", "memset")]
    assert sum(percent(one.inner_text()) for one in device) == pytest.approx(shares[0], abs=0.1)
    go(panel, "advice")
    use = panel.locator('[data-device-figure="busy"] dd')
    assert percent(use.inner_text()) == pytest.approx(shares[0], abs=0.1)


def test_a_step_is_drawn_and_leads_to_the_timeline(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    step = panel.locator('[data-figure="one-step"]')
    expect(step).to_contain_text("the nearest to the median of 4")
    labels = step.locator("svg title").all_text_contents()
    assert [one for one in labels if one.startswith(("thread", "stream"))][-1] == "stream 7"
    step.get_by_test_id("one-step").click()
    expect(page).to_have_url(re.compile(r"profiler\.view=timeline"))
    timeline_page.drawn(panel)
    assert 100e6 < timeline_page.length(panel) < 160e6  # one of four steps
    page.go_back()
    expect(step).to_be_visible()


def test_changes_are_ranked_with_one_action_each(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    cards = panel.locator("[data-advice]")
    expect(cards.first.locator("h3")).to_have_text("Training that waits for its data")
    expect(cards.first.locator(".saves strong")).to_have_text(re.compile(rf"^{MINUS}\d+ to {MINUS}\d+ %$"))
    expect(cards.first.locator(".act")).to_contain_text("num_workers")
    for card in cards.all():
        expect(card.locator('[data-action="advice"]')).to_have_count(1)
    evidence = cards.first.locator("details")
    expect(evidence).not_to_have_attribute("open", re.compile(""))
    cards.first.locator('[data-action="advice"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.view=timeline"))
    page.go_back()
    panel.locator('[data-action="all-advice"]').click()
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Advice")
    expect(panel.locator(".checked-rules")).to_be_visible()


def test_a_measured_step_is_what_savings_rest_on(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    field = panel.locator('[data-control="measured"]')
    field.fill("125")
    field.press("Enter")
    expect(page).to_have_url(re.compile(r"profiler\.measured=125000000"))
    page.reload()
    expect(field).to_have_value("125")


def test_the_other_profile_of_a_run_is_suggested(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=AFTER)
    suggested = panel.locator('[data-action="compare-suggested"]')
    expect(suggested).to_have_text(re.compile(rf"^vs before: 134 → 33\.\d ms, {MINUS}75 %$"))
    items = page.get_by_test_id("run-items")
    expect(items).to_contain_text("before · 133.9 ms")
    suggested.click()
    compared = panel.get_by_test_id("compared")
    expect(compared.locator(".name").first).to_contain_text("before")
    expect(compared.locator(".faster")).to_contain_text("75")
    expect(suggested).to_have_count(0)


def test_the_one_recorded_first_is_the_baseline(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    suggested = panel.locator('[data-action="compare-suggested"]')
    expect(suggested).to_have_text(re.compile(rf"^vs after: 134 → 33\.\d ms, {MINUS}75 %$"))
    suggested.click()
    expect(panel.get_by_test_id("compared").locator(".name").first).to_contain_text("before")
    expect(panel.get_by_test_id("about")).to_contain_text("after")


def test_a_profile_without_another_has_no_suggestion(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced))
    expect(panel.get_by_test_id("key-figures")).to_be_visible()
    expect(panel.locator('[data-action="compare-suggested"]')).to_have_count(0)
    assert "compare" not in views_of(panel)


def test_further_views_are_in_a_list(page: Page, shared: Serve, repaired: Path) -> None:
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    tabs = panel.get_by_role("tab")
    expect(tabs).to_have_text(["Overview", "Timeline", "Operators", "Calls"])  # no memory
    more = panel.locator('[data-action="more-views"]')
    more.focus()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(tabs).to_have_text(["Overview", "Timeline", "Operators", "Calls", "Kernels"])
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Kernels")
    tabs.first.click()
    expect(tabs).to_have_count(4)


def test_tracks_of_the_profiler_itself_are_closed_at_first(page: Page, shared: Serve, repaired: Path) -> None:
    panel = timeline_page.opened(page, shared("--logdir", repaired), profile=BEFORE)
    labels = panel.locator("[data-row-key]")
    expect(labels.filter(has_text="stream 7")).to_have_count(1)
    noise = labels.filter(has_text="thread PyTorch Profiler")
    expect(noise).to_have_count(0)
    labels.filter(has_text="Spans").click()
    expect(noise).to_have_count(1)
    page.reload()
    timeline_page.drawn(panel)
    expect(noise).to_have_count(1)
    labels.filter(has_text="Spans").click()
    expect(noise).to_have_count(0)
    expect(page).not_to_have_url(re.compile(r"profiler\.closed="))


def test_two_steps_are_no_chart(page: Page, serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "logs/run/host_1.1.pt.trace.json"
    write_trace(path)
    trace = json.loads(path.read_text())
    trace["traceEvents"] = [
        event for event in trace["traceEvents"] if event["name"] not in ("ProfilerStep#3", "ProfilerStep#4")
    ]
    path.write_text(json.dumps(trace))
    panel = open_page(page, serve("--logdir", tmp_path / "logs"))
    expect(panel.locator('[data-figure="one-step"]')).to_be_visible()
    expect(panel.locator('[data-fact="steps"] .value')).to_have_text("2")
    expect(panel.locator('[data-figure="steps"]')).to_have_count(0)


def test_a_baseline_that_is_being_read_has_a_bar(page: Page, shared: Serve, repaired: Path) -> None:
    url = shared("--logdir", repaired)
    open_page(page, url, profile=BEFORE)  # both are read now
    is_read = False

    def partly(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        if not is_read:
            body |= {"state": "reading", "complete": False, "read": 120_000_000, "total": 340_000_000}
        route.fulfill(response=answer, body=json.dumps(body))

    page.route(re.compile(rf"/profiler/profile\?.*{re.escape(BEFORE)}"), partly)
    state = {"run": "resnet18", "profile": AFTER, "base_run": "resnet18", "base": BEFORE}
    panel = open_page(page, url, "compare", **state)
    reading = panel.get_by_test_id("reading")
    expect(reading).to_contain_text(f"Reading {BEFORE}: 120 of 340 MB")
    expect(reading.get_by_role("progressbar")).to_have_attribute("value", re.compile(r"^0\.35"))
    expect(reading).to_contain_text("1 s")
    expect(panel.get_by_test_id("compared")).to_be_visible()  # results as they come
    is_read = True
    expect(reading).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280, 2560])
def test_nothing_scrolls_sideways(page: Page, shared: Serve, repaired: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    panel = open_page(page, shared("--logdir", repaired), profile=BEFORE)
    expect(panel.locator("[data-advice]").first).to_be_visible()
    for view in views_of(panel):
        go(panel, view)
        expect(panel.locator("#profiler-view [aria-busy=true]")).to_have_count(0)
        wide = panel.evaluate(
            "(panel) => [panel, panel.querySelector('.scroll'), document.documentElement]"
            ".filter((one) => one && one.scrollWidth > one.clientWidth + 1).map((one) => one.className)"
        )
        assert wide == [], view
