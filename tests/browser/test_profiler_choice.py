"""Choice of a profile and of its base of comparison, and the page without a profile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.profiler_page import open_page, write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_two_profiles_are_compared(page: Page, serve: Serve, tmp_path: Path) -> None:
    write_trace(tmp_path / "fast/host_1.1700000000000.pt.trace.json")
    slower = {"aten::op05": 3.0, "aten::op09": 0.5}
    write_trace(tmp_path / "slow/host_1.1700000001000.pt.trace.json", slower=slower)
    panel = open_page(
        page,
        serve("--logdir", tmp_path),
        run="slow",
        profile="host_1.1700000001000.pt.trace.json",
        side="host",
        compared="operators",
    )
    page.keyboard.press("c")
    picker = page.locator('dialog[data-dialog="pick-base"]')
    picker.locator("[data-profile]").first.click()
    grid = panel.get_by_test_id("grid-compare")
    first = grid.locator('[data-row="0"]')
    expect(first.locator('[data-column="type"]')).to_have_text("aten::op05")
    expect(first.locator(".slower .number")).to_have_text("+5.000")
    expect(first.locator('[data-column="ratio"]')).to_contain_text("3.01")  # its launch takes 2 µs in both
    expect(grid.locator('[data-row="1"] .faster .number')).to_have_text("\N{MINUS SIGN}1.050")
    expect(panel.get_by_test_id("compared")).to_contain_text("longer")
    page.reload()
    expect(first.locator(".slower .number")).to_have_text("+5.000")
    panel.locator('[data-action="swap"]').click()
    expect(first.locator(".faster .number")).to_have_text("\N{MINUS SIGN}5.000")
    panel.locator('[data-control="per"] [data-value="step"]').click()
    expect(first.locator(".faster .number")).to_have_text("\N{MINUS SIGN}1.250")


def test_profiles_are_chosen_by_search_and_keys(page: Page, serve: Serve, tmp_path: Path) -> None:
    write_trace(tmp_path / "fast/host_1.1700000000000.pt.trace.json")
    for rank in range(3):
        write_trace(tmp_path / f"ranks/host{rank}_1.170000000{rank}000.pt.trace.json")
    panel = open_page(page, serve("--logdir", tmp_path))
    page.keyboard.press("p")
    picker = page.locator('dialog[data-dialog="pick-profile"]')
    expect(picker.locator("[data-profile]")).to_have_count(4)
    page.keyboard.type("ranks host2")
    expect(picker.locator("[data-profile]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(picker).to_have_count(0)
    expect(panel.get_by_test_id("about")).to_contain_text("host2")
    expect(page).to_have_url(re.compile(r"[#&]run=ranks"))
    page.reload()
    expect(panel.get_by_test_id("about")).to_contain_text("host2")


def test_profiles_of_runs_that_do_not_match_the_filter_are_counted(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    for number in range(4):
        write_trace(tmp_path / f"logs/run{number}/host_1.{number}.pt.trace.json")
    open_page(page, serve("--logdir", tmp_path / "logs"))
    page.locator("#run-filter").fill("run[23]")
    expect(page.locator(".ih-run")).to_have_count(2)
    page.locator("#run-filter").press("Tab")
    page.keyboard.press("p")
    picker = page.locator('dialog[data-dialog="pick-profile"]')
    expect(picker.get_by_test_id("elsewhere")).to_have_text("2 more in runs that do not match the filter")
    picker.locator('[data-control="profile-search"]').fill("no such run")
    expect(picker).to_contain_text("No profile matches")
    expect(picker.get_by_test_id("elsewhere")).to_have_count(0)


def test_what_is_being_read_shows_what_is_there(page: Page, shared: Serve, traced: Path) -> None:
    url = shared("--logdir", traced)
    done = False

    def partly(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        if not done:
            body |= {"state": "reading", "complete": False, "read": 40, "total": 100}
        route.fulfill(response=answer, body=json.dumps(body))

    open_page(page, url)  # it is read now
    page.route(re.compile(r"/profiler/profile\?"), partly)
    page.reload()
    panel = page.get_by_test_id("profiler")
    reading = panel.get_by_test_id("reading")
    expect(reading).to_contain_text("40 of 100 B")
    expect(reading).to_contain_text("1 s")
    expect(reading).to_contain_text("so far")
    expect(panel.locator('[data-figure="steps"]')).to_be_visible()
    done = True
    expect(reading).to_have_count(0)
    expect(panel.locator('[data-figure="steps"]')).to_be_visible()


def test_a_baseline_that_is_being_read_is_waited_for(page: Page, serve: Serve, tmp_path: Path) -> None:
    write_trace(tmp_path / "fast/host_1.1700000000000.pt.trace.json")
    write_trace(tmp_path / "slow/host_1.1700000001000.pt.trace.json", slower={"aten::op05": 3.0})
    is_read = False

    def later(route: Route) -> None:
        if is_read:
            route.continue_()
        else:
            route.fulfill(status=503, content_type="application/json", body='{"error": "being read (40%)"}')

    page.route(re.compile(r"/profiler/compare\?"), later)
    panel = open_page(
        page,
        serve("--logdir", tmp_path),
        "compare",
        run="slow",
        profile="host_1.1700000001000.pt.trace.json",
        base_run="fast",
        base="host_1.1700000000000.pt.trace.json",
        compared="operators",
    )
    expect(panel.locator(".waits")).to_contain_text("being read (40%)")
    is_read = True
    expect(panel.get_by_test_id("grid-compare")).to_be_visible()
    expect(panel.locator(".waits")).to_have_count(0)


def test_what_cannot_be_read_says_why(page: Page, serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "run/host_1.1700000000000.pt.trace.json"
    path.parent.mkdir()
    path.write_text("<html>no trace</html>")
    page.goto(f"{serve('--logdir', tmp_path)}#tab=profiler&locale=en")
    empty = page.get_by_test_id("profiler").get_by_test_id("empty")
    expect(empty).to_contain_text("Could not read the profile")
    expect(empty).to_contain_text(
        "host_1.1700000000000.pt.trace.json is not a trace: it begins with neither { nor ["
    )


def test_without_profiles_it_says_how_they_are_written(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.text("note", 0, "nothing else")
    page.goto(f"{serve('--logdir', tmp_path)}#tab=profiler&locale=en")
    empty = page.get_by_test_id("profiler").get_by_test_id("empty")
    expect(empty).to_contain_text("The selected runs have no profiles")
    expect(empty).to_contain_text("torch.profiler")
